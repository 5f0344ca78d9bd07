"""Verdicts by a person: buttons with keys, reasons, undo and notes; each a new record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.components import queue
from pages.components.errors import remember
from pages.components.html import clean, show
from pages.components.runs import when
from pages.components.session import go, person, service, t
from pages.components.verdicts import SHAPES
from trace_core.domain.checkpoint import VerdictChange
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.corpus import DocumentKey
    from trace_core.domain.evidence import Verdict
    from trace_core.domain.state import DecisionRecord, RunState

KEYS: dict[str, str] = {
    "accept": "a",
    "reject": "x",
    "hold": "h",
    "undo": "u",
    "next": "j",
    "previous": "k",
    "note": "n",
}
"""One key an action. Streamlit keeps C and R for itself, so reject is X, as a cross."""

REASON = "review.reason"
MEANWHILE = "_judged_meanwhile"


def buttons(state: RunState, record: DecisionRecord, waiting: list[DecisionRecord]) -> None:
    """The seven actions on the passage in front of the person, and a place for the reason."""
    if st.session_state.pop(MEANWHILE, False):
        st.info(t("review.meanwhile"), icon=":material/info:")
    st.text_input(t("review.reason"), key=REASON, placeholder=t("optional"))
    with st.container(horizontal=True, gap="small"):
        for verdict in ("accept", "hold", "reject"):
            st.button(
                f"{SHAPES[verdict]} {t(f'review.do_{verdict}')}",
                key=f"review.{verdict}.{record.id}",
                shortcut=KEYS[verdict],
                on_click=_judge_one,
                args=(state.run, record, verdict, waiting),
            )
    with st.container(horizontal=True):
        for name, by, icon in (
            ("previous", -1, ":material/arrow_back:"),
            ("next", 1, ":material/arrow_forward:"),
        ):
            st.button(
                t(f"review.{name}"),
                key=f"review.{name}",
                icon=icon,
                shortcut=KEYS[name],
                on_click=queue.move,
                args=(waiting, record, by),
            )
        _undo_button(state)
        if st.button(
            t("review.note"), key="review.note", icon=":material/note_add:", shortcut=KEYS["note"]
        ):
            _note_dialog(record.decision.key, state.run, record.decision.chunk)


def _judge_one(
    run: str, record: DecisionRecord, verdict: Verdict, waiting: list[DecisionRecord]
) -> None:
    reason = str(st.session_state.get(REASON, "")).strip()
    place = waiting.index(record)
    if _judged_meanwhile(run, record):
        st.session_state[MEANWHILE] = True
    elif _override(run, (record,), verdict, reason):
        st.session_state[REASON] = ""
        following = waiting[place + 1] if place + 1 < len(waiting) else record
        go(chunk=queue.name(following))


def _judged_meanwhile(run: str, record: DecisionRecord) -> bool:
    """Whether what the person saw no longer stands: a key pressed twice, or a colleague."""
    decision = record.decision
    standing = service().state(run).sub(decision.sub_question).verdicts.get(decision.chunk)
    return standing is None or standing.id != record.id


def judge(run: str, shown: Sequence[DecisionRecord], verdict: Verdict) -> None:
    """Record one verdict on all passages that were picked in the list."""
    picked = [r for r in shown if st.session_state.get(f"review.pick.{r.id}")]
    if picked:
        reason = str(st.session_state.get("review.several_reason", "")).strip()
        _override(run, picked, verdict, reason)


def _override(run: str, records: Sequence[DecisionRecord], verdict: Verdict, reason: str) -> bool:
    changes = [
        VerdictChange(
            chunk=record.decision.chunk,
            sub_question=record.decision.sub_question,
            verdict=verdict,
            reason=reason,
        )
        for record in records
    ]
    try:
        service().override(run, changes, person())
    except TraceError as error:
        remember(error)
        return False
    return True


# --- undo --------------------------------------------------------------------------------------


def last_own(state: RunState) -> DecisionRecord | None:
    """The newest decision by a person that still stands."""
    for record in reversed(state.decisions):
        if record.actor.kind != "human":
            continue
        standing = state.sub(record.decision.sub_question).verdicts.get(record.decision.chunk)
        if standing is not None and standing.id == record.id and record.decision.stage != "undo":
            return record
    return None


def undo_last(state: RunState) -> None:
    """The undo button where nothing else is left to do."""
    with st.container(horizontal=True):
        _undo_button(state)


def _undo_button(state: RunState) -> None:
    record = last_own(state)
    st.button(
        t("review.undo"),
        key="review.undo",
        icon=":material/undo:",
        shortcut=KEYS["undo"],
        disabled=record is None,
        on_click=_undo,
        args=(state.run, record),
    )


def _undo(run: str, record: DecisionRecord) -> None:
    try:
        service().undo(run, record.id, person())
    except TraceError as error:
        remember(error)
        return
    go(chunk=queue.name(record))


# --- notes -------------------------------------------------------------------------------------


def notes(key: DocumentKey) -> None:
    """The notes on a document."""
    written = [note for note in service().notes([key]) if note.kind == "note"]
    for note in written:
        show(
            f'<div class="tr-open"><span class="tr-small">{clean(note.author)} · '
            f"{clean(when(note.time))}</span><br>{clean(note.text)}</div>"
        )


def note_form(key: DocumentKey, run: str = "", chunk: int | None = None) -> None:
    """A place to write a note on a document."""
    field = f"note.{key.corpus}.{key.source_id}"
    st.text_area(t("note.text"), key=field)
    st.button(
        t("note.save"), key=f"{field}.save", on_click=_save_note, args=(field, key, run, chunk)
    )


def _note_dialog(key: DocumentKey, run: str, chunk: int) -> None:
    @st.dialog(t("note.title"))
    def write() -> None:
        note_form(key, run, chunk)

    write()


def _save_note(field: str, key: DocumentKey, run: str, chunk: int | None) -> None:
    text = str(st.session_state.get(field, "")).strip()
    if not text:
        return
    try:
        service().note(key, text, person(), chunk=chunk, run=run)
    except TraceError as error:
        remember(error)
        return
    st.session_state[field] = ""
