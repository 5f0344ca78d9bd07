"""The archive at a glance, counted by the database: first days and OCR qualities."""

from __future__ import annotations

from sqlalchemy import Connection

from trace_core.domain.dates import OPEN_EARLIEST, OPEN_LATEST
from trace_core.ports import Spread

# All rows are read, in their own order: by an index each would be looked up alone.
_DAYS = """
    SELECT corpus, earliest, count(*) FROM documents NOT INDEXED
    WHERE withdrawn = 0 AND earliest IS NOT NULL AND earliest <> ? AND latest <> ?
    GROUP BY corpus, earliest ORDER BY corpus, earliest"""

_QUALITIES = """
    SELECT corpus, CAST(round(quality * 100) AS INTEGER) AS percent, count(*)
    FROM documents NOT INDEXED WHERE withdrawn = 0 AND quality IS NOT NULL
    GROUP BY corpus, percent ORDER BY corpus, percent"""


def read_spread(connection: Connection) -> Spread:
    """How the documents that can be found are spread."""
    days = connection.exec_driver_sql(_DAYS, (OPEN_EARLIEST, OPEN_LATEST)).all()
    qualities = connection.exec_driver_sql(_QUALITIES).all()
    return Spread(
        days=tuple((str(corpus), int(day), int(number)) for corpus, day, number in days),
        qualities=tuple(
            (str(corpus), int(percent), int(number)) for corpus, percent, number in qualities
        ),
    )
