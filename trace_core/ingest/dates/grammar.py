"""From tokens to a date expression: single dates, ranges, alternatives, open intervals, notes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.periods import Found
from trace_core.ingest.dates.pieces import Pieces
from trace_core.ingest.dates.values import (
    Calendar,
    Meaning,
    Piece,
    Unreadable,
    double_day,
    either,
    open_interval,
    resolve,
    span,
    with_default_year,
)

Kind = Literal["one", "range", "slash", "either", "both", "before", "after"]


@dataclass(frozen=True, slots=True)
class Expression:
    """What was read: one piece, two pieces and how they are joined, or an open interval.

    A `slash` joins a range, or the same day in two calendars.
    """

    kind: Kind
    first: Piece
    last: Piece | None = None
    excluded: bool = False

    @property
    def has_year(self) -> bool:
        """Whether a year stands in the expression itself."""
        return self.first.has_year or (self.last is not None and self.last.has_year)

    def in_year(self, year: Piece) -> Expression:
        """The expression with the year that stands behind its gloss."""
        return replace(self, first=replace(self.first, year=year.year, era=year.era))

    @property
    def names_a_month(self) -> bool:
        """Whether it is a day or a month, so that its year surely is one."""
        return self.first.month is not None

    @property
    def year(self) -> int | None:
        """The year that a neighbouring day and month without a year may borrow."""
        piece = self.first if self.last is None or not self.last.has_year else self.last
        if piece.width > 1 or piece.era == "bc" or piece.calendar == "republican":
            return None
        return piece.year


def evaluate(expression: Expression, default_year: int | None = None) -> Meaning:
    """The meaning of an expression; raises ``NoSuchDate`` with the reason where it has none."""
    first, last = _completed(expression.first, expression.last)
    if default_year is not None:
        first = with_default_year(first, default_year)
        last = None if last is None else with_default_year(last, default_year)
    if expression.kind in ("before", "after"):
        return open_interval(expression.kind, resolve(first), excluded=expression.excluded)
    if last is None:
        return resolve(first)
    left, right = resolve(first), resolve(last)
    if expression.kind == "slash" and (double := double_day(left, right)):
        return double
    if expression.kind in ("range", "slash"):
        return span(left, right)
    if expression.kind == "either":
        return either(left, right)
    meaning = either(left, right)
    edtf = meaning.edtf.replace("[", "{").replace("]", "}")
    return Meaning(edtf, meaning.earliest, meaning.latest)


def _completed(first: Piece, last: Piece | None) -> tuple[Piece, Piece | None]:
    """Both ends of a range with what each leaves to the other: month, year, era, calendar."""
    if last is None:
        return first, None
    if first.lone_day and last.width == 100:
        return replace(first, year=first.day, day=None, width=100, era=last.era), last
    if last.lone_day:
        last = replace(last, month=first.month, calendar=last.calendar or first.calendar)
    if first.lone_day:
        first = replace(first, month=last.month)
    if last.calendar and not first.calendar and not first.has_year:
        first = replace(first, calendar=last.calendar)
    elif last.calendar == "julian":
        first = replace(first, calendar="julian")
    if last.era and not first.era:
        first = replace(first, era=last.era)
    if not first.has_year and last.year is not None and last.width == 1:
        wraps = _place(first) > _place(last) and last.calendar != "republican"
        first = replace(first, year=last.year - wraps, until_year=last.until_year)
    elif not last.has_year and first.year is not None and first.width == 1:
        wraps = _place(last) < _place(first) and first.calendar != "republican"
        last = replace(last, year=first.year + wraps)
    return first, last


def _place(piece: Piece) -> tuple[int, int]:
    """Where in its year a piece stands, for ranges that run over New Year."""
    month = piece.month or (3 * (piece.season - 20) if piece.season else 0)
    return month, piece.day or 0


def _calendar(style: str, year: int | None) -> Calendar:
    """The calendar that a note names; the French old style of the Republic's years is ours."""
    if style == "old":
        return "gregorian" if year is not None and 1792 <= year <= 1806 else "julian"
    return "julian" if style == "julian" else "gregorian"


