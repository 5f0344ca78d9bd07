"""Text to date tokens: numbers, words and signs, folded, each with its place in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r"(?P<n>\d+)|(?P<w>[^\W\d_]+)|(?P<p>[^\s])")
_COMBINING = re.compile("[\u0300-\u036f]")


class Token(NamedTuple):
    """A number (``n``), a word (``w``) or one sign (``p``); ``start`` and ``end`` in the text."""

    kind: str
    text: str
    start: int
    end: int


END = Token("", "", -1, -1)


def _fold_table() -> dict[int, str]:
    table = {code: chr(code).lower() for code in range(0x41, 0x5B)}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        bare = _COMBINING.sub("", unicodedata.normalize("NFD", chr(code))).lower()
        if len(bare) == 1 and bare != chr(code):
            table[code] = bare
    table.update(dict.fromkeys(map(ord, "‐‑‒–—−"), "-"))
    table.update(dict.fromkeys(map(ord, "’‘ʼ`´"), "'"))
    table.update({ord("ſ"): "s", ord("⁄"): "/", ord("º"): "º"})
    return table


_FOLD = _fold_table()


def fold_chars(text: str) -> str:
    """Lower case without accents, one character for one, so that places stay the same."""
    return text.translate(_FOLD)


def without_marks(text: str) -> tuple[str, list[int] | None]:
    """The text without combining marks, and for each kept character its place, if any went."""
    if _COMBINING.search(text) is None:
        return text, None
    kept = [index for index, char in enumerate(text) if not "\u0300" <= char <= "\u036f"]
    return "".join(text[index] for index in kept), kept


def tokens(folded: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a folded text between two places."""
    for match in _TOKEN.finditer(folded, start, len(folded) if end is None else end):
        yield Token(match.lastgroup or "p", match[0], match.start(), match.end())
