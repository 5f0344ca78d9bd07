"""CSV: one row a decision, safe to open in a spreadsheet, dates in ISO form."""

from __future__ import annotations

import csv
import io

from trace_core.export.clean import defused, plain
from trace_core.export.columns import cells, chosen, rows
from trace_core.export.lines import lines
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord


def as_csv(record: RunRecord, options: Options) -> bytes:
    """The evidence list as CSV in UTF-8 (RFC 4180); with a byte order mark on wish.

    A cell that a spreadsheet would take for a formula begins with an apostrophe; control
    characters are left out, line ends inside cells are kept as line feeds.
    """
    names = chosen(options)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows(record, lines(record, options)):
        writer.writerow([cell(value) for value in cells(row, names)])
    encoded = out.getvalue().encode("utf-8")
    return b"\xef\xbb\xbf" + encoded if options.bom else encoded


def cell(value: str | int | None) -> str | int:
    """A value as it stands in the table."""
    if value is None:
        return ""
    if isinstance(value, int):
        return value
    return defused(plain(value).replace("\r\n", "\n").replace("\r", "\n"))
