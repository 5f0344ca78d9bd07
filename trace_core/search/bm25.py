"""The BM25 channel: words of the query in the folded and stemmed text."""

from __future__ import annotations

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import ChannelName, Ranking
from trace_core.ports import LexicalIndex
from trace_core.search.channel import fetch_documents


class Bm25Channel:
    """BM25 over the lexical index (Robertson and Zaragoza 2009; k1 1.2 and b 0.75)."""

    name: ChannelName = "bm25"

    def __init__(self, index: LexicalIndex) -> None:
        self._index = index

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents by their best chunk's BM25 score."""
        if not query.strip():
            return Ranking(self.name, query, scope, skipped="The query has no words.")
        try:
            hits = fetch_documents(lambda n: self._index.search(query, scope, n), limit)
        except SearchFailed as error:
            return Ranking(self.name, query, scope, failure=str(error))
        return Ranking(self.name, query, scope, hits)
