"""Old and new spellings of a word, by the general rules of French, German and English.

In: a folded word. Out: other spellings that earlier or later writers used for the same word; the
caller keeps those that its archive has. Only rules that hold for whole classes of words are here:
French *-oit* and *-ois* before 1835 (étoit, Anglois), plurals without t (*enfans*, *momens*);
German *th* for t (Theil, Thal), *ey* for ei (Bayern keeps its own), *-iren* for -ieren, *c* for k
or z (Canzlei, Commission); English *-ise* and *-ize*, *-our* and *-or*, *-ick* for -ic. The long s
is folded already, and an elided article is a word of its own in the indexed layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_STEM = 3
"""Least letters before an ending: no short word changes into another one (plans, plants)."""

_VERB_STEM = 2
"""The same before an ending of the French imperfect (but mois is not mais)."""

_IMPERFECT: tuple[tuple[str, str], ...] = (("oit", "ait"), ("ois", "ais"), ("oient", "aient"))
_ENDINGS: tuple[tuple[str, str], ...] = (
    ("oise", "aise"),
    ("oises", "aises"),
    ("ans", "ants"),
    ("ens", "ents"),
    ("iren", "ieren"),
    ("irt", "iert"),
    ("irung", "ierung"),
    ("ey", "ei"),
    ("eyen", "eien"),
    ("niss", "nis"),
    ("ise", "ize"),
    ("ised", "ized"),
    ("ising", "izing"),
    ("isation", "ization"),
    ("our", "or"),
    ("ours", "ors"),
    ("ick", "ic"),
)
_INSIDE: tuple[tuple[str, str], ...] = (
    ("th", "t"),
    ("ey", "ei"),
    ("ay", "ai"),
    ("oy", "oi"),
    ("c", "k"),
    ("c", "z"),
)
_BEGINNINGS = ("th", "c")
"""Of the changes inside a word, those that also hold at its beginning."""


def spellings(word: str) -> list[str]:
    """Other spellings of a folded word, one rule applied at one place each, without repetition."""
    found: dict[str, None] = {}
    for endings, stem in ((_IMPERFECT, _VERB_STEM), (_ENDINGS, _STEM)):
        for one, other in endings:
            for old, new in ((one, other), (other, one)):
                if word.endswith(old) and len(word) - len(old) >= stem:
                    found[word[: -len(old)] + new] = None
    if len(word) >= _STEM:
        for one, other in _INSIDE:
            for old, new in ((one, other), (other, one)):
                first = one in _BEGINNINGS
                found.update(dict.fromkeys(_changed(word, old, new, first=first)))
    found.pop(word, None)
    return list(found)


def _changed(word: str, old: str, new: str, *, first: bool) -> Iterable[str]:
    for match in re.finditer(re.escape(old), word):
        at = match.start()
        if at or first:
            changed = word[:at] + new + word[match.end() :]
            # "t" inside an existing "th" would make "thh".
            if "hh" not in changed and "kh" not in changed:
                yield changed
