"""Sub-corpora and documents in words: names, spans of time, sizes, and what is invented."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.html import clean
from pages.components.session import service, t
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.dates import civil_day, iso_year
from trace_core.service.sample import is_invented

if TYPE_CHECKING:
    from trace_core.domain.corpus import DocumentHead, SubCorpus
    from trace_core.domain.dates import HistoricalDate
    from trace_core.service.views import CorpusView


QUALITIES = (0, 50, 60, 70, 80, 90)


def invented(corpus: SubCorpus) -> bool:
    """Whether the sub-corpus belongs to the invented sample archive."""
    return is_invented(corpus)


def views() -> dict[str, CorpusView]:
    """The archive's sub-corpora by id, read once a drawing of the page."""
    return {view.corpus.id: view for view in service().corpora()}


def names() -> dict[str, str]:
    """The sub-corpora's display names by id."""
    return {corpus_id: view.corpus.name for corpus_id, view in views().items()}


def name_of(corpus_id: str, known: dict[str, str]) -> str:
    """A sub-corpus's name; "the whole archive" for none."""
    return known.get(corpus_id, corpus_id) if corpus_id else t("corpus.all")


def span(view: CorpusView) -> str:
    """First and last year of a sub-corpus, or that nothing in it is dated."""
    first, last = view.stats.earliest, view.stats.latest
    if first is None or last is None:
        return t("corpus.undated")
    begin, end = iso_year(civil_day(first)[0]), iso_year(civil_day(last)[0])
    return begin if begin == end else f"{begin}–{end}"


def size(view: CorpusView) -> str:
    """The number of documents of a sub-corpus in words."""
    return t("corpus.documents", n=view.stats.documents)


def described(view: CorpusView) -> str:
    """Name, size and span of a sub-corpus in one line of plain text."""
    facts = [view.corpus.name, size(view)]
    if view.stats.documents:
        facts.append(span(view))
    if view.stats.withdrawn:
        facts.append(t("corpus.withdrawn_count", n=view.stats.withdrawn))
    if invented(view.corpus):
        facts.append(t("corpus.invented"))
    return " · ".join(facts)


def choose(label: str, key: str) -> tuple[str, ...]:
    """Let the person choose sub-corpora; an empty choice means all of them."""
    known = views()
    chosen: list[str] = st.multiselect(
        label,
        list(known),
        format_func=lambda corpus_id: described(known[corpus_id]),
        placeholder=t("corpus.all"),
        key=key,
    )
    return tuple(chosen)


def least_quality(key: str) -> float | None:
    """Let the person leave out what OCR read badly; None for no limit."""
    chosen = st.selectbox(
        t("quality.least"),
        QUALITIES,
        format_func=lambda percent: t("quality.any") if not percent else f"{percent} %",
        help=t("quality.help"),
        key=key,
    )
    return chosen / 100 if chosen else None


def date_text(date: HistoricalDate | None, reason: str = "") -> str:
    """A document's date as entered, or why it has none."""
    if date is None:
        return t("document.undated") + (f" ({reason})" if reason else "")
    return date.display


def heading(head: DocumentHead | None, known: dict[str, str], key: DocumentKey) -> str:
    """A document's title with its date and sub-corpus, as HTML; its id where it is gone."""
    if head is None:
        return f'<div class="tr-title">{clean(key)}</div>'
    return (
        f'<div class="tr-title">{clean(head.title or head.key.source_id)}</div>'
        f'<div class="tr-row tr-small">{facts_of(head, known)}</div>'
    )


def title_of(head: DocumentHead | None, key: DocumentKey) -> str:
    """A document's title with its date in plain text; its id where it has none or is gone."""
    if head is None or not head.title:
        return key.source_id
    return f"{head.title} · {head.date.display}" if head.date else head.title


def facts_of(head: DocumentHead | None, known: dict[str, str]) -> str:
    """A document's sub-corpus, date, length and state, as HTML."""
    if head is None:
        return ""
    facts = [
        name_of(head.key.corpus, known),
        date_text(head.date),
        t("document.words", n=head.words),
    ]
    if head.quality is not None:
        facts.append(t("document.quality", percent=round(100 * head.quality)))
    if head.withdrawn:
        facts.append(t("document.withdrawn"))
    return "".join(f"<span>{clean(fact)}</span>" for fact in facts)


def plain(head: DocumentHead | None, known: dict[str, str], key: DocumentKey) -> str:
    """A document in one line of plain text, for choices."""
    if head is None:
        return key_text(key)
    title = head.title or head.key.source_id
    return f"{title} · {name_of(head.key.corpus, known)} · {date_text(head.date)}"


def key_text(key: DocumentKey) -> str:
    """A document's key as it stands in an address."""
    return f"{key.corpus}/{key.source_id}"


def parse_key(text: str) -> DocumentKey | None:
    """The key that stands in an address, None where it is none."""
    corpus, slash, source_id = text.partition("/")
    return DocumentKey(corpus, source_id) if slash and corpus and source_id else None
