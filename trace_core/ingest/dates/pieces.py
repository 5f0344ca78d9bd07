"""The rules that read one date: a day, a month, a year, a season, a decade, a century.

Each rule looks at the tokens from one place on, takes what it understands and says where it
stopped; none looks further than a dozen tokens, so that reading stays linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.periods import ROMAN_ORDINAL, SEPARATORS, Found, Periods, roman
from trace_core.ingest.dates.values import Calendar, Piece, Unreadable


class Pieces(Periods):
    """Reads single dates; every rule returns the piece and the place after it, or ``None``."""

    # -- one date ---------------------------------------------------------------------------

    def piece(self, i: int) -> Found:
        """The date that begins at this token, weekday and articles included."""
        if self.text(i) in w.WEEKDAYS:
            after = self.point(i + 1)
            after = self.skip(after + (self.text(after) == ","), w.ARTICLES, 2)
            found = self._day_month(after) or self._month_first(after) or self._numeric(after)
            if found is not None:
                return found
        kind = self.tokens[i].kind
        rules: tuple[Callable[[int], Found], ...] = ()
        if kind == "n":
            rules = (
                self._numeric,
                self._day_month,
                self._month_first,
                self.century,
                self.decade,
                self._part,
                self._year_first,
                self.year,
            )
        elif kind == "w":
            rules = (
                self._day_month,
                self._month_first,
                self._part,
                self.season,
                self.century,
                self.decade,
                self.republican_year,
                self.year,
            )
        for rule in rules:
            found = rule(i)
            if found is not None:
                return found
        return None

    def lone_day(self, i: int) -> Found:
        """A day (or a century) number that waits for its month: the 12 of *12-15 mai 1887*."""
        found = self.day(i)
        if found is not None:
            return Piece(day=found[0]), found[1]
        if self.tokens[i].kind == "w" and self.text(i)[-1:] in "eᵉh":
            match = ROMAN_ORDINAL.fullmatch(self.text(i))
            number = roman(match[1]) if match else None
            if number is not None:
                return Piece(day=number), i + 1
        return None

    # -- days and months ----------------------------------------------------------------------

    def _month(self, i: int) -> tuple[int, Calendar, int] | None:
        found = self.phrase(i, w.MONTHS)
        if found is not None:
            return found[0], "", self.point(found[1])
        found = self.phrase(i, w.REPUBLICAN_MONTHS)
        if found is not None:
            return found[0], "republican", self.point(found[1])
        token = self.tokens[i]
        if token.kind == "n" and len(token.text) < 3 and int(token.text) in w.NUMBERED_MONTHS:
            end = self.point(i + 1)
            if self.glued(i + 1) and self.text(end) in w.NUMBERED_MONTH_ENDS:
                return w.NUMBERED_MONTHS[int(token.text)], "", self.point(end + 1)
        return None

    def _day_month(self, i: int) -> Found:
        day = self.day(i)
        if day is None:
            return None
        j = self.skip(day[1], w.OF, 3)
        if self.text(j) in "-/" and self.glued(j) and self.glued(j + 1):
            j += 1
        month = self._month(j)
        if month is None:
            return None
        return self._with_year(Piece(day=day[0], month=month[0], calendar=month[1]), month[2])

    def _month_first(self, i: int) -> Found:
        month = self._month(i)
        if month is None:
            return None
        piece = Piece(month=month[0], calendar=month[1])
        if piece.calendar != "republican":
            day = self.day(self.skip(month[2], w.ARTICLES, 1))
            if day is not None and self.text(day[1]) not in (":", "%"):
                return self._with_year(replace(piece, day=day[0]), day[1])
        found = self._with_year(piece, month[2])
        if self.running and not found[0].has_year and not self._plainly_a_month(i):
            return None
        return found

    def _plainly_a_month(self, i: int) -> bool:
        """Whether a month alone is meant as one: *en mai*, *in May*, *Anfang März*."""
        long_enough = len(self.text(i)) > 3 or self.text(i) == "mai"
        if self.text(i) in ("march", "mars", "may") and not self.as_written(i)[0].isupper():
            long_enough = self.text(i) == "mars"
        before = self.text(i - 1)
        return long_enough and (before in ("en", "in", "im", "de") or before in w.PARTS)

    def _with_year(self, piece: Piece, i: int) -> tuple[Piece, int]:
        """The piece with the year that follows it, if one does."""
        if piece.calendar == "republican":
            counted = self.republican_year(i + (self.text(i) == ","), beside_month=True)
            return (replace(piece, year=counted[0].year), counted[1]) if counted else (piece, i)
        j = i + 1 if self.text(i) in (",", "-", "/", "(", "[") else i
        if self.text(i) in ("-", "/") and not (self.glued(i) and self.glued(j)):
            j = i
        j = self.skip(j, w.OF, 2)
        found = self.year(j)
        if found is None or found[0].qualifier:
            return piece, i
        year, end = found
        if year.until_year is not None and self.text(end - 2) == "-":
            year, end = replace(year, until_year=None), end - 2
        if self.text(i) in ("(", "[") and self.text(end) in (")", "]"):
            end += 1
        return replace(piece, year=year.year, until_year=year.until_year, era=year.era), end

    # -- numbers only -------------------------------------------------------------------------

    def _numeric(self, i: int) -> Found:
        sign = self.text(i + 1)
        if sign not in SEPARATORS or not sign:
            return None
        if self.running and not (self.glued(i + 1) and self.glued(i + 2)):
            return None
        if self.text(i + 3) == sign and self.tokens[i + 4].kind == "n":
            found = self._three_numbers(i, sign)
            if found is not None:
                return found
        return self._two_numbers(i, sign)

    def _three_numbers(self, i: int, sign: str) -> Found:
        first, middle, last = self.text(i), self.text(i + 2), self.text(i + 4)
        if self.running and not (self.glued(i + 3) and self.glued(i + 4)):
            return None
        if self.tokens[i + 2].kind == "w":
            month = roman(middle)
            if month is None or month > 12 or len(first) > 2 or len(last) != 4:
                return None
            return Piece(year=int(last), month=month, day=int(first)), i + 5
        if self.tokens[i + 2].kind != "n" or len(middle) > 2:
            return None
        if len(first) == 4 and len(last) <= 2:
            return Piece(year=int(first), month=int(middle), day=int(last)), i + 5
        if len(first) <= 2 and (len(last) == 4 or (len(last) == 3 and not self.running)):
            day, month = self._in_order(int(first), int(middle), sign)
            return Piece(year=int(last), month=month, day=day), i + 5
        if len(first) <= 2 and len(last) == 2:
            raise Unreadable("The year has two digits, and the century is not given.")
        return None

    def _in_order(self, first: int, second: int, sign: str) -> tuple[int, int]:
        order = self.order
        if order is None and (sign == "." or first > 12 or first == second):
            order = "dmy"
        elif order is None and second > 12:
            order = "mdy"
        if order is None:
            raise Unreadable(
                f"{first}{sign}{second} can be day and month or month and day; "
                "set the order of day and month for this source."
            )
        return (first, second) if order == "dmy" else (second, first)

    def _two_numbers(self, i: int, sign: str) -> Found:
        first, last = self.text(i), self.text(i + 2)
        if self.tokens[i].kind != "n" or not self.glued(i + 1) or not self.glued(i + 2):
            return None
        if self.glued(i + 3) and self.text(i + 3) == sign and self.tokens[i + 4].kind == "n":
            return None
        number = int(last) if self.tokens[i + 2].kind == "n" else roman(last)
        if number is None:
            return None
        if (
            len(first) == 4
            and len(last) == 2
            and 1 <= number <= 12
            and self.tokens[i + 2].kind == "n"
        ):
            dual = sign == "/" and number == (int(first) + 1) % 100
            if not dual and (sign == "-" or not self.running):
                return Piece(year=int(first), month=number), i + 3
        allowed = sign == "/" if self.running else True
        if allowed and len(first) <= 2 and len(last) == 4 and 1 <= int(first) <= 12:
            return Piece(year=number, month=int(first)), i + 3
        return None

    # -- parts of periods, years before months ---

    def _year_first(self, i: int) -> Found:
        """A year before its month: *1887, 12 mai*; only where the whole field is a date."""
        if self.running or self.tokens[i].kind != "n" or len(self.text(i)) not in (3, 4):
            return None
        j = self.skip(i + 1 + (self.text(i + 1) == ","), w.ARTICLES, 1)
        found = self._day_month(j) or self._month_first(j)
        if found is None or found[0].has_year or found[0].calendar:
            return None
        return replace(found[0], year=int(self.text(i))), found[1]

    def _part(self, i: int) -> Found:
        part = self.phrase(i, w.PARTS) or self.numbered_part(i)
        if part is None:
            return None
        j = part[1] if self.running else self.point(part[1])
        while self.text(j) in ("-", "'"):
            j += 1
        j = self.skip(j, w.OF, 3)
        found = self.season(j) or self.century(j) or self.decade(j) or self._month_first(j)
        found = found or self.republican_year(j) or self.year(j)
        if found is None or found[0].day is not None or found[0].season is not None:
            return None
        return replace(found[0], part=part[0]), found[1]
