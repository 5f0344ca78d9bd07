"""What becomes of plans, by hand."""

from __future__ import annotations

import pytest

from tests.evaluation.building import RULES, events_of
from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Draft
from trace_core.domain.question import SubQuestion
from trace_core.domain.transitions import fold
from trace_core.evaluation.planner import PlannedRun, PlannerReport, analyse_planner

GOLD = (DocumentKey("a", "1"), DocumentKey("b", "1"))
QUESTION = "Que fit Vernaudon, selon les journaux ?"


def planned(*targets: str, recall: float, refused: bool = False, text: str = "?") -> PlannedRun:
    plan = tuple(
        SubQuestion(id=f"q{n}", text=text, target=target) for n, target in enumerate(targets, 1)
    )
    drafts = [Draft(RULES, ev.RunStarted(question=QUESTION, assistant="model"))]
    if refused:
        drafts.append(Draft(RULES, ev.PlanRefused(cause="collapse", reason="one only")))
    drafts += [
        Draft(RULES, ev.PlanProposed(sub_questions=plan)),
        Draft(RULES, ev.PlanAdopted(sub_questions=plan)),
    ]
    events = events_of(drafts)
    return PlannedRun(fold("r", events), events, GOLD, recall, ("a",))


def test_collapses_and_what_they_cost() -> None:
    found = analyse_planner(
        [
            planned("a", recall=0.5),
            planned("a", "b", recall=1.0, refused=True),
            planned("a", "b", recall=1.0, text="Vernaudon"),
            planned("", "c", recall=0.0),
        ]
    )
    assert found == PlannerReport(
        runs=4,
        sub_questions=(1 + 2 + 2 + 2) / 4,
        collapses=2,
        asked_again=1,
        failure_rate_collapsed=1 / 2,
        failure_rate_others=1 / 2,
        corpora=(1 / 2 + 1 + 1 + 1) / 4,
        named=1.0,
        entities=pytest.approx(1 / 4),
    )


def test_without_runs_there_is_no_rate() -> None:
    found = analyse_planner([])
    assert (found.runs, found.failure_rate_others, found.corpora) == (0, None, None)
