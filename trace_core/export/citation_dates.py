"""Dates in citations: from EDTF to the date variables of CSL."""

from __future__ import annotations

import re
from typing import Any

from trace_core.domain.dates import HistoricalDate, civil_day, from_iso

_SIMPLE = re.compile(r"(-?\d{4})(?:-(\d{2})(?:-(\d{2}))?)?([~?%]?)")
_SEASONS = {"21": 1, "22": 2, "23": 3, "24": 4}


def csl_year(year: int) -> int:
    """An astronomical year as CSL counts it: without a year 0, 477 BCE is -477."""
    return year if year > 0 else year - 1


def csl_date(date: HistoricalDate) -> dict[str, Any]:
    """A date as a CSL date variable.

    A plain year, month or day and an interval of two of them become date-parts, "circa" where
    EDTF marks them as approximate or uncertain. What date-parts cannot say (open intervals,
    sets, unknown digits) is kept as it was written.
    """
    sides = date.edtf.split("/")
    parts = [_parts(side) for side in sides]
    if len(parts) > 2 or not all(parts):
        return {"literal": date.written or date.edtf}
    known = [p for p in parts if p is not None]
    value: dict[str, Any] = {"date-parts": [p[0] for p in known]}
    if len(known) == 1 and known[0][1]:
        value["season"] = known[0][1]
    if any(p[2] for p in known):
        value["circa"] = True
    return value


def _parts(edtf: str) -> tuple[list[int], int, bool] | None:
    """(date parts, season or 0, circa), None where the form says more than date-parts can."""
    match = _SIMPLE.fullmatch(edtf)
    if match is None:
        return None
    year, month, day, mark = match.groups()
    parts = [csl_year(int(year))]
    if month in _SEASONS and day is None:
        return parts, _SEASONS[month], bool(mark)
    if month is not None and not 1 <= int(month) <= 12:
        return None
    parts += [int(p) for p in (month, day) if p is not None]
    return parts, 0, bool(mark)


def csl_day(iso: str) -> dict[str, Any]:
    """An ISO day as a CSL date variable."""
    year, month, day = civil_day(from_iso(iso).earliest)
    return {"date-parts": [[csl_year(year), month, day]]}


def shown_date(date: HistoricalDate | None) -> str:
    """What a reader sees of a date, "" for an undated document."""
    return date.display if date is not None else ""
