"""Runs in lists and heads: what each is, what it waits for, what it has cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.errors import empty, told
from pages.components.html import clean, md, shortened, show
from pages.components.places import link
from pages.components.sentences import said
from pages.components.session import count, place, service, t
from trace_core.domain.errors import NotFound

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.ports import RunHead


def status_badge(status: str, *, active: bool = True) -> str:
    """A run's status as HTML; a run that should be working and is not is called interrupted."""
    shown = "interrupted" if status in ("planning", "running") and not active else status
    return f'<span class="tr-status tr-status-{shown}">{clean(t(f"status.{shown}"))}</span>'


def when(time: str) -> str:
    """A moment of the record, to the minute, in UTC."""
    return time[:16].replace("T", " ")


def listed(heads: list[RunHead]) -> None:
    """Runs as rows: question, status, what it waits for, a link."""
    for head in heads:
        with st.container(border=True):
            waits = head.waiting_for
            waiting = f"<span>{clean(t(f'checkpoint.waits_{waits}'))}</span>" if waits else ""
            show(
                f'<div class="tr-title">{clean(shortened(head.question, 220))}</div>'
                f'<div class="tr-row tr-small">{status_badge(head.status)}{waiting}'
                f"<span>{clean(t(f'assistant.{head.assistant}'))}</span>"
                f"<span>{clean(when(head.updated or head.created))}</span></div>"
            )
            link("run", t("run.open"), ":material/arrow_forward:", run=head.id)


def chosen() -> str:
    """The run that the address names, else the newest; "" when there is none.

    Raises NotFound for a run that the workspace does not hold.
    """
    run = place("run")
    heads = service().runs()
    if not run:
        return place("run", heads[0].id) if heads else ""
    if all(head.id != run for head in heads + service().runs(measuring=True)):
        raise NotFound(t("run.unknown", run=run))
    return run


def opened(page: str) -> RunState | None:
    """The head of a page about a run, and that run's state; None, and said, when there is none."""
    st.title(t(f"{page}.title"), anchor=False)
    told()
    run = chosen()
    if not run:
        empty(t("run.none"), t("run.none_help"))
        link("ask", t("nav.ask"), ":material/edit_note:")
        return None
    state = service().state(run)
    heading(state, page)
    return state


def heading(state: RunState, page: str) -> None:
    """The question at the head of a page about a run, with links to the run's other pages."""
    show(f'<p class="tr-lead">{clean(state.question)}</p>')
    with st.container(horizontal=True):
        for name, icon in (
            ("run", ":material/account_tree:"),
            ("review", ":material/rule:"),
            ("evidence", ":material/format_list_numbered:"),
        ):
            if name != page:
                link(name, t(f"nav.{name}"), icon, run=state.run)


def totals(state: RunState) -> None:
    """What the run has spent: calls, tokens, time always; money only where prices are known."""
    spent = state.totals
    money = t("totals.unknown") if spent.unpriced and not spent.money else f"${spent.money:.2f}"
    if state.assistant == "rules":
        shown = [("searches", count(spent.searches)), ("decisions", count(len(state.decisions)))]
    else:
        shown = [
            ("calls", count(spent.calls)),
            ("tokens", f"{count(spent.tokens_in)} / {count(spent.tokens_out)}"),
            ("seconds", f"{spent.seconds:.0f} s"),
            ("money", money),
            ("searches", count(spent.searches)),
            ("decisions", count(len(state.decisions))),
        ]
    cells = "".join(
        f"<div><b>{clean(value)}</b>"
        f"<span class='tr-small'>{clean(t(f'totals.{name}'))}</span></div>"
        for name, value in shown
    )
    show(f'<div class="tr-totals">{cells}</div>')


def troubles(state: RunState) -> None:
    """What went wrong on the way, beside the result and never hidden by it."""
    told = list(state.troubles)
    if not told:
        return
    with st.expander(t("run.troubles", n=len(told)), icon=":material/warning:"):
        for _, sentence in told[-50:]:
            st.markdown("- " + md(said(sentence)))
