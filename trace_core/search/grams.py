"""Letter trigrams of forms, and an inverted index over them in two arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from trace_core.search.glyphs import CODE_OF_BYTE, LETTERS, encode

GRAMS = LETTERS**3
"""Number of possible trigrams; the boundary before and after a word is a letter of its own."""

_BLOCK = 100_000


def grams_of(word: str) -> npt.NDArray[np.int64]:
    """The trigrams of a folded word in order, its boundaries included; one a letter."""
    codes = encode(word).astype(np.int64)
    padded = np.concatenate(([0], codes, [0]))
    return (padded[:-2] * LETTERS + padded[1:-1]) * LETTERS + padded[2:]


def postings(
    letters: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """(starts, numbers): trigram g stands in the forms `numbers[starts[g]:starts[g + 1]]`.

    `letters` are the bytes of all forms one after another, `ends` where each ends. Forms are
    numbered from 0; each trigram's numbers ascend.
    """
    counts = np.zeros(GRAMS + 1, dtype=np.int64)
    for grams, _ in _blocks(letters, ends):
        counts[1:] += np.bincount(grams, minlength=GRAMS)
    starts = np.cumsum(counts)
    free = starts[:-1].copy()
    numbers = np.empty(int(starts[-1]), dtype=np.int32)
    for grams, forms in _blocks(letters, ends):
        order = np.argsort(grams, kind="stable")
        grams, forms = grams[order], forms[order]
        here = np.bincount(grams, minlength=GRAMS)
        first = np.cumsum(here) - here
        numbers[free[grams] + np.arange(len(grams)) - first[grams]] = forms
        free += here
    return starts, numbers


def _blocks(
    letters: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """(trigrams, their forms) of some forms at a time, so that millions need no more memory."""
    for first in range(0, len(ends), _BLOCK):
        stops = ends[first : first + _BLOCK]
        base = int(ends[first - 1]) if first else 0
        lengths = np.diff(stops, prepend=base)
        codes = CODE_OF_BYTE[letters[base : int(stops[-1])]].astype(np.int32)
        before = np.concatenate(([0], codes[:-1])).astype(np.int32)
        after = np.concatenate((codes[1:], [0])).astype(np.int32)
        begins = (stops - base - lengths)[lengths > 0]
        before[begins] = 0
        after[(stops - base - 1)[lengths > 0]] = 0
        forms = np.repeat(np.arange(first, first + len(stops), dtype=np.int32), lengths)
        yield (before * LETTERS + codes) * LETTERS + after, forms
