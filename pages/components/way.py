"""How a run went to what it found: which searches led on, which led nowhere, what reasons quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import name_of
from pages.components.html import clean, md, shortened, show
from pages.components.session import count, service, t

if TYPE_CHECKING:
    from trace_core.domain.events import SearchDone
    from trace_core.domain.state import RunState
    from trace_core.service.journeys import Way

_COLUMNS = ("number", "sub", "asked", "found", "new", "gain")


def way(state: RunState, known: dict[str, str]) -> None:
    """The figures of the way, and every search with what it led to."""
    if not state.searches:
        st.caption(t("way.none"))
        return
    st.write(md(t("way.help")))
    found = _found(state)
    _figures(found)
    rows = "".join(
        _row(number, search, found.gains[search.search], known)
        for number, search in enumerate(list(state.searches.values()), start=1)
    )
    heads = "".join(f"<th>{clean(t(f'way.{name}'))}</th>" for name in _COLUMNS)
    label = clean(t("run.way"))
    table = f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    show(
        f'<div class="tr-scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="tr-table">{table}</table></div>'
    )


def _found(state: RunState) -> Way:
    """The way, worked out once for each state of the record and of what is known to answer."""
    known = (state.run, state.sequence, service().own_question_count())
    kept = st.session_state.get("_way")
    if kept is None or kept[0] != known:
        kept = known, service().way(state.run)
        st.session_state["_way"] = kept
    found: Way = kept[1]
    return found


def _figures(found: Way) -> None:
    seen = found.trajectory
    shown = [
        ("searches", count(seen.searches)),
        ("nothing_new", count(seen.nothing_new)),
        ("no_gain", count(seen.no_gain)),
        ("efficiency", f"{seen.efficiency:.2f}"),
    ]
    if seen.support.quoting:
        shown.append(("quoting", f"{seen.support.supported} / {seen.support.quoting}"))
    if found.gold:
        shown.append(("recall", f"{100 * seen.recall:.0f} %"))
    cells = "".join(
        f"<div><b>{clean(value)}</b>"
        f"<span class='tr-small'>{clean(t(f'way.is_{name}'))}</span></div>"
        for name, value in shown
    )
    show(f'<div class="tr-totals">{cells}</div>')
    st.caption(md(t("way.efficiency_help")))
    if not found.gold:
        st.caption(md(t("way.no_gold")))


def _row(number: int, search: SearchDone, gain: int, known: dict[str, str]) -> str:
    action = search.action
    name = "warm_start" if search.stage == "warm_start" else action.name
    asked = action.query or action.date_center or f"{action.date_from} – {action.date_to}"
    where = ", ".join(name_of(c, known) for c in search.corpora) or name_of("", known)
    cells = (
        clean(number),
        clean(search.sub_question),
        f"<b>{clean(t(f'action.{name}'))}</b> {clean(shortened(asked, 120))}"
        f'<br><span class="tr-small">{clean(where)}</span>',
        clean(count(search.returned)),
        clean(t("way.repeated") if search.repeated else count(len(search.fresh))),
        clean(count(gain)),
    )
    css = "" if gain else ' class="tr-quiet"'
    return f"<tr{css}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
