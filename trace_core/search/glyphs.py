"""What is known of type before any archive is read: which letters a reading machine confuses.

Old-face and Fraktur types share the faults that every OCR of historical print shows: the long s
read as f, c for e, n for u, rn for m, b for h. The lists below are that common knowledge, with a
few letter pairs of older spelling (i/y, c/k, ph/f) that have the same effect on a search. They
are only where a `ConfusionModel` begins; the archive's own vocabulary corrects them.

Letters are handled as codes from 1 to 63: a-z, 0-9, and 27 classes for the bytes of all other
letters, so that text in any script passes through. Code 0 is the space before and after a word.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LETTERS = 64
"""Number of letter codes, the boundary included."""

Codes = npt.NDArray[np.uint8]

_SIMILAR = (
    # round letters, and those that lose or gain a stroke
    *("ec", "eo", "co", "ea", "ao", "uo", "oa", "cg", "ou"),
    # minims
    *("un", "uv", "nv", "nr", "mn", "mw", "vw", "vy", "rv", "ri", "rn", "nm", "ui", "ni"),
    # tall and thin letters
    *("lit1j", "tf", "tr", "ft", "ff", "fl", "fj", "ij", "il"),
    # the long s and its neighbours
    *("sf", "sl", "si", "st"),
    # letters with bows, and the capitals that Fraktur makes alike
    *("bh", "hk", "bd", "gq", "gy", "pq", "bp", "pr", "dl", "bl", "hb", "bv", "kr", "kl"),
    *("yv", "xr", "zx", "sz", "ef", "er", "cr", "fk", "ct"),
    # figures read for letters
    *("o0", "s5", "b8", "g9", "z2", "l1", "i1"),
    # spellings of other times and languages
    *("iy", "ck", "dt", "cz"),
)

_SIMILAR_PAIRS = (
    # one letter and the two that look like it
    *("m rn", "m ni", "m in", "m iu", "m nn", "m ui", "w vv", "w uv", "w iv", "n ii", "n ri"),
    *("u ii", "u il", "u ti", "h li", "h ll", "h lt", "h ii", "d cl", "d ol", "d el", "b lo"),
    *("a ci", "a cc", "k lc", "k ic", "k lx", "n rt", "n tt", "r fi", "y ij", "u ri"),
    # doubled letters, and two letters of older spelling for one
    *("e oe", "a ae", "u ue", "f ph", "t th", "k ck", "i ie", "t dt", "o ou", "i ii"),
    *("a aa", "e ee", "o oo", "f ff", "l ll", "m mm", "n nn", "r rr", "s ss", "t tt", "p pp"),
    *("w ff", "v ff"),
)


def _table() -> npt.NDArray[np.uint8]:
    table = np.array([37 + byte % 27 for byte in range(256)], dtype=np.uint8)
    for letter in range(26):
        table[ord("a") + letter] = 1 + letter
    for digit in range(10):
        table[ord("0") + digit] = 27 + digit
    return table


CODE_OF_BYTE = _table()
"""The letter code of each byte of a folded word in UTF-8."""


def encode(word: str) -> Codes:
    """The letter codes of a folded word, one a byte of its UTF-8."""
    return CODE_OF_BYTE[np.frombuffer(word.encode(), dtype=np.uint8)]


def code(letter: str) -> int:
    """The code of one letter or digit of the Latin alphabet."""
    return int(CODE_OF_BYTE[ord(letter)])


def similar() -> frozenset[tuple[str, str]]:
    """(intended, seen) for all confusions known beforehand, of one or two letters each."""
    found = {(a, b) for group in _SIMILAR for a in group for b in group if a != b}
    for pair in _SIMILAR_PAIRS:
        one, two = pair.split()
        found |= {(one, two), (two, one)}
    return frozenset(found)
