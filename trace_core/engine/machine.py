"""Which stage follows: the whole order of the method as one function of the state."""

from __future__ import annotations

from typing import Literal

from trace_core.domain.checkpoint import Checkpoint, HoldsProposal
from trace_core.domain.events import CheckpointOpened, Draft
from trace_core.domain.state import RunState, SubState
from trace_core.settings import Settings
from trace_core.stages.brief import brief
from trace_core.stages.context import Context, Stage, by_engine
from trace_core.stages.plan import plan
from trace_core.stages.rank import evidence_list, rank
from trace_core.stages.reevaluate_holds import (
    due_for_second_pass,
    reevaluate_holds,
    second_pass,
)
from trace_core.stages.replan import replan
from trace_core.stages.review_step import review_step
from trace_core.stages.search_step import search_step
from trace_core.stages.warm_start import warm_start

StageName = Literal[
    "plan",
    "warm_start",
    "search_step",
    "review_step",
    "reevaluate_holds",
    "holds_checkpoint",
    "brief",
    "replan",
    "second_pass",
    "rank",
    "evidence_list",
]


def holds_checkpoint(state: RunState, _context: Context) -> list[Draft]:
    """Wait with the held chunks of the current sub-question, strongest first."""
    sub = state.sub(state.current)
    held = [r.decision.chunk for r in sub.with_verdict("hold")]
    held.sort(key=lambda chunk: -sub.candidates[chunk].score)
    checkpoint = Checkpoint(
        id=f"k{state.checkpoints + 1}",
        kind="holds",
        proposal=HoldsProposal(sub_question=sub.sub_question.id, chunks=tuple(held)),
    )
    return [by_engine(CheckpointOpened(checkpoint=checkpoint))]


STAGES: dict[StageName, Stage] = {
    "plan": plan,
    "warm_start": warm_start,
    "search_step": search_step,
    "review_step": review_step,
    "reevaluate_holds": reevaluate_holds,
    "holds_checkpoint": holds_checkpoint,
    "brief": brief,
    "replan": replan,
    "second_pass": second_pass,
    "rank": rank,
    "evidence_list": evidence_list,
}


def next_stage(state: RunState, settings: Settings) -> StageName | None:
    """The stage that follows, None while the run waits, rests or has ended."""
    if state.ended or state.status == "paused" or state.checkpoint is not None:
        return None
    if not state.plan_adopted:
        return "plan"
    if state.current and not state.sub(state.current).done:
        return _inside(state.sub(state.current), settings)
    if state.current and _replan_due(state, settings):
        return "replan"
    if state.remaining():
        return "warm_start"
    if settings.loop.second_pass and due_for_second_pass(state, settings.loop.second_pass_growth):
        return "second_pass"
    if not state.ranked:
        return "rank"
    return "evidence_list"


def _inside(sub: SubState, settings: Settings) -> StageName:
    """The stage inside an open sub-question: search and review strictly alternate."""
    if sub.pending:
        return "review_step"
    if not sub.ended:
        return "search_step"
    if settings.loop.reevaluate_holds and not sub.rounds and sub.pool:
        return "reevaluate_holds"
    if settings.checkpoints.holds and not sub.holds_checked and sub.with_verdict("hold"):
        return "holds_checkpoint"
    return "brief"


def _replan_due(state: RunState, settings: Settings) -> bool:
    sub = state.sub(state.current)
    if not settings.loop.replan or state.assistant == "rules" or sub.replanned:
        return False
    room = len(state.plan) < settings.loop.max_sub_questions
    gaps = bool(sub.briefing and sub.briefing.gaps)
    return bool(state.remaining()) or (room and gaps)
