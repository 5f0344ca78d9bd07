"""The dense channel: passages whose vectors are nearest to the query's."""

from __future__ import annotations

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import EmbedderUnavailable, SearchFailed
from trace_core.domain.hits import ChannelName, Ranking
from trace_core.ports import Embedder, VectorIndex
from trace_core.search.channel import fetch_documents


class DenseChannel:
    """Cosine similarity between the embedder's vectors of query and passages."""

    name: ChannelName = "dense"

    def __init__(self, index: VectorIndex, embedder: Embedder | None) -> None:
        self._index = index
        self._embedder = embedder

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents by their best chunk's cosine similarity."""
        if self._embedder is None:
            return Ranking(self.name, query, scope, skipped="No embedder is set or trained yet.")
        try:
            vector = self._embedder.embed_query(query)
            if not vector.any():
                reason = "The embedder knows no word of the query."
                return Ranking(self.name, query, scope, skipped=reason)
            hits = fetch_documents(lambda n: self._index.search(vector, scope, n), limit)
        except (SearchFailed, EmbedderUnavailable) as error:
            return Ranking(self.name, query, scope, failure=str(error))
        return Ranking(self.name, query, scope, hits)
