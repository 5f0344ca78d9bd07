"""What an import would do, before it does anything: format, columns, first records, remarks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from trace_core.ingest.fields import flat_cells, propose_mapping
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.readers import csv_tsv, jsonl
from trace_core.ingest.reading import choose_reader, read_source
from trace_core.ingest.records import Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.shapes import shape_name
from trace_core.ingest.source import Source
from trace_core.ingest.walk import Walk, existing

_EXCERPT = 300
_ITEMS = 200
_FILES = 50


@dataclass(frozen=True, slots=True)
class PreviewRecord:
    """A record as it would be stored; `date` is its EDTF form, "" if none could be read."""

    corpus: str
    corpus_name: str
    source_id: str
    title: str
    date_written: str
    date: str
    language: str
    pages: int
    words: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The beginning of a source. Tables have columns, first rows and a proposed mapping.

    `dialect` tells how the file was understood (encoding, delimiter, quoting; the shape of its
    records), by name. `formats` counts the formats among the first files of a folder.
    """

    format: str
    title: str
    files: int
    size: int
    formats: tuple[tuple[str, int], ...]
    dialect: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    mapping: tuple[tuple[str, str], ...]
    records: tuple[PreviewRecord, ...]
    problems: tuple[Problem, ...]


def read_preview(path: Path, options: ReadOptions | None = None, limit: int = 10) -> Preview:
    """Look at the beginning of a source; nothing is stored. Raises NotFound or BadInput."""
    options = options or ReadOptions()
    walk = Walk(existing(path))
    files, size = walk.size()
    found = [(source, choose_reader(source, options)) for source in islice(walk.files(), _FILES)]
    readable = [(source, reader) for source, reader in found if isinstance(reader, Reader)]
    counts: dict[str, int] = {}
    for _, reader in readable:
        counts[reader.name] = counts.get(reader.name, 0) + 1
    records, problems = _first(read_source(path, options), limit)
    columns, rows, dialect, mapping = _table(readable[0], options, limit) if readable else _NO_TABLE
    return Preview(
        format=readable[0][1].name if readable else "",
        title=readable[0][1].title if readable else "",
        files=files,
        size=size,
        formats=tuple(counts.items()),
        dialect=dialect,
        columns=columns,
        rows=rows,
        mapping=mapping,
        records=records,
        problems=problems,
    )


_Table = tuple[
    tuple[str, ...],
    tuple[tuple[str, ...], ...],
    tuple[tuple[str, str], ...],
    tuple[tuple[str, str], ...],
]
_NO_TABLE: _Table = ((), (), (), ())


def _table(first: tuple[Source, Reader], options: ReadOptions, limit: int) -> _Table:
    source, reader = first
    if reader.name == "csv":
        table = csv_tsv.describe(source, options)
        cells = [row.cells for row in islice(csv_tsv.rows(source, table), _ITEMS)]
        names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
        dialect: tuple[tuple[str, str], ...] = (
            ("encoding", f"{table.encoding.name} ({table.encoding.how})"),
            ("delimiter", names.get(table.delimiter, table.delimiter)),
            ("quoting", table.quote or "none"),
            ("header", "first row" if table.header else "none"),
        )
        columns = list(table.columns)
    elif reader.name == "jsonl":
        objects = jsonl.first_records(source, options, _ITEMS)
        cells = [flat_cells(record) for record in objects]
        columns = list(dict.fromkeys(key for row in cells for key in row))
        dialect = (("shape", shape_name(objects[0]) if objects else "none"),)
    else:
        return _NO_TABLE
    mapping = propose_mapping(columns, cells, options.mapping)
    rows = tuple(tuple(row.get(c, "")[:_EXCERPT] for c in columns) for row in cells[:limit])
    return tuple(columns), rows, dialect, tuple(mapping.items())


def _first(
    items: Iterator[object], limit: int
) -> tuple[tuple[PreviewRecord, ...], tuple[Problem, ...]]:
    records: list[PreviewRecord] = []
    problems: list[Problem] = []
    for item in islice(items, _ITEMS):
        if isinstance(item, Problem):
            problems.append(item)
        elif isinstance(item, SourceRecord):
            records.append(_preview(item))
            if len(records) >= limit:
                break
    return tuple(records), tuple(problems)


def _preview(record: SourceRecord) -> PreviewRecord:
    date, _ = read_record_date(record)
    return PreviewRecord(
        corpus=record.corpus.id,
        corpus_name=record.corpus.name or record.corpus.id,
        source_id=record.source_id,
        title=record.title,
        date_written=record.date_written,
        date=date.edtf if date else "",
        language=record.language,
        pages=len(record.pages),
        words=len(record.text.split()),
        excerpt=record.text[:_EXCERPT],
    )
