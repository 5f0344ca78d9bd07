"""Planner analysis: what becomes of the plans, and how often a collapsed question fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Event, PlanProposed, PlanRefused
from trace_core.domain.state import RunState
from trace_core.search.names import find_names
from trace_core.text.layers import fold


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run with what it should have found, and the recall@10 that it reached."""

    state: RunState
    events: Sequence[Event]
    gold: Sequence[DocumentKey]
    recall: float


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


def analyse_planner(
    runs: Sequence[PlannedRun], named: Sequence[Sequence[str]] = ()
) -> PlannerReport:
    """`named` are the ids of the sub-corpora that each run's question names, if known."""
    failed: dict[bool, list[float]] = {True: [], False: []}
    again = 0
    for run in runs:
        refused = _refused_for_collapse(run.events)
        collapsed = refused or _collapsed(run)
        again += refused
        failed[collapsed].append(float(run.recall < 1.0))
    return PlannerReport(
        runs=len(runs),
        sub_questions=sum(len(r.state.plan) for r in runs) / len(runs) if runs else 0.0,
        collapses=len(failed[True]),
        asked_again=again,
        failure_rate_collapsed=_mean(failed[True]),
        failure_rate_others=_mean(failed[False]),
        corpora=_mean(
            [c for r in runs if (c := _aimed(r, {k.corpus for k in r.gold})) is not None]
        ),
        named=_mean(
            [
                c
                for r, ids in zip(runs, named, strict=False)
                if (c := _aimed(r, set(ids))) is not None
            ]
        ),
        entities=_mean([c for r in runs if (c := _entities(r.state)) is not None]),
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


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
