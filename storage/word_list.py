"""All different words of the lexical index as one string, to find the words that hold a string.

The term dictionary answers "which words begin with" at once, but "which words end with" only by
a walk that takes a tenth of a second for 250,000 words; a search in one long string takes some
milliseconds.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import Searcher

_BREAK = "\n"
_STALE_FACTOR = 20.0
"""While an import runs the list may be older than the index by so many times its building time."""


class WordList:
    """The words of one moment of the index."""

    def __init__(self, words: list[str]) -> None:
        self._joined = _BREAK + _BREAK.join(words) + _BREAK

    def ending(self, text: str, limit: int) -> list[str]:
        """Words that end with a text, itself included, at most `limit`."""
        return self._around(text + _BREAK, text, limit)

    def containing(self, text: str, limit: int) -> list[str]:
        """Words that hold a text, itself included, at most `limit`."""
        return self._around(text, text, limit)

    def _around(self, wanted: str, text: str, limit: int) -> list[str]:
        joined, found, at = self._joined, [text], 0
        while len(found) < limit and (at := joined.find(wanted, at)) >= 0:
            start, end = joined.rfind(_BREAK, 0, at) + 1, joined.find(_BREAK, at)
            word = joined[start:end]
            if word != text:
                found.append(word)
            at = end
        return found


class WordListCache:
    """The list of the newest index that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamp: object = None
        self._list = WordList([])
        self._fresh_until = 0.0

    def of(self, searcher: Searcher, stamp: object) -> WordList:
        """The words of an index; `stamp` changes with it."""
        with self._lock:
            began = time.monotonic()
            if stamp != self._stamp and began >= self._fresh_until:
                words = searcher.terms_with_prefix("folded", "")
                self._list = WordList([word for word, _ in words])
                self._stamp = stamp
                ended = time.monotonic()
                self._fresh_until = ended + _STALE_FACTOR * (ended - began)
            return self._list
