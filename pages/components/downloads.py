"""Downloads of a run: a format, what it shall hold, and the file made when it is asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.html import md
from pages.components.sentences import said
from pages.components.session import language, service, t
from trace_core.export.options import ORDERS, Options
from trace_core.ingest.corpora import slug

if TYPE_CHECKING:
    from trace_core.domain.state import RunState

_WORDS = 6
"""Words of the question that a file is named after."""


def downloads(state: RunState) -> None:
    """Offer every format; the file is made at the click, so that the page need not wait."""
    from trace_core.export.registry import FORMATS

    with st.popover(t("evidence.download"), icon=":material/download:"):
        name = st.selectbox(
            t("download.format"),
            list(FORMATS),
            format_func=lambda key: said(FORMATS[key].label),
            key="download.format",
        )
        order = st.selectbox(
            t("download.order"),
            ORDERS,
            format_func=lambda key: t(f"download.order_{key}"),
            key="download.order",
        )
        held = st.checkbox(t("download.held"), key="download.held")
        rejected = st.checkbox(t("download.rejected"), key="download.rejected")
        without = st.checkbox(
            t("download.without_texts"), key="download.without", help=t("download.without_help")
        )
        options = Options(
            order=order,
            include_held=held,
            include_rejected=rejected,
            bom=True,
            language=language(),
            without_texts=without,
        )
        chosen = FORMATS[name]
        st.download_button(
            t("download.do", format=md(said(chosen.label))),
            data=partial(service().export, state.run, name, options),
            file_name=f"{_named(state)}{chosen.suffix}",
            mime=chosen.media_type,
            on_click="ignore",
            type="primary",
            icon=":material/download:",
            key="download.do",
        )


def _named(state: RunState) -> str:
    """The first words of the question and the run's id: what a person finds again in a folder."""
    words = slug(state.question).split("-")
    return "-".join([*words[:_WORDS], state.run])
