"""What all documents of one METS file share: id, title, date, language, sub-corpus."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_core.ingest.corpora import corpus_hint, slug
from trace_core.ingest.layout import PageLayout, compose
from trace_core.ingest.readers.mets_parts import Article, Mets, language_of, titles
from trace_core.ingest.records import CorpusHint, SourceRecord
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import Element, attribute, descendants, first, plain_text


@dataclass(frozen=True, slots=True)
class Issue:
    """What all documents of one METS file share."""

    id: str
    title: str
    label: str
    date: str
    language: str
    corpus: CorpusHint
    meta: dict[str, str]

    def record(
        self, source: Source, pages: list[PageLayout], article: Article | None = None
    ) -> SourceRecord:
        """A document of the issue: an article or all of it."""
        composed = compose(pages)
        part, title = (article.id, article.title) if article else ("", "")
        name = f"{self.label}: {title}" if title else self.label
        page = composed.pages[0].index + 1 if composed.pages else None
        meta = {"type": article.type} if article and article.type else {}
        return SourceRecord(
            source_id=f"{self.id}#{part}" if part else self.id,
            corpus=self.corpus,
            text=composed.text,
            location=source.at(page=page, record=part),
            title=name,
            date_written=self.date,
            language=(article.language if article else "") or self.language,
            pages=composed.pages,
            meta=self.meta | meta,
            quality=composed.quality,
        )


def describe_issue(source: Source, mets: Mets) -> Issue:
    """The issue as its descriptive sections tell of it, or its file's name where they do not."""
    sections = _sections(mets)
    title = next((t for s in sections if (t := titles([s]))), "")
    dates = [d for section in sections for d in _dates(section)]
    qualifiers = [q for d in dates if (q := attribute(d, "qualifier"))]
    named = re.sub(r"[-_.]?(?:mets|manifest)$", "", source.parts.stem, flags=re.IGNORECASE)
    folder = source.id.rpartition("/")[0] or source.corpus
    own = attribute(mets.root, "OBJID") or named or folder or source.parts.stem
    # Transkribus describes its documents in fields of its own.
    described = title or plain_text(first(mets.root, "trpDocMetadata", "title"))
    label = " ".join((described or attribute(mets.root, "LABEL") or own).split())
    date = plain_text(dates[0]) if dates else source.parts.date
    newspaper = "newspaper" in f"{attribute(mets.root, 'TYPE')} {_div_types(mets)}".casefold()
    language = language_of(sections)
    # A title with the issue's date in it ("1915-12-01 (Numéro 78)") is not that of the series.
    series = "" if title and date and date in title else title
    corpus = corpus_hint(
        slug(series) if series else source.corpus,
        name=series,
        kind="newspaper" if newspaper else "",
        language=language,
    )
    meta = {"file": source.path.name} | ({"date qualifier": qualifiers[0]} if qualifiers else {})
    full = f"{label}, {date}" if date and date not in label else label
    return Issue(own, title, full, date, language, corpus, meta)


def _sections(mets: Mets) -> list[Element]:
    """Descriptive sections of the issue, the innermost first; all sections where no div has one."""
    found: list[Element] = []
    for div in descendants(mets.root, "div"):
        if re.search("issue|newspaper|volume|monograph", attribute(div, "TYPE"), re.IGNORECASE):
            found = mets.described(div) + found
    return found or list(mets.descriptions.values())[:3]


def _dates(section: Element) -> list[Element]:
    """The dates of the source in a section, the key date first; never those of its pictures."""
    found = [
        date
        for date in descendants(section, "dateIssued", "dateCreated", "date")
        if plain_text(date) and not _of_copy(date)
    ]
    return sorted(found, key=lambda date: attribute(date, "keyDate") != "yes")


def _of_copy(date: Element) -> bool:
    """Whether a date is that of the digitisation or of a reprint."""
    above = date.getparent()
    if above is None:
        return False
    event = attribute(above, "eventType").casefold()
    electronic = "electronic" in plain_text(first(above, "edition")).casefold()
    return electronic or any(word in event for word in ("digiti", "reproduc", "captur"))


def _div_types(mets: Mets) -> str:
    return " ".join(attribute(div, "TYPE") for div in descendants(mets.root, "div"))[:2000]
