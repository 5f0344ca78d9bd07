"""The plan as cards, as an editor at its checkpoint, and as a difference after a replan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING
from uuid import uuid4

import streamlit as st

from pages.components.corpora import name_of
from pages.components.html import chips, clean, show
from pages.components.sentences import said
from pages.components.session import t
from pages.components.verdicts import tally
from trace_core.domain.question import SubQuestion

if TYPE_CHECKING:
    from trace_core.domain.state import RunState, SubState


# --- cards -------------------------------------------------------------------------------------


def cards(state: RunState, known: dict[str, str]) -> None:
    """One card a sub-question: target, names, state, verdicts, steps used of the budget."""
    most = int(state.settings.get("loop", {}).get("max_steps", 0))
    shown = "".join(_card(state, question, known, most) for question in list(state.plan))
    show(f'<div class="tr-cards">{shown}</div>')


def _card(state: RunState, question: SubQuestion, known: dict[str, str], most: int) -> str:
    sub = state.subs.get(question.id)
    now = bool(sub and sub.started and not sub.done and not state.ended)
    origin = t(f"origin.{question.origin}") if question.origin != "plan" else ""
    return (
        f'<article class="tr-card{" tr-card-now" if now else ""}">'
        f'<div class="tr-row tr-small"><b>{clean(question.id)}</b>'
        f"<span>{clean(name_of(question.target, known))}</span>"
        f"<span>{clean(_progress(state, sub))}</span></div>"
        f'<div class="tr-card-text">{clean(question.text)}</div>'
        f"<div>{chips((*question.entities, *question.dates))}{chips((origin,))}</div>"
        f'<div class="tr-card-foot">{_counts(sub)}{_steps(sub, most, state.assistant)}</div>'
        "</article>"
    )


def _progress(state: RunState, sub: SubState | None) -> str:
    if sub is None or not sub.started:
        return t("plan.waiting")
    if sub.done or sub.ended:
        return t("plan.done")
    return t("plan.cut_short") if state.ended else t("plan.working")


def _counts(sub: SubState | None) -> str:
    verdicts = [record.decision.verdict for record in list(sub.verdicts.values())] if sub else []
    return tally(verdicts.count("accept"), verdicts.count("hold"), verdicts.count("reject"))


def _steps(sub: SubState | None, most: int, assistant: str) -> str:
    if assistant != "model" or most <= 0:
        return ""
    used = sub.steps if sub else 0
    share = min(100, round(100 * used / most))
    words = t("plan.steps", used=used, most=most)
    return (
        f'<span class="tr-small" style="flex:1;min-width:7rem">{clean(words)}'
        f'<span class="tr-bar" style="display:block"><span style="width:{share}%"></span></span>'
        "</span>"
    )


# --- the editor --------------------------------------------------------------------------------


@dataclass(slots=True)
class Row:
    """A sub-question while it is edited; `uid` names its fields, `question` what it was."""

    question: SubQuestion
    uid: str = field(default_factory=lambda: uuid4().hex[:8])


def editor(key: str, proposed: Sequence[SubQuestion], known: dict[str, str]) -> None:
    """Let the person change, add, remove, reorder and retarget sub-questions.

    The draft lives in the session under `key`, so that nothing typed is lost while the page
    redraws; `edited` reads it.
    """
    rows: list[Row] = st.session_state.setdefault(key, [Row(q) for q in proposed])
    for place, row in enumerate(rows):
        with st.container(border=True):
            _row(key, place, row, len(rows), known)
    with st.container(horizontal=True):
        st.button(
            t("plan.add"), icon=":material/add:", key=f"{key}.add", on_click=_add, args=(key,)
        )
        if edited(key) != tuple(proposed):
            st.button(
                t("plan.reset"),
                icon=":material/undo:",
                key=f"{key}.reset",
                on_click=_reset,
                args=(key,),
            )


def _row(key: str, place: int, row: Row, total: int, known: dict[str, str]) -> None:
    question = row.question
    left, right = st.columns([3, 2])
    left.text_area(
        t("plan.text", n=place + 1),
        value=question.text,
        key=f"{key}.{row.uid}.text",
        height=100,
    )
    targets = ["", *known]
    right.selectbox(
        t("plan.target"),
        targets,
        index=targets.index(question.target) if question.target in targets else 0,
        format_func=lambda corpus_id: name_of(corpus_id, known),
        key=f"{key}.{row.uid}.target",
    )
    right.text_input(
        t("plan.entities"),
        value=", ".join(question.entities),
        key=f"{key}.{row.uid}.entities",
        help=t("plan.entities_help"),
    )
    _moves(key, place, row, total)
    if question.why:
        show(f'<span class="tr-small">{clean(said(question.why))}</span>')


def _moves(key: str, place: int, row: Row, total: int) -> None:
    with st.container(horizontal=True, horizontal_alignment="left"):
        st.button(
            t("plan.up"),
            key=f"{key}.{row.uid}.up",
            disabled=place == 0,
            on_click=_move,
            args=(key, place, -1),
            icon=":material/arrow_upward:",
        )
        st.button(
            t("plan.down"),
            key=f"{key}.{row.uid}.down",
            disabled=place == total - 1,
            on_click=_move,
            args=(key, place, 1),
            icon=":material/arrow_downward:",
        )
        st.button(
            t("plan.remove"),
            key=f"{key}.{row.uid}.remove",
            disabled=total == 1,
            on_click=_remove,
            args=(key, place),
            icon=":material/delete:",
        )
        if row.question.origin == "spawned":
            st.caption(t("origin.spawned"))


def _add(key: str) -> None:
    rows: list[Row] = st.session_state[key]
    keep(key)
    rows.append(Row(SubQuestion(id="", text="", origin="human")))


def _reset(key: str) -> None:
    # The next drawing begins with the proposal again, in fields of new names.
    del st.session_state[key]


def _remove(key: str, place: int) -> None:
    keep(key)
    rows: list[Row] = st.session_state[key]
    del rows[place]


def _move(key: str, place: int, by: int) -> None:
    keep(key)
    rows: list[Row] = st.session_state[key]
    rows[place], rows[place + by] = rows[place + by], rows[place]


def keep(key: str) -> None:
    """Put what was typed into the draft itself."""
    rows: list[Row] = st.session_state[key]
    for row in rows:
        row.question = _typed(key, row)


def edited(key: str) -> tuple[SubQuestion, ...]:
    """The draft as sub-questions, those without a text left out."""
    rows: list[Row] = st.session_state.get(key, [])
    typed = [_typed(key, row) for row in rows]
    return tuple(question for question in typed if question.text)


def _typed(key: str, row: Row) -> SubQuestion:
    question = row.question
    text = str(st.session_state.get(f"{key}.{row.uid}.text", question.text)).strip()
    target = str(st.session_state.get(f"{key}.{row.uid}.target", question.target))
    listed = str(st.session_state.get(f"{key}.{row.uid}.entities", ", ".join(question.entities)))
    entities = tuple(name.strip() for name in listed.split(",") if name.strip())
    if (text, target, entities) == (question.text, question.target, question.entities):
        return question
    return question.model_copy(
        update={"text": text, "target": target, "entities": entities, "origin": "human"}
    )


# --- the difference ----------------------------------------------------------------------------


def difference(
    before: Sequence[SubQuestion], after: Sequence[SubQuestion], known: dict[str, str]
) -> None:
    """Show what a replan changes: removed, added, reworded and retargeted sub-questions."""
    old = {question.id: question for question in before}
    kept = {question.id for question in after if question.id in old}
    rows = [_changed(old.get(question.id), question, known) for question in after]
    rows += [
        f"<li><b>{clean(t('plan.removed'))}</b> "
        f'<del class="tr-old">{clean(question.text)}</del></li>'
        for question in before
        if question.id not in kept
    ]
    show(f'<ul class="tr-chain">{"".join(rows)}</ul>')


def _changed(old: SubQuestion | None, new: SubQuestion, known: dict[str, str]) -> str:
    target = clean(name_of(new.target, known))
    if old is None:
        word, text = t("plan.added"), f'<ins class="tr-new">{clean(new.text)}</ins>'
    elif old.text == new.text and old.target == new.target:
        word, text = t("plan.kept"), clean(new.text)
    else:
        word, text = t("plan.changed"), word_difference(old.text, new.text)
        if old.target != new.target:
            target = (
                f'<del class="tr-old">{clean(name_of(old.target, known))}</del> '
                f'<ins class="tr-new">{target}</ins>'
            )
    why = f'<br><span class="tr-small">{clean(said(new.why))}</span>' if new.why else ""
    return f"<li><b>{clean(word)}</b> {text} · <i>{target}</i>{why}</li>"


def word_difference(old: str, new: str) -> str:
    """Two texts as one, in HTML: words taken out struck through, words put in marked."""
    before, after = old.split(), new.split()
    parts: list[str] = []
    for what, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            parts.append(clean(" ".join(before[a:b])))
            continue
        if a < b:
            parts.append(f'<del class="tr-old">{clean(" ".join(before[a:b]))}</del>')
        if c < d:
            parts.append(f'<ins class="tr-new">{clean(" ".join(after[c:d]))}</ins>')
    return " ".join(parts)