class Grammar(Pieces):
    """Reads date expressions; see :class:`Pieces` for the two ways of reading."""

    #: Whether the gloss of a whole field corrects the date before it (*1887 [i.e. 1888]*).
    corrected = False

    def expression(self, i: int) -> tuple[Expression, int] | None:
        """The longest expression that begins at this token, and the place after it."""
        opened = self.phrase(i, w.OPEN_WORDS)
        if opened is None and not self.running:
            i = self._after_articles(i)
            opened = self.phrase(i, w.OPEN_WORDS)
        word = self.text(i)
        if word in w.BETWEEN:
            return self._joined(self.point(i + 1), w.AND, "range")
        if word in w.FROM:
            found = self._range(i + 1)
            if found is not None and found[0].kind in ("range", "slash"):
                return found
            if self.running:
                return None
        if opened is not None:
            (side, excluded), after = opened
            found_piece = self._qualified(self.point(after))
            if found_piece is None:
                return None
            kind: Kind = "before" if side == "before" else "after"
            return Expression(kind, found_piece[0], excluded=excluded), found_piece[1]
        return self._range(i)

    def _after_articles(self, i: int) -> int:
        """The place after up to three articles; the letters of *A.D.* are none."""
        anno_domini = self.text(i) == "a" and self.text(i + 1) == "." and self.text(i + 2) == "d"
        return i if anno_domini else self.skip(i, w.ARTICLES, 3)

    def _range(self, i: int) -> tuple[Expression, int] | None:
        left = self._qualified(i)
        if left is not None:
            joined = self._right_of(left[0], left[1])
            return joined or (Expression("one", left[0]), left[1])
        bare = self.lone_day(self.skip(i, w.ARTICLES, 2))
        if bare is not None:
            joined = self._right_of(bare[0], bare[1])
            if joined is not None and joined[0].last is not None and not joined[0].last.lone_day:
                return joined
        return None

    def _joined(self, i: int, links: frozenset[str], kind: Kind) -> tuple[Expression, int] | None:
        """Two dates joined by a word: *entre le 3 et le 7 mai 1887*."""
        start = self.skip(i, w.ARTICLES, 3)
        for left in (self._qualified(i), self.lone_day(start)):
            if left is None or self.text(left[1]) not in links:
                continue
            right = self._right_piece(self.point(left[1] + 1), left[0])
            if right is not None:
                return self._both(kind, left[0], right)
        return None

    def _right_of(self, left: Piece, i: int) -> tuple[Expression, int] | None:
        """The rest of a range whose left end is known."""
        to = self.phrase(i, w.TO)
        if to is not None and self._is_link(i):
            right = self._right_piece(to[1], left)
            kind: Kind = "slash" if self.text(i) == "/" else "range"
            return None if right is None else self._both(kind, left, right)
        if self.text(i) in w.OR:
            right = self._right_piece(self.point(i + 1), left)
            return None if right is None else self._both("either", left, right)
        if self.text(i) in w.AND and (left.lone_day or not self.running):
            right = self._right_piece(self.point(i + 1), left)
            kind = "range" if left.lone_day else "both"
            return None if right is None else self._both(kind, left, right)
        return None

    def _is_link(self, i: int) -> bool:
        """Whether a word that may join two dates does: the English *a* is not the French *à*."""
        if self.text(i) != "a" or not self.running:
            return True
        return self.as_written(i) in "àÀ"

    def _right_piece(self, i: int, left: Piece) -> Found:
        right = self._qualified(i)
        if right is not None:
            return right
        if left.width == 100 and not self.running and (number := self.ordinal(i)):
            return Piece(year=number[0], width=100), number[1]
        if left.month is None or left.has_year:
            return None
        bare = self.lone_day(self.skip(i, w.ARTICLES, 2))
        if bare is None:
            return None
        return self._with_year(bare[0], bare[1])

    def _both(self, kind: Kind, left: Piece, right: tuple[Piece, int]) -> tuple[Expression, int]:
        piece, end = right
        return Expression(kind, left, piece), end

    # -- qualifiers, eras and notes ------------------------------------------------------------

    def _qualified(self, i: int) -> Found:
        """One piece with the qualifiers before it and the notes after it."""
        marks = ""
        for _ in range(3):
            if not self.running or marks:
                i = self._after_articles(i)
            found = self.phrase(i, w.QUALIFIERS)
            if found is None or self._too_short(i, found[1]):
                break
            marks += found[0]
            i = self.point(found[1])
        else:
            return None
        if self.running:
            i = self._after_articles(i)
        found_piece = self.piece(i)
        if found_piece is None:
            return None
        piece, j = found_piece
        for mark in marks:
            piece = piece.qualified(mark)
        return self._notes(piece, j)

    def _too_short(self, i: int, j: int) -> bool:
        return self.running and len(self.text(i)) == 1 and self.text(j) != "."

    def _notes(self, piece: Piece, i: int) -> tuple[Piece, int]:
        """What follows a date and belongs to it: an era, a calendar, a doubt."""
        for _ in range(4):
            opened = self.text(i) in ("(", "[", ",")
            j = i + 1 if opened else i
            note = self._note(piece, j)
            if note is None:
                break
            piece, i = note
            if opened and self.text(i) in (")", "]", "."):
                i += 1
        return piece, i

    def _note(self, piece: Piece, j: int) -> Found:
        era = self.phrase(j, w.ERAS)
        if era is not None and not (self.running and self._plain_word(j, era[1])):
            marked = replace(piece, era="bc" if era[0] == "bc" else "ad")
            return marked, self.point(era[1])
        style = self.phrase(j, w.STYLES)
        if style is not None and not (self.running and self._plain_word(j, style[1])):
            if piece.calendar == "republican":
                return None
            return replace(piece, calendar=_calendar(style[0], piece.year)), self.point(style[1])
        doubt = self.phrase(j, w.QUALIFIERS)
        if doubt is None:
            return None
        if self.running and not (self.text(j) == "?" and self.text(j + 1) in (")", "]")):
            return None
        return piece.qualified(doubt[0]), self.point(doubt[1])

    def _plain_word(self, i: int, j: int) -> bool:
        """Whether a short note is rather a word of the sentence: *ce*, *os*, *ad*."""
        return j == i + 1 and len(self.text(i)) < 4 and not self.as_written(i).isupper()

    # -- a whole field ---------------------------------------------------------------------------

    def whole(self) -> tuple[Expression, Expression | None]:
        """The expression that the whole text is, and the gloss that may follow it in brackets."""
        failure = Unreadable("No known way of writing a date was recognised.")
        for start in self._starts():
            found = self.expression(start)
            if found is None:
                continue
            expression, i = found
            gloss, i = self._gloss(i)
            i = self._closers(i)
            year = self.year(i) if gloss is not None and not expression.has_year else None
            if year is not None:
                expression, i = expression.in_year(year[0]), self._closers(year[1])
            if not self.text(i):
                return expression, gloss
            if self.tokens[i].kind == "n" and len(self.text(i)) == 2 and not expression.has_year:
                raise Unreadable("The year has two digits, and the century is not given.")
            failure = Unreadable(
                f"The words from {self.as_written(i)!r} on are not part of a date."
            )
        raise failure

    def _starts(self) -> list[int]:
        """Where the date may begin: at once, or after a place (*Paris, le 12 mai 1887*)."""
        first = 0
        while self.text(first) and self.text(first) in "([<{\"'«“„":
            first += 1
        starts = [first]
        for i in range(first, first + 6):
            if self.tokens[i].kind not in ("w", "p") or self.text(i) in w.BETWEEN:
                break
            if self.text(i) in (",", ":") or (i > first and self.text(i) in ("le", "den", "ce")):
                starts.append(i + 1)
        return starts

    def _closers(self, i: int) -> int:
        while self.text(i) and self.text(i) in ")]>}\"'»”“.,;":
            i += 1
        return i

    def _gloss(self, i: int) -> tuple[Expression | None, int]:
        """A second reading of the same date: *An 7 [1798/99]*, *11 frimaire an VII (…)*."""
        i = self._closers(i)
        if self.text(i) in ("?", "~", "%"):
            return None, i
        start = i + 1 if self.text(i) and self.text(i) in "([{=" else i
        corrected = self.phrase(start, w.CORRECTIONS)
        if start == i and corrected is None:
            return None, i
        found = self.expression(self.point(corrected[1]) if corrected else start)
        if found is None:
            return None, i
        self.corrected = corrected is not None
        return found
