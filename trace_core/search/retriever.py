"""All channels behind one door: single rankings, their fusion, and the searches of the stages.

In: a query and a scope. Out: rankings with every channel's rank kept, failures said. A warm start
puts its question to all the plan's targets at once (`survey`), so that each target's candidates
can be weighed beside the others'. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from trace_core.domain.corpus import DocumentHead, DocumentKey, Scope, SubCorpus
from trace_core.domain.dates import HistoricalDate, iso_day
from trace_core.domain.errors import BadInput
from trace_core.domain.hits import ChannelName, FusedHit, FusedRanking, Ranking
from trace_core.domain.question import Action, SubQuestion
from trace_core.ports import DocumentStore
from trace_core.search.channel import Channel
from trace_core.search.date import DateChannel
from trace_core.search.fusion import fuse
from trace_core.search.fuzzy_plan import BAR, FEW_WORDS
from trace_core.search.reranker import Reranker, rerank
from trace_core.search.routing import named_corpora, names_of, route
from trace_core.search.side_by_side import side_by_side
from trace_core.search.survey import Inquiry, Survey, channel_weights, date_weight, survey
from trace_core.search.weights import WEIGHED
from trace_core.search.words import content_query, language_of
from trace_core.settings import SearchSettings
from trace_core.text.tokens import words

_BY_ACTION: Mapping[str, ChannelName] = {
    "search_bm25": "bm25",
    "search_semantic": "dense",
    "search_date": "date",
    "search_exact": "exact",
    "search_fuzzy": "fuzzy",
}

FUSED: tuple[ChannelName, ...] = ("bm25", "dense", "date", "fuzzy")
"""The channels of a fused search; exact is for a person or a model that asks for it."""

_MOST_SURVEYED = 12
"""Most sub-corpora that one survey asks apart; those with the best first hits are taken."""

_REMEMBERED = 256
"""Most rankings kept for a search that is asked again."""

_BESIDE_WORDS = 0.1
"""What BM25 and the dense channel weigh in a search for so few words.

Whoever asks for a word means that word: what has it, whole or misread, comes first. The
OCR-tolerant channel puts the whole ones first itself, in BM25's order; the others only fill up.
"""

_LEAST_DATE_WEIGHT = 0.1
"""Below this the dates of a question (a year, say) only weigh candidates and find none."""


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


@dataclass(frozen=True, slots=True)
class Helps:
    """What a retriever may have besides its channels.

    `factors` are by what each channel's weight is multiplied (see `weights`); `reranker` reorders
    the first documents.
    """

    factors: Mapping[str, float] = field(default_factory=dict)
    reranker: Reranker | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A text as it was written, the words that the channels search, and the dates read in it."""

    text: str
    query: str
    dates: tuple[HistoricalDate, ...]
    date_weight: float

    @property
    def few(self) -> bool:
        """Whether it is a word or two, a name say, or forms that a person chose."""
        return BAR in self.query or 0 < len(words(self.query)) <= FEW_WORDS


