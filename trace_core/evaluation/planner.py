"""Planner analysis: what becomes of the plans, and how often a collapsed question fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Event, PlanProposed, PlanRefused
from trace_core.domain.state import RunState
from trace_core.search.names import find_names
from trace_core.text.folding import fold


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run with what it should have found, and the recall@10 that it reached.

    `named` are the ids of the sub-corpora that its question names.
    """

    state: RunState
    events: Sequence[Event]
    gold: Sequence[DocumentKey]
    recall: float
    named: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PlannerReport:
    """Over all runs: sub-questions a plan, collapses, how often a collapsed question failed.

    A collapse is a plan that was asked for again because it collapsed, or a plan of one
    sub-question where the gold lies in several sub-corpora. A question fails when not all its gold
    is in the first 10; a rate is None where there is no such question. `corpora` is the share of
    gold sub-corpora that some sub-question aims at, `named` the same of the sub-corpora that the
    question names (None where none names any), `entities` the share of the question's names that
    stand in some sub-question (None where no question has a name).
    """

    runs: int
    sub_questions: float
    collapses: int
    asked_again: int
    failure_rate_collapsed: float | None
    failure_rate_others: float | None
    corpora: float | None
    named: float | None
    entities: float | None


def analyse_planner(runs: Iterable[PlannedRun]) -> PlannerReport:
    """What became of the plans. The runs are looked at one by one, and none is kept."""
    rows = [_row(run) for run in runs]
    return PlannerReport(
        runs=len(rows),
        sub_questions=_mean([row.size for row in rows]) or 0.0,
        collapses=sum(row.collapsed for row in rows),
        asked_again=sum(row.asked_again for row in rows),
        failure_rate_collapsed=_mean([row.failed for row in rows if row.collapsed]),
        failure_rate_others=_mean([row.failed for row in rows if not row.collapsed]),
        corpora=_mean([row.corpora for row in rows]),
        named=_mean([row.named for row in rows]),
        entities=_mean([row.entities for row in rows]),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    size: float
    collapsed: bool
    asked_again: bool
    failed: float
    corpora: float | None
    named: float | None
    entities: float | None


def _row(run: PlannedRun) -> _Row:
    refused = _refused_for_collapse(run.events)
    return _Row(
        size=float(len(run.state.plan)),
        collapsed=refused or _collapsed(run),
        asked_again=refused,
        failed=float(run.recall < 1.0),
        corpora=_aimed(run, {key.corpus for key in run.gold}),
        named=_aimed(run, set(run.named)),
        entities=_entities(run.state),
    )


def _refused_for_collapse(events: Sequence[Event]) -> bool:
    payloads = [e.payload for e in events if e.type == PlanRefused.type]
    return any(isinstance(p, PlanRefused) and p.cause == "collapse" for p in payloads)


def _collapsed(run: PlannedRun) -> bool:
    plans = [p for e in run.events if isinstance(p := e.payload, PlanProposed)]
    several = len({key.corpus for key in run.gold}) > 1
    return bool(plans) and several and len(plans[-1].sub_questions) == 1


def _aimed(run: PlannedRun, wanted: set[str]) -> float | None:
    targets = {q.target for q in run.state.plan}
    if not wanted:
        return None
    return 1.0 if "" in targets else len(wanted & targets) / len(wanted)


def _entities(state: RunState) -> float | None:
    names = {fold(n.text) for n in find_names(state.question) if n.certain and n.kind == "name"}
    if not names:
        return None
    said = [fold(" ".join((q.text, *q.entities))) for q in state.plan]
    return sum(any(name in text for text in said) for name in names) / len(names)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
