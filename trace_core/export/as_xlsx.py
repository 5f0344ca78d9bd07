"""XLSX: a sheet of the evidence and a sheet that says how it came about. No cell is a formula."""

from __future__ import annotations

import io
from datetime import datetime
from typing import TYPE_CHECKING

from trace_core.export.clean import xml_illegal, xml_text
from trace_core.export.columns import Cell, cells, chosen, rows
from trace_core.export.labels import labels
from trace_core.export.lines import lines
from trace_core.export.options import Options
from trace_core.export.zipped import stable_zip
from trace_core.provenance.methods import methods
from trace_core.provenance.record import ExportInput

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet._write_only import WriteOnlyWorksheet

_LONGEST = 32_767  # characters that a cell may hold
_WIDTHS = {"passage": 60, "citation": 50, "title": 40, "reason": 40, "quote": 40, "notes": 30}


def as_xlsx(record: ExportInput, options: Options) -> bytes:
    """The evidence list as a workbook.

    Characters that XML forbids are left out and text beyond a cell's limit is cut; the second
    sheet says how often either happened.
    """
    from openpyxl import Workbook as new_book

    names = chosen(options)
    book = new_book(write_only=True)
    sheet: WriteOnlyWorksheet = book.create_sheet("Evidence")
    for n, name in enumerate(names):
        sheet.column_dimensions[_letter(n)].width = _WIDTHS.get(name, 16)
    sheet.freeze_panes = "A2"
    losses = _Losses()
    sheet.append([_text(sheet, name, losses) for name in names])
    for row in rows(record, lines(record, options)):
        sheet.append([_text(sheet, value, losses) for value in cells(row, names)])
    about = book.create_sheet("About")
    about.column_dimensions["B"].width = 110
    for label, text in _about(record, options, losses):
        about.append([_text(about, label, losses), _text(about, text, losses)])
    out = io.BytesIO()
    book.save(out)
    return stable_zip(out.getvalue(), {"docProps/core.xml": _properties(book, record)})


def _properties(book: Workbook, record: ExportInput) -> bytes:
    """The workbook's properties with the run's time, not that of the export."""
    from openpyxl.xml.functions import tostring

    moment = datetime.fromisoformat(record.state.updated).replace(tzinfo=None)
    book.properties.created = book.properties.modified = moment
    book.properties.creator = "TRACE"
    written: bytes = tostring(book.properties.to_tree())
    return written


class _Losses:
    """What a workbook could not carry."""

    def __init__(self) -> None:
        self.characters = 0
        self.cut = 0


def _text(sheet: WriteOnlyWorksheet, value: Cell, losses: _Losses) -> object:
    from openpyxl.cell import WriteOnlyCell

    if value is None or isinstance(value, int):
        return value
    losses.characters += xml_illegal(value)
    text = xml_text(value).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > _LONGEST:
        losses.cut += 1
        text = text[: _LONGEST - 1] + "…"
    if not text.startswith(("=", "#")):  # what the library would take for a formula, an error
        return text
    cell = WriteOnlyCell(sheet, value=text)
    cell.data_type = "s"  # text, whatever it begins with
    return cell


def _about(record: ExportInput, options: Options, losses: _Losses) -> list[tuple[str, str]]:
    said = labels(options.language)
    return [
        (said["question"], record.state.question),
        (said["methods"], methods(record, options.language)),
        (said["illegal"], str(losses.characters)),
        (said["cut"], str(losses.cut)),
    ]


def _letter(index: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(index + 1))
