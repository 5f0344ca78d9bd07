"""Spreadsheets (XLSX): every sheet with a header is a table; legends and empty sheets are left out.

A sheet's header is its first row in which most cells are filled with names; rows above it are
titles. What was left out is said.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import IO, Any

from trace_core.ingest.fields import as_text, known_names, looks_like_header
from trace_core.ingest.records import Item, Location, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.tables import Row, table_records, unique_columns
from trace_core.ingest.xml_safe import BrokenFile

_HEADER_ROWS = 20
_UNPACKED = 2 * 1024**3
_NO_RESULT = re.compile(rb"</f>(?:<v ?/>|<v></v>|</c>)")
_LONGEST = 12  # bytes of such a place, less one
_BLOCK = 1 << 20


def sniff(source: Source) -> float:
    """A zip with a workbook inside."""
    if not source.head.startswith(b"PK"):
        return 0.0
    try:
        with zipfile.ZipFile(source.path) as archive:
            return 0.98 if "xl/workbook.xml" in archive.namelist() else 0.0
    except (zipfile.BadZipFile, OSError):
        return 0.9 if source.suffix in READER.suffixes else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The rows of all sheets as records, each with its sheet's name among its fields."""
    book = _opened(source)
    if empty := _without_result(source):
        reason = (
            f"formulas whose results are not stored are read as empty cells ({empty} of them); "
            "open the file in a spreadsheet program and save it"
        )
        yield Problem(source.at(), reason, "suspicious")
    try:
        offset = 0
        for sheet in book.worksheets:
            found = _header(sheet)
            if found is None:
                reason = f"the sheet {sheet.title!r} has no header row and was left out"
                yield Problem(Location(source.name, record=sheet.title), reason, "suspicious")
                continue
            if sheet.sheet_state != "visible":
                reason = f"the sheet {sheet.title!r} is hidden; it was read all the same"
                yield Problem(Location(source.name, record=sheet.title), reason, "suspicious")
            first, columns = found
            rows = _rows(source, sheet, first, columns, offset)
            yield from table_records(source, columns, rows, options)
            offset += int(sheet.max_row or 0)
    finally:
        book.close()


def _opened(source: Source) -> Any:
    import openpyxl

    try:
        with zipfile.ZipFile(source.path) as archive:
            if sum(info.file_size for info in archive.infolist()) > _UNPACKED:
                raise BrokenFile("the spreadsheet unpacks to more than 2 GB and was refused")
        return openpyxl.load_workbook(source.path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, OSError, KeyError, ValueError) as error:
        if isinstance(error, BrokenFile):
            raise
        raise BrokenFile(
            f"the spreadsheet cannot be opened ({error}); save it again as .xlsx"
        ) from None


def _without_result(source: Source) -> int:
    """Formulas that were written by a program that does not calculate."""
    found = 0
    with zipfile.ZipFile(source.path) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/"):
                with archive.open(name) as stream:
                    found += _count_without_result(stream)
    return found


def _count_without_result(stream: IO[bytes]) -> int:
    found, before = 0, b""
    while block := stream.read(_BLOCK):
        data = before + block
        found += sum(match.end() > len(before) for match in _NO_RESULT.finditer(data))
        before = data[-_LONGEST:]
    return found


def _header(sheet: Any) -> tuple[int, list[str]] | None:
    """(number of the header row from 1, column names); None for a sheet that holds no table."""
    rows = [
        [_cell(value) for value in row]
        for row in sheet.iter_rows(max_row=_HEADER_ROWS, values_only=True)
    ]
    filled = [sum(bool(cell) for cell in row) for row in rows]
    widest = max(filled, default=0)
    if widest < 2:
        return None
    for number, (row, count) in enumerate(zip(rows, filled, strict=True), 1):
        if count * 2 >= widest and count >= 2 and looks_like_header(row):
            below = rows[number] if number < len(rows) else []
            if known_names(below) > known_names(row) and looks_like_header(below):
                # The upper of two rows of headings only groups the lower one's columns.
                number, row = number + 1, below
            while row and not row[-1]:
                row.pop()
            return number, unique_columns(row)
    return None


def _rows(
    source: Source, sheet: Any, header: int, columns: list[str], offset: int
) -> Iterator[Row]:
    for number, row in enumerate(sheet.iter_rows(min_row=header + 1, values_only=True), header + 1):
        cells = [_cell(value) for value in row[: len(columns)]]
        if not any(cell.strip() for cell in cells):
            continue
        cells += [""] * (len(columns) - len(cells))
        named = dict(zip(columns, cells, strict=True)) | {"sheet": sheet.title}
        place = Location(source.name, line=number, record=f"sheet {sheet.title}")
        yield Row(named, place, offset + number)


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time(0) else value.isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    return as_text(value).strip()


READER = Reader(
    name="xlsx",
    title="Spreadsheet (XLSX)",
    suffixes=(".xlsx", ".xlsm"),
    sniff=sniff,
    read=read,
    single=False,
    by_path=True,
)
