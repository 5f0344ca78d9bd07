"""Why a document is not in the evidence list: never found, rejected, held, or below the cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.chain import chain
from pages.components.corpora import heading, key_text, names, plain
from pages.components.errors import guarded
from pages.components.html import md, show
from pages.components.sentences import reason
from pages.components.session import language, service, t
from trace_core.domain.corpus import DocumentKey

if TYPE_CHECKING:
    from trace_core.domain.state import RunState


def why_not(state: RunState) -> None:
    """Find a document and show its path, or where the path ended."""
    st.write(md(t("whynot.help")))
    query = st.text_input(t("whynot.search"), key="whynot.search").strip()
    if not query:
        return
    known = names()
    with guarded():
        found = service().search(query, limit=12)
        if not found.hits:
            st.caption(t("search.nothing"))
            return
        heads = {hit.key: hit.head for hit in found.hits}
        choice: DocumentKey = st.radio(
            t("whynot.which"),
            list(heads),
            format_func=lambda key: plain(heads[key], known, key),
            key=f"whynot.{key_text(found.hits[0].key)}",
        )
        show(heading(heads[choice], known, choice))
        chain(service().explain(state.run, choice, language(), reason))
