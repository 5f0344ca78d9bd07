"""Dates as a historian's table or catalogue gives them: one field, one date or none, never a guess.

``read_date`` returns the date with its written form, its EDTF and its bounds, or ``Undated`` with
the reason in one sentence. ``guess_order`` looks at a whole column to find out whether its
numeric dates put the day or the month first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from trace_core.domain import dates as days
from trace_core.domain.dates import HistoricalDate, NoSuchDate, Undated
from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.cursor import Order
from trace_core.ingest.dates.grammar import Grammar, evaluate
from trace_core.ingest.dates.spelling import reason_for, respelled
from trace_core.ingest.dates.tokens import fold_chars, tokens
from trace_core.ingest.dates.values import Meaning, Piece, Unreadable, double_day, resolve

_LONGEST = 200  # characters: a longer field is a text, not a date
_ISO = re.compile(r"(?:[+]?\d{4}|-0\d{3})(?:-(?:0[1-9]|1[0-2])(?:-\d{2})?)?")
_EDTF_SEASON = re.compile(r"(\d{4})-(2[1-4])")
_TIME = re.compile(
    r"(?<=\d)[Tt ]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})?$"
    r"|(?<=\d-\d\d)(?:Z|[+-]\d{2}:\d{2})$"
)
_COMPACT = re.compile(r"(1\d{3}|20\d{2}|0\d{3})(\d{2})(\d{2})")
_MASK = re.compile(r"[\[(]?([12]\d)(?:([xX]{2}|--|\?\?|\.\.|uu)|(\d)(?:[xXu]|-\?|[-?]))[\])]?")
_BRACKETS_IN_NUMBER = re.compile(r"(?<=\d)[\[\]](?=\d)|^\[(?=\d{1,3}\]\d)")
_NO_DATE_PREFIX = re.compile(
    r"(?:[sno]\.?\s?d\.?|o\.?\s?j\.?|s\.?\s?a\.?|sans date|undated|ohne datum)[\s,;:]*(?=[\[(])",
    re.IGNORECASE,
)
_EDTF_INTERVAL = re.compile(r"([-\dX~?%]*|\.\.)/([-\dX~?%]*|\.\.)")
_EDTF_SET = re.compile(r"(?P<one>\[)?(?(one)|\{)(?P<members>[-\dX~?%., ]+)(?(one)\]|\})")
_EDTF_END = re.compile(r"(-?\d{4})(-\d{2}){0,2}[~?%]?")
_NUMERIC = re.compile(r"\s*(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{2,4})\s*")


def read_date(
    written: str, *, order: Order | None = None, default_year: int | None = None
) -> HistoricalDate | Undated:
    """The date that a field holds, or the reason why none can be read from it.

    ``order`` says whether numeric dates such as 12/05/1887 put the day or the month first; without
    it an ambiguous one is undated (points, as in 12.5.1887, always put the day first).
    ``default_year`` completes a day or a month that stands without a year.
    """
    text = written.strip()
    plain = respelled(text) if len(text) <= _LONGEST else text
    if _is_no_date(plain):
        return Undated(
            f"The date field says {text!r}: no date is given." if text else "The field is empty."
        )
    if len(text) > _LONGEST:
        return Undated(f"The date field has {len(text)} characters: it is a text, not a date.")
    try:
        edtf, earliest, latest = _meaning(plain, order, default_year)
    except NoSuchDate as error:
        unknown = str(error).startswith(("No known way", "The words from"))
        reason = (reason_for(text) if unknown else "") or error
        return Undated(_sentence(f"{text!r} is not read as a date: {reason}"))
    return HistoricalDate(written, edtf, earliest, latest)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _is_no_date(text: str) -> bool:
    if not any(char.isalnum() or char == "?" for char in text):
        return True
    bare = "".join(char for char in fold_chars(text) if char.isalnum() or char == "/")
    return bare in w.NO_DATE or (not bare and "?" in text)


def _meaning(text: str, order: Order | None, default_year: int | None) -> tuple[str, int, int]:
    """EDTF and bounds of a field: the exact forms first, then the grammar."""
    text = _TIME.sub("", text)
    if _ISO.fullmatch(text):
        date = days.from_iso(text.lstrip("+"))
        return date.edtf, date.earliest, date.latest
    compact = _COMPACT.fullmatch(text)
    if compact:
        date = days.from_iso("-".join(compact.groups()))
        return date.edtf, date.earliest, date.latest
    if text.isdigit() and len(text) != 4 and len(text) != 3:
        raise Unreadable("A bare number is only read as YYYY or YYYYMMDD.")
    if re.fullmatch(r"-\d{4}", text):
        raise Unreadable("A year below zero is only read with four digits, as -0476, or with BCE.")
    exact = _mask(text) or _edtf_interval(text) or _edtf_season(text) or _edtf_set(text)
    if exact is not None:
        return exact
    return _by_grammar(text, order, default_year)


def _mask(text: str) -> tuple[str, int, int] | None:
    match = _MASK.fullmatch(text)
    if match is None:
        return None
    digits = match[1] + (match[3] or "")
    first, last = int(digits.ljust(4, "0")), int(digits.ljust(4, "9"))
    return (digits.ljust(4, "X"), *days.year_bounds(first, last))


def _edtf_interval(text: str) -> tuple[str, int, int] | None:
    """An EDTF interval of ISO dates; the grammar reads 1887/88 and the other slashes."""
    match = _EDTF_INTERVAL.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return None
    ends = [end for end in match.groups() if end not in ("", "..")]
    if not ends or not all(_EDTF_END.fullmatch(end) for end in ends):
        return None
    bare = "/".join(end.rstrip("~?%") for end in match.groups())
    date = days.from_iso(bare)
    edtf = "/".join(end or ".." for end in match.groups())
    return edtf, date.earliest, date.latest


def _edtf_set(text: str) -> tuple[str, int, int] | None:
    """An EDTF set of ISO dates: one of them in square brackets, all of them in braces."""
    match = _EDTF_SET.fullmatch(text)
    if match is None or not ("," in text or ".." in text):
        return None
    parts = [part.strip() for part in match["members"].split(",")]
    ends = [end for part in parts for end in part.split("..") if end]
    if not ends or not all(_EDTF_END.fullmatch(end) for end in ends):
        return None
    dates = [days.from_iso(end.rstrip("~?%")) for end in ends]
    earliest = days.OPEN_EARLIEST if parts[0].startswith("..") else dates[0].earliest
    latest = days.OPEN_LATEST if parts[-1].endswith("..") else dates[-1].latest
    if earliest > latest:
        raise Unreadable("The dates of the set stand in the wrong order.")
    opening, closing = text[0], text[-1]
    return f"{opening}{','.join(parts)}{closing}", earliest, latest


def _edtf_season(text: str) -> tuple[str, int, int] | None:
    """An EDTF season, unless the same figures also write a range of years (1914-21)."""
    match = _EDTF_SEASON.fullmatch(text)
    if match is None or int(match[1]) % 100 < int(match[2]):
        return None
    meaning = resolve(Piece(year=int(match[1]), season=int(match[2])))
    return meaning.edtf, meaning.earliest, meaning.latest


def _by_grammar(text: str, order: Order | None, default_year: int | None) -> tuple[str, int, int]:
    clean = unicodedata.normalize("NFC", _NO_DATE_PREFIX.sub("", text))
    clean = _BRACKETS_IN_NUMBER.sub("", clean)
    grammar = Grammar(list(tokens(fold_chars(clean))), clean, order=order)
    try:
        expression, gloss = grammar.whole()
    except Unreadable:
        bare = re.sub(r"[\[\]<>{}]", " ", clean)  # the cataloguer's brackets: 12 [mai] 1887
        if bare == clean:
            raise
        grammar = Grammar(list(tokens(fold_chars(bare))), bare, order=order)
        expression, gloss = grammar.whole()
    if gloss is not None and grammar.corrected:
        expression, gloss = gloss, None
    meaning = evaluate(expression, default_year)
    if gloss is not None:
        meaning = _narrowed(meaning, evaluate(gloss, expression.year or default_year))
    return meaning.edtf, meaning.earliest, meaning.latest


def _narrowed(meaning: Meaning, other: Meaning) -> Meaning:
    """What two readings of one date say together; the second may be the other calendar's."""
    if other.earliest > meaning.latest or other.latest < meaning.earliest:
        double = double_day(meaning, other)
        if double is None:
            raise Unreadable(
                f"The two dates given, {meaning.edtf} and {other.edtf}, contradict each other."
            )
        return double
    narrower = other.latest - other.earliest < meaning.latest - meaning.earliest
    return other if narrower else meaning


def guess_order(samples: Iterable[str]) -> Order | None:
    """Whether a column's numeric dates put the day or the month first, if the column shows it.

    Decided only by dates that can be read in one way (a number above 12) and never against the
    evidence: ``None`` when there is none or when the column mixes both orders.
    """
    day_first = month_first = False
    for sample in samples:
        match = _NUMERIC.fullmatch(sample)
        if match is None or match[2] == ".":
            continue
        first, second = int(match[1]), int(match[3])
        day_first |= first > 12 >= second
        month_first |= second > 12 >= first
    if day_first == month_first:
        return None
    return "dmy" if day_first else "mdy"
