"""Where words stand in an indexed layer, found without cutting the whole text into tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_core.text.folding import FOLD_TABLE, fold
from trace_core.text.tokens import one_token


def places(indexed: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The spans of an indexed layer where these tokens stand side by side, none overlapping."""
    first = words[0]
    at = indexed.find(first)
    while at >= 0:
        end = _end(indexed, at, words)
        if end:
            yield at, end
        at = indexed.find(first, end or at + 1)


def _end(indexed: str, at: int, words: Sequence[str]) -> int:
    """The end of the tokens that begin at a place; 0 where others stand there."""
    if at and one_token(indexed[at - 1], indexed[at]):
        return 0
    end = at
    for number, word in enumerate(words):
        if number:
            while end < len(indexed) and not indexed[end].isalnum():
                end += 1
        if not indexed.startswith(word, end):
            return 0
        end += len(word)
        if end < len(indexed) and one_token(indexed[end - 1], indexed[end]):
            return 0
    return end


def flat(shown: str) -> str | None:
    """The indexed layer of a shown text if each place is the same in both, else None.

    It is, where every character is folded into one and none was left out.
    """
    folded = fold(shown)
    if len(folded) != len(shown) or not single(shown):
        return None
    return folded


_SINGLE: set[str] = set()


def single(text: str) -> bool:
    """Whether each character of a text is folded into exactly one."""
    if text.isascii():
        return True
    for char in set(text) - _SINGLE:
        if len(FOLD_TABLE[ord(char)]) != 1:
            return False
        _SINGLE.add(char)
    return True
