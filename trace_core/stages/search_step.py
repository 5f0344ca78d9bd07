"""Search step: memory, log and briefings in, one search (or the end of the loop) out.

Search and review strictly alternate: a step runs only when nothing is pending. A repeated query,
an unreadable reply and a search that brings nothing new do not count as effective steps. Each
call is built anew from the state. Recorded: the step with its thought and memory, the search
with what came back, the hidden widening of a date search, and why the loop ended.
"""

from __future__ import annotations

from dataclasses import replace

from trace_core.assistant.tasks import StepTask
from trace_core.domain.dates import from_iso, iso_day
from trace_core.domain.errors import BadInput
from trace_core.domain.events import (
    Decided,
    Draft,
    FinishRefused,
    ReplyUnreadable,
    SearchDone,
    StepChosen,
    SubQuestionFinished,
)
from trace_core.domain.evidence import Candidate, Decision
from trace_core.domain.hits import FusedHit
from trace_core.domain.question import Action
from trace_core.domain.state import RunState, SubState
from trace_core.search.retriever import LoopSearch, Window
from trace_core.stages.candidates import candidates, failures, first_ids
from trace_core.stages.context import (
    Context,
    accepted_items,
    by_engine,
    call_drafts,
    run_scope,
    state_key,
)
from trace_core.stages.hints import search_hints
from trace_core.stages.review_step import overflow_drafts

WIDENED = "just outside the dates searched; found only by the widened window"


def search_step(state: RunState, context: Context) -> list[Draft]:
    """Choose and run the next search of the current sub-question, or end its loop."""
    sub = state.sub(state.current)
    if context.assistant.kind == "rules":
        return [_finished(sub, "rules")]
    spent = _limit_reached(sub, context)
    if spent:
        return [_finished(sub, spent)]
    outcome = context.assistant.next_action(_task(state, sub, context))
    drafts = call_drafts([outcome])
    if outcome.value is None:
        trouble = ReplyUnreadable(
            stage="search_step",
            sub_question=sub.sub_question.id,
            reason=outcome.problem,
            call=outcome.call,
        )
        return [*drafts, Draft(outcome.actor, trouble)]
    chosen = StepChosen(
        sub_question=sub.sub_question.id,
        step=sub.steps + 1,
        action=outcome.value.action,
        memory=outcome.value.memory if context.settings.loop.memory else None,
        call=outcome.call,
    )
    drafts.append(Draft(outcome.actor, chosen))
    if chosen.action.name == "finish":
        return [*drafts, _finish(sub)]
    return drafts + _search(state, sub, chosen.action, context)


def _limit_reached(sub: SubState, context: Context) -> str:
    loop = context.settings.loop
    limit = min(loop.max_steps, loop.hard_steps)
    if sub.steps >= limit:
        return "steps"
    if sub.iterations >= 2 * limit:
        return "iterations"
    if sub.unreadable > loop.unreadable_replies:
        return "unreadable"
    if sub.repeated_in_row >= 1:
        return "repeated"
    return ""


def _task(state: RunState, sub: SubState, context: Context) -> StepTask:
    loop = context.settings.loop
    notices = []
    if sub.empty_in_row >= loop.empty_searches:
        notices.append(
            f"The last {sub.empty_in_row} searches brought nothing new; try other words, other "
            "dates or another sub-corpus, or finish."
        )
    if sub.log and sub.log[-1].startswith("unreadable reply"):
        notices.append("Your last reply could not be read. Answer with one JSON object only.")
    if sub.finish_refused and not sub.accepted_keys:
        notices.append(
            "You finished with nothing accepted. Search once more, or finish again and "
            "name the gap."
        )
    return StepTask(
        question=state.question,
        sub_question=sub.sub_question,
        archive=context.archive,
        memory=sub.memory,
        briefings=tuple(b for q in state.done() if (b := state.subs[q.id].briefing)),
        accepted=accepted_items(state, context, sub.sub_question.id),
        # What the silent widening put there would tell of the wider window.
        held=sum(not sub.candidates[chunk].widened for chunk in sub.pool),
        log=sub.last_lines(loop.action_log_lines),
        step=sub.steps + 1,
        steps_left=min(loop.max_steps, loop.hard_steps) - sub.steps - 1,
        notices=tuple(notices),
        hints=search_hints(state, context),
        state=state_key(state, "search_step"),
    )


def _finish(sub: SubState) -> Draft:
    if not sub.accepted_keys and not sub.finish_refused:
        reason = "nothing has been accepted for this sub-question yet"
        return by_engine(FinishRefused(sub_question=sub.sub_question.id, reason=reason))
    return _finished(sub, "finished")


