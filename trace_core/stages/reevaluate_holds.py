"""Hold re-evaluation: accepted evidence and held chunks in, promotions out.

One call at the end of a sub-question; a second one before the ranking when the accepted set has
grown by more than half since. Each promotion has its own reason. Recorded: each promotion as a
decision that replaces the hold, and that the holds were looked at (or why they could not be).
"""

from __future__ import annotations

from trace_core.assistant.tasks import HeldItem, Outcome, ReevaluateResult, ReevaluateTask
from trace_core.domain.events import Decided, Draft, HoldsReevaluated, UnknownChunk
from trace_core.domain.state import RunState, SubState
from trace_core.stages.context import (
    Context,
    accepted_items,
    by_engine,
    call_drafts,
    held_items,
    state_key,
)
from trace_core.stages.review_step import decision_for


def reevaluate_holds(state: RunState, context: Context) -> list[Draft]:
    """Look again at the holds of the current sub-question."""
    return _look_again(state, state.sub(state.current), context)


def second_pass(state: RunState, context: Context) -> list[Draft]:
    """Look a second time at the holds of the first sub-question that is due."""
    due = due_for_second_pass(state, context.settings.loop.second_pass_growth)
    return _look_again(state, due[0], context) if due else []


def due_for_second_pass(state: RunState, growth: float) -> list[SubState]:
    """Sub-questions with holds whose first look is out of date: accepted > (1 + growth) then."""
    now = len(state.accepted())
    return [
        sub
        for sub in state.subs.values()
        if sub.done and sub.pool and len(sub.rounds) == 1 and now > (1 + growth) * sub.rounds[0][1]
    ]


def _look_again(state: RunState, sub: SubState, context: Context) -> list[Draft]:
    held = held_items(sub.pool, sub, context)
    accepted = accepted_items(state, context)
    if not held or not accepted:
        # Without later evidence nothing can have changed the judgement; no call is paid for it.
        return [by_engine(_looked(sub, (), 0))]
    drafts: list[Draft] = []
    for judge in dict.fromkeys(context.judge_for(h.item.candidate.corpus) for h in held):
        mine = tuple(h for h in held if context.judge_for(h.item.candidate.corpus) is judge)
        outcome = judge.reevaluate(
            ReevaluateTask(
                question=state.question,
                sub_question=sub.sub_question,
                archive=context.archive,
                accepted=accepted,
                held=mine,
                round=len(sub.rounds) + 1,
                state=state_key(state, f"reevaluate/{sub.sub_question.id}"),
            )
        )
        drafts += call_drafts([outcome])
        drafts += _promotions(sub, mine, outcome)
    return drafts


def _promotions(
    sub: SubState, held: tuple[HeldItem, ...], outcome: Outcome[ReevaluateResult]
) -> list[Draft]:
    candidates = {h.item.candidate.chunk: h.item.candidate for h in held}
    if outcome.value is None:
        failed = _looked(sub, tuple(candidates), 0, outcome.problem, outcome.call)
        return [Draft(outcome.actor, failed)]
    drafts, unknown, promoted = [], list(outcome.value.unknown), 0
    for judgement in outcome.value.promotions:
        candidate = candidates.pop(judgement.chunk, None)
        if candidate is None:
            unknown.append(f"c{judgement.chunk}")
            continue
        decision = decision_for(candidate, sub, judgement, outcome, "reevaluate_holds")
        drafts.append(Draft(outcome.actor, Decided(decision=decision)))
        promoted += 1
    for name in unknown:
        payload = UnknownChunk(
            stage="reevaluate_holds", sub_question=sub.sub_question.id, named=name
        )
        drafts.append(Draft(outcome.actor, payload))
    unsent = set(outcome.value.unsent)
    looked_at = tuple(c for h in held if (c := h.item.candidate.chunk) not in unsent)
    looked = _looked(sub, looked_at, promoted, "", outcome.call)
    return [*drafts, Draft(outcome.actor, looked)]


def _looked(
    sub: SubState, chunks: tuple[int, ...], promoted: int, failed: str = "", call: str = ""
) -> HoldsReevaluated:
    return HoldsReevaluated(
        sub_question=sub.sub_question.id,
        chunks=chunks,
        promoted=promoted,
        round=len(sub.rounds) + 1,
        failed=failed,
        call=call,
    )
