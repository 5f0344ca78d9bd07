"""Spellings of a date field that are rewritten before it is read: years in Roman numerals
(*M.DC.XX.*), days in them (*le xij mai*) and of the Roman calendar (*XIV kal. Maii 1350*), last
days of months, zeros and crosses for what is unknown (1887-05-00, xx.05.1887); and the reasons why
feasts and *ult.* are not read."""

from __future__ import annotations

import re

from trace_core.domain.dates import days_in_month
from trace_core.ingest.dates import words as w
from trace_core.ingest.dates.periods import roman
from trace_core.ingest.dates.tokens import fold_chars

_UNKNOWN = re.compile(r"[\dXx?_]{2,4}([./-])[\dXx?_]{2}\1[\dXx?_]{2,4}")
_ZERO_DAY = re.compile(r"(\d{4}-(?:0[1-9]|1[0-2]))-00")
_ZERO_MONTH = re.compile(r"(\d{4})-00(?:-00)?")
_ZERO_FIRST = re.compile(r"(?:00[./-])?(?:00[./-]|(0?[1-9]|1[0-2])[./-])(\d{4})")
_ROMAN_YEAR = re.compile(r"(?<![^\W\d_])M[ .]{0,2}(?:[MDCLXVIJ][ .]{0,2}){2,}(?![^\W\d_])")
_PROPER = re.compile(r"m{1,2}(cm|cd|d?c{0,4})(xc|xl|l?x{0,4})(ix|iv|v?[ij]{0,4})")
_VALUES = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "v": 5, "i": 1, "j": 1}
_ROMAN_DAY = re.compile(
    r"(?:\ba\.?\s*d\.?\s*)?(?:\b(?P<count>[ivxj]+|\d{1,2}|prid\w*)\.?\s*)?"
    r"\b(?P<mark>kal\w*|cal\w*|non\w*|id\w*)\.?\s+(?P<month>[a-z]+)\.?[\s,]+(?P<year>\d{3,4})\b"
)
_ROMAN_COUNT = re.compile(
    r"(?<![\w.])([ivxj]{1,7}|[IVXJ]{1,7})\.?(?=\s+(?:(?:jour\s+)?(?:de\s+|d['’])?)([^\W\d_]+))"
)
_LAST_DAY = re.compile(
    r"(?:\b(?:den|le|the)\s+)?\b(?:ultimo|letzte[rn]|dernier(?:\s+jour)?|last(?:\s+day)?)\s+"
    r"(?:de\s+|d['’]|of\s+)?([^\W\d_]+)\.?\s+(\d{4})\b",
    re.IGNORECASE,
)
_MARKS = ("kal", "cal", "non", "id")
_LONG = (3, 5, 7, 10)  # months whose nones and ides are two days later
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LATIN_MONTHS = (
    "ianuar|januar",
    "februar",
    "mart",
    "april",
    "mai|maj",
    "iuni|juni",
    "iuli|juli",
    "august",
    "septem",
    "octob",
    "novem",
    "decem",
)
_SHORT_MONTHS = "[ij]an feb mar apr ma[ij] [ij]un [ij]ul aug sept? oct nov dec".split()

_FEASTS = frozenset(
    fold_chars(
        "pâques ostern easter pasqua pascha pfingsten pentecôte pentecost whitsun noël weihnachten "
        "christmas xmas natale nativitatis martini michaelmas michaelis johanni johannis martin "
        "lichtmess "
        "candlemas chandeleur toussaint allerheiligen ascension himmelfahrt carême lent trinity "
        "trinitatis epiphany épiphanie epiphanie rameaux vigilia festo feria festum saint sainte "
        "sankt dimanche quasimodo "
        "judica laetare invocavit reminiscere oculi cantate jubilate exaudi palmarum dominica lady"
    ).split()
)
_RELATIVE = frozenset({"ult", "ultimo", "inst", "instant", "prox", "proximo", "courant", "dito"})


