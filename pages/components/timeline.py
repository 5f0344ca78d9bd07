"""The steps of a run as lines: thought, action, what came back. It grows, it never jumps.

Events are read once and turned into lines that are kept for the session, so that a look at a
long run costs no more than one at a short run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.components.corpora import name_of
from pages.components.html import clean, shortened, show
from pages.components.sentences import channel_note, reason, said
from pages.components.session import language, service, t
from pages.components.verdicts import actor, tally
from trace_core.domain import events as ev
from trace_core.domain.events import Event

SHOWN = 60
"""How many of the latest lines are drawn."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: when, about which sub-question, what (as HTML), and whether it is a trouble."""

    time: str
    sub_question: str
    markup: str
    trouble: bool = False


@dataclass(slots=True)
class _Read:
    sequence: int
    lines: list[Line]
    calls: list[Event]


def lines(run: str, known: dict[str, str]) -> list[Line]:
    """All lines of a run so far; only the events since the last look are read."""
    return _read(run, known).lines


def calls(run: str) -> list[Event]:
    """The events of the model's calls so far, oldest first, as of the last look at the lines."""
    read: _Read | None = st.session_state.get(_key(run))
    return read.calls if read else []


def _read(run: str, known: dict[str, str]) -> _Read:
    read: _Read = st.session_state.setdefault(_key(run), _Read(0, [], []))
    for event in service().events(run, after=read.sequence):
        line = line_of(event, known)
        if line is not None:
            read.lines.append(line)
        if isinstance(event.payload, ev.CallMade):
            read.calls.append(event)
        read.sequence = event.sequence
    return read


def _key(run: str) -> str:
    return f"timeline.{run}.{language()}"


def timeline(run: str, known: dict[str, str], sub_question: str = "") -> None:
    """Show the latest lines, newest first, of the whole run or of one sub-question."""
    every = lines(run, known)
    if sub_question:
        every = [line for line in every if line.sub_question in ("", sub_question)]
    latest = every[: -SHOWN - 1 : -1]
    if not latest:
        st.caption(t("timeline.empty"))
        return
    if len(every) > SHOWN:
        st.caption(t("timeline.latest", n=len(every), shown=SHOWN))
    rows = "".join(
        f"<li{' class=tr-trouble' if line.trouble else ''}><time>{clean(line.time[11:19])}</time>"
        f'<span class="tr-quiet">{clean(line.sub_question)}</span><div>{line.markup}</div></li>'
        for line in latest
    )
    name = clean(t("run.timeline"))
    show(f'<ol class="tr-timeline" tabindex="0" aria-label="{name}">{rows}</ol>')


def line_of(event: Event, known: dict[str, str]) -> Line | None:
    """The line of one event; None for events that need none."""
    payload = event.payload
    teller = _TELLERS.get(type(payload))
    if teller is None:
        return None
    markup = teller(payload, event, known)
    sub_question = getattr(payload, "sub_question", "") or ""
    if isinstance(payload, ev.Decided):
        sub_question = payload.decision.sub_question
    trouble = type(payload) in _TROUBLES
    return Line(event.time, sub_question, markup, trouble) if markup else None


def _say(key: str, **values: object) -> str:
    return clean(t(f"timeline.{key}", **values))


def _call(payload: ev.CallMade, _: Event, __: dict[str, str]) -> str:
    """Only a call of which something was lost or mended; the others stand in their own list."""
    lost = _notes(payload.notes)
    return _say("call", stage=t(f"prompt.stage_{payload.stage}")) + lost if lost else ""


def _notes(notes: Iterable[str]) -> str:
    return "".join(f'<span class="tr-thought">{clean(channel_note(note))}</span>' for note in notes)


def _started(_: ev.RunStarted, event: Event, __: dict[str, str]) -> str:
    return _say("started", who=actor(event.actor))


def _proposed(payload: ev.PlanProposed, event: Event, _: dict[str, str]) -> str:
    key = "proposed_fallback" if payload.fallback else "proposed"
    return _say(key, who=actor(event.actor), n=len(payload.sub_questions))


def _adopted(payload: ev.PlanAdopted, event: Event, _: dict[str, str]) -> str:
    return _say("adopted", n=len(payload.sub_questions), who=actor(event.actor))


def _checkpoint(payload: ev.CheckpointOpened, _: Event, __: dict[str, str]) -> str:
    return clean(t(f"checkpoint.waits_{payload.checkpoint.kind}"))


def _answered(payload: ev.CheckpointAnswered, event: Event, _: dict[str, str]) -> str:
    reason = f" “{payload.decision.reason}”" if payload.decision.reason else ""
    return _say(f"answered_{payload.decision.action}", who=actor(event.actor)) + clean(reason)


def _sub_started(payload: ev.SubQuestionStarted, _: Event, __: dict[str, str]) -> str:
    return _say("sub_started", id=payload.sub_question)


def _step(payload: ev.StepChosen, _: Event, __: dict[str, str]) -> str:
    thought = payload.action.thought
    if payload.action.name == "finish":
        said = _say("finish")
    elif thought:
        said = _say("thinks")
    else:
        return ""
    return said + (f'<span class="tr-thought">{clean(thought)}</span>' if thought else "")


