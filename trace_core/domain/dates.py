"""Historical dates as values: what was written, what it means in EDTF, and between which days.

Days are numbered as ``datetime.date.toordinal`` numbers them (0001-01-01 is day 1), in the
proleptic Gregorian calendar, and the count goes on below day 1 for years before the common era.
Years are astronomical: year 0 is 1 BCE, year -476 is 477 BCE. So two dates can be compared,
filtered and sorted as plain integers, whatever the calendar they were written in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_core.domain.errors import BadInput

_DAYS_BEFORE_YEAR_ONE = 306  # days from 0000-03-01 to 0001-01-01
_ERA_YEARS = 400
_ERA_DAYS = 146_097
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ISO = re.compile(r"([+-]?\d{4,6})(?:-(\d{2})(?:-(\d{2}))?)?")


class NoSuchDate(BadInput, ValueError):
    """A day, month or written form that no calendar knows; the sentence says which."""


@dataclass(frozen=True, slots=True)
class Undated:
    """No date could be read; ``reason`` is one plain sentence for the import report."""

    reason: str


def is_leap(year: int) -> bool:
    """Whether an astronomical year has a 29 February in the proleptic Gregorian calendar."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """The length of a month in days; ``month`` counts from 1."""
    return 29 if month == 2 and is_leap(year) else _MONTH_DAYS[month - 1]


def day_ordinal(year: int, month: int, day: int) -> int:
    """The ordinal of a proleptic Gregorian day; raises :class:`NoSuchDate` if there is no such day.

    The era arithmetic is Howard Hinnant's ``days_from_civil`` (chrono-compatible low-level date
    algorithms), counted from March so that the leap day closes the year.
    """
    if not 1 <= month <= 12:
        raise NoSuchDate(f"there is no month {month}")
    if not 1 <= day <= days_in_month(year, month):
        raise NoSuchDate(f"month {month} of the year {year} has no day {day}")
    march_year = year - (month <= 2)
    era, year_of_era = divmod(march_year, _ERA_YEARS)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _ERA_DAYS + day_of_era - _DAYS_BEFORE_YEAR_ONE + 1


def civil_day(ordinal: int) -> tuple[int, int, int]:
    """The (astronomical year, month, day) of an ordinal: the inverse of :func:`day_ordinal`."""
    era, day_of_era = divmod(ordinal + _DAYS_BEFORE_YEAR_ONE - 1, _ERA_DAYS)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return (
        year_of_era + era * _ERA_YEARS + (month <= 2),
        month,
        day_of_year - (153 * shifted + 2) // 5 + 1,
    )


def iso_year(year: int) -> str:
    """An astronomical year as EDTF and ISO 8601 write it: at least four digits, sign if below 0."""
    return f"-{-year:04d}" if year < 0 else f"{year:04d}"


def iso_day(ordinal: int) -> str:
    """An ordinal as ``YYYY-MM-DD`` (``-0476-05-12`` for a day of 477 BCE)."""
    year, month, day = civil_day(ordinal)
    return f"{iso_year(year)}-{month:02d}-{day:02d}"


#: Where an interval that is open on one side ends for comparisons: no archive goes beyond.
OPEN_EARLIEST = day_ordinal(-9999, 1, 1)
OPEN_LATEST = day_ordinal(9999, 12, 31)


@dataclass(frozen=True, slots=True)
class HistoricalDate:
    """A date as an archive gives it: perhaps a day, perhaps a month, a century, an open interval.

    ``written`` is kept as it stands in the source; ``edtf`` is its meaning in the Extended
    Date/Time Format (Library of Congress, levels 0-2); ``earliest`` and ``latest`` are the day
    ordinals between which it lies, both included. Qualifiers such as *circa* stay in ``edtf``:
    they do not widen the bounds, which say what was stated.
    """

    written: str
    edtf: str
    earliest: int
    latest: int

    def __post_init__(self) -> None:
        if self.earliest > self.latest:
            raise NoSuchDate(f"the date {self.written!r} ends before it begins")

    @property
    def is_day(self) -> bool:
        """Whether exactly one day is meant."""
        return self.earliest == self.latest

    @property
    def is_open(self) -> bool:
        """Whether one side is unbounded (*before 1887*, *after May 1789*)."""
        return self.earliest == OPEN_EARLIEST or self.latest == OPEN_LATEST

    @property
    def display(self) -> str:
        """What a reader sees: the date as it was entered, else its EDTF form."""
        return self.written.strip() or self.edtf

    def overlaps(self, lo: int, hi: int) -> bool:
        """Whether the date can lie between the two day ordinals, both included."""
        return self.earliest <= hi and self.latest >= lo

    def days_between(self, other: HistoricalDate) -> int:
        """Days between the nearest ends of two dates; 0 where they overlap."""
        return max(0, self.earliest - other.latest, other.earliest - self.latest)


def from_iso(text: str) -> HistoricalDate:
    """A date from ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``, or two of them joined by ``/``.

    ``..`` or nothing on one side of the slash leaves that side open. Raises :class:`NoSuchDate` for
    anything else; dates as people write them are read by ``trace_core.ingest.dates.read_date``.
    """
    stripped = text.strip()
    first, slash, last = stripped.partition("/")
    if not slash:
        earliest, latest = _iso_bounds(stripped)
        return HistoricalDate(text, stripped, earliest, latest)
    open_first, open_last = first in ("", ".."), last in ("", "..")
    if open_first and open_last:
        raise NoSuchDate(f"{text!r} is open on both sides; give at least one date")
    earliest = OPEN_EARLIEST if open_first else _iso_bounds(first)[0]
    latest = OPEN_LATEST if open_last else _iso_bounds(last)[1]
    edtf = f"{'..' if open_first else first}/{'..' if open_last else last}"
    return HistoricalDate(text, edtf, earliest, latest)


def year_bounds(first: int, last: int | None = None) -> tuple[int, int]:
    """The first and last day ordinal of an astronomical year, or of the years first to last."""
    return day_ordinal(first, 1, 1), day_ordinal(first if last is None else last, 12, 31)


def month_bounds(year: int, month: int) -> tuple[int, int]:
    """The first and last day ordinal of a month."""
    return day_ordinal(year, month, 1), day_ordinal(year, month, days_in_month(year, month))


def _iso_bounds(text: str) -> tuple[int, int]:
    match = _ISO.fullmatch(text)
    if match is None:
        raise NoSuchDate(f"{text!r} is not a date; write it as 1887, 1887-05 or 1887-05-12")
    year, month, day = int(match[1]), match[2], match[3]
    if day is not None:
        ordinal = day_ordinal(year, int(month), int(day))
        return ordinal, ordinal
    if month is not None:
        if not 1 <= int(month) <= 12:
            raise NoSuchDate(f"{text!r} is not a date: there is no month {int(month)}")
        return month_bounds(year, int(month))
    return year_bounds(year)
