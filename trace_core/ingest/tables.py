"""Rows of any table (CSV, spreadsheet, Parquet) as records: one code path for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trace_core.ingest.dates import Order, guess_order
from trace_core.ingest.fields import clean, propose_mapping
from trace_core.ingest.records import Item, Location, Problem, ReadOptions
from trace_core.ingest.shapes import Context, Unusable, convert, from_cells, shape_name
from trace_core.ingest.source import Source

SAMPLE = 200
"""Rows that are looked at before the columns are understood."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its cells by column name, and where it stands."""

    cells: Mapping[str, str]
    location: Location
    ordinal: int


def table_records(
    source: Source,
    columns: Sequence[str],
    rows: Iterator[Row],
    options: ReadOptions,
) -> Iterator[Item]:
    """The records of a table; its first rows decide what the columns mean."""
    sample = [row for _, row in zip(range(SAMPLE), rows, strict=False)]
    if not sample:
        yield Problem(Location(source.name), "the table has a header and no rows")
    known = not options.mapping and sample and shape_name(dict(sample[0].cells)) != "general"
    mapping = {} if known else propose_mapping(columns, [r.cells for r in sample], options.mapping)
    if not known and "text" not in mapping and sample:
        yield no_text_column(source, columns)
    order = wished_order(options) or guess_order(
        row.cells.get(mapping.get("date", ""), "") for row in sample
    )
    for row in _chained(sample, rows):
        if all(value == column for column, value in row.cells.items() if column != "sheet"):
            yield Problem(row.location, "the row is the header again and was left out")
            continue
        context = Context(
            row.location, table_corpus(source), options, row.ordinal, table_prefix(source)
        )
        try:
            if known:
                yield convert(row.cells, context)
            else:
                yield replace(from_cells(row.cells, mapping, context), date_order=order)
        except Unusable as error:
            if any(clean(value) for value in row.cells.values()):
                yield Problem(row.location, str(error))


def wished_order(options: ReadOptions) -> Order | None:
    """The order of day and month that the person names, None where they leave it open."""
    if options.day_first is None:
        return None
    return "dmy" if options.day_first else "mdy"


def no_text_column(source: Source, columns: Iterable[str]) -> Problem:
    """The remark on a table whose rows are written out because no column holds a text."""
    return Problem(
        Location(source.name),
        "no column holds a running text: each row was written out as its own text; "
        "name the text's column with --map text=COLUMN if there is one "
        f"(columns: {', '.join(columns)})",
        "suspicious",
    )


def table_corpus(source: Source) -> str:
    """A table is a collection: its file's name, or the folder's where it lies in one."""
    return source.corpus if len(source.relative.parts) > 1 else source.parts.stem


def table_prefix(source: Source) -> str:
    """What goes before row ids in a folder of tables, where two may count from 1."""
    return f"{source.id}/" if len(source.relative.parts) > 1 else ""


def unique_columns(names: Sequence[object]) -> list[str]:
    """Column names as a header gives them: no mark, no blanks around, none empty, none twice."""
    seen: dict[str, int] = {}
    result = []
    for at, name in enumerate(names, 1):
        text = ("" if name is None else str(name)).replace("\ufeff", "").strip() or f"column {at}"
        seen[text] = seen.get(text, 0) + 1
        result.append(text if seen[text] == 1 else f"{text} {seen[text]}")
    return result


def _chained(sample: list[Row], rows: Iterator[Row]) -> Iterator[Row]:
    yield from sample
    sample.clear()
    yield from rows
