"""How each event changes a run's state.

`fold(events)` is deterministic: the same events give the same state on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from trace_core.domain import events as ev
from trace_core.domain.base import Value
from trace_core.domain.checkpoint import PlanProposal
from trace_core.domain.errors import IllegalTransition
from trace_core.domain.state import DecisionRecord, RunState, Status, SubState

UNPRICED = (
    "No price is known for {model}, so the budget of money does not hold; set model.price_in and "
    "model.price_out, or cap the calls or tokens instead."
)
_ASIDE = (ev.RunPaused, ev.RunResumed, ev.BudgetChanged, ev.IndexChanged, ev.CallMade)


def fold(run: str, events: Iterable[ev.Event]) -> RunState:
    """The state after these events. Raises IllegalTransition where they cannot follow."""
    state = RunState(run)
    for event in events:
        apply(state, event)
    return state


def apply(state: RunState, event: ev.Event) -> RunState:
    """Bring the state one event further."""
    if event.sequence != state.sequence + 1:
        raise IllegalTransition(
            f"Event {event.sequence} cannot follow event {state.sequence} of run {state.run}."
        )
    payload = event.payload
    if state.start is None and not isinstance(payload, ev.RunStarted):
        raise IllegalTransition(f"Run {state.run} does not begin with its question.")
    _HANDLERS[type(payload)](state, payload, event)
    state.sequence, state.last_hash, state.updated = event.sequence, event.hash, event.time
    if not isinstance(payload, _ASIDE):
        state.progress += 1
    return state


def walk(events: Iterable[ev.Event], run: str) -> Iterator[tuple[ev.Event, RunState]]:
    """Each event with the state after it (the same object, growing), for replays and pages."""
    state = RunState(run)
    for event in events:
        yield event, apply(state, event)


# --- one small handler a payload ---------------------------------------------------------------


def _run_started(state: RunState, payload: ev.RunStarted, event: ev.Event) -> None:
    if state.start is not None:
        raise IllegalTransition(f"Run {state.run} was started twice.")
    state.start, state.created = payload, event.time
    state.question, state.assistant = payload.question, payload.assistant
    state.scope, state.settings = payload.scope, payload.settings
    state.index_version = payload.index_version
    state.budgets = {k: float(v) for k, v in payload.settings.get("budget", {}).items()}


def _plan_proposed(state: RunState, payload: ev.PlanProposed, _: ev.Event) -> None:
    state.proposal = payload


def _plan_refused(state: RunState, payload: ev.PlanRefused, event: ev.Event) -> None:
    state.troubles.append((event.sequence, f"A plan was refused: {payload.reason}"))


def _plan_adopted(state: RunState, payload: ev.PlanAdopted, _: ev.Event) -> None:
    started = [q for q in state.plan if state.subs[q.id].started]
    kept = {q.id for q in payload.sub_questions}
    for question in state.plan:
        if question.id not in kept and not state.subs[question.id].started:
            state.removed[question.id] = question
            del state.subs[question.id]
    proposed = list(state.proposal.sub_questions if state.proposal else ())
    if state.answers and isinstance(state.answers[-1][0].proposal, PlanProposal):
        proposed += state.answers[-1][0].proposal.sub_questions
    for question in proposed:
        # What a person takes out of a plan before it is adopted is remembered as well.
        if question.id in payload.removed and question.id not in state.subs:
            state.removed[question.id] = question
    for question in payload.sub_questions:
        if question.id in state.subs and state.subs[question.id].started:
            raise IllegalTransition(f"Sub-question {question.id} has been started already.")
        state.subs[question.id] = SubState(question)
    state.plan = [*started, *payload.sub_questions]
    state.plan_adopted = True
    state.status = "running"


def _checkpoint_opened(state: RunState, payload: ev.CheckpointOpened, _: ev.Event) -> None:
    state.checkpoint = payload.checkpoint
    state.checkpoints += 1
    state.status = "waiting"


def _checkpoint_answered(state: RunState, payload: ev.CheckpointAnswered, event: ev.Event) -> None:
    checkpoint = state.checkpoint
    if checkpoint is None or checkpoint.id != payload.checkpoint:
        raise IllegalTransition(f"Checkpoint {payload.checkpoint} is not waiting for an answer.")
    state.answers.append((checkpoint, payload.decision, event.actor, event.time))
    state.checkpoint = None
    state.status = "running" if state.plan_adopted else "planning"
    if checkpoint.kind == "holds" and state.current:
        state.sub(state.current).holds_checked = True


def _sub_question_started(state: RunState, payload: ev.SubQuestionStarted, _: ev.Event) -> None:
    state.current = payload.sub_question
    state.sub(payload.sub_question).started = True


def _search_done(state: RunState, payload: ev.SearchDone, _: ev.Event) -> None:
    state.searches[payload.search] = payload
    state.totals.searches += 1
    sub = state.sub(payload.sub_question)
    sub.searches.append(payload.search)
    sub.next_action = None
    for candidate in payload.candidates:
        sub.candidates[candidate.chunk] = candidate
        sub.pending[candidate.chunk] = candidate
    if payload.stage == "warm_start":
        return
    signature = payload.action.signature()
    same_as_last = bool(sub.signatures) and sub.signatures[-1] == signature
    sub.repeated_in_row = sub.repeated_in_row + 1 if same_as_last else 0
    sub.signatures.append(signature)
    if payload.channels or payload.repeated:
        # A search that could not be made (a broken channel, no such day) found nothing out.
        sub.empty_in_row = 0 if payload.fresh else sub.empty_in_row + 1
    if payload.effective:
        sub.steps += 1
        state.totals.steps += 1
    sub.log.append(_log_line(payload))


def _log_line(payload: ev.SearchDone) -> str:
    action = payload.action
    where = f" in {action.corpus}" if action.corpus else ""
    asked = action.query or action.date_center or f"{action.date_from} to {action.date_to}"
    came = f"{payload.returned} found, {len(payload.fresh)} new"
    if payload.repeated:
        came = "the same search as before, nothing new"
    elif not payload.channels:
        came = f"could not be searched ({'; '.join(payload.notes) or 'its channel failed'})"
    return f"{action.name}({asked!r}){where}: {came}"


def _channel_failed(state: RunState, payload: ev.ChannelFailed, event: ev.Event) -> None:
    state.lost_channels.setdefault(payload.channel, payload.reason)
    state.troubles.append((event.sequence, f"Channel {payload.channel} failed: {payload.reason}"))


def _step_chosen(state: RunState, payload: ev.StepChosen, _: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    sub.iterations += 1
    sub.next_action = payload
    if payload.memory is not None:
        sub.memory = payload.memory


def _finish_refused(state: RunState, payload: ev.FinishRefused, _: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    sub.finish_refused = True
    sub.next_action = None
    sub.log.append(f"finish refused: {payload.reason}")


def _reply_unreadable(state: RunState, payload: ev.ReplyUnreadable, event: ev.Event) -> None:
    state.troubles.append(
        (event.sequence, f"A reply could not be read ({payload.stage}): {payload.reason}")
    )
    if payload.stage == "search_step" and payload.sub_question:
        sub = state.sub(payload.sub_question)
        sub.iterations += 1
        sub.unreadable += 1
        sub.log.append(f"unreadable reply: {payload.reason}")


def _review_done(state: RunState, payload: ev.ReviewDone, _: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    for chunk in payload.chunks:
        sub.pending.pop(chunk, None)
    sub.log.append(
        f"review of {len(payload.chunks)}: {payload.accepted} accepted, {payload.held} held, "
        f"{payload.rejected} rejected"
    )


def _decided(state: RunState, payload: ev.Decided, event: ev.Event) -> None:
    decision = payload.decision
    record = DecisionRecord(f"d{event.sequence}", decision, event.actor, event.time, event.sequence)
    state.decisions.append(record)
    sub = state.sub(decision.sub_question)
    sub.verdicts[decision.chunk] = record
    sub.pending.pop(decision.chunk, None)
    if decision.chunk in sub.moved and decision.verdict != "hold":
        sub.moved.remove(decision.chunk)


def _unknown_chunk(state: RunState, payload: ev.UnknownChunk, event: ev.Event) -> None:
    state.troubles.append(
        (event.sequence, f"A reply named {payload.named!r}, which was not up for judgement.")
    )


def _hold_moved(state: RunState, payload: ev.HoldMoved, event: ev.Event) -> None:
    state.sub(payload.sub_question).moved.append(payload.chunk)
    state.troubles.append(
        (event.sequence, f"The hold pool was full; passage c{payload.chunk} waits for a person.")
    )


def _holds_reevaluated(state: RunState, payload: ev.HoldsReevaluated, event: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    # Two judges (a model, and rules for what must stay on this machine) make one round.
    sub.rounds = [r for r in sub.rounds if r[0] != payload.round]
    sub.rounds.append((payload.round, len(state.accepted())))
    if payload.failed:
        state.troubles.append((event.sequence, f"Holds were not looked at: {payload.failed}"))


def _briefing_written(state: RunState, payload: ev.BriefingWritten, _: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    sub.briefing, sub.done = payload.briefing, True


def _replanned(state: RunState, payload: ev.Replanned, event: ev.Event) -> None:
    state.sub(payload.after).replanned = True
    if payload.restored:
        named = ", ".join(payload.restored)
        state.troubles.append((event.sequence, f"The replan left out {named}; kept all the same."))


def _sub_question_finished(state: RunState, payload: ev.SubQuestionFinished, _: ev.Event) -> None:
    sub = state.sub(payload.sub_question)
    sub.ended, sub.gap, sub.next_action = payload.cause, payload.gap, None


def _ranking_made(state: RunState, payload: ev.RankingMade, event: ev.Event) -> None:
    state.ranking, state.ranked = payload.ranking, True
    if payload.note:
        state.troubles.append((event.sequence, payload.note))


def _run_finished(state: RunState, _payload: ev.RunFinished, _: ev.Event) -> None:
    state.status = "finished"


def _run_paused(state: RunState, payload: ev.RunPaused, event: ev.Event) -> None:
    state.status, state.rest_reason, state.rest_cause = "paused", payload.reason, payload.cause
    if payload.cause != "person":
        state.troubles.append((event.sequence, payload.reason))


def _run_resumed(state: RunState, _payload: ev.RunResumed, _: ev.Event) -> None:
    working: Status = "running" if state.plan_adopted else "planning"
    state.status = "waiting" if state.checkpoint is not None else working
    state.rest_reason = state.rest_cause = ""


def _run_stopped(state: RunState, payload: ev.RunStopped, _: ev.Event) -> None:
    state.status, state.rest_reason, state.checkpoint = "stopped", payload.reason, None


def _run_failed(state: RunState, payload: ev.RunFailed, event: ev.Event) -> None:
    state.status, state.rest_reason = "failed", payload.reason
    state.troubles.append((event.sequence, f"Stage {payload.stage} failed: {payload.reason}"))


def _budget_changed(state: RunState, payload: ev.BudgetChanged, _: ev.Event) -> None:
    state.budgets |= payload.budgets


def _call_made(state: RunState, payload: ev.CallMade, event: ev.Event) -> None:
    state.troubles += [(event.sequence, note) for note in payload.notes]
    totals = state.totals
    state.calls.add(payload.call)
    totals.calls += 1
    totals.tokens_in += payload.tokens_in
    totals.tokens_out += payload.tokens_out
    totals.seconds += payload.seconds
    if payload.price is not None:
        totals.money += payload.price
    elif payload.ok:
        # A try without a reply costs nothing; a reply without a known price leaves a gap.
        totals.unpriced += 1
        if totals.unpriced == 1 and state.budgets.get("money"):
            state.troubles.append((event.sequence, UNPRICED.format(model=payload.model)))


def _index_changed(state: RunState, payload: ev.IndexChanged, event: ev.Event) -> None:
    state.index_version = payload.after
    state.troubles.append((event.sequence, "The archive's index has changed since the run began."))


_HANDLERS: dict[type[Value], Callable[[RunState, Any, ev.Event], None]] = {
    ev.RunStarted: _run_started,
    ev.PlanProposed: _plan_proposed,
    ev.PlanRefused: _plan_refused,
    ev.PlanAdopted: _plan_adopted,
    ev.CheckpointOpened: _checkpoint_opened,
    ev.CheckpointAnswered: _checkpoint_answered,
    ev.SubQuestionStarted: _sub_question_started,
    ev.SearchDone: _search_done,
    ev.ChannelFailed: _channel_failed,
    ev.StepChosen: _step_chosen,
    ev.FinishRefused: _finish_refused,
    ev.ReplyUnreadable: _reply_unreadable,
    ev.ReviewDone: _review_done,
    ev.Decided: _decided,
    ev.UnknownChunk: _unknown_chunk,
    ev.HoldMoved: _hold_moved,
    ev.HoldsReevaluated: _holds_reevaluated,
    ev.BriefingWritten: _briefing_written,
    ev.Replanned: _replanned,
    ev.SubQuestionFinished: _sub_question_finished,
    ev.RankingMade: _ranking_made,
    ev.RunFinished: _run_finished,
    ev.RunPaused: _run_paused,
    ev.RunResumed: _run_resumed,
    ev.RunStopped: _run_stopped,
    ev.RunFailed: _run_failed,
    ev.BudgetChanged: _budget_changed,
    ev.CallMade: _call_made,
    ev.IndexChanged: _index_changed,
}
