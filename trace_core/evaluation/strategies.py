"""Strategies under one interface: a question in, a ranking out; same archive, same depth, same ids.

Searches: each channel alone (`bm25`, `dense`, `fuzzy`, `exact`, `date`), their fusion (`fused`),
and the fusion weighed over all sub-corpora: by days and neighbours (`date-aware`), by the
sub-corpora that the question points at (`routed`), by both (`surveyed`). Whole runs:
`trace-rules`, `trace-model`. A part of the method is switched off by a suffix:
`trace-model-warm_start`, `trace-rules-coupling`, `fused-dense`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.hits import FusedRanking
from trace_core.domain.question import AssistantName
from trace_core.domain.state import RunState, current_ranking
from trace_core.evaluation.questions import Question
from trace_core.settings import Changes, joined

DEPTH = 50
"""Documents that a search is asked for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer took. `seconds` are the model's, `elapsed` all that passed by the clock.

    `money` is in US dollars, None where a price is unknown.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    money: float | None = 0.0
    elapsed: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        unknown = self.money is None or other.money is None
        return Cost(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.seconds + other.seconds,
            None if unknown else (self.money or 0.0) + (other.money or 0.0),
            self.elapsed + other.elapsed,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """A strategy's answer to one question.

    `accepted` is the accepted set of a run, None for a plain search. `failure` is a sentence when
    the run did not come to its end, or a channel broke on the way; the ranking is what there was.
    """

    ranking: tuple[DocumentKey, ...]
    accepted: tuple[DocumentKey, ...] | None = None
    run: str = ""
    cost: Cost = field(default_factory=Cost)
    failure: str = ""


class Searcher(Protocol):
    """What strategies need of the program: plain searches and whole runs."""

    def ranking(self, query: str, way: str, limit: int, changes: Changes) -> FusedRanking:
        """One channel's ranking, `fused`, or `surveyed` (weighed over all sub-corpora)."""

    def finished_run(self, question: str, assistant: AssistantName, changes: Changes) -> RunState:
        """A run from question to list with every checkpoint approved."""


class Strategy(Protocol):
    """Answers questions."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def answer(self, question: Question) -> Answer:
        """The answer to one question. Raises TraceError."""


@dataclass(frozen=True, slots=True)
class PlainSearch:
    """One search with the question as its query."""

    name: str
    way: str
    changes: Changes
    searcher: Searcher

    def answer(self, question: Question) -> Answer:
        """The search's ranking; the sentence of each channel that broke is its failure."""
        begin = perf_counter()
        found = self.searcher.ranking(question.text, self.way, DEPTH, self.changes)
        return Answer(
            tuple(hit.key for hit in found.hits),
            cost=Cost(elapsed=perf_counter() - begin),
            failure="; ".join(reason for _, reason in found.failures),
        )


@dataclass(frozen=True, slots=True)
class WholeRun:
    """A run by rules or by the model, with settings changed as the strategy says."""

    name: str
    assistant: AssistantName
    changes: Changes
    searcher: Searcher

    def answer(self, question: Question) -> Answer:
        """The run's evidence list."""
        begin = perf_counter()
        state = self.searcher.finished_run(question.text, self.assistant, self.changes)
        return answer_of(state, perf_counter() - begin)


def answer_of(state: RunState, elapsed: float = 0.0) -> Answer:
    """What a run answers, as far as it is."""
    totals = state.totals
    return Answer(
        ranking=tuple(line.key for line in current_ranking(state)),
        accepted=tuple(state.accepted()),
        run=state.run,
        cost=Cost(
            totals.calls,
            totals.tokens_in,
            totals.tokens_out,
            totals.seconds,
            None if totals.unpriced else totals.money,
            elapsed,
        ),
        failure=_failure(state),
    )


def _failure(state: RunState) -> str:
    """Why the numbers of a run are not the method's: it did not end, or a channel was broken."""
    if state.status != "finished":
        return state.rest_reason or state.status
    return "; ".join(f"{name}: {reason}" for name, reason in state.lost_channels.items())


PARTS: dict[str, tuple[str, str, Any]] = {
    "decompose": ("loop", "decompose", False),
    "memory": ("loop", "memory", False),
    "replan": ("loop", "replan", False),
    "warm_start": ("loop", "warm_start", False),
    "holds": ("loop", "reevaluate_holds", False),
    "second_pass": ("loop", "second_pass", False),
    "loop": ("loop", "max_steps", 0),
    "coupling": ("search", "coupling", False),
    "routing": ("search", "routing", False),
    "bm25": ("search", "weight_bm25", 0.0),
    "dense": ("search", "weight_dense", 0.0),
    "date": ("search", "weight_date", 0.0),
    "fuzzy": ("search", "weight_fuzzy", 0.0),
}
"""Parts that can be switched off: name to (settings group, setting, value when off)."""

_SURVEYS: dict[str, Changes] = {
    "date-aware": {"search": {"routing": False, "coupling": True}},
    "routed": {"search": {"routing": True, "coupling": False}},
    "surveyed": {"search": {"routing": True, "coupling": True}},
}
_RUNS: dict[str, AssistantName] = {"trace-rules": "rules", "trace-model": "model"}

SEARCHES = ("bm25", "dense", "fuzzy", "exact", "date", "fused", *_SURVEYS)
"""Strategies that are one search."""

STRATEGIES = (*SEARCHES, *_RUNS)
"""All strategies with every part on."""


def strategy(name: str, searcher: Searcher, changes: Changes | None = None) -> Strategy:
    """A strategy by its name. Raises BadInput with the names there are."""
    fitting = [b for b in STRATEGIES if name == b or name.startswith(f"{b}-")]
    base = max(fitting, key=len, default="")
    off = name[len(base) + 1 :].split("-") if name != base else []
    if not base or set(off) - set(PARTS):
        raise BadInput(
            f"There is no strategy {name!r}; choose from {', '.join(STRATEGIES)}, each without a "
            f"part where you add -PART, with PART one of {', '.join(PARTS)}."
        )
    wanted = joined(changes or {}, _SURVEYS.get(base, {}), *(switched_off(part) for part in off))
    if base in _RUNS:
        return WholeRun(name, _RUNS[base], wanted, searcher)
    useless = [part for part in off if PARTS[part][0] != "search"]
    if useless or (off and base not in ("fused", *_SURVEYS)):
        raise BadInput(f"{base} is one search and has no part {', '.join(useless or off)}.")
    if base in _SURVEYS:
        return PlainSearch(name, "surveyed", wanted, searcher)
    return PlainSearch(name, base, wanted, searcher)


def strategies(
    names: Sequence[str], searcher: Searcher, changes: Changes | None = None
) -> list[Strategy]:
    """Several strategies by name, each once. Raises BadInput for none, or an unknown one."""
    if not names:
        raise BadInput(f"Name at least one strategy: {', '.join(STRATEGIES)}.")
    return [strategy(name, searcher, changes) for name in dict.fromkeys(names)]


def switched_off(part: str) -> Changes:
    """The change of settings that switches a part of the method off."""
    group, setting, value = PARTS[part]
    return {group: {setting: value}}
