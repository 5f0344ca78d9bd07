"""What the grammar reads, and what it means: from parts of a date to EDTF and day ordinals.

Calendars: Republican and Julian days are converted with ``convertdate``; everything else is taken
as proleptic Gregorian, as written. A century is counted as historians count it (the 19th is
1801-1900), a decade by its digit (the 1880s are 1880-1889).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from trace_core.domain import dates as days
from trace_core.domain.dates import NoSuchDate

Era = Literal["", "bc", "ad"]
Calendar = Literal["", "gregorian", "julian", "republican"]
_REPUBLICAN_YEARS = (*range(1, 15), 79)
_WHOLE = (1, 1)


class Unreadable(NoSuchDate):
    """The parts were recognised but make no single date; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A resolved date: EDTF and its bounds as day ordinals, both included."""

    edtf: str
    earliest: int
    latest: int


@dataclass(frozen=True, slots=True)
class Piece:
    """The parts of one date as read; what is missing may be completed from its neighbours.

    ``year`` is as written, before the era is applied. ``until_year`` is the second of a dual year
    (1700/01). ``width`` is 100 for a century (``year`` is then its number), 10 for a decade.
    ``mask`` is an EDTF year with X for unknown digits.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    until_year: int | None = None
    width: int = 1
    season: int | None = None
    part: tuple[int, int] = _WHOLE
    mask: str = ""
    era: Era = ""
    calendar: Calendar = ""
    qualifier: str = ""

    @property
    def lone_day(self) -> bool:
        """A day number with neither month nor year: only a neighbour can say more."""
        return self.day is not None and self.month is None

    @property
    def has_year(self) -> bool:
        """Whether the year is known, so that the piece can stand alone."""
        return self.year is not None or bool(self.mask)

    def qualified(self, mark: str) -> Piece:
        """The piece with one more qualifier: approximate and uncertain together are ``%``."""
        if self.qualifier in ("", mark):
            return replace(self, qualifier=mark)
        return replace(self, qualifier="%")


def resolve(piece: Piece) -> Meaning:
    """The meaning of one piece; raises :class:`Unreadable` or ``NoSuchDate`` with the reason."""
    if not piece.has_year:
        raise Unreadable("The year is missing; give a year for the sub-corpus or the file.")
    if piece.calendar == "republican":
        meaning = _republican(piece)
    elif piece.mask:
        meaning = _masked(piece)
    elif piece.width > 1:
        meaning = _years(piece)
    else:
        meaning = _gregorian(piece)
    return _qualify(meaning, piece.qualifier)


def span(first: Meaning, last: Meaning) -> Meaning:
    """The interval from one meaning to another; raises :class:`Unreadable` if it runs backwards."""
    if first.earliest > last.latest or first.earliest > last.earliest:
        raise Unreadable(f"The range from {first.edtf} to {last.edtf} runs backwards.")
    edtf = f"{first.edtf.split('/')[0]}/{last.edtf.split('/')[-1]}"
    return Meaning(edtf, first.earliest, last.latest)


def either(first: Meaning, last: Meaning) -> Meaning:
    """One of two dates, written as an EDTF set; the bounds span both."""
    if first.earliest > last.earliest:
        first, last = last, first
    if "/" in first.edtf + last.edtf:
        return span(first, last)
    edtf = f"[{first.edtf},{last.edtf}]"
    return Meaning(edtf, first.earliest, max(first.latest, last.latest))


def double_day(first: Meaning, last: Meaning) -> Meaning | None:
    """The Gregorian day of a date given in both calendars (*10/21 March 1712*), else ``None``.

    Only where the two days are exactly as far apart as the calendars were.
    """
    from convertdate import julian

    if first.earliest != first.latest or last.earliest != last.latest:
        return None
    year, month, day = map(int, days.iso_day(first.earliest).rsplit("-", 2))
    if year < 1500 or days.day_ordinal(*julian.to_gregorian(year, month, day)) != last.earliest:
        return None
    return last


