"""The exact channel: a string as it stands, but for case, accents and broken lines.

Apostrophes, quotation marks and dashes are alike whatever their form: keyboards have one of each.
Quotation marks around the whole query ask for what is between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import ChannelName, ChunkScore, Hit, Ranking
from trace_core.ports import DocumentStore, LexicalIndex
from trace_core.search.channel import Fetched, fetch_documents
from trace_core.text.folding import fold

_FORMS = str.maketrans("’‘ʼʹ´`′‛“”„‟«»‹›–—‒‐‑−", "'" * 8 + '"' * 8 + "-" * 6)


def _plain(text: str) -> str:
    return " ".join(fold(text).translate(_FORMS).split())


def _unquoted(wanted: str) -> str:
    inside = wanted[1:-1].strip()
    return inside if inside and wanted[0] == wanted[-1] and wanted[0] in "\"'" else wanted


class ExactChannel:
    """Substring search on the indexed layer; score = number of occurrences in the chunk."""

    name: ChannelName = "exact"

    def __init__(self, index: LexicalIndex, documents: DocumentStore) -> None:
        self._index = index
        self._documents = documents

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents by the occurrences in their best chunk, ties as BM25 has them."""
        wanted = _unquoted(_plain(query))
        if not wanted:
            return Ranking(self.name, query, scope, skipped="The query has no letters or digits.")
        try:
            hits = self._found(query, wanted, scope, limit)
        except SearchFailed as error:
            return Ranking(self.name, query, scope, failure=str(error))
        return Ranking(self.name, query, scope, hits)

    def _found(self, query: str, wanted: str, scope: Scope, limit: int) -> tuple[Hit, ...]:
        """Documents with the string; the index is asked for more until enough hold it.

        What it proposed, not what was kept of that, says whether it has more.
        """
        counts: dict[int, int] = {}

        def verified(asked: int) -> Fetched:
            proposed = self._index.search_phrase(query, scope, asked)
            self._count(wanted, proposed, counts)
            kept = [
                ChunkScore(score.chunk_id, score.key, float(counts[score.chunk_id]))
                for score in proposed
                if counts[score.chunk_id]
            ]
            kept.sort(key=lambda score: -score.score)
            return kept, len(proposed)

        return fetch_documents(verified, limit)

    def _count(self, wanted: str, proposed: Sequence[ChunkScore], counts: dict[int, int]) -> None:
        """Count the string in the chunks that were not read before.

        The index proposes by tokens; only the text itself can tell what stands there exactly.
        """
        missing = [score.chunk_id for score in proposed if score.chunk_id not in counts]
        chunks = self._documents.chunks(missing)
        for number in missing:
            text = _plain(chunks[number].text) if number in chunks else ""
            counts[number] = text.count(wanted)