def respelled(text: str) -> str:
    """The field in a spelling that the grammar reads; the same where nothing is to be done."""
    if _UNKNOWN.fullmatch(text):
        text = re.sub(r"(?<![\dXx?_])[Xx?_]{2}(?![\dXx?_])", "00", text)
    if match := _ZERO_DAY.fullmatch(text):
        return match[1]
    if match := _ZERO_MONTH.fullmatch(text):
        return "" if match[1] == "0000" else match[1]
    if text.startswith("00") and (match := _ZERO_FIRST.fullmatch(text)):
        return f"{match[1]}.{match[2]}" if match[1] else match[2]
    text = re.sub(r"\bA[°º]\.?\s*(?=\d{3,4}\b)", "anno ", text)
    plain = _LAST_DAY.sub(_last_day, _ROMAN_YEAR.sub(_arabic, text))
    return _roman_day(_ROMAN_COUNT.sub(_day_number, plain))


def reason_for(text: str) -> str:
    """Why a field that names no day by its number is not read, "" where nothing is known."""
    found = set(re.findall(r"[^\W\d_]+", fold_chars(text)))
    if found & _RELATIVE:
        return "It counts from the month of its letter; write the month and the year."
    if found & _FEASTS:
        return "It names a feast or a term, which is not turned into a day; write the day."
    return ""


def _arabic(match: re.Match[str]) -> str:
    """A year in Roman numerals (additive forms such as MDCCCC included) in figures."""
    letters = [c for c in match[0].casefold() if c in _VALUES]
    total, above = 0, 0
    for letter in reversed(letters):
        value = _VALUES[letter]
        total += -value if value < above else value
        above = max(above, value)
    if not 1000 <= total <= 2100 or not _PROPER.fullmatch("".join(letters)):
        return match[0]
    return f"{total} " if match[0][-1] in " ." else str(total)


def _month(word: str) -> int | None:
    return next((n for phrase, n in w.MONTHS.get(fold_chars(word), ()) if len(phrase) == 1), None)


def _day_number(match: re.Match[str]) -> str:
    """A day in Roman numerals before its month; XX may also stand for a day that is unknown."""
    number = roman(match[1].casefold().replace("j", "i"))
    if match[1] == "XX" or number is None or number > 31 or _month(match[2]) is None:
        return match[0]
    return str(number)


def _last_day(match: re.Match[str]) -> str:
    month, year = _month(match[1]), int(match[2])
    return f"{days_in_month(year, month)}.{month}.{year}" if month else match[0]


def _roman_day(text: str) -> str:
    """A day counted back from the kalends, nones or ides by its day and month."""
    match = _ROMAN_DAY.search(fold_chars(text))
    if match is None:
        return text
    number = next((n for n, m in enumerate(_LATIN_MONTHS, 1) if re.match(m, match["month"])), 0)
    if not number and match["count"]:
        # Without a count "id. oct." may be an idem.
        short = enumerate(_SHORT_MONTHS, 1)
        number = next((n for n, m in short if re.fullmatch(m, match["month"])), 0)
    mark = next(m for m in _MARKS if match["mark"].startswith(m))
    count = _count(match["count"] or "")
    if not number or count is None:
        return text
    year = int(match["year"])
    day = {"non": 5, "id": 13}.get(mark, 1) + 2 * (number in _LONG and mark in ("non", "id"))
    day -= count - 1
    if day < 1:
        # Before the kalends of January the year was counted in both ways; in a leap year the sixth
        # day before those of March stands twice.
        leap = year % 4 == 0 and number == 3
        if mark not in ("kal", "cal") or number == 1 or (leap and count == 6):
            return text
        number -= 1
        day += _LENGTHS[number - 1] + (leap and count < 6)
    return f"{text[: match.start()]}{day}.{number}.{year}{text[match.end() :]}"


def _count(written: str) -> int | None:
    """How many days, both ends counted: 1 on the day itself, 2 on the eve."""
    if not written:
        return 1
    if written.startswith("prid"):
        return 2
    number = int(written) if written.isdigit() else roman(written.replace("j", "i"))
    return number if number is not None and 2 < number < 20 else None
