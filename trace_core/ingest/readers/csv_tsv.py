"""CSV and TSV: encoding, delimiter and quoting are found out, shown before the import, and kept."""

from __future__ import annotations

import csv
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trace_core.domain.errors import BadInput
from trace_core.ingest.encodings import Encoding, find_encoding
from trace_core.ingest.fields import known_names, looks_like_header
from trace_core.ingest.records import Item, Location, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source, bounded_lines, text_stream
from trace_core.ingest.tables import Row, table_records, unique_columns

_DELIMITERS = ",;\t|"
_FIELD_LIMIT = 64 * 1024**2
_SAMPLE_ROWS = 60
_TITLE_ROWS = 10
_BLANK = " \t\r\n\0\u00a0"
_LONG_ROW = 100  # lines: a row that long may have swallowed others behind an open quotation mark
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """How a file is cut into cells; `header` says whether its first row names the columns;
    `skipped` lines stand before it (Excel's `sep=;`, a title)."""

    encoding: Encoding
    delimiter: str
    quote: str
    columns: tuple[str, ...]
    header: bool
    skipped: int = 0


def sniff(source: Source) -> float:
    """How surely the file is a table: the same number of cells in most of its first lines."""
    if b"\0" in source.head[:1000] and find_encoding(source.head).how == "valid UTF-8":
        return 0.0
    head = _head_text(source, find_encoding(source.head).name)
    if not head.strip() or head.lstrip().startswith(("<", "{", "[", "%PDF", "TY  -")):
        return 0.0
    named = source.suffix in READER.suffixes
    delimiter, score = _best_delimiter(head)
    if named:
        return 0.8
    if delimiter == "\t" and score >= 0.95 and known_names(head.split("\n")[0].split("\t")) > 1:
        return 0.7  # what Excel saves as Unicode text is called .txt
    return 0.55 if delimiter and score >= 0.95 and head.count("\n") >= 3 else 0.0


