"""RIS: the documents of the list with their archive fields, as reference managers read it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trace_core.domain.dates import HistoricalDate
from trace_core.export.clean import one_line
from trace_core.export.lines import Line, lines
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord

_TYPES = {
    "article-newspaper": "NEWS",
    "hearing": "GOVDOC",
    "report": "GOVDOC",
    "legal_case": "CASE",
    "pamphlet": "PAMP",
    "book": "BOOK",
}
_TAGS = (
    ("AN", "archive_location"), ("CN", "call-number"), ("DB", "archive"), ("PB", "publisher"),
    ("CY", "publisher-place"), ("ET", "edition"), ("SE", "section"), ("VL", "volume"),
    ("IS", "issue"), ("LA", "language"), ("UR", "URL"), ("DP", "source"),
    ("C1", "archive_collection"),
)  # fmt: skip
_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


def as_ris(record: RunRecord, options: Options) -> bytes:
    """One reference a document, in the order of the list; its decisions are notes (N1)."""
    made = lines(record, options)
    blocks = ("\r\n".join(_tags(line, record.accessed)) for line in made)
    return ("\r\n\r\n".join(blocks) + "\r\n").encode("utf-8")


def _tags(line: Line, accessed: str) -> Iterator[str]:
    item = line.item
    yield f"TY  - {_TYPES.get(item['type'], 'MANSCPT')}"
    for tag, value in _values(line, accessed):
        if value:
            yield f"{tag}  - {value}"
    yield "ER  - "


def _values(line: Line, accessed: str) -> Iterator[tuple[str, str]]:
    item = line.item
    yield "ID", item["id"]
    yield "TI", item["title"]
    for author in item.get("author", ()):
        yield "AU", author["literal"]
    yield "T2", _text(item.get("container-title"))
    yield from _dates(line.source.date if line.source else None)
    yield "SP", _text(item.get("page"))
    for tag, name in _TAGS:
        yield tag, _text(item.get(name))
    yield "Y2", accessed.replace("-", "/") + "/" if accessed else ""
    for tag_text in line.tags:
        yield "KW", one_line(tag_text)
    yield from _notes(line)


def _dates(date: HistoricalDate | None) -> Iterator[tuple[str, str]]:
    """Year and date; what a calendar day cannot say follows as "other information"."""
    if date is None:
        return
    match = _DAY.fullmatch(date.edtf.rstrip("~?%"))
    written = one_line(date.written or date.edtf).replace("/", "–")
    if match is None:
        yield "DA", f"///{written}"
        return
    year, month, day = match[1], match[2] or "", match[3] or ""
    if month > "12":
        month = ""
    yield "PY", year
    other = "" if written in (date.edtf, "") else written
    yield "DA", f"{year}/{month}/{day}/{other}"


def _notes(line: Line) -> Iterator[tuple[str, str]]:
    rank = f"rank {line.rank}, " if line.rank else ""
    yield "N1", one_line(f"TRACE: {rank}{line.verdict}; {line.permanent_id}")
    if line.source and line.source.date:
        date = line.source.date
        yield "N1", one_line(f"Date as written: {date.display}; EDTF: {date.edtf}")
    if line.source and line.source.twins:
        yield (
            "N1",
            one_line(f"The same text, or nearly, in: {', '.join(map(str, line.source.twins))}"),
        )
    for passage in line.passages:
        decided = passage.record
        quote = f' Quotation: "{passage.quote}"' if passage.quote else ""
        yield (
            "N1",
            one_line(
                f"Decision {decided.id}: {decided.decision.verdict} by {decided.actor} on "
                f"{decided.time[:10]}, passage c{decided.decision.chunk}. "
                f"Reason: {passage.reason}{quote}"
            ),
        )
    for note in line.notes:
        yield "N1", one_line(f"Note by {note.author or 'a person'}: {note.text}")


def _text(value: object) -> str:
    return one_line(str(value)) if value not in (None, "") else ""
