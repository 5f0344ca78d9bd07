"""Reading a document: its shown text in pages with marks; two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import date_text, invented, names, plain
from pages.components.html import Span, clean, marked, show
from pages.components.passage import query_terms, safe_link
from pages.components.quality import page_name
from pages.components.sentences import said
from pages.components.session import service, t

if TYPE_CHECKING:
    from trace_core.domain.corpus import Document
    from trace_core.service.views import EvidenceView, ReaderView


def text_of(view: ReaderView, passage: Span | None = None, height: int | None = None) -> None:
    """The whole text, page by page, with its hits marked and one passage framed."""
    parts = [
        page.head + _page_text(view.document.text, page, view.spans, passage)
        for page in _pages(view.document)
    ]
    title = clean(view.document.title or view.document.key.source_id)
    body = (
        f'<div class="tr-text" tabindex="0" role="document" aria-label="{title}">'
        f"{''.join(parts)}</div>"
    )
    if height is None:
        show(body)
        return
    with st.container(height=height, border=True):
        show(body)


@dataclass(frozen=True, slots=True)
class _Page:
    """Characters `start` to `end` of the shown text under a head of HTML, "" for none."""

    start: int
    end: int
    head: str = ""


def _pages(document: Document) -> list[_Page]:
    pages = sorted(document.pages, key=lambda page: page.start)
    if not pages:
        return [_Page(0, len(document.text))]
    ends = [page.start for page in pages[1:]] + [len(document.text)]
    found = [_Page(0, pages[0].start)] if pages[0].start > 0 else []
    for page, end in zip(pages, ends, strict=True):
        label = page_name(page)
        if page.quality is not None:
            label += f" · {t('quality.page', percent=round(100 * page.quality))}"
        scan = ""
        if safe_link(page.image):
            scan = (
                f' · <a href="{clean(page.image)}" target="_blank" rel="noopener noreferrer">'
                f"{clean(t('passage.scan'))}</a>"
            )
        head = f'<span class="tr-page">{clean(label)}{scan}</span>'
        found.append(_Page(page.start, end, head))
    return found


def _page_text(whole: str, page: _Page, spans: Sequence[Span], passage: Span | None) -> str:
    start, end = page.start, page.end
    own = [(a - start, b - start) for a, b in spans if a < end and b > start]
    text = whole[start:end]
    if passage is None or passage[0] >= end or passage[1] <= start:
        return marked(text, (own, ""))
    first, last = max(0, passage[0] - start), min(len(text), passage[1] - start)
    inside = [(a - first, b - first) for a, b in own]
    after = [(a - last, b - last) for a, b in own]
    return (
        marked(text[:first], (own, ""))
        + f'<div class="tr-passage" id="passage">{marked(text[first:last], (inside, ""))}</div>'
        + marked(text[last:], (after, ""))
    )


def facts(view: ReaderView) -> None:
    """A document's head: title, sub-corpus, date, and its own fields from the source."""
    document = view.document
    rows = [view.corpus.name, date_text(document.date, said(document.undated_reason))]
    if invented(view.corpus):
        rows.append(t("corpus.invented"))
    if document.quality is not None:
        rows.append(t("document.quality", percent=round(100 * document.quality)))
    line = "".join(f"<span>{clean(row)}</span>" for row in rows)
    show(
        f'<div class="tr-title">{clean(document.title or document.key.source_id)}</div>'
        f'<div class="tr-row tr-small">{line}</div>'
    )


def side_by_side(views: Sequence[EvidenceView]) -> None:
    """Two documents of the list next to each other, each with its hits marked."""
    known = names()
    heads = {view.key: view for view in views}
    keys = list(heads)
    for place, column in enumerate(st.columns(2, gap="large")):
        with column:
            key = st.selectbox(
                t(f"evidence.beside_{place + 1}"),
                keys,
                index=min(place, len(keys) - 1),
                format_func=lambda k: f"{heads[k].rank}. {plain(heads[k].head, known, k)}",
                key=f"evidence.beside.{place}",
            )
            terms = query_terms(way.query for _, way in heads[key].found)
            view = service().reader(key, terms=terms)
            facts(view)
            text_of(view, height=640)
