"""All channels behind one door: single rankings, their fusion, and the searches of the stages.

In: a query and a scope. Out: rankings with every channel's rank kept, failures said. Nothing is
decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trace_core.domain.corpus import Scope
from trace_core.domain.dates import HistoricalDate, iso_day
from trace_core.domain.errors import BadInput
from trace_core.domain.hits import ChannelName, FusedRanking, Ranking
from trace_core.domain.question import Action, SubQuestion
from trace_core.search.channel import Channel
from trace_core.search.date import DateChannel
from trace_core.search.fusion import fuse
from trace_core.settings import SearchSettings

_BY_ACTION: Mapping[str, ChannelName] = {
    "search_bm25": "bm25",
    "search_semantic": "dense",
    "search_date": "date",
    "search_exact": "exact",
    "search_fuzzy": "fuzzy",
}

FUSED: tuple[ChannelName, ...] = ("bm25", "dense", "date", "fuzzy")
"""The channels of a fused search; exact is for a person or a model that asks for it."""


@dataclass(frozen=True, slots=True)
class WarmStart:
    """What a sub-question's first search depends on; `targets` are those of the whole plan."""

    question: str
    sub_question: SubQuestion
    targets: tuple[str, ...]
    scope: Scope
    limit: int


@dataclass(frozen=True, slots=True)
class Window:
    """The days of a date search (ordinals, inclusive) and how far it is silently widened."""

    earliest: int
    latest: int
    widening: int = 0


@dataclass(frozen=True, slots=True)
class LoopSearch:
    """One search of the loop: the action, the run's limits and the window of a date search."""

    action: Action
    scope: Scope
    window: Window | None
    limit: int


class Retriever:
    """Searches an archive through its channels."""

    def __init__(self, channels: Sequence[Channel], settings: SearchSettings) -> None:
        self._channels: dict[str, Channel] = {c.name: c for c in channels}
        self._settings = settings

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the channels that this archive has."""
        return tuple(self._channels)

    def channel(self, name: str, query: str, scope: Scope, limit: int) -> Ranking:
        """One channel's ranking. Raises BadInput for a channel that does not exist."""
        channel = self._channels.get(name)
        if channel is None:
            known = ", ".join(self._channels)
            raise BadInput(f"There is no channel {name!r}; choose one of {known} or fused.")
        return channel.search(query, scope, limit)

    def fused(self, query: str, scope: Scope, limit: int) -> FusedRanking:
        """The fusion of all channels inside the scope, by weighted reciprocal ranks."""
        depth = max(self._settings.channel_depth, limit)
        rankings = tuple(
            self._channels[name].search(query, scope, depth)
            for name in FUSED
            if name in self._channels and self._weights()[name] > 0
        )
        hits = fuse(rankings, self._weights(), self._settings.rrf_k, limit)
        return FusedRanking(query, scope, hits, rankings)

    def warm_start(self, task: WarmStart) -> FusedRanking:
        """The first search of a sub-question, inside its target."""
        scope = narrowed(task.scope, task.sub_question.target)
        return self.fused(task.sub_question.text, scope, task.limit)

    def loop_search(self, task: LoopSearch) -> FusedRanking:
        """One search of the loop as a ranking that keeps its channel."""
        action = task.action
        scope = narrowed(task.scope, action.corpus)
        name = _BY_ACTION[action.name]
        if name == "date" and task.window is not None:
            ranking = self._between(task.window, action.query, scope, task.limit)
        else:
            ranking = self.channel(name, action.query, scope, task.limit)
        hits = fuse([ranking], {}, self._settings.rrf_k, task.limit)
        return FusedRanking(action.query, scope, hits, (ranking,))

    def _between(self, window: Window, query: str, scope: Scope, limit: int) -> Ranking:
        channel = self._channels.get("date")
        if not isinstance(channel, DateChannel):
            raise BadInput("This archive has no date channel.")
        low, high = window.earliest - window.widening, window.latest + window.widening
        written = f"{iso_day(low)}/{iso_day(high)}"
        days = HistoricalDate(written, written, low, high)
        inside = replace(
            scope,
            earliest=low if scope.earliest is None else max(scope.earliest, low),
            latest=high if scope.latest is None else min(scope.latest, high),
            include_undated=False,
        )
        return channel.near([days], query, inside, limit)

    def _weights(self) -> dict[str, float]:
        given = self._settings
        return {
            "bm25": given.weight_bm25,
            "dense": given.weight_dense,
            "date": given.weight_date,
            "exact": given.weight_exact,
            "fuzzy": given.weight_fuzzy,
        }


def narrowed(scope: Scope, corpus: str) -> Scope:
    """The scope inside one sub-corpus; unchanged for "" or one that the scope leaves out."""
    if not corpus or (scope.corpora and corpus not in scope.corpora):
        return scope
    return replace(scope, corpora=(corpus,))