def _search(payload: ev.SearchDone, _: Event, known: dict[str, str]) -> str:
    action = payload.action
    asked = action.query or action.date_center or f"{action.date_from} – {action.date_to}"
    where = ", ".join(name_of(c, known) for c in payload.corpora) or name_of("", known)
    action_name = "warm_start" if payload.stage == "warm_start" else action.name
    head = f"<b>{clean(t(f'action.{action_name}'))}</b> “{clean(shortened(asked, 160))}”"
    if payload.repeated:
        return f"{head} · {_say('repeated')}"
    came = _say("came", n=payload.returned, new=len(payload.candidates))
    notes = _notes(payload.notes)
    return f'{head} <span class="tr-quiet">{clean(where)}</span> · {came}{notes}'


def _review(payload: ev.ReviewDone, _: Event, __: dict[str, str]) -> str:
    counts = tally(payload.accepted, payload.held, payload.rejected)
    return f"{_say('review', n=len(payload.chunks))} {counts}"


def _decided(payload: ev.Decided, event: Event, known: dict[str, str]) -> str:
    decision = payload.decision
    if event.actor.kind != "human":
        return ""
    where = f"{name_of(decision.corpus, known)} / {decision.source_id}"
    why = reason(decision.reason, event.actor)
    said_why = f" “{clean(why)}”" if why else ""
    verdict = t(f"verdict.{decision.verdict}")
    return _say("decided", who=actor(event.actor), where=where, verdict=verdict) + said_why


def _held(payload: ev.HoldsReevaluated, _: Event, __: dict[str, str]) -> str:
    if payload.failed:
        return _say("reevaluated_failed", reason=said(payload.failed))
    return _say("reevaluated", n=len(payload.chunks), promoted=payload.promoted)


def _briefing(payload: ev.BriefingWritten, _: Event, __: dict[str, str]) -> str:
    return (
        _say("briefing")
        + f'<span class="tr-thought">{clean(said(payload.briefing.summary))}</span>'
    )


def _replan(payload: ev.Replanned, _: Event, __: dict[str, str]) -> str:
    note = f'<span class="tr-thought">{clean(said(payload.note))}</span>' if payload.note else ""
    return _say("replan_changed" if payload.changed else "replan_same") + note


def _sub_finished(payload: ev.SubQuestionFinished, _: Event, __: dict[str, str]) -> str:
    gap = f'<span class="tr-thought">{clean(payload.gap)}</span>' if payload.gap else ""
    cause = t(f"cause.{payload.cause}")
    return _say("sub_finished", id=payload.sub_question, cause=cause) + gap


def _reason(key: str) -> Callable[[Any, Event, dict[str, str]], str]:
    def tell(payload: Any, event: Event, _: dict[str, str]) -> str:
        return _say(key, reason=reason(payload.reason, event.actor), who=actor(event.actor))

    return tell


def _channel(payload: ev.ChannelFailed, _: Event, __: dict[str, str]) -> str:
    return _say("channel", channel=t(f"channel.{payload.channel}"), reason=said(payload.reason))


def _unknown(payload: ev.UnknownChunk, _: Event, __: dict[str, str]) -> str:
    return _say("unknown_chunk", named=payload.named)


def _moved(payload: ev.HoldMoved, _: Event, __: dict[str, str]) -> str:
    return _say("hold_moved", capacity=payload.capacity)


def _ranking(payload: ev.RankingMade, _: Event, __: dict[str, str]) -> str:
    note = f'<span class="tr-thought">{clean(said(payload.note))}</span>' if payload.note else ""
    return _say("ranking", n=len(payload.ranking)) + note


def _finished(payload: ev.RunFinished, _: Event, __: dict[str, str]) -> str:
    return _say("run_finished", n=payload.documents, held=payload.held)


def _failed(payload: ev.RunFailed, _: Event, __: dict[str, str]) -> str:
    return _say("failed", stage=payload.stage, reason=said(payload.reason))


def _budget(_: ev.BudgetChanged, event: Event, __: dict[str, str]) -> str:
    return _say("budget", who=actor(event.actor))


def _index(_: ev.IndexChanged, __: Event, ___: dict[str, str]) -> str:
    return _say("index_changed")


_TELLERS: dict[type[Any], Callable[[Any, Event, dict[str, str]], str]] = {
    ev.RunStarted: _started,
    ev.PlanProposed: _proposed,
    ev.PlanRefused: _reason("plan_refused"),
    ev.PlanAdopted: _adopted,
    ev.CheckpointOpened: _checkpoint,
    ev.CheckpointAnswered: _answered,
    ev.SubQuestionStarted: _sub_started,
    ev.SearchDone: _search,
    ev.ChannelFailed: _channel,
    ev.StepChosen: _step,
    ev.FinishRefused: _reason("finish_refused"),
    ev.ReplyUnreadable: _reason("unreadable"),
    ev.ReviewDone: _review,
    ev.Decided: _decided,
    ev.UnknownChunk: _unknown,
    ev.HoldMoved: _moved,
    ev.HoldsReevaluated: _held,
    ev.BriefingWritten: _briefing,
    ev.Replanned: _replan,
    ev.SubQuestionFinished: _sub_finished,
    ev.RankingMade: _ranking,
    ev.RunFinished: _finished,
    ev.RunPaused: _reason("paused"),
    ev.RunResumed: _reason("resumed"),
    ev.RunStopped: _reason("stopped"),
    ev.RunFailed: _failed,
    ev.BudgetChanged: _budget,
    ev.IndexChanged: _index,
    ev.CallMade: _call,
}

_TROUBLES = {
    ev.PlanRefused,
    ev.ChannelFailed,
    ev.ReplyUnreadable,
    ev.UnknownChunk,
    ev.RunFailed,
    ev.IndexChanged,
    ev.CallMade,
}
