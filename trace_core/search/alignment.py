"""What it costs to read a query word into each of many forms at once.

A weighted edit distance (Damerau 1964; Wagner and Fischer 1974) in which two letters may also be
read as one and one as two, computed row by row for all forms together. A form may go on behind
the word (an ending, a word run on), begin before it (a compound) or lack its ending, each at a
price of its own, so that `Landes` finds `Landeshauptstadt` after `Landes` itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from trace_core.search.confusions import ConfusionModel
from trace_core.search.glyphs import LETTERS, Codes

Floats = npt.NDArray[np.float32]
Lengths = npt.NDArray[np.int64]

_SWAP = 0.8
_ENDING = 3  # letters that still count as an ending
_IMPOSSIBLE = 99.0
_COMPOUND_FROM = 5  # shorter words occur inside others by chance


def tail_cost(extra: npt.NDArray[np.int64], word: int) -> Floats:
    """Cost of letters behind the word; up to three are taken for an ending."""
    if word < 4:
        cost = np.where(extra == 0, 0.0, 0.6 + 0.3 * extra)
    else:
        cost = np.where(extra <= _ENDING, 0.25 + 0.1 * extra, 0.6 + 0.06 * extra)
        cost = np.where(extra == 0, 0.0, cost)
    return np.where(extra < 0, _IMPOSSIBLE, cost).astype(np.float32)


def shortening_cost(cut: int) -> float:
    """Cost of a form that stops `cut` letters before the word does."""
    return 0.4 + 0.2 * cut if cut <= 2 else 0.8 + 0.08 * cut


def shortest_stem(word: int) -> int:
    """The fewest letters of a word of this length that may stand for it."""
    return max(4, (word + 1) // 2)


def alignment_costs(
    word: Codes, forms: Codes, lengths: Lengths, model: ConfusionModel
) -> npt.NDArray[np.float32]:
    """The cheapest reading of the word in each form, shape (forms,); 0 is the word itself.

    `forms` holds letter codes, one form a row, padded with 0; `lengths` their true lengths, which
    may exceed the row where a long form was cut.
    """
    rows = _rows(word, forms.astype(np.intp), model)
    width = forms.shape[1]
    ends = np.arange(width + 1)[None, :]
    inside = np.minimum(lengths, width)
    behind = np.where(ends <= inside[:, None], lengths[:, None] - ends, -1)
    best: Floats = (rows[-1] + tail_cost(behind, len(word))).min(axis=1)
    each = np.arange(len(forms))
    whole = lengths <= width
    for left in range(len(word) - 1, shortest_stem(len(word)) - 1, -1):
        short = rows[left][each, inside] + np.float32(shortening_cost(len(word) - left))
        best = np.minimum(best, np.where(whole, short, np.float32(_IMPOSSIBLE)))
    return best


def _rows(word: Codes, forms: npt.NDArray[np.intp], model: ConfusionModel) -> list[Floats]:
    """Row i: the cost of the word's first i letters against each beginning of each form."""
    count, width = forms.shape
    added = np.zeros((count, width + 1), dtype=np.float32)
    np.cumsum(model.added[forms], axis=1, out=added[:, 1:])
    first = added
    if len(word) >= _COMPOUND_FROM:
        before = 0.9 + 0.06 * np.arange(width + 1, dtype=np.float32)
        first = np.minimum(added, before[None, :])
    pairs = forms[:, :-1] * LETTERS + forms[:, 1:]
    rows = [first]
    for i, letter in enumerate(word.tolist()):
        last = rows[-1]
        row = last + model.lost[letter]
        body = row[:, 1:]
        np.minimum(body, last[:, :-1] + model.substitute[letter].take(forms), out=body)
        split = model.split[:, letter].take(pairs)
        np.minimum(row[:, 2:], last[:, :-2] + split, out=row[:, 2:])
        if i:
            previous = int(word[i - 1])
            merged = model.merged[previous * LETTERS + letter].take(forms)
            np.minimum(body, rows[-2][:, :-1] + merged, out=body)
            swapped, at = np.nonzero(pairs == letter * LETTERS + previous)
            swap = rows[-2][swapped, at] + np.float32(_SWAP)
            row[swapped, at + 2] = np.minimum(row[swapped, at + 2], swap)
        # A letter added after the cheapest way so far: min over k <= j of row[k] + added[k..j].
        rows.append(np.minimum.accumulate(row - added, axis=1) + added)
    return rows
