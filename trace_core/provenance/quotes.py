"""Quotations are checked: a quote is looked for in its passage, letter by letter after folding.

Folding lets pass what a careful copy may change: case, accents, the long s, ligatures, kinds of
quotation marks, punctuation, white space and words divided at a line's end. It never lets a
letter, a figure or the order of words change. What is exported as a quotation is then the
stored text itself at the place that was found, never the words that were claimed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_FOLDED = {
    "œ": "oe", "Œ": "oe", "æ": "ae", "Æ": "ae", "ß": "ss", "ẞ": "ss", "ſ": "s", "ø": "o",
    "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th",
    "ı": "i", "ꝛ": "r", "Ꝛ": "r", "ꝑ": "p", "ꝓ": "p",
}  # fmt: skip
_DIVIDED = re.compile(r"(?<=\w)[-‐‑¬⸗=\u00ad][^\S\n]*(?:\r?\n\s*)?(?=\w)")
_ELISION = re.compile(r"\s*(?:\[\s*(?:…|\.\.\.)\s*\]|\(\s*(?:…|\.\.\.)\s*\)|…|\.{3,})\s*")
_PAIRS = (
    ("«", "»"), ("»", "«"), ("“", "”"), ("„", "“"), ("„", "”"), ("”", "”"), ("‹", "›"),
    ("›", "‹"), ("‚", "‘"), ("‚", "’"), ('"', '"'), ("‘", "’"), ("'", "'"),
)  # fmt: skip
_MARKS = re.compile("[" + "".join(open_ for open_, _ in _PAIRS) + "]")
_BOUND = frozenset("‘'›»”")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """Whether a quote stands in a text, and where.

    `spans` are the places of its parts in the text, in order (more than one where the quote
    leaves something out by "…"); empty when it was not found. `text` is the stored text at
    those places, its parts joined by " […] "; "" when it was not found.
    """

    claimed: str
    verified: bool
    spans: tuple[Span, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReasonQuote:
    """A quotation inside a reason: where it stands there (marks included), and its check."""

    start: int
    end: int
    check: QuoteCheck


def check_quote(quote: str, text: str) -> QuoteCheck:
    """Look for a quote in a passage's text."""
    parts = [part for piece in _ELISION.split(quote) if (part := _folded(piece)[0].strip())]
    if not parts:
        return QuoteCheck(quote, False)
    folded, offsets = _folded(text)
    spans: list[Span] = []
    at = 0
    for part in parts:
        found = _find(part, folded, at)
        if found < 0:
            return QuoteCheck(quote, False)
        at = found + len(part)
        spans.append((offsets[found][0], offsets[at - 1][1]))
    stored = " […] ".join(text[a:b] for a, b in spans)
    return QuoteCheck(quote, True, tuple(spans), stored)


def quotes_in(reason: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, inside) of every quotation in a sentence, its marks inside start and end."""
    at = 0 if _MARKS.search(reason) else len(reason)
    while at < len(reason):
        end = _closing(reason, at)
        if end is None:
            at += 1
            continue
        inside = reason[at + 1 : end].strip()
        if any(c.isalnum() for c in inside):
            yield at, end + 1, inside
            at = end + 1
        else:
            at += 1


def check_reason(reason: str, text: str) -> tuple[ReasonQuote, ...]:
    """Every quotation inside a reason, looked for in the passage that the reason is about."""
    return tuple(
        ReasonQuote(start, end, check_quote(inside, text))
        for start, end, inside in quotes_in(reason)
    )


def honest_reason(reason: str, checks: tuple[ReasonQuote, ...], mark: str) -> str:
    """The reason with the marks taken from every quotation that is not in the passage.

    `mark` is put behind each of them, so that nobody takes it for the source's own words.
    """
    out, at = [], 0
    for quote in checks:
        if quote.check.verified:
            continue
        inside = reason[quote.start + 1 : quote.end - 1].strip()
        out += [reason[at : quote.start], inside, f" [{mark}]"]
        at = quote.end
    return "".join([*out, reason[at:]])


def _closing(reason: str, at: int) -> int | None:
    """Where the quotation that opens at `at` closes, None when none opens there."""
    mark = reason[at]
    closers = [close for open_, close in _PAIRS if open_ == mark]
    if not closers:
        return None
    if mark in _BOUND and at > 0 and reason[at - 1].isalnum():
        return None  # an apostrophe, or the end of a quotation rather than its beginning
    for end in range(at + 1, len(reason)):
        if reason[end] not in closers:
            continue
        inside_word = end + 1 < len(reason) and reason[end + 1].isalnum()
        if reason[end] in "'’‘" and inside_word:
            continue  # an apostrophe inside the quotation
        return end
    return None


def _find(part: str, folded: str, start: int) -> int:
    """The first place of a folded part at whole words, from `start` on; -1 for none."""
    loose = bool(_UNSPACED.search(part))
    at = folded.find(part, start)
    while at >= 0:
        end = at + len(part)
        before = at == 0 or folded[at - 1] == " " or part[0] == " "
        after = end == len(folded) or folded[end] == " "
        if loose or (before and after):
            return at
        at = folded.find(part, at + 1)
    return -1


@lru_cache(maxsize=256)
def _folded(text: str) -> tuple[str, tuple[Span, ...]]:
    """The letters and figures of a text with one space between words, and where each came from.

    A word divided by a hyphen, at a line's end or not, is one word; an apostrophe parts words.
    """
    joined = {i for m in _DIVIDED.finditer(text) for i in range(m.start(), m.end())}
    out: list[str] = []
    spans: list[Span] = []
    for i, char in enumerate(text):
        if i in joined:
            continue
        letters = _letters(char)
        if letters:
            out.extend(letters)
            spans.extend([(i, i + 1)] * len(letters))
        elif unicodedata.combining(char):
            if spans:
                spans[-1] = (spans[-1][0], i + 1)
        elif out and out[-1] != " ":
            out.append(" ")
            spans.append((i, i + 1))
    return "".join(out), tuple(spans)


@lru_cache(maxsize=4096)
def _letters(char: str) -> str:
    """What a character counts as: lower case without accents; "" for all but letters, figures."""
    if char in _FOLDED:
        return _FOLDED[char]
    plain = unicodedata.normalize("NFKD", char)
    return "".join(c for c in plain.casefold() if c.isalnum() and not unicodedata.combining(c))