def _finished(sub: SubState, cause: str) -> Draft:
    gap = "" if sub.accepted_keys else "nothing accepted for this sub-question"
    if gap and sub.memory.gaps:
        gap = f"{gap}; the assistant noted: {sub.memory.gaps}"
    payload = SubQuestionFinished.model_validate(
        {"sub_question": sub.sub_question.id, "cause": cause, "gap": gap}
    )
    return by_engine(payload)


def _search(state: RunState, sub: SubState, action: Action, context: Context) -> list[Draft]:
    search_id = state.next_search_id()
    base = {
        "search": search_id,
        "sub_question": sub.sub_question.id,
        "step": sub.steps + 1,
        "stage": "loop",
        "action": action,
        "corpora": (action.corpus,) if action.corpus else (),
    }
    if action.signature() in sub.signatures:
        repeated = SearchDone(**base, channels=(), effective=False, repeated=True)
        return [by_engine(repeated)]
    try:
        window = _window(action, context.settings.loop.date_widening)
    except BadInput as error:
        failed = SearchDone(**base, channels=(), effective=False, notes=(str(error),))
        return [by_engine(failed)]
    ranking = context.retriever.loop_search(
        LoopSearch(action, run_scope(state.scope), window, context.settings.search.channel_depth)
    )
    inside, outside = _split(ranking.hits, window, context)
    most = context.settings.loop.new_chunks
    fresh = candidates(search_id, _unseen(inside, sub)[:most], ranking, context)
    beyond = candidates(search_id, _unseen(outside, sub)[:most], ranking, context)
    widened = tuple(c.model_copy(update={"widened": True}) for c in beyond)
    done = SearchDone(
        **base,
        channels=tuple(r.channel for r in ranking.rankings if not (r.skipped or r.failure)),
        date_from=iso_day(window.earliest) if window else None,
        date_to=iso_day(window.latest) if window else None,
        hidden_window=_hidden(window),
        returned=len(inside),
        candidates=(*fresh, *widened),
        rankings=first_ids(ranking),
        notes=tuple(r.note or r.skipped for r in ranking.rankings if r.note or r.skipped),
        effective=bool(fresh),
    )
    drafts = [*failures(search_id, ranking), by_engine(done)]
    return drafts + _hold_widened(sub, widened, context)


def _window(action: Action, widening: int) -> Window | None:
    """The days of a date search: a range, or a centre with days on either side."""
    if action.name != "search_date":
        return None
    if action.date_center:
        centre = from_iso(action.date_center)
        days = action.window_days or 1
        return Window(centre.earliest - days, centre.latest + days, widening)
    if not action.date_from and not action.date_to:
        raise BadInput("A date search needs date_from and date_to, or date_center.")
    low = from_iso(action.date_from or action.date_to or "")
    high = from_iso(action.date_to or action.date_from or "")
    if low.earliest > high.latest:
        low, high = high, low
    return Window(low.earliest, high.latest, widening)


def _hidden(window: Window | None) -> tuple[str, str] | None:
    if window is None or not window.widening:
        return None
    return iso_day(window.earliest - window.widening), iso_day(window.latest + window.widening)


def _split(
    hits: tuple[FusedHit, ...], window: Window | None, context: Context
) -> tuple[list[FusedHit], list[FusedHit]]:
    """(inside the window that was asked for, found only by its widening); undated ones in none."""
    if window is None:
        return list(hits), []
    heads = context.documents.heads(hit.key for hit in hits)
    inside: list[FusedHit] = []
    outside: list[FusedHit] = []
    for hit in hits:
        date = head.date if (head := heads.get(hit.key)) else None
        if date is not None:
            within = date.overlaps(window.earliest, window.latest)
            (inside if within else outside).append(hit)
    return inside, outside


def _unseen(hits: list[FusedHit], sub: SubState) -> list[FusedHit]:
    """Leave out documents already accepted and chunks already judged.

    A document whose best chunk was rejected or held comes up again with its next best one.
    """
    accepted = set(sub.accepted_keys)
    unseen = []
    for hit in hits:
        fresh = tuple(c for c in hit.chunk_ids if c not in sub.candidates)
        if fresh and hit.key not in accepted:
            unseen.append(replace(hit, chunk_ids=fresh))
    return unseen


def _hold_widened(sub: SubState, widened: tuple[Candidate, ...], context: Context) -> list[Draft]:
    held = [
        by_engine(
            Decided(
                decision=Decision.on(
                    candidate,
                    sub_question=sub.sub_question.id,
                    verdict="hold",
                    reason=WIDENED,
                    stage="search_step",
                    reviewed=False,
                )
            )
        )
        for candidate in widened
    ]
    return held + overflow_drafts(sub, widened, context)
