"""A record made ready for the archive: shown text, date, pages, quality, chunks, remarks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trace_core import __version__
from trace_core.domain.corpus import Document, DocumentKey, Page
from trace_core.domain.dates import HistoricalDate, Undated
from trace_core.ingest.chunks import Span, split
from trace_core.ingest.dates import read_date
from trace_core.ingest.languages import guess_language
from trace_core.ingest.records import Problem, SourceRecord
from trace_core.ports import NewDocument
from trace_core.settings import IndexSettings
from trace_core.text.layers import show
from trace_core.text.quality import QualityEstimator

_TITLE = 80
_SLICE = 500  # characters: a text's quality is estimated from slices of this length
_SLICE_EVERY = 10_000  # characters at most from one slice to the next; three slices at least


FORM = 1
"""Raised whenever the same record would be made ready otherwise, so that all are read again."""


def record_fingerprint(record: SourceRecord, settings: IndexSettings) -> bytes:
    """16 bytes over all that `prepare` makes of a record; none for the archive's own export."""
    if record.prepared is not None:
        return b""
    fields = (
        FORM,
        __version__,
        settings.chunk_words,
        settings.chunk_overlap,
        record.corpus.name,
        record.corpus.language,
        record.title,
        record.date_written,
        record.date_edtf,
        record.date_order,
        record.language,
        record.quality,
        record.pages,
        sorted(record.meta.items()),
    )
    digest = hashlib.blake2b(repr(fields).encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(record.text.encode("utf-8", "surrogatepass"))
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document on its way into the store, with what is to be said about it."""

    new: NewDocument
    problems: tuple[Problem, ...]
    words: int
    corpus_name: str


def prepare(
    record: SourceRecord, settings: IndexSettings, report: str = "", source: bytes = b""
) -> Prepared:
    """A record as a document with its chunks; empty texts, pages and missing dates are flagged.

    Where the source gives no word confidence the quality is left open, for `qualities` to estimate.
    `report` is the id of the import. `source` is the record's fingerprint: it is kept where nothing
    is to be told of the record, for what has something to be told is read, and told, again.
    """
    document = record.prepared or _document(record)
    rated = record.quality is not None or (
        record.prepared is not None and record.prepared.quality is not None
    )
    chunks = _chunks(document, settings)
    if settings.chunk_overlap:
        words = len(document.text.split())
    else:  # each word is in one chunk, and has been counted
        words = sum(chunk.words for chunk in chunks)
    problems = tuple(_problems(record, document))
    name = record.corpus.name or record.corpus.id
    new = NewDocument(
        document,
        _spans(document, chunks),
        rated,
        report,
        source=b"" if problems else source,
        words=words,
    )
    return Prepared(new, problems, words, name)


def _document(record: SourceRecord) -> Document:
    shown, pages = _shown(record)
    date, reason = read_record_date(record)
    language = record.language or guess_language(record.text) or record.corpus.language
    return Document(
        key=DocumentKey(record.corpus.id, record.source_id),
        version=1,
        title=record.title or _fallback_title(record),
        text=shown,
        raw=record.text,
        language=language,
        date=date,
        undated_reason=reason,
        pages=pages,
        meta=record.meta,
        quality=None if record.quality is None else round(record.quality, 4),
    )


def _shown(record: SourceRecord) -> tuple[str, tuple[Page, ...]]:
    """The shown text, and the pages with their places moved into it."""
    shown, offsets = show(record.text)
    pages = [
        Page(
            offsets.to_made(page.start, page.start)[0],
            page.index,
            page.label,
            page.image,
            None if page.confidence is None else round(page.confidence, 4),
        )
        for page in record.pages
    ]
    return shown, tuple(pages)


def chunk_spans(
    document: Document, settings: IndexSettings
) -> tuple[tuple[int, int, int | None], ...]:
    """The chunks of a document as (start, end, page index or None) of its shown text."""
    return _spans(document, _chunks(document, settings))


def _chunks(document: Document, settings: IndexSettings) -> list[Span]:
    return split(
        document.text,
        max_words=settings.chunk_words,
        overlap=settings.chunk_overlap,
        pages=[page.start for page in document.pages],
    )


def _spans(document: Document, chunks: Sequence[Span]) -> tuple[tuple[int, int, int | None], ...]:
    pages = document.pages
    return tuple(
        (chunk.start, chunk.end, None if chunk.page is None else pages[chunk.page].index)
        for chunk in chunks
    )


def read_record_date(record: SourceRecord) -> tuple[HistoricalDate | None, str]:
    """The source's own normalised form goes first; the written form is kept in any case."""
    written = record.date_written.strip() or record.date_edtf.strip()
    for form in dict.fromkeys((record.date_edtf.strip(), written)):
        if not form:
            continue
        date = read_date(form, order=record.date_order)
        if not isinstance(date, Undated):
            return replace(date, written=written), ""
    if not written:
        return None, "The source gives no date."
    failed = read_date(written, order=record.date_order)
    return None, failed.reason if isinstance(failed, Undated) else ""


def estimate_quality(
    text: str, pages: Sequence[Page], estimator: QualityEstimator
) -> tuple[float | None, tuple[float | None, ...]]:
    """The estimated quality of a text and of each of its pages, from slices of them."""
    whole = _estimate(text, estimator)
    if len(pages) < 2:
        return whole, (whole,) * len(pages)
    ends = [page.start for page in pages[1:]] + [len(text)]
    parts = (text[page.start : end] for page, end in zip(pages, ends, strict=True))
    return whole, tuple(_estimate(part, estimator) for part in parts)


def _estimate(text: str, estimator: QualityEstimator) -> float | None:
    quality = estimator.estimate(_sample(text))
    return None if quality is None else round(quality, 4)


def _sample(text: str) -> str:
    """Slices of whole words from all over a text, the whole text where it is short."""
    if len(text) <= 3 * _SLICE:
        return text
    step = min(len(text) // 3, _SLICE_EVERY)
    starts = range(0, len(text) - _SLICE + 1, step)
    slices = (text[start : start + _SLICE] for start in starts)
    return " ".join(part[part.find(" ") + 1 : part.rfind(" ")] for part in slices)


def _fallback_title(record: SourceRecord) -> str:
    name = record.corpus.name or record.corpus.id
    return f"{name}, {record.date_written.strip() or record.source_id}"[:_TITLE]


def _problems(record: SourceRecord, document: Document) -> Sequence[Problem]:
    problems = []
    key = str(document.key)
    if not document.text.strip():
        reason = f"{key} has no text; it is kept and cannot be found by its words"
        problems.append(Problem(record.location, reason, "empty"))
    if document.date is None:
        reason = f"{key}: {document.undated_reason}"
        problems.append(Problem(record.location, reason, "undated"))
    bare = pages_without_text(document.text, document.pages)
    if bare and len(document.pages) > 1:
        of = len(document.pages)
        labels = ", ".join(page.label or str(page.index + 1) for page in bare[:20])
        more = " …" if len(bare) > 20 else ""
        reason = f"{key}: {len(bare)} of {of} pages have no text (page {labels}{more})"
        location = replace(record.location, page=bare[0].index + 1)
        problems.append(Problem(location, reason, "suspicious"))
    return problems


def pages_without_text(text: str, pages: Sequence[Page]) -> list[Page]:
    """The pages between whose start and the next one's no word stands."""
    ends = [page.start for page in pages[1:]] + [len(text)]
    return [
        page for page, end in zip(pages, ends, strict=False) if not text[page.start : end].strip()
    ]
