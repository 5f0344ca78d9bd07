"""Document: the reader, with pages, hits, versions, the scan's link and notes."""

from __future__ import annotations

import streamlit as st

from pages.components.corpora import parse_key
from pages.components.errors import empty, guarded, told
from pages.components.html import clean
from pages.components.html import show as show_html
from pages.components.judging import note_form, notes
from pages.components.passage import query_terms
from pages.components.quality import of_pages
from pages.components.reading import facts, text_of
from pages.components.session import place, service, t
from pages.components.tags import tags
from pages.components.withdrawing import withdrawing
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import NotFound


def show() -> None:
    """Draw the page."""
    told()
    key = parse_key(place("doc"))
    if key is None:
        st.title(t("document.title"), anchor=False)
        empty(t("document.none"), t("document.none_help"))
        return
    with guarded():
        _read(key)


def _read(key: DocumentKey) -> None:
    version = st.query_params.get("version", "")
    versions = service().versions(key)
    if not versions:
        raise NotFound(t("document.unknown", key=key))
    shown = int(version) if version.isdigit() and int(version) in versions else versions[-1]
    query = st.query_params.get("q", "")
    st.title(t("document.title"), anchor=False)
    text, side = st.columns([5, 2], gap="large")
    with side:
        words = st.text_input(t("document.mark"), value=query, key="document.mark", type="search")
        if len(versions) > 1:
            shown = st.selectbox(
                t("document.version"),
                versions,
                index=versions.index(shown),
                key="document.version",
            )
    view = service().reader(key, shown, query_terms([words]) if words else ())
    with text:
        facts(view)
        if view.document.withdrawn:
            st.warning(t("withdrawing.notice"), icon=":material/inventory:")
        if shown != versions[-1]:
            st.warning(t("passage.changed"), icon=":material/history:")
        text_of(view, _span(key, shown))
    with side:
        if words:
            st.caption(t("document.hits", n=len(view.spans)))
        rows = "".join(
            f"<tr><th>{clean(name)}</th><td>{clean(value)}</td></tr>"
            for name, value in view.document.meta.items()
        )
        if rows:
            show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')
        of_pages(view.document)
        tags(key)
        notes(key)
        note_form(key)
        withdrawing(key, withdrawn=view.document.withdrawn)


def _span(key: DocumentKey, version: int) -> tuple[int, int] | None:
    chunk = st.query_params.get("chunk", "")
    found = next((c for c in service().chunks_of(key, version) if str(c.id) == chunk), None)
    return (found.start, found.end) if found else None


if __name__ == "__main__":
    show()
