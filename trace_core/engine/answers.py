"""What people decide, as events: answers to checkpoints, overrides, undo.

Every human decision is a new record beside the old one, with who, when and why. Nothing is
overwritten, and anything can be undone by a further record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trace_core.domain.checkpoint import HumanDecision, PlanProposal, VerdictChange
from trace_core.domain.errors import BadInput, IllegalTransition, NotFound
from trace_core.domain.events import (
    BudgetChanged,
    CheckpointAnswered,
    Decided,
    Draft,
    PlanAdopted,
    RunStopped,
)
from trace_core.domain.evidence import Actor, Decision
from trace_core.domain.question import SubQuestion
from trace_core.domain.state import RunState

BUDGETS = ("model_calls", "tokens", "money", "steps")


def answer(state: RunState, decision: HumanDecision, actor: Actor) -> list[Draft]:
    """The events that answer the open checkpoint. Raises IllegalTransition, BadInput."""
    checkpoint = state.checkpoint
    if checkpoint is None:
        raise IllegalTransition(
            f"Run {state.run} is {state.status} and waits for no decision; `show` tells its state."
        )
    drafts = [*budgets(decision.budgets, actor), *override(state, decision.verdicts, actor)]
    drafts.append(Draft(actor, CheckpointAnswered(checkpoint=checkpoint.id, decision=decision)))
    if decision.action == "stop":
        reason = decision.reason or f"stopped at the {checkpoint.kind} checkpoint"
        return [*drafts, Draft(actor, RunStopped(reason=reason))]
    if isinstance(checkpoint.proposal, PlanProposal):
        adopted = _plan(state, checkpoint.proposal, decision)
        drafts.append(Draft(actor, adopted))
    elif decision.sub_questions is not None:
        raise BadInput(f"A {checkpoint.kind} checkpoint takes verdicts, not sub-questions.")
    return drafts


def _plan(state: RunState, proposal: PlanProposal, decision: HumanDecision) -> PlanAdopted:
    proposed = {q.id: q for q in proposal.sub_questions}
    chosen = decision.sub_questions
    if chosen is None:
        chosen = proposal.sub_questions
    if not chosen and not state.done():
        raise BadInput("A plan needs at least one sub-question; add one, or stop the run.")
    first = int(state.next_sub_question_id()[1:])
    highest = max((int(i[1:]) for i in proposed if i[1:].isdigit()), default=0)
    number = max(first, highest + 1)
    given: list[SubQuestion] = []
    for question in chosen:
        if not question.text.strip():
            raise BadInput("A sub-question needs a text; write one or remove the line.")
        if question.target and question.target not in _corpora(state):
            known = ", ".join(sorted(_corpora(state)))
            raise BadInput(f"There is no sub-corpus {question.target!r}; choose one of {known}.")
        if question.id not in proposed:
            question = question.model_copy(update={"id": f"q{number}", "origin": "human"})
            number += 1
        elif question != proposed[question.id]:
            question = question.model_copy(update={"origin": "human"})
        given.append(question)
    if len({q.id for q in given}) < len(given):
        raise BadInput("Two sub-questions have the same id; give the new one none.")
    kept = {q.id for q in given}
    removed = tuple(i for i in proposed if i not in kept)
    return PlanAdopted(sub_questions=tuple(given), stage="human", removed=removed)


def _corpora(state: RunState) -> set[str]:
    listed = state.start.corpora if state.start else ()
    return {str(corpus["id"]) for corpus in listed}


def budgets(changes: dict[str, float], actor: Actor) -> list[Draft]:
    """The event that changes the run's caps; none for no change. Raises BadInput."""
    if not changes:
        return []
    for name, value in changes.items():
        if name not in BUDGETS:
            raise BadInput(f"There is no budget {name!r}; the budgets are {', '.join(BUDGETS)}.")
        if not (math.isfinite(value) and value >= 0):
            raise BadInput(f"The budget {name} must be a number and not negative.")
    return [Draft(actor, BudgetChanged(budgets=dict(changes)))]


def override(
    state: RunState, changes: Sequence[VerdictChange], actor: Actor, stage: str = "override"
) -> list[Draft]:
    """Verdicts of a person, each beside the decision that it replaces. Raises NotFound."""
    drafts = []
    for change in changes:
        sub = state.sub(change.sub_question)
        candidate = sub.candidates.get(change.chunk)
        if candidate is None:
            raise NotFound(
                f"Passage c{change.chunk} was never found for sub-question {change.sub_question}; "
                "`show` lists the passages that can be decided."
            )
        standing = sub.verdicts.get(change.chunk)
        decision = Decision.on(
            candidate,
            sub_question=change.sub_question,
            verdict=change.verdict,
            reason=change.reason,
            stage=stage,
            replaces=standing.id if standing else "",
        )
        drafts.append(Draft(actor, Decided(decision=decision)))
    return drafts


def undo(state: RunState, decision_id: str, actor: Actor, reason: str = "") -> list[Draft]:
    """Take a standing decision back: the one that it replaced is given anew."""
    record = next((r for r in state.decisions if r.id == decision_id), None)
    if record is None:
        raise NotFound(f"Run {state.run} has no decision {decision_id}.")
    decision = record.decision
    standing = state.sub(decision.sub_question).verdicts.get(decision.chunk)
    if standing is None or standing.id != record.id:
        raise IllegalTransition(
            f"Decision {decision_id} has been replaced by {standing.id if standing else 'none'}; "
            "undo that one first."
        )
    before = next((r for r in state.decisions if r.id == decision.replaces), None)
    if before is None:
        raise IllegalTransition(
            f"Decision {decision_id} is the first on passage c{decision.chunk}; "
            "give another verdict instead of undoing it."
        )
    why = f"undone {decision_id}: {reason}" if reason else f"undone {decision_id}"
    change = VerdictChange(
        chunk=decision.chunk,
        sub_question=decision.sub_question,
        verdict=before.decision.verdict,
        reason=f"{why}; again: {before.decision.reason}",
    )
    return override(state, [change], actor, stage="undo")
