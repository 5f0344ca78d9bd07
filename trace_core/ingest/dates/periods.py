"""The rules that read a year, a season, a decade, a century, a Republican year."""

from __future__ import annotations

import re
from dataclasses import replace

from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.cursor import Cursor
from trace_core.ingest.dates.values import Piece, Unreadable

Found = tuple[Piece, int] | None

#: The signs between the numbers of a numeric date.
SEPARATORS = frozenset("-/.")

_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})")
ROMAN_ORDINAL = re.compile(r"([ivx]+?)(?:e|eme|ieme|th|st|nd|rd|º|ᵉ)?")
_ORDINAL_IN_CAPITALS = re.compile(r"[IVX]+(?:e|ème|eme|ᵉ)")
_SHORT_CENTURY_WORDS = frozenset({"s", "c", "cent"})


def roman(text: str) -> int | None:
    """The value of a Roman number from 1 to 39 in lower case, else ``None``."""
    match = _ROMAN.fullmatch(text)
    if not text or match is None:
        return None
    ones = {"ix": 9, "iv": 4}.get(match[2])
    if ones is None:
        ones = 5 * ("v" in match[2]) + match[2].count("i")
    return 10 * len(match[1]) + ones


class Periods(Cursor):
    """Reads years and longer periods, and the day numbers that other rules build on."""

    def year(self, i: int) -> Found:
        """A year, perhaps named as one (*year 576*) or with its second year (1887/88, 1887-89)."""
        named = self.phrase(i, w.YEAR_WORDS)
        j = self.skip(named[1], frozenset({"."})) if named else i
        if named and self.text(j) in (".", "de", "of"):
            j += 1
        token = self.tokens[j]
        if token.kind != "n" or not self.is_year(j, named=bool(named)):
            return None
        until, end = self._second_year(j)
        return Piece(year=int(token.text), until_year=until), end

    def is_year(self, j: int, *, named: bool) -> bool:
        """Whether a number is a year, by its length, its era and, in running text, its place."""
        text = self.text(j)
        era = self.phrase(j + 1, w.ERAS)
        if len(text) > 4 or (len(text) < 3 and not named and era is None):
            return False
        if not self.running:
            return True
        if era is not None and (era[0] == "bc" or self.as_written(j + 1).isupper()):
            return True
        if named and len(text) == 3:
            return True
        if len(text) != 4 or not 1000 <= int(text) <= 2100:
            return False
        return not self._is_amount(j)

    def _is_amount(self, j: int) -> bool:
        """Whether a four-digit number is counted or labelled: *1887 francs*, *n° 1887*, 1887,50."""
        after = j + 1
        if self.text(after) in w.UNITS or (self.text(after) in "%€£$°" and self.text(after)):
            return True
        decimal = self.text(after) in (".", ",", "'") and self.tokens[after + 1].kind == "n"
        if decimal and self.glued(after) and self.glued(after + 1):
            return True
        if self.tokens[after].kind == "n" and len(self.text(after)) == 3:
            return True
        before = j - 1
        if self.text(before) in (".", "°", "º", "ᵒ", ":"):
            if self.glued(j) and self.tokens[before - 1].kind == "n" and self.glued(before):
                return True
            before -= 1
        return before >= 0 and self.text(before) in w.LABELS

    def _second_year(self, j: int) -> tuple[int | None, int]:
        """The second year of 1887-89, 1887/88 or 1700/1701, and the place after it."""
        sign, other = self.text(j + 1), self.tokens[j + 2]
        if sign not in ("-", "/") or other.kind != "n" or len(self.text(j)) != 4:
            return None, j + 1
        if not (self.glued(j + 1) and self.glued(j + 2)):
            return None, j + 1
        third = self.text(j + 3) in SEPARATORS and self.tokens[j + 4].kind == "n"
        if third and self.glued(j + 3) and self.glued(j + 4):
            return None, j + 1
        year = int(self.text(j))
        # 1887/8 by itself may also be the month.
        if len(other.text) == 1 and sign == "/" and j and int(other.text) == (year + 1) % 10:
            return year + 1, j + 3
        if len(other.text) == 2:
            until = year - year % 100 + int(other.text)
            if until < year and sign == "/" and year % 100 == 99 and other.text == "00":
                until += 100
            return (until, j + 3) if until > year else (None, j + 1)
        if sign == "/" and len(other.text) == 4 and int(other.text) == year + 1:
            return year + 1, j + 3
        return None, j + 1

    def season(self, i: int) -> Found:
        """A season of a year; two years belong to a winter (*hiver 1887-1888*)."""
        season = self.phrase(i, w.SEASONS)
        if season is None:
            return None
        j = season[1] + (self.text(season[1]) == ",")
        links = frozenset({"of", "de", "del", "des", "the", "l"})
        year = self.year(self.skip(j, links if self.running else w.OF | links, 3))
        if year is None:
            return None
        piece, end = replace(year[0], season=season[0]), year[1]
        following = None if piece.year is None else piece.year + 1
        dashed = self.text(end) == "-" and self.text(end + 1) == str(following)
        if piece.until_year is None and dashed:
            return replace(piece, until_year=following), end + 2
        return piece, end

    def century(self, i: int) -> Found:
        """A century by its number: *XIXe siècle*, *19th century*, *sec. XIX*, *Ottocento*.

        In a field its part may stand behind it (*15. Jh., 2. Hälfte*, *s. XV ex.*).
        """
        named = w.CENTURY_NAMES.get(self.text(i))
        if named is not None and (not self.running or self.as_written(i)[0].isupper()):
            return Piece(year=named, width=100), i + 1
        found = self._century_first(i) or self._century_number(i)
        if found is None or self.running:
            return found
        return self._part_behind(*found)

    def _century_first(self, i: int) -> Found:
        word = self.text(i)
        short = word == "s" and not self.running and self.tokens[self.point(i + 1)].kind == "w"
        if word not in w.CENTURY_FIRST and not short:
            return None
        number = self.ordinal(self.point(i + 1))
        return (Piece(year=number[0], width=100), number[1]) if number else None

    def _century_number(self, i: int) -> Found:
        number = self.ordinal(i)
        if number is None:
            return None
        piece = Piece(year=number[0], width=100)
        j = self.point(number[1])
        j += self.text(j) == "-"
        word = self.text(j)
        if word not in w.CENTURY_WORDS:
            # *fin XVIIIe*: the ordinal of a Roman number in capitals says enough in a date field.
            return (piece, number[1]) if self._is_roman_ordinal(i, number[1]) else None
        if self.running and word in _SHORT_CENTURY_WORDS and self.text(j + 1) != ".":
            return None
        return piece, self.point(j + 1)

    def _is_roman_ordinal(self, i: int, end: int) -> bool:
        written = self.as_written(i)
        if self.running or self.tokens[i].kind != "w" or len(written) < 2:
            return False
        if end == i + 1:
            return bool(_ORDINAL_IN_CAPITALS.fullmatch(written))
        return written.isupper() and self.text(end - 1) in ("e", "eme", "ᵉ")

    def _part_behind(self, piece: Piece, i: int) -> Found:
        """The century with the part that stands behind it: *(fin)*, *, 2. Hälfte*, *ex.*"""
        j = i + 1 if self.text(i) in (",", "(") else i
        third = w.CENTURY_ENDS.get(self.text(j))
        part = ((third, 3), j + 1) if third else self.phrase(j, w.PARTS) or self.numbered_part(j)
        if part is None:
            return piece, i
        end = self.point(part[1])
        if self.text(i) == "(" and self.text(end) == ")":
            end += 1
        return replace(piece, part=part[0]), end

    def ordinal(self, i: int) -> tuple[int, int] | None:
        """A century's number from 1 to 21, in figures or Roman, perhaps with its ending."""
        token = self.tokens[i]
        if token.kind == "n":
            if len(token.text) > 2 or not 1 <= int(token.text) <= 21:
                return None
            ended = self.glued(i + 1) and self.text(i + 1) in w.ORDINAL_ENDS
            return int(token.text), i + 2 if ended else i + 1
        match = ROMAN_ORDINAL.fullmatch(token.text)
        number = roman(match[1]) if match else None
        if number is None or number > 21:
            return None
        ended = self.glued(i + 1) and self.text(i + 1) in w.ORDINAL_ENDS
        return number, i + 2 if ended else i + 1

    def decade(self, i: int) -> Found:
        """A decade: *1880s*, *les années 1880*, *1880er Jahre*; 1800s is read as 18XX."""
        j = i + 1 if self.text(i) in w.DECADE_FIRST else i
        named, token = j > i, self.tokens[j]
        if token.kind != "n" or not token.text.endswith("0"):
            return None
        end = j + 1 + (self.text(j + 1) == "'")
        suffix = self.text(end) if self.glued(end) and self.text(end) in w.DECADE_ENDS else ""
        if not (named or suffix) or (
            named and not suffix and len(token.text) > 2 and self.glued(j)
        ):
            return None
        end = end + 1 if suffix else j + 1
        if self.text(end) in ("jahre", "jahren", "jahres", "years"):
            end += 1
        if len(token.text) == 2:
            raise Unreadable("The decade is given without its century.")
        if len(token.text) != 4:
            return None
        if suffix and token.text.endswith("00"):
            return Piece(mask=f"{token.text[:2]}XX"), end
        return Piece(year=int(token.text), width=10), end

    def republican_year(self, i: int, *, beside_month: bool = False) -> Found:
        """A year of the French Republic: *l'an VII*, *an 7*; beside its month also *VII*."""
        start = self.skip(i, frozenset({"l", "de", "en", "of", "the", "im", "du"}), 4)
        word = self.text(start)
        names = ("an", "annee", "year", "jahr", "jahre", "anno")
        j = self.point(start + 1) if word in names else start
        if word not in names and not beside_month:
            return None
        ordinal = ROMAN_ORDINAL.fullmatch(self.text(j)) if self.tokens[j].kind == "w" else None
        number = roman(ordinal[1]) if ordinal else None
        if number is not None and self.running and not self._surely_roman(j, introduced=start > i):
            number = None
        if (number is None and word in ("an", "annee")) or (number is None and beside_month):
            number = self._small_year(j, start, beside_month=beside_month)
        if number is None:
            return None
        end = j + 1
        end += self.glued(end) and self.text(end) in w.ORDINAL_ENDS
        if any(self.text(k) in w.REPUBLIC_NAMES for k in range(end, end + 3)):
            end = self.skip(end, w.REPUBLIC, 8)
        return Piece(year=number, calendar="republican"), end

    def _surely_roman(self, j: int, *, introduced: bool) -> bool:
        text = self.as_written(j)
        return text.isupper() and (len(text) > 1 or introduced or text == "V")

    def _small_year(self, j: int, start: int, *, beside_month: bool) -> int | None:
        token = self.tokens[j]
        introduced = beside_month or self.text(start - 2) == "l" or not self.running
        if not introduced and not self.as_written(start)[:1].isupper():
            return None
        if token.kind == "n" and len(token.text) <= 2 and int(token.text) in (*range(1, 15), 79):
            return int(token.text)
        small = token.kind == "n" and len(token.text) <= 2 and not self.running
        if small and (beside_month or self.phrase(j + 1, w.ERAS) is None):
            raise Unreadable(f"The Republican calendar has no year {token.text}.")
        if not self.running or beside_month:
            number = w.REPUBLICAN_YEAR_ORDINALS.get(token.text)
            if number is not None:
                return number
        return w.REPUBLICAN_YEAR_WORDS.get(token.text) if introduced else None

    def day(self, i: int) -> tuple[int, int] | None:
        """A day number from 1 to 31 with its ordinal ending or point, or *premier*, *first*."""
        token = self.tokens[i]
        if token.text in w.FIRST_DAY:
            return 1, i + 1
        if token.kind != "n" or len(token.text) > 2 or not 1 <= int(token.text) <= 31:
            return None
        if self.glued(i + 1) and self.text(i + 1) in w.ORDINAL_ENDS:
            return int(token.text), self.point(i + 2)
        return int(token.text), self.point(i + 1)

    def numbered_part(self, i: int) -> tuple[tuple[int, int], int] | None:
        """A numbered part of a period, as (which, of how many): *2e moitié*, *3. Viertel*."""
        day = self.day(i)
        if day is None:
            return None
        name = self.text(day[1])
        count = w.NUMBERED_PARTS.get(name)
        # In running text "2 h" is an hour.
        if count is None or day[0] > count or (self.running and name == "h"):
            return None
        return (day[0], count), day[1] + 1