def describe(source: Source, options: ReadOptions) -> Table:
    """Encoding, delimiter, quoting and columns of the file. Raises BadInput for a wrong wish."""
    encoding = find_encoding(source.head, options.encoding)
    text = _head_text(source, encoding.name)
    named = _SEPARATOR_LINE.match(text)
    text = text[named.end() :] if named else text
    own = named[1] if named else _best_delimiter(text)[0]
    delimiter = options.delimiter or own or ","
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1:
        raise BadInput(f"The delimiter must be one character (or tab), not {delimiter!r}.")
    quote = _quote(text, delimiter)
    above, first = _first_row(text.splitlines(keepends=True), delimiter, quote)
    header = _is_header(first)
    names = unique_columns(first if header else [f"column {n + 1}" for n in range(len(first))])
    return Table(encoding, delimiter, quote, tuple(names), header, above + bool(named))


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The rows of a table as records; a row with too many or too few cells is reported."""
    table = describe(source, options)
    if not table.columns:
        return
    problems: list[Problem] = []
    for item in table_records(source, table.columns, _cells(source, table, problems), options):
        yield from problems
        problems.clear()
        yield item
    yield from problems


def rows(source: Source, table: Table) -> Iterator[Row]:
    """The rows of a table as named cells."""
    return _cells(source, table, [])


def _cells(source: Source, table: Table, problems: list[Problem]) -> Iterator[Row]:
    ordinal = 0
    for line, last, cells in _lines(source, table, problems):
        is_header = table.header and line == 1 + table.skipped
        if is_header or not any(cell.strip(_BLANK) for cell in cells):
            continue
        ordinal += 1
        where = source.at(line=line)
        if last > line and (last - line >= _LONG_ROW or _swallowed(cells, table)):
            reason = f"the row goes on to line {last}; a quotation mark may not be closed"
            problems.append(Problem(where, reason, "suspicious"))
        yield Row(_named(cells, table, where, problems), where, ordinal)


def _lines(
    source: Source, table: Table, problems: list[Problem]
) -> Iterator[tuple[int, int, list[str]]]:
    """(first line, last line, cells) of each row, the header among them; lines count from 1."""
    with source.open() as stream:
        text = text_stream(stream, table.encoding.name)
        for _ in range(table.skipped):
            text.readline()
        reader = _reader(bounded_lines(text), table.delimiter, table.quote)
        while True:
            line = reader.line_num + 1 + table.skipped
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                problems.append(Problem(source.at(line=line), f"the row cannot be read ({error})"))
                continue
            except (ValueError, EOFError, OSError, zlib.error) as error:
                reason = f"the table cannot be read from here on ({error})"
                problems.append(Problem(source.at(line=line), reason))
                return
            yield line, reader.line_num + table.skipped, cells


def _named(
    cells: list[str], table: Table, where: Location, problems: list[Problem]
) -> dict[str, str]:
    """The cells by column; missing ones are empty, what is too much stands in the last column."""
    width = len(table.columns)
    if len(cells) > width and any(cell.strip() for cell in cells[width:]):
        reason = (
            f"the row has {len(cells)} cells for {width} columns; the last column took the rest, "
            "so a delimiter may stand unquoted in it"
        )
        problems.append(Problem(where, reason, "suspicious"))
        cells = [*cells[: width - 1], table.delimiter.join(cells[width - 1 :])]
    return dict(zip(table.columns, [*cells, *[""] * (width - len(cells))], strict=False))


def _swallowed(cells: list[str], table: Table) -> bool:
    """Whether a cell of several lines holds what look like rows of the table."""
    wanted = len(table.columns) - 1
    lines = [line for line in max(cells, key=len).splitlines()[1:] if line.strip()]
    return wanted > 1 and bool(lines) and all(li.count(table.delimiter) == wanted for li in lines)


def _first_row(lines: list[str], delimiter: str, quote: str) -> tuple[int, list[str]]:
    """(lines above it, cells) of the first row of the table proper: behind titles of one cell."""
    reader = _reader(iter(lines), delimiter, quote)
    rows: list[tuple[int, list[str]]] = []
    try:
        while len(rows) < _TITLE_ROWS:
            line = reader.line_num
            rows.append((line, next(reader)))
    except (StopIteration, csv.Error):
        pass
    filled = [sum(bool(cell.strip()) for cell in cells) for _, cells in rows]
    for (line, cells), count in zip(rows, filled, strict=True):
        if count > 1 or max(filled) < 3:
            return line, cells
    return rows[0] if rows else (0, [])


def _reader(lines: Any, delimiter: str, quote: str) -> Any:
    csv.field_size_limit(_FIELD_LIMIT)
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote, doublequote=True)


def _rows(lines: list[str], delimiter: str, quote: str) -> Iterator[list[str]]:
    try:
        yield from _reader(lines, delimiter, quote)
    except csv.Error:
        return


def _best_delimiter(text: str) -> tuple[str, float]:
    """The delimiter that cuts most of the first rows into the same number (>= 2) of cells."""
    lines = text.splitlines(keepends=True)
    lines = lines[:-1] if len(lines) > 1 else lines
    best, best_score, best_width = "", 0.0, 0
    for delimiter in _DELIMITERS:
        widths = [
            len(row)
            for _, row in zip(range(_SAMPLE_ROWS), _rows(lines, delimiter, '"'), strict=False)
            if row
        ]
        if not widths:
            continue
        width, count = Counter(widths).most_common(1)[0]
        score = count / len(widths) if width > 1 else 0.0
        if (score, width) > (best_score, best_width) and score > 0:
            best, best_score, best_width = delimiter, score, width
    return best, best_score


def _quote(text: str, delimiter: str) -> str:
    """The quote character: `"` unless cells are plainly wrapped in `'`, or `"` stands unpaired."""

    def wrapped(mark: str) -> int:
        return text.count(delimiter + mark) + text.count("\n" + mark) + text.startswith(mark)

    double, single = wrapped('"'), wrapped("'")
    if single > 3 and not double and text.count("'" + delimiter) >= single // 2:
        return "'"
    if (
        delimiter == "\t"
        and double
        and text.count('"' + delimiter) + text.count('"\n') + text.count('"\r') < double / 2
    ):
        return ""
    return '"'


def _is_header(first: list[str]) -> bool:
    """A header names its columns and leaves few of them without a name."""
    names = [cell.replace("\ufeff", "").strip() for cell in first]
    while names and not names[-1]:
        names.pop()
    return looks_like_header(names) and sum(map(bool, names)) * 2 >= len(names)


def _head_text(source: Source, encoding: str) -> str:
    return source.head.decode(encoding, errors="ignore").lstrip("\ufeff")


READER = Reader(
    name="csv",
    title="CSV or TSV table",
    suffixes=(".csv", ".tsv", ".tab", ".psv"),
    sniff=sniff,
    read=read,
    single=False,
)
