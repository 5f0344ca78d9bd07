"""Plan: question in, at most four sub-questions out, each aimed at one sub-corpus.

A plan that collapses (one sub-question where the question names several sub-corpora) or leaves a
named sub-corpus out is asked for again with that reason; what the model still leaves out is
added by rules. Recorded: every refused plan with its reason, the proposal, and either the
adopted plan or the checkpoint at which it waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trace_core.assistant.tasks import Outcome, PlanResult, PlanTask
from trace_core.domain.checkpoint import Checkpoint, PlanProposal
from trace_core.domain.events import (
    CheckpointOpened,
    Draft,
    PlanAdopted,
    PlanProposed,
    PlanRefused,
)
from trace_core.domain.evidence import ENGINE, Actor
from trace_core.domain.question import SubQuestion
from trace_core.domain.state import RunState
from trace_core.search.routing import named_corpora
from trace_core.stages.context import Context, by_engine, call_drafts, run_scope, state_key

AS_IT_STANDS = "The question is asked as it stands; decomposition is off."
BY_RULES = "The model's plan could not be read; this one is made by rules."


@dataclass(frozen=True, slots=True)
class _Proposal:
    """What is proposed, by whom. `fallback` marks a plan by rules for want of a readable one."""

    questions: Sequence[SubQuestion]
    note: str
    actor: Actor
    fallback: bool = False


@dataclass(slots=True)
class _Attempts:
    drafts: list[Draft] = field(default_factory=list)
    outcome: Outcome[PlanResult] | None = None


def plan(state: RunState, context: Context) -> list[Draft]:
    """Propose the sub-questions of a run."""
    if not context.settings.loop.decompose:
        return _settle(state, context, _Proposal(_whole(state), AS_IT_STANDS, ENGINE))
    named = _named(state, context)
    attempts = _ask(state, context, named)
    proposal = _proposal(state, context, attempts.outcome, named)
    return attempts.drafts + _settle(state, context, proposal)


def _proposal(
    state: RunState,
    context: Context,
    outcome: Outcome[PlanResult] | None,
    named: Sequence[str],
) -> _Proposal:
    if outcome is None or outcome.value is None:
        made = context.rules.plan(_task(state, context, 0, "")).value
        questions = made.sub_questions if made else _whole(state)
        return _Proposal(questions, BY_RULES, context.rules.actor, fallback=True)
    questions, note = _complete(state, context, outcome.value, named)
    return _Proposal(questions, note, outcome.actor)


def _task(state: RunState, context: Context, attempt: int, problem: str) -> PlanTask:
    return PlanTask(
        question=state.question,
        archive=context.archive,
        max_sub_questions=context.settings.loop.max_sub_questions,
        hits_by_corpus=context.retriever.survey(state.question, run_scope(state.scope)).evidence,
        previous_problem=problem,
        state=state_key(state, "plan", attempt),
    )


def _ask(state: RunState, context: Context, named: Sequence[str]) -> _Attempts:
    attempts, problem = _Attempts(), ""
    last = context.settings.loop.plan_retries
    for attempt in range(last + 1):
        task = _task(state, context, attempt, problem)
        outcome = context.assistant.plan(task)
        attempts.drafts += call_drafts([outcome])
        if outcome.value is None:
            refused = PlanRefused(cause="unreadable", reason=outcome.problem)
            attempts.drafts.append(Draft(outcome.actor, refused))
            return attempts
        attempts.outcome = outcome
        refusal = _fault(outcome.value, named, context)
        if refusal is None or context.assistant.kind == "rules":
            return attempts
        problem = refusal.reason
        if attempt == last:
            completed = f"{problem} It is taken all the same and completed by rules."
            refusal = refusal.model_copy(update={"reason": completed})
        attempts.drafts.append(Draft(outcome.actor, refusal))
    return attempts


def _fault(result: PlanResult, named: Sequence[str], context: Context) -> PlanRefused | None:
    questions, limit = result.sub_questions, context.settings.loop.max_sub_questions
    names = [corpus.name for c in named if (corpus := context.archive.find(c))]
    if not questions:
        return PlanRefused(cause="invalid", reason="The plan has no sub-question.")
    if len(named) >= 2 and len(questions) == 1 and limit > 1:
        reason = (
            f"The question names {' and '.join(names)}, but the plan has one sub-question; "
            "give each of them its own."
        )
        return PlanRefused(cause="collapse", reason=reason, sub_questions=questions)
    targets = {q.target for q in questions}
    missing = [c for c in named if c not in targets]
    # More sub-corpora than sub-questions cannot all have one.
    if missing and len(named) - len(missing) < limit:
        left_out = [corpus.name for c in missing if (corpus := context.archive.find(c))]
        reason = f"No sub-question is aimed at {' or '.join(left_out)}, which the question names."
        return PlanRefused(cause="coverage", reason=reason, sub_questions=questions)
    return None


def _complete(
    state: RunState, context: Context, result: PlanResult, named: Sequence[str]
) -> tuple[tuple[SubQuestion, ...], str]:
    """The plan with what it still leaves out added by rules, within the limit."""
    limit = context.settings.loop.max_sub_questions
    questions = list(result.sub_questions)[:limit]
    notes = [result.note] if result.note else []
    if len(result.sub_questions) > limit:
        notes.append(f"{len(result.sub_questions) - limit} sub-questions beyond {limit} left out.")
    targets = {q.target for q in questions}
    for corpus_id in named:
        corpus = context.archive.find(corpus_id)
        if corpus_id in targets or corpus is None:
            continue
        if len(questions) >= limit:
            notes.append(f"There was no room for a sub-question for {corpus.name}.")
            continue
        why = "added by rules: the question names this sub-corpus"
        questions.append(SubQuestion(id="", text=state.question, target=corpus_id, why=why))
        notes.append(f"A sub-question for {corpus.name} was added by rules.")
    return tuple(questions), " ".join(notes)


def _named(state: RunState, context: Context) -> list[str]:
    corpora = [view.corpus for view in context.archive.corpora]
    return named_corpora(state.question, corpora)


def _whole(state: RunState) -> tuple[SubQuestion, ...]:
    return (SubQuestion(id="", text=state.question),)


def numbered(
    state: RunState, questions: Sequence[SubQuestion], context: Context
) -> tuple[SubQuestion, ...]:
    """Sub-questions with an id each, and targets that exist inside the run's scope."""
    first = int(state.next_sub_question_id()[1:])
    given: list[SubQuestion] = []
    for question in questions:
        target = question.target if context.archive.find(question.target) else ""
        update: dict[str, str] = {"target": target}
        if not question.id:
            update["id"] = f"q{first}"
            first += 1
        given.append(question.model_copy(update=update))
    return tuple(given)


def _settle(state: RunState, context: Context, proposal: _Proposal) -> list[Draft]:
    given = numbered(state, proposal.questions, context)
    proposed = PlanProposed(sub_questions=given, note=proposal.note, fallback=proposal.fallback)
    drafts = [Draft(proposal.actor, proposed)]
    if context.settings.checkpoints.plan:
        checkpoint = Checkpoint(
            id=f"k{state.checkpoints + 1}",
            kind="plan",
            proposal=PlanProposal(sub_questions=given, note=proposal.note),
        )
        return [*drafts, by_engine(CheckpointOpened(checkpoint=checkpoint))]
    return [*drafts, by_engine(PlanAdopted(sub_questions=given))]