def open_interval(side: str, meaning: Meaning, *, excluded: bool) -> Meaning:
    """Everything before or after a date; ``excluded`` says that the date itself is out."""
    first, last = meaning.edtf.split("/")[0], meaning.edtf.split("/")[-1]
    if side == "before":
        latest = meaning.earliest - 1 if excluded else meaning.latest
        edge = _edge(first, latest) if excluded else last
        return Meaning(f"../{edge}", days.OPEN_EARLIEST, latest)
    earliest = meaning.latest + 1 if excluded else meaning.earliest
    edge = _edge(last, earliest) if excluded else first
    return Meaning(f"{edge}/..", earliest, days.OPEN_LATEST)


def _edge(stated: str, ordinal: int) -> str:
    """The day just outside a stated date, written with that date's own precision."""
    precision = stated.rstrip("~?%").lstrip("-").count("-")
    if "X" in stated or (precision == 1 and int(stated.rstrip("~?%")[-2:]) > 12):
        precision = 2
    day, mark = days.iso_day(ordinal), stated[len(stated.rstrip("~?%")) :]
    return (day.rsplit("-", 2 - precision)[0] if precision < 2 else day) + mark


def _astronomical(year: int, era: Era) -> int:
    if era == "bc" and year < 1:
        raise Unreadable("There is no year 0 before the common era.")
    return 1 - year if era == "bc" else year


def _gregorian(piece: Piece) -> Meaning:
    year = _astronomical(_year_in_january_style(piece), piece.era)
    if not -9999 <= year <= 9999:
        raise Unreadable(f"The year {year} has more than four digits.")
    if piece.season is not None:
        return _season(piece, year)
    if piece.month is None:
        until = piece.until_year
        if until is not None:
            return Meaning(f"{days.iso_year(year)}/{days.iso_year(until)}", *_span(year, until))
        return _part_of_year(year, piece.part)
    if not 1 <= piece.month <= 12:
        raise Unreadable(f"There is no month {piece.month}.")
    if piece.calendar == "julian":
        return _julian(year, piece.month, piece.day)
    if piece.day is None:
        return _part_of_month(year, piece.month, piece.part)
    ordinal = days.day_ordinal(year, piece.month, piece.day)
    return Meaning(days.iso_day(ordinal), ordinal, ordinal)


def _year_in_january_style(piece: Piece) -> int:
    """The year counted from 1 January: the later one of a dual year, which began on Lady Day."""
    assert piece.year is not None
    if piece.until_year is None or piece.month is None:
        return piece.year
    if (piece.month, piece.day or 1) > (3, 25):
        raise Unreadable("A double year is only written for dates before 25 March.")
    return piece.until_year


def _span(first: int, last: int) -> tuple[int, int]:
    return days.year_bounds(first, last)


