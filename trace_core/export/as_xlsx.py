"""XLSX: a sheet of the evidence and a sheet that says how it came about. No cell is a formula.

openpyxl gives the workbook; the cells of the evidence are written as SpreadsheetML, which is
several times faster for the hundred thousand cells of a long list.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from trace_core.export.clean import xml_illegal, xml_text
from trace_core.export.columns import Cell, cells, chosen, rows
from trace_core.export.labels import labels
from trace_core.export.lines import lines
from trace_core.export.options import Options
from trace_core.export.zipped import stable_zip
from trace_core.provenance.methods import methods
from trace_core.provenance.record import RunRecord

if TYPE_CHECKING:
    from openpyxl import Workbook

_LONGEST = 32_767  # characters that a cell may hold
_WIDTHS = {"passage": 60, "citation": 50, "title": 40, "reason": 40, "quote": 40, "notes": 30}
_DATA = re.compile(r"<sheetData\s*/>|<sheetData>\s*</sheetData>")


def as_xlsx(record: RunRecord, options: Options) -> bytes:
    """The evidence list as a workbook.

    Characters that XML forbids are left out and text beyond a cell's limit is cut; the second
    sheet says how often either happened.
    """
    names, losses = chosen(options), _Losses()
    table = [_row(1, names, losses)]
    for number, row in enumerate(rows(record, lines(record, options)), 2):
        table.append(_row(number, cells(row, names), losses))
    about = [_row(n, pair, _Losses()) for n, pair in enumerate(_about(record, options, losses), 1)]
    book = _workbook(names)
    out = io.BytesIO()
    book.save(out)
    return stable_zip(
        out.getvalue(),
        {
            "docProps/core.xml": _properties(book, record),
            "xl/worksheets/sheet1.xml": _filled(out.getvalue(), 1, table),
            "xl/worksheets/sheet2.xml": _filled(out.getvalue(), 2, about),
        },
    )


class _Losses:
    """What a workbook could not carry."""

    def __init__(self) -> None:
        self.characters = 0
        self.cut = 0


def _workbook(names: Iterable[str]) -> Workbook:
    """The workbook with its empty sheets."""
    from openpyxl import Workbook as new_book

    book = new_book()
    sheet = book.worksheets[0]
    sheet.title = "Evidence"
    for n, name in enumerate(names, 1):
        sheet.column_dimensions[_letter(n)].width = _WIDTHS.get(name, 16)
    sheet.freeze_panes = "A2"
    about = book.create_sheet("About")
    about.column_dimensions["A"].width = 40
    about.column_dimensions["B"].width = 110
    return book


def _filled(book: bytes, number: int, made: list[str]) -> bytes:
    """A sheet of the workbook with its rows put in."""
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        sheet = archive.read(f"xl/worksheets/sheet{number}.xml").decode("utf-8")
    head, tail = _DATA.split(sheet, maxsplit=1)
    return f"{head}<sheetData>{''.join(made)}</sheetData>{tail}".encode()


def _row(number: int, values: Iterable[Cell], losses: _Losses) -> str:
    """One row; texts are inline strings, which no program takes for formulas."""
    made = (_cell(f"{_letter(n)}{number}", value, losses) for n, value in enumerate(values, 1))
    return f'<row r="{number}">{"".join(made)}</row>'


@lru_cache(maxsize=256)
def _letter(column: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(column))


def _cell(place: str, value: Cell, losses: _Losses) -> str:
    if value is None or value == "":
        return f'<c r="{place}"/>'
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    losses.characters += xml_illegal(value)
    text = xml_text(value).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > _LONGEST:
        losses.cut += 1
        text = text[: _LONGEST - 1] + "…"
    safe = escape(text, quote=False)
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{safe}</t></is></c>'


def _properties(book: Workbook, record: RunRecord) -> bytes:
    """The workbook's properties with the run's time, not that of the export."""
    from openpyxl.xml.functions import tostring

    moment = datetime.fromisoformat(record.state.updated).replace(tzinfo=None)
    book.properties.created = book.properties.modified = moment
    book.properties.creator = "TRACE"
    written: bytes = tostring(book.properties.to_tree())
    return written


def _about(record: RunRecord, options: Options, losses: _Losses) -> list[tuple[str, str]]:
    said = labels(options.language)
    return [
        (said["question"], record.state.question),
        (said["methods"], methods(record, options.language)),
        (said["illegal"], str(losses.characters)),
        (said["cut"], str(losses.cut)),
    ]
