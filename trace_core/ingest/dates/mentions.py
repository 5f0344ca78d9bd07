"""Dates inside running text and questions, in French, English, German and Italian.

First cheap patterns find the places where a date can be (a four-digit number, a month's name, a
numeric date, a Republican year); only the words around them are read by the grammar, in its
stricter way. So the cost is linear in the text, and small where a text has few dates.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from trace_core.domain.dates import HistoricalDate, NoSuchDate
from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.cursor import PADDING, Order
from trace_core.ingest.dates.grammar import Expression, Grammar, evaluate
from trace_core.ingest.dates.tokens import fold_chars, tokens, without_marks

_REACH = 70  # characters before and after an anchor that its date may take


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date found in a text, at ``text[start:end]``."""

    start: int
    end: int
    date: HistoricalDate


@dataclass(frozen=True, slots=True)
class _Read:
    start: int
    end: int
    expression: Expression


def _anchor() -> re.Pattern[str]:
    names = {
        phrase[0][0]
        for table in (w.MONTHS, w.REPUBLICAN_MONTHS)
        for phrases in table.values()
        for phrase in phrases
    } - {"jour", "jours", "complementary", "sans"}
    months = "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))
    return re.compile(  # alternatives begin with letters or digits: the engine then skips fast
        r"(?:1\d{3}|20\d{2}|2100)(?!\d)"
        rf"|(?:{months}|bre|ber|bris)(?![^\W\d_])"
        r"|(?:an|annee|year|jahre?)\s{1,3}(?:[ivx]{1,4}|\d{1,3})(?!\w)"
        rf"|(?:siecle|century|jahrhundert|jh|secol[oi]|{'|'.join(w.CENTURY_NAMES)})(?!\w)"
        r"|(?:bce?|b\.\s?c|v\.\s?chr|v\.\s?u|av\.\s?j|avant\s(?:j|notre)|ad|a\.\s?d)(?!\w)"
    )


_ANCHOR = _anchor()
_STARTERS = (
    w.BETWEEN
    | w.FROM
    | w.WEEKDAYS
    | w.FIRST_DAY
    | w.DECADE_FIRST
    | w.CENTURY_FIRST
    | w.CENTURY_NAMES.keys()
    | {word for table in (w.MONTHS, w.REPUBLICAN_MONTHS) for word in table}
    | {word for table in (w.OPEN_WORDS, w.QUALIFIERS, w.PARTS, w.SEASONS) for word in table}
    | {word for word in w.YEAR_WORDS if len(word) > 1}
    | {"l"}
)
_ROMAN_START = re.compile(r"[ivx]+(?:e|eme|ᵉ)?")


def find_dates(
    text: str, *, default_year: int | None = None, order: Order | None = None
) -> list[DateMention]:
    """The dates that a text mentions, in its order, none inside another.

    A day without a year (*le 12 mai*) takes the year of the nearest day or month of the same text
    that has one, else ``default_year``, else the only year that the text names; without any it is
    left out. A bare number counts as a year
    from 1000 to 2100, unless a unit or a label makes it an amount (*1887 francs*, *n° 1887*).
    ``order`` decides numeric dates that can be read in two ways; without it they are left out.
    """
    plain, places = without_marks(text)
    folded = fold_chars(plain)
    reads = [read for lo, hi in _windows(folded) for read in _read(plain, folded, lo, hi, order)]
    lenders = [r for r in reads if r.expression.names_a_month and r.expression.year is not None]
    fallback = default_year if default_year is not None else _only_year(reads)
    mentions = []
    for read in reads:
        year = None if read.expression.has_year else _borrowed(read, lenders, fallback)
        try:
            meaning = evaluate(read.expression, year)
        except NoSuchDate:
            continue  # a day that never was, or one without a year: a text may hold such words
        start, end = read.start, read.end
        if places is not None:
            start, end = places[start], places[end - 1] + 1
        date = HistoricalDate(text[start:end], meaning.edtf, meaning.earliest, meaning.latest)
        mentions.append(DateMention(start, end, date))
    return mentions


def _borrowed(read: _Read, lenders: list[_Read], fallback: int | None) -> int | None:
    """The year of the nearest day or month with a year: a text often gives it only once."""
    after = bisect_left(lenders, read.start, key=lambda lender: lender.start)
    near = lenders[max(0, after - 1) : after + 1]
    if not near:
        return fallback
    return min(near, key=lambda lender: abs(lender.start - read.start)).expression.year


def _only_year(reads: list[_Read]) -> int | None:
    """The year of a text that names exactly one."""
    years = {read.expression.year for read in reads} - {None}
    return years.pop() if len(years) == 1 else None


def _windows(folded: str) -> Iterator[tuple[int, int]]:
    """The stretches of text around possible dates, merged, cut at white space."""
    lo = hi = -1
    for match in _ANCHOR.finditer(folded):
        before = folded[match.start() - 1 : match.start()]
        if before.isalpha() or (before.isdigit() and match[0][0].isdigit()):
            continue
        start, end = max(0, match.start() - _REACH), min(len(folded), match.end() + _REACH)
        if lo >= 0 and start <= hi:
            hi = end
            continue
        if lo >= 0:
            yield _at_blanks(folded, lo, hi)
        lo, hi = start, end
    if lo >= 0:
        yield _at_blanks(folded, lo, hi)


def _at_blanks(folded: str, lo: int, hi: int) -> tuple[int, int]:
    """A window that begins and ends between words, looking at most 30 characters further."""
    for _ in range(30):
        if lo == 0 or folded[lo - 1].isspace():
            break
        lo -= 1
    for _ in range(30):
        if hi == len(folded) or folded[hi].isspace():
            break
        hi += 1
    return lo, hi


def _read(plain: str, folded: str, lo: int, hi: int, order: Order | None) -> Iterator[_Read]:
    grammar = Grammar(list(tokens(folded, lo, hi)), plain, running=True, order=order)
    count, i = len(grammar.tokens) - PADDING, 0
    while i < count:
        found = _at(grammar, i)
        if found is None:
            i += 1
            continue
        expression, after = found
        last = after - 1
        while last > i and grammar.text(last) in (".", ","):
            last -= 1
        yield _Read(grammar.tokens[i].start, grammar.tokens[last].end, expression)
        i = after


def _at(grammar: Grammar, i: int) -> tuple[Expression, int] | None:
    kind, text = grammar.tokens[i].kind, grammar.text(i)
    if kind == "w" and text not in _STARTERS and not _ROMAN_START.fullmatch(text):
        return None
    if kind == "p" or (kind == "n" and (len(text) > 4 or _inside_number(grammar, i))):
        return None
    try:
        return grammar.expression(i)
    except NoSuchDate:
        return None  # two readings, or a two-digit year: in running text, not a date


def _inside_number(grammar: Grammar, i: int) -> bool:
    """Whether the number goes on to the left: 192.168, 12/05/1887 seen from its month."""
    return (
        grammar.glued(i)
        and grammar.text(i - 1) in ("-", "/", ".", ",", ":")
        and grammar.glued(i - 1)
        and grammar.tokens[i - 2].kind == "n"
    )