def _thirds(length: int, part: tuple[int, int]) -> tuple[int, int]:
    """First and last offset, from 0, of the k-th of n parts of a period of so many units."""
    number, count = part
    return -(-length * (number - 1) // count), -(-length * number // count) - 1


def _part_of_year(year: int, part: tuple[int, int]) -> Meaning:
    if part == _WHOLE:
        return Meaning(days.iso_year(year), *days.year_bounds(year))
    first, last = (offset + 1 for offset in _thirds(12, part))
    text, mark = days.iso_year(year), _vague(part)
    return Meaning(
        f"{text}-{first:02d}{mark}/{text}-{last:02d}{mark}",
        days.month_bounds(year, first)[0],
        days.month_bounds(year, last)[1],
    )


def _part_of_month(year: int, month: int, part: tuple[int, int]) -> Meaning:
    first, last = days.month_bounds(year, month)
    if part == _WHOLE:
        return Meaning(f"{days.iso_year(year)}-{month:02d}", first, last)
    begin, end = _thirds(30, part)  # ten days each, as the historian's early, mid and late
    earliest = first + begin
    latest = last if part[0] == part[1] else first + end
    mark = _vague(part)
    return Meaning(f"{days.iso_day(earliest)}{mark}/{days.iso_day(latest)}{mark}", earliest, latest)


def _vague(part: tuple[int, int]) -> str:
    return "~" if part[1] == 3 else ""


def _season(piece: Piece, year: int) -> Meaning:
    assert piece.season is not None
    if piece.season < 24:
        first = 3 * (piece.season - 20)
        bounds = days.month_bounds(year, first)[0], days.month_bounds(year, first + 2)[1]
        return Meaning(f"{days.iso_year(year)}-{piece.season}", *bounds)
    if piece.until_year is not None:
        after = piece.until_year
        bounds = days.day_ordinal(year, 12, 1), days.month_bounds(after, 2)[1]
        return Meaning(f"{days.iso_year(year)}-12/{days.iso_year(after)}-02", *bounds)
    # "Winter 1887" may be the one that began the year or the one that ended it: both are kept.
    return Meaning(
        f"{days.iso_year(year)}-24",
        days.day_ordinal(year, 1, 1),
        days.month_bounds(year + 1, 2)[1],
    )


def _years(piece: Piece) -> Meaning:
    """A decade or a century, or a part of one."""
    assert piece.year is not None
    first = piece.year
    if piece.width == 100:
        first = 1 - 100 * piece.year if piece.era == "bc" else 100 * piece.year - 99
    begin, end = _thirds(piece.width, piece.part)
    lo, hi = first + begin, first + end
    bounds = days.year_bounds(lo, hi)
    if piece.width == 10 and piece.part == _WHOLE and lo >= 0:
        return Meaning(f"{lo // 10:03d}X", *bounds)
    mark = _vague(piece.part)
    return Meaning(f"{days.iso_year(lo)}{mark}/{days.iso_year(hi)}{mark}", *bounds)


def _masked(piece: Piece) -> Meaning:
    first, last = int(piece.mask.replace("X", "0")), int(piece.mask.replace("X", "9"))
    return Meaning(piece.mask, *days.year_bounds(first, last))


def _julian(year: int, month: int, day: int | None) -> Meaning:
    from convertdate import julian

    if year < 1:
        raise Unreadable("A Julian date before the common era is not converted.")
    last = 29 if year % 4 == 0 else 28
    length = last if month == 2 else days.days_in_month(year, month)
    if day is not None and day > length:
        raise Unreadable(f"Month {month} of the Julian year {year} has no day {day}.")
    first_day, last_day = (day, day) if day is not None else (1, length)
    lo = days.day_ordinal(*julian.to_gregorian(year, month, first_day))
    hi = days.day_ordinal(*julian.to_gregorian(year, month, last_day))
    return Meaning(days.iso_day(lo) if day else f"{days.iso_day(lo)}/{days.iso_day(hi)}", lo, hi)


def _republican_day(year: int, month: int, day: int) -> int:
    from convertdate import french_republican

    return days.day_ordinal(*french_republican.to_gregorian(year, month, day))


def _republican(piece: Piece) -> Meaning:
    year = piece.year
    if year is None or year not in _REPUBLICAN_YEARS:
        raise Unreadable(f"The Republican calendar has no year {year}: it ended with the year 14.")
    new_year, next_year = _republican_day(year, 1, 1), _republican_day(year + 1, 1, 1)
    if piece.month is None:
        return _days(new_year, next_year - 1)
    first = new_year + 30 * (piece.month - 1)
    last = min(first + 29, next_year - 1)
    if piece.day is None:
        return _days(first, last)
    if not 1 <= piece.day <= last - first + 1:
        raise Unreadable(f"Month {piece.month} of the Republican year {year} has no such day.")
    return _days(first + piece.day - 1, first + piece.day - 1)


def _days(first: int, last: int) -> Meaning:
    text = days.iso_day(first)
    return Meaning(text if first == last else f"{text}/{days.iso_day(last)}", first, last)


def _qualify(meaning: Meaning, mark: str) -> Meaning:
    if not mark:
        return meaning
    ends = [end.rstrip("~?%") + mark for end in meaning.edtf.split("/")]
    return Meaning("/".join(ends), meaning.earliest, meaning.latest)


def with_default_year(piece: Piece, year: int) -> Piece:
    """The piece with the year that its context gives, in the piece's own calendar."""
    if piece.has_year or piece.lone_day:
        return piece
    if piece.calendar != "republican":
        return replace(piece, year=year)
    for candidate in (year - 1792, year - 1791):
        if candidate in _REPUBLICAN_YEARS:
            completed = replace(piece, year=candidate)
            lo, hi = days.year_bounds(year)
            if lo <= resolve(completed).earliest <= hi:
                return completed
    raise Unreadable(f"The Republican calendar was not in use in {year}.")
