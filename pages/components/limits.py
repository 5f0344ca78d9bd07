"""The days that a search or a run is limited to, as a historian writes them."""

from __future__ import annotations

from pages.components.session import t
from trace_core.domain.dates import Undated, iso_day
from trace_core.domain.errors import BadInput
from trace_core.ingest.dates import read_date


def first_day(written: str) -> str | None:
    """Where limits begin: the first day of the date as ISO 8601, None where nothing is written.

    Raises BadInput for what is no date.
    """
    date = _read(written)
    return date if date is None else iso_day(date[0])


def last_day(written: str) -> str | None:
    """Where limits end: the last day of the date as ISO 8601, None where nothing is written.

    Raises BadInput for what is no date.
    """
    date = _read(written)
    return date if date is None else iso_day(date[1])


def _read(written: str) -> tuple[int, int] | None:
    if not written.strip():
        return None
    date = read_date(written.strip(), order="dmy")
    if isinstance(date, Undated):
        raise BadInput(t("error.no_date", written=written.strip()))
    return date.earliest, date.latest
