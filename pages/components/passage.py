"""A passage as it is judged: full text with marks, its neighbours, where it stands, the scan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import date_text, invented, key_text
from pages.components.html import Span, clean, marked, show
from pages.components.places import link
from pages.components.session import service, t
from trace_core.text import highlight

if TYPE_CHECKING:
    from trace_core.domain.evidence import Found
    from trace_core.service.views import PassageView


def passage(view: PassageView, names: Sequence[str] = (), dates: Sequence[str] = ()) -> None:
    """Show a passage between its neighbours: query terms, names and dates marked apart."""
    chunk = view.chunk
    if view.before:
        show(_neighbour(view.before.text, t("passage.before")))
    text = marked(
        chunk.text,
        (view.spans, ""),
        (_spans(chunk.id, names), "tr-name"),
        (_spans(chunk.id, dates), "tr-date"),
    )
    show(
        f'<section class="tr-passage" aria-label="{clean(t("passage.label"))}">'
        f'<div class="tr-text">{text}</div></section>'
    )
    if view.after:
        show(_neighbour(view.after.text, t("passage.after")))


def query_terms(queries: Iterable[str]) -> tuple[str, ...]:
    """The words of these queries that are worth a mark, each once."""
    words = (word for query in dict.fromkeys(queries) for word in highlight.query_terms(query))
    return tuple(dict.fromkeys(words))


def legend(names: Sequence[str] = (), dates: Sequence[str] = ()) -> None:
    """What the kinds of marks mean that can occur."""
    kinds = [f"<mark>{clean(t('passage.term'))}</mark>"]
    if names:
        kinds.append(f'<mark class="tr-name">{clean(t("passage.name"))}</mark>')
    if dates:
        kinds.append(f'<mark class="tr-date">{clean(t("passage.date"))}</mark>')
    show(f'<p class="tr-text tr-legend">{" ".join(kinds)}</p>')


def _spans(chunk_id: int, words: Sequence[str]) -> Sequence[Span]:
    return service().passage(chunk_id, words).spans if words else ()


def _neighbour(text: str, label: str) -> str:
    return (
        f'<div class="tr-neighbour tr-text"><span class="tr-only-read">{clean(label)}: </span>'
        f"{clean(text)}</div>"
    )


def origin(view: PassageView) -> None:
    """Where the passage stands: document, date, sub-corpus, page, scan, newer versions."""
    head = view.head
    facts = [view.corpus.name, date_text(head.date)]
    if view.page is not None:
        facts.append(t("passage.page", page=view.page.label or view.page.index + 1))
    if invented(view.corpus):
        facts.append(t("corpus.invented"))
    rows = "".join(f"<span>{clean(fact)}</span>" for fact in facts)
    title = head.title or head.key.source_id
    show(f'<div class="tr-title">{clean(title)}</div><div class="tr-row tr-small">{rows}</div>')
    changed(view)


def changed(view: PassageView) -> None:
    """A word where the document has a newer version than the one that was judged."""
    if view.changed_since:
        st.warning(t("passage.changed"), icon=":material/history:")


def links(view: PassageView) -> None:
    """Links to the whole document and, where the source gives one, to the scan of the page."""
    with st.container(horizontal=True):
        link(
            "document",
            t("passage.read"),
            ":material/article:",
            doc=key_text(view.head.key),
            version=str(view.chunk.version),
            chunk=str(view.chunk.id),
        )
        if view.page is not None and safe_link(view.page.image):
            st.page_link(view.page.image, label=t("passage.scan"), icon=":material/image:")


def safe_link(address: str) -> bool:
    """Whether an address from the archive may become a link: web pages only, no scripts."""
    return address.startswith(("https://", "http://"))


def found_by(found: Sequence[Found]) -> None:
    """Which searches brought the passage up, by which channel and at which rank."""
    if not found:
        st.caption(t("found.none"))
        return
    rows = "".join(
        f"<tr><td>{clean(t(f'channel.{way.channel}'))}</td>"
        f'<td class="tr-number">{way.rank}</td><td>{clean(way.query)}</td></tr>'
        for way in sorted(found, key=lambda way: way.rank)
    )
    show(
        f'<table class="tr-table"><thead><tr><th>{clean(t("found.channel"))}</th>'
        f'<th class="tr-number">{clean(t("found.rank"))}</th><th>{clean(t("found.query"))}</th>'
        f"</tr></thead><tbody>{rows}</tbody></table>"
    )
