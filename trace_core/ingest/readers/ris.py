"""RIS, as Zotero and catalogues export it: one record a reference, its fields written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.fields import as_text
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source, bounded_lines, text_stream
from trace_core.ingest.tables import table_corpus

_BEGIN = re.compile(r"^TY  ?- ?\w+", re.MULTILINE)
_TITLES = ("primary_title", "title", "secondary_title", "short_title")


def sniff(source: Source) -> float:
    """A first tag TY at the beginning of a line."""
    head = source.head.decode(find_encoding(source.head).name, errors="ignore").lstrip(
        "\ufeff \r\n"
    )
    return 0.95 if _BEGIN.match(head) else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The references as records; an abstract is part of the text."""
    for number, (line, entry) in enumerate(_entries(source, options), 1):
        place = source.at(line=line)
        fields = ris_fields(entry)
        if not fields:
            yield Problem(place, "the reference cannot be read; it holds no field")
            continue
        own = as_text(entry.get("id")).strip() or fields.get("url", "") or str(number)
        yield SourceRecord(
            source_id=own,
            corpus=corpus_hint(table_corpus(source)),
            text="\n".join(f"{key}: {value}" for key, value in fields.items()),
            location=place,
            title=fields.get("title", ""),
            date_written=fields.get("date", ""),
            language=normalise_language(fields.get("language", "")),
            meta={key: value for key, value in fields.items() if key not in ("title", "abstract")},
        )


def ris_fields(entry: Mapping[str, Any]) -> dict[str, str]:
    """A reference's fields as plain text, its date without RIS's empty parts."""
    fields: dict[str, str] = {}
    title = next((as_text(entry[key]) for key in _TITLES if entry.get(key)), "")
    if title:
        fields["title"] = title.strip()
    for key, value in entry.items():
        if key in _TITLES and as_text(value).strip() == title.strip():
            continue
        text = "; ".join(map(as_text, value)) if isinstance(value, list) else as_text(value)
        if isinstance(value, dict):
            text = "; ".join(f"{k}: {v}" for k, v in value.items())
        label = {
            "type_of_reference": "type",
            "urls": "url",
            "first_authors": "author",
            "authors": "author",
        }.get(key, key.replace("_", " "))
        if text.strip() and label not in ("date", "year", "publication year"):
            fields[label] = text.strip()
    date = ris_date(as_text(entry.get("date"))) or ris_date(
        as_text(entry.get("year") or entry.get("publication_year"))
    )
    return fields | ({"date": date} if date else {})


def ris_date(written: str) -> str:
    """RIS writes `YYYY/MM/DD/other` with empty parts; what is there as ISO, or as it stands."""
    parts = [part.strip() for part in written.strip().split("/")]
    if not parts[0]:
        return ""
    if not re.fullmatch(r"\d{3,4}", parts[0]) or not all(p.isdigit() or not p for p in parts[1:3]):
        return written.strip().strip("/")
    kept = [parts[0].zfill(4)]
    for part in parts[1:3]:
        if not part:
            break
        kept.append(part.zfill(2))
    return "-".join(kept)


def _entries(source: Source, options: ReadOptions) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(first line, fields) of every reference, read one by one."""
    encoding = find_encoding(source.head, options.encoding).name
    begin = 0
    lines: list[str] = []
    with source.open() as stream:
        for number, line in enumerate(bounded_lines(text_stream(stream, encoding)), 1):
            text = line.replace("\ufeff", "")
            if _BEGIN.match(text):
                if lines:
                    yield begin, _parsed(lines)
                begin, lines = number, []
            if begin:
                lines.append(text)
    if lines:
        yield begin, _parsed(lines)


def _parsed(lines: list[str]) -> Mapping[str, Any]:
    import rispy

    text = "".join(lines)
    if not re.search(r"^ER  ?-", text, re.MULTILINE):
        text += "\nER  - \n"
    try:
        found = rispy.loads(text)
    except (OSError, ValueError, KeyError, IndexError, AttributeError):
        return {}
    return found[0] if found else {}


READER = Reader(
    name="ris", title="RIS references", suffixes=(".ris",), sniff=sniff, read=read, single=False
)
