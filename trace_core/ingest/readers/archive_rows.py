"""The archive's own export, as JSON lines and Parquet hold it: documents taken over as they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from trace_core.domain.corpus import Document, DocumentKey, Page, SubCorpus
from trace_core.domain.dates import HistoricalDate
from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.records import CorpusRecord, Item, Location, Problem, SourceRecord

MARK = "trace_record"
"""The field that marks a line of the export; its value is "document" or "sub-corpus"."""


def document_row(document: Document) -> dict[str, Any]:
    """A document as a flat row; `text` is left out where it is the text as read."""
    date = document.date
    return {
        MARK: "document",
        "corpus": document.key.corpus,
        "source_id": document.key.source_id,
        "title": document.title,
        "language": document.language,
        "date_written": date.written if date else None,
        "date_edtf": date.edtf if date else None,
        "date_earliest": date.earliest if date else None,
        "date_latest": date.latest if date else None,
        "undated_reason": document.undated_reason,
        "quality": document.quality,
        "withdrawn": document.withdrawn,
        "version": document.version,
        "pages": json.dumps([_page(page) for page in document.pages]),
        "meta": json.dumps(dict(document.meta), ensure_ascii=False),
        "raw": document.raw,
        "text": None if document.text == document.raw else document.text,
    }


def _page(page: Page) -> list[Any]:
    row = [page.start, page.index, page.label, page.image, page.quality]
    return row if page.quality is not None else row[:4]


def corpus_row(corpus: SubCorpus) -> dict[str, Any]:
    """A sub-corpus as a flat row."""
    return {
        MARK: "sub-corpus",
        "corpus": corpus.id,
        "name": corpus.name,
        "aliases": json.dumps(list(corpus.aliases), ensure_ascii=False),
        "kind": corpus.kind,
        "language": corpus.language,
        "description": corpus.description,
        "local_only": corpus.local_only,
        "citation": json.dumps(dict(corpus.citation), ensure_ascii=False),
    }


def is_own_row(columns: Iterable[str]) -> bool:
    """Whether a record's fields are those of the archive's own export."""
    return MARK in columns


def own_record(row: Mapping[str, Any], location: Location) -> Item:
    """A row of the export as what it was, or a problem where somebody has damaged it."""
    try:
        if row.get("exact"):
            row = json.loads(row["exact"])
        if row[MARK] == "sub-corpus":
            return CorpusRecord(_corpus(row), location)
        return _document(row, location)
    except (KeyError, TypeError, ValueError) as error:
        return Problem(location, f"the line of an archive's export is damaged ({error})")


def _document(row: Mapping[str, Any], location: Location) -> SourceRecord:
    raw = str(row["raw"] or "")
    text = row.get("text")
    date = None
    if row.get("date_edtf"):
        date = HistoricalDate(
            str(row["date_written"] or ""),
            str(row["date_edtf"]),
            int(row["date_earliest"]),
            int(row["date_latest"]),
        )
    quality = row.get("quality")
    document = Document(
        key=DocumentKey(str(row["corpus"]), str(row["source_id"])),
        version=1,
        title=str(row["title"] or ""),
        text=raw if text is None else str(text),
        raw=raw,
        language=str(row["language"] or ""),
        date=date,
        undated_reason=str(row.get("undated_reason") or ""),
        pages=tuple(Page(*page) for page in _json(row["pages"], [])),
        meta=_json(row["meta"], {}),
        quality=None if quality in (None, "") else float(str(quality)),
        withdrawn=row.get("withdrawn") in (True, "true", "True"),
    )
    return SourceRecord(
        source_id=document.key.source_id,
        corpus=corpus_hint(document.key.corpus),
        text=raw,
        location=location,
        title=document.title,
        date_written=date.written if date else "",
        language=document.language,
        prepared=document,
    )


def _corpus(row: Mapping[str, Any]) -> SubCorpus:
    return SubCorpus(
        id=str(row["corpus"]),
        name=str(row["name"]),
        aliases=tuple(_json(row["aliases"], [])),
        kind=str(row["kind"]),
        language=str(row["language"] or ""),
        description=str(row["description"] or ""),
        local_only=row["local_only"] in (True, "true", "True"),
        citation=_json(row["citation"], {}),
    )


def _json(value: Any, otherwise: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value else value or otherwise
