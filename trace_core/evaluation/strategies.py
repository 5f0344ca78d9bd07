"""Strategies under one interface: a question in, a ranking out; same archive, same depth, same ids.

Plain searches (`bm25`, `dense`, `fuzzy`, `exact`, `date`, `fused`), `date-aware` and `routed`
variants of the fusion, and whole runs (`trace-rules`, `trace-model`), each run with any part of
the method switched off by a suffix: `trace-model-warm_start`, `trace-rules-coupling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput
from trace_core.domain.hits import FusedRanking
from trace_core.domain.state import RunState, current_ranking
from trace_core.evaluation.questions import Question

DEPTH = 50
"""Documents that a plain search is asked for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer took. `money` is None where a price is unknown."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    money: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A strategy's answer to one question.

    `accepted` is the accepted set of a run, None for a plain search. `failure` is a sentence when
    the run did not come to its end; its ranking is what it had by then.
    """

    ranking: tuple[DocumentKey, ...]
    accepted: tuple[DocumentKey, ...] | None = None
    run: str = ""
    cost: Cost = field(default_factory=Cost)
    failure: str = ""


class Searcher(Protocol):
    """What strategies need of the program: plain searches and whole runs."""

    def ranking(self, query: str, channel: str, scope: Scope, limit: int) -> FusedRanking:
        """One channel's (or the fused) ranking."""

    def finished_run(
        self, question: str, assistant: str, changes: dict[str, dict[str, Any]]
    ) -> RunState:
        """A run from question to list with every checkpoint approved."""


class Strategy(Protocol):
    """Answers questions."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def answer(self, question: Question) -> Answer:
        """The answer to one question."""


@dataclass(frozen=True, slots=True)
class PlainSearch:
    """One search with the question as its query."""

    name: str
    channel: str
    searcher: Searcher

    def answer(self, question: Question) -> Answer:
        """The search's ranking."""
        found = self.searcher.ranking(question.text, self.channel, Scope(), DEPTH)
        failures = "; ".join(reason for _, reason in found.failures)
        return Answer(tuple(hit.key for hit in found.hits), failure=failures)


@dataclass(frozen=True, slots=True)
class WholeRun:
    """A run by rules or by the model, with settings changed as the strategy says."""

    name: str
    assistant: str
    changes: dict[str, dict[str, Any]]
    searcher: Searcher

    def answer(self, question: Question) -> Answer:
        """The run's evidence list."""
        state = self.searcher.finished_run(question.text, self.assistant, self.changes)
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
            ),
            failure="" if state.status == "finished" else (state.rest_reason or state.status),
        )


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

_CHANNELS = ("bm25", "dense", "fuzzy", "exact", "date", "fused")
_FUSED_BUT: dict[str, dict[str, dict[str, Any]]] = {
    "date-aware": {"search": {"routing": False}},
    "routed": {"search": {"coupling": False}},
}


def strategy(
    name: str, searcher: Searcher, changes: dict[str, dict[str, Any]] | None = None
) -> Strategy:
    """A strategy by its name. Raises BadInput with the names there are."""
    if name in _CHANNELS:
        return PlainSearch(name, name, searcher)
    if name in _FUSED_BUT:
        return WholeRun(name, "rules", _joined(_FUSED_BUT[name], changes or {}), searcher)
    base, *off = name.replace("trace-rules", "rules").replace("trace-model", "model").split("-")
    if base not in ("rules", "model") or not name.startswith("trace-") or set(off) - set(PARTS):
        raise BadInput(
            f"There is no strategy {name!r}; choose from {', '.join([*_CHANNELS, *_FUSED_BUT])}, "
            f"trace-rules, trace-model, or a run without a part (trace-rules-PART, with PART one "
            f"of {', '.join(PARTS)})."
        )
    wanted = changes or {}
    for part in off:
        group, setting, value = PARTS[part]
        wanted = _joined(wanted, {group: {setting: value}})
    return WholeRun(name, base, wanted, searcher)


def strategies(
    names: Sequence[str], searcher: Searcher, changes: dict[str, dict[str, Any]] | None = None
) -> list[Strategy]:
    """Several strategies by name, each once."""
    return [strategy(name, searcher, changes) for name in dict.fromkeys(names)]


def _joined(
    first: dict[str, dict[str, Any]], second: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    groups = {*first, *second}
    return {group: {**first.get(group, {}), **second.get(group, {})} for group in groups}
