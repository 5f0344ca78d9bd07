"""What a file's name tells: an id and, often, a date (`1834-02-28`, `22mai1919`, `18870512`)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PurePath

_SUFFIXES = re.compile(
    r"(\.(gz|bz2|xz|zip|tar|tgz|txt|text|md|xlsx|xlsm|parquet|pq|ris|ndjson|jsonlines|jsonl?|csv|"
    r"tsv|psv|tab|conllu?|xml|alto|page|ocr|hocr|html?|tei|mets|pdf))+$",
    re.IGNORECASE,
)
_MONTHS = (
    "janvier|février|fevrier|mars|avril|mai|juin|juillet|août|aout|septembre|octobre|novembre|"
    "décembre|decembre|january|february|march|april|may|june|july|august|september|october|"
    "november|december|januar|februar|märz|maerz|juni|juli|oktober|dezember|gennaio|febbraio|"
    "marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|dicembre|jan|feb|fev|févr|mar|"
    "apr|avr|jun|jul|juil|aug|sept|sep|oct|okt|nov|dec|dez|déc"
)
_WORDED = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:er|st|nd|rd|th)?[ _.\-]{{0,2}}({_MONTHS})[ _.\-]{{0,2}}(\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_WORDED_FIRST = re.compile(
    rf"(?<!\d)(\d{{4}})[ _.\-]?({_MONTHS})[ _.\-]?(\d{{1,2}})(?!\d)", re.IGNORECASE
)
_ISO = re.compile(r"(?<!\d)(\d{4})([-_.])(\d{2})\2(\d{2})(?!\d)")
_SHORT_ISO = re.compile(r"(?<![\d-])(1[0-9]\d{2}|20\d{2})-(\d{1,2})-(\d{1,2})(?![\d-])")
_COMPACT = re.compile(r"(?<!\d)(1[0-9]\d{2}|20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{2})([-_.])(\d{2})\2(\d{4})(?!\d)")
_POINTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_YEARS = re.compile(r"(?<![^\W_])(1[0-9]\d{2}|20\d{2})[-_–](1[0-9]\d{2}|20\d{2}|\d{2})(?!\d)")
_REPUBLICAN = re.compile(
    r"(?<!\d)(\d{1,2})(?:er|e)?[ _.\-]?(vend[ée]miaire|brumaire|frimaire|niv[ôo]se|pluvi[ôo]se|"
    r"vent[ôo]se|germinal|flor[ée]al|prairial|messidor|thermidor|fructidor)[ _.\-]+an[ _.\-]*"
    r"([ivx]{1,4}|\d{1,2})(?![^\W_])",
    re.IGNORECASE,
)
_CAMERA = re.compile(
    r"(?:img|pxl|vid|dsc|scan|photo|foto|screenshot)[ _\-]?(?:19[89]|20)\d", re.IGNORECASE
)
_MONTH = re.compile(r"(?<!\d)(1[0-9]\d{2}|20\d{2})[-_](0[1-9]|1[0-2])(?![\d])")
_MONTH_WORDED = re.compile(rf"(?<![^\W\d_])({_MONTHS})[ _.\-]?(\d{{4}})(?!\d)", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d{2}|20[0-2]\d)(?!\d)")
_NUMBERED = re.compile(
    r"(?<![^\W\d_])(img|image|scan|page|pag|seite|blatt|bild|dsc|doc|file|lettre|letter|brief|art|no|nr|n|p|f|"
    r"fol|folio|vol|id)[ _.°\-]*$",
    re.IGNORECASE,
)


COMMON = frozenset("ocr text texte fulltext full alto page hocr content transcript index".split())
"""Names that some producers give to every file; only the folders tell such files apart."""


@dataclass(frozen=True, slots=True)
class NameParts:
    """`stem` is the name without its format suffixes; `date` a readable form or ""."""

    stem: str
    date: str


def read_name(path: str) -> NameParts:
    """The stem and the date of a file's name, or of the folders above it where the name has none.

    Folders count only as a chain of year, month, day (`1887/05/12/page1.xml`).
    """
    pure = PurePath(path)
    stem = strip_suffixes(pure.name)
    return NameParts(stem, date_in(stem) or _date_in_folders(pure))


def readable_name(name: str) -> str:
    """A path as it can be shown and stored: bytes that are not UTF-8 as Western letters, control
    characters as blanks."""
    if any("\ud800" <= character <= "\udfff" for character in name):
        name = os.fsencode(name).decode("cp1252", "replace")
    return re.sub(r"[\x00-\x1f\x7f]", " ", name)


def strip_suffixes(name: str) -> str:
    """A file name without the suffixes that tell its format; never empty."""
    return _SUFFIXES.sub("", name) or name


def date_in(stem: str) -> str:
    """The first date in a file's stem, most exact form first, as `read_date` can read it; or ""."""
    if _CAMERA.match(stem):
        return ""  # the day on which the picture was taken
    if found := _ISO.findall(stem):
        days = [_real(year, month, day) for year, _, month, day in found]
        span = len(days) == 2 and all(days) and days[0] < days[1]
        return "/".join(days) if span else days[0]
    if match := _SHORT_ISO.search(stem):
        return _real(match[1], match[2].zfill(2), match[3].zfill(2))
    if match := _REPUBLICAN.search(stem):
        return f"{match[1]} {match[2]} an {match[3]}"
    if match := _WORDED.search(stem):
        return f"{match[1]} {match[2]} {match[3]}"
    if match := _WORDED_FIRST.search(stem):
        return f"{match[3]} {match[2]} {match[1]}"
    if match := _COMPACT.search(stem):
        return f"{match[1]}-{match[2]}-{match[3]}"
    if match := _DAY_FIRST.search(stem):
        return _in_order(match[1], match[3], match[4], match[2])
    if match := _POINTED.search(stem):
        return _real(match[3], match[2].zfill(2), match[1].zfill(2))
    if match := _MONTH.search(stem):
        return f"{match[1]}-{match[2]}"
    if match := _MONTH_WORDED.search(stem):
        return f"{match[1]} {match[2]}"
    return _span_of_years(stem) or _lone_year(stem)


