"""Replan: a briefing in, what remains of the plan out.

A replan may reword, retarget, reorder and spawn, within the limit of sub-questions. It never
drops one silently (what it leaves out is put back and said) and never repeats a sub-corpus and
topic that is done. Recorded: the revised plan, what was put back, and the checkpoint if one is
on and anything changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trace_core.assistant.tasks import Outcome, PlanResult, ReplanTask
from trace_core.domain.checkpoint import Checkpoint, PlanProposal
from trace_core.domain.events import (
    CheckpointOpened,
    Draft,
    PlanAdopted,
    Replanned,
    ReplyUnreadable,
)
from trace_core.domain.question import Briefing, SubQuestion
from trace_core.domain.state import RunState
from trace_core.stages.context import Context, by_engine, call_drafts, state_key
from trace_core.stages.plan import numbered
from trace_core.text.folding import folded_line


def replan(state: RunState, context: Context) -> list[Draft]:
    """Revise the sub-questions that have not been started."""
    sub = state.sub(state.current)
    remaining = state.remaining()
    outcome = context.assistant.replan(
        ReplanTask(
            question=state.question,
            archive=context.archive,
            done=tuple(state.done()),
            remaining=tuple(remaining),
            briefing=sub.briefing or Briefing(),
            max_total=context.settings.loop.max_sub_questions,
            state=state_key(state, "replan"),
        )
    )
    drafts = call_drafts([outcome])
    if outcome.value is None:
        return drafts + _kept(state, outcome, remaining)
    revised, restored, notes = _revised(state, context, outcome.value, remaining)
    revised = numbered(state, revised, context)
    changed = list(revised) != remaining
    payload = Replanned(
        after=sub.sub_question.id,
        sub_questions=revised,
        changed=changed,
        note=" ".join(notes),
        restored=restored,
        call=outcome.call,
    )
    drafts.append(Draft(outcome.actor, payload))
    if not changed:
        return drafts
    if context.settings.checkpoints.replan:
        proposal = PlanProposal(sub_questions=revised, note=payload.note)
        checkpoint = Checkpoint(id=f"k{state.checkpoints + 1}", kind="replan", proposal=proposal)
        return [*drafts, by_engine(CheckpointOpened(checkpoint=checkpoint))]
    return [*drafts, by_engine(PlanAdopted(sub_questions=revised, stage="replan"))]


def _kept(
    state: RunState, outcome: Outcome[PlanResult], remaining: Sequence[SubQuestion]
) -> list[Draft]:
    trouble = ReplyUnreadable(
        stage="replan", sub_question=state.current, reason=outcome.problem, call=outcome.call
    )
    same = Replanned(
        after=state.current,
        sub_questions=tuple(remaining),
        changed=False,
        note="The reply could not be read; the plan stays as it was.",
    )
    return [Draft(outcome.actor, trouble), by_engine(same)]


def _revised(
    state: RunState, context: Context, result: PlanResult, remaining: Sequence[SubQuestion]
) -> tuple[tuple[SubQuestion, ...], tuple[str, ...], list[str]]:
    """(the remaining plan, ids that were put back, notes)."""
    notes = [result.note] if result.note else []
    known = {q.id: q for q in remaining}
    done = {_topic(q) for q in state.done()}
    room = context.settings.loop.max_sub_questions - len(state.done())
    kept: list[SubQuestion] = []
    seen: set[tuple[str, str]] = set()
    spawned: list[SubQuestion] = []
    named = _named(result, known)
    for question in named:
        stays = question.id in known
        if not stays:
            question = question.model_copy(update={"id": "", "origin": "spawned"})
        if _topic(question) in done or _topic(question) in seen:
            if not stays:
                notes.append(f"Left out as done already: {question.text}")
                continue
            question = known[question.id]
        seen.add(_topic(question))
        (kept if stays else spawned).append(question)
    restored = tuple(i for i in known if i not in {q.id for q in kept})
    kept += [known[i] for i in restored]
    free = max(0, room - len(kept))
    if len(spawned) > free:
        notes.append(f"{len(spawned) - free} new sub-questions beyond the limit left out.")
    return _in_order(named, kept, spawned[:free]), restored, notes


def _named(result: PlanResult, known: Mapping[str, SubQuestion]) -> list[SubQuestion]:
    """The reply's sub-questions, one that repeats a remaining one without its id as that one."""
    used = {question.id for question in result.sub_questions}
    by_topic = {_topic(question): question for i, question in known.items() if i not in used}
    return [
        question if question.id in known else by_topic.pop(_topic(question), question)
        for question in result.sub_questions
    ]


def _in_order(
    named: Sequence[SubQuestion], kept: Sequence[SubQuestion], spawned: Sequence[SubQuestion]
) -> tuple[SubQuestion, ...]:
    """The reply's own order; what was put back stands last."""
    place = {q.id or q.text: n for n, q in enumerate(named)}
    last = len(place)
    return tuple(sorted([*kept, *spawned], key=lambda q: place.get(q.id or q.text, last)))


def _topic(question: SubQuestion) -> tuple[str, str]:
    return question.target, folded_line(question.text)
