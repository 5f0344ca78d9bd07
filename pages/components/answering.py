"""A person's word that these documents answer a run's question: a question for evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import key_text, names, plain
from pages.components.errors import remember
from pages.components.html import md
from pages.components.session import person, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.service.views import EvidenceView


def answering(state: RunState, views: list[EvidenceView]) -> None:
    """Choose the documents that answer the question, and keep both as a question with gold."""
    if not views:
        return
    known = names()
    by_key = {key_text(view.key): view for view in views}
    with st.popover(t("evaluation.answers"), icon=":material/task_alt:"):
        st.caption(md(t("evaluation.answers_help")))
        st.multiselect(
            t("evaluation.answer_documents"),
            list(by_key),
            format_func=lambda name: plain(by_key[name].head, known, by_key[name].key),
            placeholder=t("evaluation.answer_choose"),
            key="answering.documents",
        )
        st.button(t("save"), key="answering.save", on_click=_save, args=(state.run, by_key))
    if st.session_state.pop("_answer_saved", False):
        st.toast(t("evaluation.answer_saved"), icon=":material/check:")


def _save(run: str, by_key: dict[str, EvidenceView]) -> None:
    chosen = st.session_state.get("answering.documents") or []
    try:
        keys = [by_key[name].key for name in chosen if name in by_key]
        service().save_question(run, keys, person())
    except TraceError as error:
        remember(error)
        return
    st.session_state["_answer_saved"] = True
