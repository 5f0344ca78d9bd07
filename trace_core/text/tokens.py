"""Cutting the indexed layer into tokens: runs of letters and digits.

Chinese and Japanese are written without blanks: there each sign is a token, so that a word is
found inside its sentence. Where vowel signs are marks of their own (the Indic scripts), a sign
ends a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trace_core.text.folding import fold

_SIGNS = (
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[^\W_{_SIGNS}]+|[{_SIGNS}]")
_SIGN = re.compile(f"[{_SIGNS}]")
_BEYOND_ASCII = re.compile(r"[^\W_\x00-\x7f]")
_BLANKED = bytes(code if chr(code).isalnum() else 32 for code in range(128)) + bytes([32]) * 128


class Token(NamedTuple):
    """A token and its span in the indexed layer."""

    text: str
    start: int
    end: int


def iter_tokens(indexed: str) -> Iterator[Token]:
    """The tokens of an indexed layer, one after another."""
    for match in _TOKEN.finditer(indexed):
        yield Token(match[0], match.start(), match.end())


def tokens(indexed: str) -> list[Token]:
    """The tokens of an indexed layer."""
    return list(iter_tokens(indexed))


def one_token(before: str, after: str) -> bool:
    """Whether two neighbouring characters stand in the same token."""
    joined = before.isalnum() and after.isalnum()
    return joined and (max(before, after) < "\u3041" or not _SIGN.search(before + after))


def words(text: str) -> list[str]:
    """The tokens of any text as the index holds them, without their places: the fast way."""
    return words_of(fold(text))


def words_of(indexed: str) -> list[str]:
    """The tokens of an indexed layer, without their places."""
    if indexed.isascii() or not _BEYOND_ASCII.search(indexed):
        # Folded text of Latin script has no other letters left: bytes are cut twice as fast.
        return indexed.encode("ascii", "replace").translate(_BLANKED).decode().split()
    return _TOKEN.findall(indexed)
