"""The date channel: documents on or near the days that a query names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from trace_core.domain.corpus import DocumentHead, DocumentKey, Scope
from trace_core.domain.dates import HistoricalDate
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.ports import DocumentStore, LexicalIndex
from trace_core.search.channel import fetch_documents

_MOST_HEADS = 2000
_MOST_DATES = 12  # of a pasted page


@dataclass(frozen=True, slots=True)
class DateSettings:
    """`window` in days on either side; `decay` a day: score = exp(-decay * days)."""

    window: int = 7
    decay: float = 0.15


class DateChannel:
    """Score exp(-0.15 |days|) within 7 days of a date read in the query.

    A month or a year is a range of days, inside which every document has the distance 0: ties
    are then broken by BM25, and what shares no word with the query follows by date.
    """

    name: ChannelName = "date"

    def __init__(
        self, documents: DocumentStore, index: LexicalIndex, settings: DateSettings | None = None
    ) -> None:
        self._documents = documents
        self._index = index
        self._settings = settings or DateSettings()

    def dates_in(self, query: str) -> list[HistoricalDate]:
        """The first dates that can be read in a query, each once, in their order."""
        from trace_core.ingest.dates import find_dates

        found = dict.fromkeys(mention.date for mention in find_dates(query))
        return list(found)[:_MOST_DATES]

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """Documents near the dates that can be read in the query."""
        dates = self.dates_in(query)
        if not dates:
            return Ranking(self.name, query, scope, skipped="No date can be read in the query.")
        return self.near(dates, query, scope, limit)

    def near(self, dates: list[HistoricalDate], query: str, scope: Scope, limit: int) -> Ranking:
        """Documents near the given dates; `query` only breaks ties."""
        note = "dates read: " + ", ".join(date.edtf for date in dates)
        try:
            best: dict[DocumentKey, tuple[float, int, Hit]] = {}
            for date in dates:
                for hit in self._near_one(date, query, scope, limit):
                    known = best.get(hit.key)
                    if known is None or (hit.score, -hit.rank) > (known[0], -known[1]):
                        best[hit.key] = (hit.score, hit.rank, hit)
        except SearchFailed as error:
            return Ranking(self.name, query, scope, failure=str(error))
        order = sorted(best.values(), key=lambda entry: (-entry[0], entry[1], entry[2].key))
        hits = tuple(
            Hit(hit.key, rank, score, hit.chunk_ids)
            for rank, (score, _, hit) in enumerate(order[:limit], start=1)
        )
        return Ranking(self.name, query, scope, hits, note=note)

    def _near_one(self, date: HistoricalDate, query: str, scope: Scope, limit: int) -> list[Hit]:
        window = _intersect(
            scope, date.earliest - self._settings.window, date.latest + self._settings.window
        )
        if window is None:
            return []
        matching = fetch_documents(lambda n: self._index.search(query, window, n), limit)
        heads = self._documents.heads(hit.key for hit in matching)
        found = {
            hit.key: self._scored(hit.key, date, heads[hit.key], hit.rank, hit.chunk_ids)
            for hit in matching
            if hit.key in heads
        }
        place = len(found)
        for head in self._documents.browse(window, limit=_MOST_HEADS):
            if len(found) >= 2 * limit or head.key in found:
                continue
            chunks = self._documents.chunks_of(head.key)
            if chunks:
                place += 1
                found[head.key] = self._scored(head.key, date, head, place, (chunks[0].id,))
        return list(found.values())

    def _scored(
        self,
        key: DocumentKey,
        date: HistoricalDate,
        head: DocumentHead,
        place: int,
        chunk_ids: tuple[int, ...],
    ) -> Hit:
        days = date.days_between(head.date) if head.date else self._settings.window
        return Hit(key, place, math.exp(-self._settings.decay * days), chunk_ids)


def _intersect(scope: Scope, earliest: int, latest: int) -> Scope | None:
    low = earliest if scope.earliest is None else max(scope.earliest, earliest)
    high = latest if scope.latest is None else min(scope.latest, latest)
    if low > high:
        return None
    return replace(scope, earliest=low, latest=high, include_undated=False)
