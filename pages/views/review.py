"""Review: one passage after another, judged by keys; each verdict a new record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import corpora, queue
from pages.components.chain import decisions
from pages.components.errors import empty, guarded
from pages.components.html import clean, md, shortened
from pages.components.html import show as show_html
from pages.components.judging import buttons, judge, notes, undo_last
from pages.components.passage import found_by, legend, links, origin, passage
from pages.components.runs import opened
from pages.components.sentences import why
from pages.components.session import count, service, t
from pages.components.verdicts import actor, badge, label
from trace_core.domain.evidence import VERDICTS

if TYPE_CHECKING:
    from trace_core.domain.state import DecisionRecord, RunState

SOME = 25


def show() -> None:
    """Draw the page."""
    state = opened("review")
    if state is None:
        return
    known = corpora.names()
    way = st.segmented_control(
        t("review.way"),
        ("one", "several", "record"),
        default="one",
        format_func=lambda name: t(f"review.{name}"),
        required=True,
        key="review.way",
        label_visibility="collapsed",
    )
    if way == "record":
        _record(state, known)
        return
    waiting = queue.ask(state, known)
    if not waiting:
        empty(t("review.nothing"), t("review.nothing_help"))
        undo_last(state)
        return
    if way == "several":
        _several(state, waiting, known)
    else:
        _one(state, waiting, known)


def _one(state: RunState, waiting: list[DecisionRecord], known: dict[str, str]) -> None:
    record = queue.current(waiting)
    place = waiting.index(record)
    st.caption(t("review.left", n=len(waiting), place=count(place + 1)))
    question = state.sub(record.decision.sub_question).sub_question
    view = service().passage(record.decision.chunk, queue.terms(state, record))
    left, right = st.columns([3, 2], gap="large")
    with left:
        origin(view)
        passage(view, question.entities, question.dates)
        legend(question.entities, question.dates)
        links(view)
    with right.container(key="judging"):
        show_html(
            f'<p>{badge(record.decision.verdict)} <span class="tr-small">'
            f"{clean(actor(record.actor))}</span><br>{clean(why(record))}</p>"
        )
        asked = question.text if question.text != state.question else ""
        target = corpora.name_of(question.target, known)
        facts = " · ".join(filter(None, (question.id, target, asked)))
        show_html(f'<p class="tr-small">{clean(facts)}</p>')
        buttons(state, record, waiting)
        st.markdown(f"##### {md(t('found.title'))}")
        found_by(queue.found(state, record))
        _beside(state, record, known)
        _history(state, record, known)
        notes(record.decision.key)


def _beside(state: RunState, record: DecisionRecord, known: dict[str, str]) -> None:
    accepted = state.sub(record.decision.sub_question).with_verdict("accept")
    if not accepted:
        return
    with st.expander(t("review.accepted", n=len(accepted))):
        shown = accepted[-8:]
        heads = service().heads({other.decision.key for other in shown})
        for other in shown:
            title = corpora.title_of(heads.get(other.decision.key), other.decision.key)
            where = f"{title} · {corpora.name_of(other.decision.corpus, known)}"
            show_html(
                f'<p class="tr-small">{badge("accept")} <b>{clean(where)}</b><br>'
                f"{clean(why(other))}</p>"
            )


def _history(state: RunState, record: DecisionRecord, known: dict[str, str]) -> None:
    every = [
        other
        for other in list(state.decisions)
        if other.decision.chunk == record.decision.chunk
        and other.decision.sub_question == record.decision.sub_question
    ]
    if len(every) > 1:
        with st.expander(t("review.history", n=len(every))):
            decisions(every[::-1], known)


def _several(state: RunState, waiting: list[DecisionRecord], known: dict[str, str]) -> None:
    st.caption(t("review.several_help", n=len(waiting)))
    pages = -(-len(waiting) // SOME)
    page = st.pagination(pages, key="review.page") if pages > 1 else 1
    shown = waiting[(page - 1) * SOME : page * SOME]
    heads = service().heads({record.decision.key for record in shown})
    with st.form("review.several", border=False):
        for record in shown:
            decision = record.decision
            title = corpora.title_of(heads.get(decision.key), decision.key)
            where = f"{title} · {corpora.name_of(decision.corpus, known)}"
            with st.container(border=True):
                st.checkbox(
                    f"{label(decision.verdict)} · {md(where)}",
                    key=f"review.pick.{record.id}",
                )
                text = service().passage(decision.chunk, ()).chunk.text
                show_html(
                    f'<div class="tr-text tr-snippet">{clean(shortened(text, 300))}</div>'
                    f'<div class="tr-small">{clean(why(record))}</div>'
                )
        st.text_input(t("review.reason"), key="review.several_reason")
        with st.container(horizontal=True):
            for verdict in VERDICTS:
                st.form_submit_button(
                    t(f"review.do_{verdict}"),
                    key=f"review.several.{verdict}",
                    on_click=judge,
                    args=(state.run, tuple(shown), verdict),
                )


def _record(state: RunState, known: dict[str, str]) -> None:
    first, second, third = st.columns([3, 1, 1])
    text = first.text_input(t("review.search"), key="review.search")
    verdict = second.selectbox(
        t("decision.verdict"),
        (None, *VERDICTS),
        format_func=lambda v: label(v) if v else t("review.every"),
        key="review.search_verdict",
    )
    sub = third.selectbox(
        t("review.sub_question"),
        ("", *state.subs),
        format_func=lambda s: s or t("review.every"),
        key="review.search_sub",
    )
    with guarded():
        found = service().decisions(
            state.run, text=str(text), verdict=verdict, sub_question=str(sub)
        )
        st.caption(t("review.found", n=len(found)))
        pages = max(1, -(-len(found) // (2 * SOME)))
        page = st.pagination(pages, key="review.record_page") if pages > 1 else 1
        decisions(found[(page - 1) * 2 * SOME : page * 2 * SOME], known, full=True)


if __name__ == "__main__":
    show()
