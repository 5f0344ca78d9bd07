"""Review: pending chunks in, one decision a chunk out.

A batch in full text is judged against the original question. A chunk that the reply does not
mention, or whose reply could not be read, is held as "not reviewed", never rejected. Recorded:
every decision with its reason and actor, every name in a reply that was not up for judgement,
and each hold that a full pool hands on to the historian.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from trace_core.assistant.tasks import (
    Assistant,
    Judgement,
    Outcome,
    ReviewItem,
    ReviewResult,
    ReviewTask,
)
from trace_core.domain.events import (
    Decided,
    Draft,
    HoldMoved,
    ReplyUnreadable,
    ReviewDone,
    UnknownChunk,
)
from trace_core.domain.evidence import Candidate, Decision
from trace_core.domain.state import RunState, SubState
from trace_core.stages.context import (
    Context,
    accepted_items,
    by_engine,
    call_drafts,
    review_items,
    state_key,
)

NOT_REVIEWED = "not reviewed: the reply gives no readable verdict on it"
UNREADABLE = "not reviewed: the reply could not be read"
GONE = "not reviewed: its text is no longer in the archive"
NO_ROOM = "not reviewed: the model's context has no room for it"


def review_step(state: RunState, context: Context) -> list[Draft]:
    """Judge the next batch of pending chunks of the current sub-question."""
    sub = state.sub(state.current)
    batch, judge = _next_batch(sub, context)
    items = review_items(batch, context)
    decisions = [
        _held(c, sub, GONE) for c in batch if c.chunk not in {i.candidate.chunk for i in items}
    ]
    outcome = _ask(state, context, judge, items)
    drafts = call_drafts([outcome])
    drafts += [by_engine(Decided(decision=d)) for d in decisions]
    judged, problems = _judged(outcome, items, sub)
    drafts += problems
    drafts += judged
    decisions += [d.payload.decision for d in judged if isinstance(d.payload, Decided)]
    new_holds = [sub.candidates[d.chunk] for d in decisions if d.verdict == "hold"]
    drafts += overflow_drafts(sub, new_holds, context)
    drafts.append(Draft(outcome.actor, _done(sub, decisions, outcome)))
    return drafts


def _next_batch(sub: SubState, context: Context) -> tuple[list[Candidate], Assistant]:
    """The first pending chunks that one judge may see together."""
    pending = sorted(sub.pending.values(), key=lambda c: c.position)
    judge = context.judge_for(pending[0].corpus)
    mine = [c for c in pending if context.judge_for(c.corpus) is judge]
    size = len(mine) if judge.kind == "rules" else context.settings.loop.review_batch
    return mine[:size], judge


def _ask(
    state: RunState, context: Context, judge: Assistant, items: Sequence[ReviewItem]
) -> Outcome[ReviewResult]:
    if not items:
        return Outcome(ReviewResult(()), judge.actor)
    sub = state.sub(state.current)
    return judge.review(
        ReviewTask(
            question=state.question,
            sub_question=sub.sub_question,
            archive=context.archive,
            candidates=tuple(items),
            accepted=accepted_items(state, context, sub.sub_question.id),
            state=state_key(state, "review"),
        )
    )


def _judged(
    outcome: Outcome[ReviewResult], items: Sequence[ReviewItem], sub: SubState
) -> tuple[list[Draft], list[Draft]]:
    """(decisions, what else the reply gave rise to)."""
    by_chunk = {item.candidate.chunk: item.candidate for item in items}
    if outcome.value is None:
        trouble = ReplyUnreadable(
            stage="review",
            sub_question=sub.sub_question.id,
            reason=outcome.problem,
            call=outcome.call,
        )
        held = [_held(c, sub, UNREADABLE, outcome) for c in by_chunk.values()]
        return [by_engine(Decided(decision=d)) for d in held], [Draft(outcome.actor, trouble)]
    result = outcome.value
    decided, unknown = [], list(result.unknown)
    left = dict(by_chunk)
    for judgement in result.judgements:
        candidate = left.pop(judgement.chunk, None)
        if candidate is None:
            unknown.append(f"c{judgement.chunk}")
            continue
        decision = decision_for(candidate, sub, judgement, outcome, "review")
        decided.append(Draft(outcome.actor, Decided(decision=decision)))
    # What found no room stays pending for the next batch; alone in its batch it never will fit.
    unsent = set(result.unsent) if len(result.unsent) < len(by_chunk) else set()
    for chunk, candidate in left.items():
        if chunk not in unsent:
            reason = NO_ROOM if chunk in result.unsent else NOT_REVIEWED
            decision = _held(candidate, sub, reason, outcome)
            decided.append(by_engine(Decided(decision=decision)))
    others = [
        Draft(
            outcome.actor,
            UnknownChunk(stage="review", sub_question=sub.sub_question.id, named=name),
        )
        for name in unknown
    ]
    return decided, others


def decision_for(
    candidate: Candidate,
    sub: SubState,
    judgement: Judgement,
    outcome: Outcome[Any],
    stage: str,
) -> Decision:
    """A judgement as a decision, with the search that surfaced its chunk and what it replaces."""
    standing = sub.verdicts.get(candidate.chunk)
    return Decision.on(
        candidate,
        sub_question=sub.sub_question.id,
        verdict=judgement.verdict,
        reason=judgement.reason,
        stage=stage,
        quote=judgement.quote,
        replaces=standing.id if standing else "",
        prompt_hash=outcome.prompt_hash,
        call=outcome.call,
    )


def _held(
    candidate: Candidate,
    sub: SubState,
    reason: str,
    outcome: Outcome[ReviewResult] | None = None,
) -> Decision:
    return Decision.on(
        candidate,
        sub_question=sub.sub_question.id,
        verdict="hold",
        reason=reason,
        stage="review",
        reviewed=False,
        prompt_hash=outcome.prompt_hash if outcome else "",
        call=outcome.call if outcome else "",
    )


def overflow_drafts(sub: SubState, new_holds: Iterable[Candidate], context: Context) -> list[Draft]:
    """Events that hand the weakest holds on to the historian's queue while the pool is too full.

    The weakest are those with the lowest score in the search that surfaced them.
    """
    capacity = context.settings.loop.hold_capacity
    held = {chunk: sub.candidates[chunk] for chunk in sub.pool}
    held |= {candidate.chunk: candidate for candidate in new_holds}
    pool = list(held)
    surplus = len(pool) - capacity
    if surplus <= 0:
        return []
    weakest = sorted(pool, key=lambda chunk: held[chunk].score)[:surplus]
    return [
        by_engine(HoldMoved(sub_question=sub.sub_question.id, chunk=chunk, capacity=capacity))
        for chunk in weakest
    ]


def _done(
    sub: SubState, decisions: Sequence[Decision], outcome: Outcome[ReviewResult]
) -> ReviewDone:
    chunks = tuple(d.chunk for d in decisions)
    count = {v: sum(d.verdict == v for d in decisions) for v in ("accept", "hold", "reject")}
    return ReviewDone(
        sub_question=sub.sub_question.id,
        search=decisions[0].search if decisions else "",
        chunks=chunks,
        accepted=count["accept"],
        held=count["hold"],
        rejected=count["reject"],
        call=outcome.call,
        remaining=len(sub.pending) - len(chunks),
    )