def _in_order(first: str, second: str, year: str, sign: str) -> str:
    """A day and a month in figures: with points the day is the first, else it is not guessed."""
    if sign == "." or int(first) > 12 or first == second:
        return _real(year, second, first)
    if int(second) > 12:
        return _real(year, first, second)
    return f"{first}-{second}-{year}"


def _span_of_years(stem: str) -> str:
    match = _YEARS.search(stem)
    if match is None or len(re.findall(r"\d+", stem)) != 2:
        return ""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == 2:
        last += first - first % 100
        return f"{first}/{last}" if last == first + 1 else ""
    return f"{first}/{last}" if last > first else ""


def _lone_year(stem: str) -> str:
    # Four digits alone are a year only where nothing says that they count something.
    numbers = re.findall(r"\d+", stem)
    match = _YEAR.search(stem)
    if match is None or len(numbers) != 1 or _NUMBERED.search(stem[: match.start()]):
        return ""
    return match[1]


def _real(year: str, month: str, day: str) -> str:
    return f"{year}-{month}-{day}" if 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else ""


def _date_in_folders(path: PurePath) -> str:
    folders = [part for part in path.parts[:-1] if part not in ("/", ".")]
    for part in reversed(folders):
        found = date_in(part)
        if len(found) >= 8:
            return found
    for at in range(len(folders) - 1, -1, -1):
        if _YEAR.fullmatch(folders[at]):
            numbers = []
            for folder in folders[at + 1 : at + 3]:
                if not re.fullmatch(r"\d{1,2}", folder):
                    break
                numbers.append(folder.zfill(2))
            return "-".join([folders[at], *numbers])
    return ""
