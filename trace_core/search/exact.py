"""The exact channel: a string as it stands, but for case, accents and broken lines."""

from __future__ import annotations

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import ChannelName, ChunkScore, Ranking
from trace_core.ports import DocumentStore, LexicalIndex
from trace_core.search.channel import fetch_documents
from trace_core.text.layers import fold


class ExactChannel:
    """Substring search on the indexed layer; score = number of occurrences in the chunk."""

    name: ChannelName = "exact"

    def __init__(self, index: LexicalIndex, documents: DocumentStore) -> None:
        self._index = index
        self._documents = documents

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents by the occurrences in their best chunk, ties as BM25 has them."""
        wanted = " ".join(fold(query).split())
        if not wanted:
            return Ranking(self.name, query, scope, skipped="The query has no letters or digits.")
        try:
            hits = fetch_documents(lambda n: self._verified(query, wanted, scope, n), limit)
        except SearchFailed as error:
            return Ranking(self.name, query, scope, failure=str(error))
        return Ranking(self.name, query, scope, hits)

    def _verified(self, query: str, wanted: str, scope: Scope, n: int) -> list[ChunkScore]:
        # The index proposes by tokens; only the text itself can tell what stands there exactly.
        proposed = self._index.search_phrase(query, scope, n)
        chunks = self._documents.chunks(score.chunk_id for score in proposed)
        kept = []
        for score in proposed:
            chunk = chunks.get(score.chunk_id)
            if chunk is None:
                continue
            count = " ".join(fold(chunk.text).split()).count(wanted)
            if count:
                kept.append(ChunkScore(score.chunk_id, score.key, float(count)))
        kept.sort(key=lambda score: -score.score)
        return kept
