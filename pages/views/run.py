"""Run: the plan at work, its checkpoints, its memory, its record; by its link on any machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import calls, corpora, plan, prompting
from pages.components.checkpoint import checkpoint
from pages.components.errors import guarded, remember
from pages.components.html import clean, md
from pages.components.html import show as show_html
from pages.components.runs import opened, status_badge, totals, troubles, when
from pages.components.sentences import said
from pages.components.session import person, service, t
from pages.components.timeline import timeline
from pages.components.way import way
from trace_core.domain.errors import TraceError
from trace_core.domain.question import Memory

if TYPE_CHECKING:
    from trace_core.domain.question import Briefing
    from trace_core.domain.state import RunState

POLL_SECONDS = 1.0
# The caps that can be raised, with the message that names each.
BUDGETS = {"model_calls": "calls", "tokens": "tokens", "money": "money", "steps": "steps_in_all"}


def show() -> None:
    """Draw the page."""
    state = opened("run")
    if state is None:
        return
    active = service().worked_on(state.run)
    _controls(state, active=active)
    if state.status == "paused" and state.rest_cause == "budget":
        _budget(state)
    if state.checkpoint is not None:
        checkpoint(state, state.checkpoint, corpora.names())
    st.session_state["_run_shown"] = _shape(state, active=active)
    st.fragment(_live, run_every=POLL_SECONDS if active else None)(state.run)
    _rest(state)


def _shape(state: RunState, *, active: bool) -> tuple[str, bool, str, int]:
    """What must change for the whole page, not only its living part, to be drawn again."""
    waiting = state.checkpoint.id if state.checkpoint else ""
    return state.status, active, waiting, len([s for s in state.subs.values() if s.done])


def _live(run: str) -> None:
    state = service().state(run)
    active = service().worked_on(run)
    if st.session_state.get("_run_shown") != _shape(state, active=active):
        st.rerun()
    known = corpora.names()
    with st.container(horizontal=True, vertical_alignment="center"):
        show_html(
            f'<div class="tr-row">{status_badge(state.status, active=active)}'
            f'<span class="tr-small">{clean(_said(state, active=active))}</span></div>'
        )
    totals(state)
    if state.plan:
        plan.cards(state, known)
    st.subheader(t("run.timeline"), anchor=False)
    choice = st.pills(
        t("run.timeline_of"),
        [question.id for question in list(state.plan)],
        key="run.timeline_of",
        label_visibility="collapsed",
    )
    with st.container(height=460, border=True):
        timeline(run, known, choice or "")


def _said(state: RunState, *, active: bool) -> str:
    facts = [
        t(f"assistant.{state.assistant}"),
        t("run.asked", when=when(state.created)),
    ]
    waits = service().pauses(state.run) if active else ""
    if waits or state.rest_reason:
        facts.append(said(waits or state.rest_reason))
    elif state.status in ("planning", "running") and not active:
        facts.append(t("run.interrupted"))
    return " · ".join(facts)


def _controls(state: RunState, *, active: bool) -> None:
    if state.ended:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if active:
            st.button(
                t("run.pause"),
                icon=":material/pause:",
                key="run.pause",
                on_click=_wish,
                args=("pause", state.run),
            )
        elif state.checkpoint is None:
            st.button(
                t("run.resume"),
                icon=":material/play_arrow:",
                type="primary",
                key="run.resume",
                on_click=_wish,
                args=("resume", state.run),
            )
        with st.popover(t("run.stop"), icon=":material/stop_circle:"):
            st.write(md(t("run.stop_help")))
            st.text_input(t("run.stop_reason"), key="run.stop_reason")
            st.button(
                t("run.stop_now"),
                key="run.stop_now",
                on_click=_wish,
                args=("stop", state.run),
            )


def _budget(state: RunState) -> None:
    """Where a cap is spent: the caps as they are, to be raised before the run goes on."""
    with st.container(border=True):
        st.write(md(t("run.budget_spent")))
        columns = st.columns(len(BUDGETS))
        for column, (name, value) in zip(columns, BUDGETS.items(), strict=True):
            column.number_input(
                t(f"ask.{value}"),
                min_value=0.0,
                value=float(state.budgets.get(name, 0)),
                format="%g",
                key=f"run.budget.{name}",
            )
        st.button(
            t("run.budget_raise"),
            type="primary",
            key="run.budget_raise",
            on_click=_raise_budget,
            args=(state,),
        )


def _raise_budget(state: RunState) -> None:
    wanted = {name: float(st.session_state[f"run.budget.{name}"]) for name in BUDGETS}
    changes = {name: cap for name, cap in wanted.items() if cap != state.budgets.get(name, 0)}
    try:
        service().change_budget(state.run, changes, person())
        service().resume(state.run)
    except TraceError as error:
        remember(error)


def _wish(what: str, run: str) -> None:
    try:
        if what == "pause":
            service().pause(run)
        elif what == "resume":
            service().resume(run)
            service().start(run)
        else:
            service().stop(run, str(st.session_state.get("run.stop_reason", "")), person())
    except TraceError as error:
        remember(error)


def _rest(state: RunState) -> None:
    troubles(state)
    memory, briefings, going, calling, record = st.tabs(
        [t(f"run.{name}") for name in ("memory", "briefings", "way", "calls", "record")]
    )
    with memory:
        _memory(state)
    with briefings:
        _briefings(state)
    with going, guarded():
        way(state, corpora.names())
    with calling, guarded():
        calls.listed(state)
    with record, guarded():
        _record(state)


def _memory(state: RunState) -> None:
    if state.assistant == "rules":
        st.caption(t("run.memory_rules"))
        return
    for question in list(state.plan):
        sub = state.subs.get(question.id)
        if sub is None or sub.memory == Memory():
            continue
        rows = "".join(
            f"<tr><th>{clean(t(f'memory.{slot}'))}</th><td>{clean(text)}</td></tr>"
            for slot, text in sub.memory.model_dump().items()
        )
        st.markdown(f"**{md(question.id)}** {md(question.text)}")
        show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')
    if all(sub.memory == Memory() for sub in list(state.subs.values())):
        st.caption(t("run.memory_empty"))


def _briefings(state: RunState) -> None:
    written = [(q, state.subs[q.id].briefing) for q in list(state.plan) if q.id in state.subs]
    if not any(briefing for _, briefing in written):
        st.caption(t("run.briefings_empty"))
    for question, briefing in written:
        if briefing is not None:
            st.markdown(f"**{md(question.id)}** {md(question.text)}")
            _briefing(briefing)


def _briefing(briefing: Briefing) -> None:
    listed = {
        "confirmed_facts": briefing.confirmed_facts,
        "dates": briefing.dates,
        "entities": briefing.entities,
        "gaps": briefing.gaps,
        "search_hints": briefing.search_hints,
        "leads": briefing.leads,
    }
    rows = "".join(
        f"<tr><th>{clean(t(f'briefing.{name}'))}</th><td>{'<br>'.join(map(clean, lines))}</td></tr>"
        for name, lines in listed.items()
        if lines
    )
    show_html(f"<p>{clean(said(briefing.summary))}</p>")
    if rows:
        show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')


def _record(state: RunState) -> None:
    st.write(md(t("run.record_help", n=state.sequence)))
    if st.button(t("run.verify"), icon=":material/verified:", key="run.verify"):
        report = service().verify(state.run)
        if report.ok:
            st.success(t("run.verified", n=report.events))
        else:
            st.error(md(said(report.sentence)), icon=":material/error:")
    start = state.start
    if start is not None:
        facts = {
            t("run.id"): state.run,
            t("run.settings_hash"): start.settings_hash,
            t("run.index_version"): start.index_version,
        }
        rows = "".join(
            f"<tr><th>{clean(name)}</th><td>{clean(value)}</td></tr>"
            for name, value in facts.items()
        )
        show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')
        prompting.used(state)
        with st.expander(t("run.settings")):
            st.json(start.settings, expanded=1)


if __name__ == "__main__":
    show()