class Retriever:
    """Searches an archive through its channels."""

    def __init__(
        self,
        channels: Sequence[Channel],
        settings: SearchSettings,
        documents: DocumentStore | None = None,
        helps: Helps | None = None,
    ) -> None:
        """Without the records of documents a warm start neither routes nor couples."""
        self._channels: dict[str, Channel] = {c.name: c for c in channels}
        self._helps = helps or Helps()
        self._settings = _multiplied(settings, self._helps.factors)
        self._documents = documents
        self._remembered: dict[tuple[str, str, Scope, int], Ranking] = {}

    @property
    def channels(self) -> tuple[str, ...]:
        """The names of the channels that this archive has."""
        return tuple(self._channels)

    def of(self, names: Collection[str]) -> list[Channel]:
        """The channels of these names that this archive has."""
        return [channel for name, channel in self._channels.items() if name in names]

    def channel(self, name: str, query: str, scope: Scope, limit: int) -> Ranking:
        """One channel's ranking. Raises BadInput for a channel that does not exist."""
        channel = self._channels.get(name)
        if channel is None:
            known = ", ".join(self._channels)
            raise BadInput(f"There is no channel {name!r}; choose one of {known} or fused.")
        return channel.search(query, scope, limit)

    def plain(self, way: str, query: str, scope: Scope, limit: int) -> FusedRanking:
        """One search as a person asks for it: `fused`, or one channel. Raises BadInput.

        Channels that look for words get those of a question that can tell one passage from another.
        """
        if way == "fused":
            return self.fused(query, scope, limit)
        text = query
        if way in WEIGHED:
            text = self._understood(query, self._corpora(scope), whole=False).query
        single = self.channel(way, text, scope, limit)
        return FusedRanking(query, scope, fuse([single], limit=limit), (single,))

    def fused(self, query: str, scope: Scope, limit: int) -> FusedRanking:
        """The fusion of all channels inside the scope, by weighted reciprocal ranks."""
        depth = max(self._settings.channel_depth, limit)
        asked = self._understood(query, self._corpora(scope), whole=False)
        rankings = self._searched(asked, scope, depth)
        weights = channel_weights(self._settings) | {"date": asked.date_weight}
        if asked.few and any(r.channel == "fuzzy" and r.hits for r in rankings):
            weights |= {name: _BESIDE_WORDS * weights[name] for name in ("bm25", "dense")}
        hits = fuse(rankings, weights, self._settings.rrf_k, depth)
        return FusedRanking(query, scope, self._reranked(query, hits)[:limit], rankings)

    def _reranked(self, query: str, hits: tuple[FusedHit, ...]) -> tuple[FusedHit, ...]:
        reranker, documents = self._helps.reranker, self._documents
        if reranker is None or documents is None:
            return hits

        def texts(numbers: Sequence[int]) -> dict[int, str]:
            return {number: chunk.text for number, chunk in documents.chunks(numbers).items()}

        return rerank(query, hits, texts, reranker, self._settings.rerank_depth)

    def _understood(self, text: str, corpora: Sequence[SubCorpus], *, whole: bool) -> _Asked:
        """What a text asks the channels for.

        Names of sub-corpora and dates have been understood; as words they would only mislead.
        Unless the text is known to be a question as a `whole`, it must look like one (function
        words of a language) for anything to be left out: a few words are all meant.
        """
        dates = tuple(self._dates_in(text))
        weight = date_weight(dates, self._settings)
        if BAR in text or (not whole and not language_of(text)):
            return _Asked(text, text, dates, weight)
        if not whole:
            named = set(named_corpora(text, corpora))
            corpora = [corpus for corpus in corpora if corpus.id in named]
        drop = [*names_of(corpora), *(date.written for date in dates)]
        return _Asked(text, content_query(text, drop), dates, weight)

    def _searched(self, asked: _Asked, scope: Scope, depth: int) -> tuple[Ranking, ...]:
        """The rankings of all channels that weigh something."""
        weights = channel_weights(self._settings)
        names = [name for name in FUSED if name in self._channels and weights[name] > 0]
        if asked.dates and asked.date_weight < _LEAST_DATE_WEIGHT:
            names = [name for name in names if name != "date"]
        return side_by_side(
            [
                partial(
                    self._ranked, name, asked.text if name == "date" else asked.query, scope, depth
                )
                for name in names
            ]
        )

    def _ranked(self, name: str, query: str, scope: Scope, depth: int) -> Ranking:
        """A channel's ranking, remembered: the plan and every warm start ask the same again.

        A retriever lives only as long as the state of the archive that it was built for.
        """
        asked = (name, query, scope, depth)
        known = self._remembered.get(asked)
        if known is None:
            known = self._channels[name].search(query, scope, depth)
            if not known.failure:
                if len(self._remembered) >= _REMEMBERED:
                    self._remembered.clear()
                self._remembered[asked] = known
        return known

    def survey(self, question: str, scope: Scope, corpora: Sequence[str] = ()) -> Survey:
        """The question put to each of these sub-corpora apart (all in scope when none is given).

        Where there are many, those are asked that the question points at or that hold the best
        hits of a search over all.
        """
        asked = self._asked(question, scope, corpora)
        wanted = self._understood(question, asked, whole=True)
        depth = self._settings.channel_depth

        def search(inside: Scope) -> tuple[Ranking, ...]:
            return self._searched(wanted, inside, depth)

        inquiry = Inquiry(question, tuple(asked), scope, wanted.dates)
        return survey(inquiry, search, self._heads, self._settings)

    def warm_start(self, task: WarmStart) -> FusedRanking:
        """The first search of a sub-question, inside its target."""
        target = task.sub_question.target
        scope = narrowed(task.scope, target)
        weighs = self._settings.routing or self._settings.coupling
        known = {corpus.id for corpus in self._documents.corpora()} if self._documents else ()
        # A target that was merged into another sub-corpus is only known to the indexes' scope.
        if target not in known or not weighs or scope.corpora != (target,):
            return self.fused(task.sub_question.text, scope, task.limit)
        found = self.survey(
            task.sub_question.text, task.scope, tuple(dict.fromkeys((target, *task.targets)))
        )
        rankings = found.rankings.get(target, ())
        query = next((r.query for r in rankings), task.sub_question.text)
        hits = self._reranked(task.sub_question.text, found.hits.get(target, ()))
        return FusedRanking(query, scope, hits[: task.limit], rankings)

    def _asked(self, question: str, scope: Scope, corpora: Sequence[str]) -> list[SubCorpus]:
        inside = [c for c in self._corpora(scope) if not corpora or c.id in corpora]
        if len(inside) <= _MOST_SURVEYED:
            return inside
        hits = self.fused(question, scope, self._settings.channel_depth).hits
        best: dict[str, float] = {}
        for hit in hits:
            best[hit.key.corpus] = best.get(hit.key.corpus, 0.0) + hit.score
        pointed = {r.corpus: r for r in route(question, inside)}
        inside.sort(
            key=lambda c: (not pointed[c.id].named, -pointed[c.id].weight * best.get(c.id, 0.0))
        )
        return inside[:_MOST_SURVEYED]

    def _corpora(self, scope: Scope) -> list[SubCorpus]:
        """The sub-corpora inside a scope."""
        known = self._documents.corpora() if self._documents else []
        return [c for c in known if not scope.corpora or c.id in scope.corpora]

    def _dates_in(self, question: str) -> list[HistoricalDate]:
        channel = self._channels.get("date")
        return channel.dates_in(question) if isinstance(channel, DateChannel) else []

    def _heads(self, keys: Sequence[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        return self._documents.heads(keys) if self._documents else {}

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


def _multiplied(settings: SearchSettings, factors: Mapping[str, float]) -> SearchSettings:
    weights = channel_weights(settings)
    changed = {f"weight_{name}": weights[name] * factor for name, factor in factors.items()}
    return settings.model_copy(update=changed)


def narrowed(scope: Scope, corpus: str) -> Scope:
    """The scope inside one sub-corpus; unchanged for "" or one that the scope leaves out."""
    if not corpus or (scope.corpora and corpus not in scope.corpora):
        return scope
    return replace(scope, corpora=(corpus,))
