"""The archive's own misreadings, learned from its vocabulary.

Comes in: the vocabulary as (form, number of chunks). Goes out: a `ConfusionModel`, the cost of
every letter that is lost, added or taken for another. Nothing is recorded.

A rare form that differs from one frequent form in a single place is most likely a misreading of
it; aligned, the two give one confusion (intended letters, seen letters). How much more often a
confusion is seen than the frequencies of its letters alone would let one expect is its lift, and

    cost = 1 - RATE * ln((seen + lift0) / (expected + 1)),  kept within [CHEAPEST, DEAREST]

where lift0 is a pseudo-count: `_KNOWN_LIFT` for confusions of type that are known beforehand
(`glyphs`), 1 for others. This is the pointwise information of a noisy channel (Kernighan, Church
and Gale 1990; Brill and Moore 2000) with costs kept near 1, so that they add up like edits.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from trace_core.search import glyphs
from trace_core.search.glyphs import LETTERS, code

Costs = npt.NDArray[np.float32]
Confusion = tuple[str, str]
"""(intended letters, seen letters), none to two of each."""

_RATE = 0.15
_CHEAPEST = 0.35
_DEAREST = 1.15
_KNOWN_LIFT = 12.0
_NEVER = 9.0
_UNKNOWN_PAIR = 1.25

_FREQUENT = 5
_FREQUENT_FORMS = 10_000
_RARE = 2
_RARE_FORMS = 40_000
_RATIO = 10
_SHORTEST_RARE = 6
_SHORTEST_FREQUENT = 5


@dataclass(frozen=True, slots=True)
class ConfusionModel:
    """Costs of single misreadings; 0 means alike, about 1 a whole wrong letter.

    `substitute[intended, seen]`, `added[seen]` and `lost[intended]` are indexed by letter codes;
    `split[64 * first seen + second seen, intended]` is one letter read as two, and
    `merged[64 * first intended + second intended, seen]` two letters read as one. `pairs` is how
    many pairs of forms it was learned from.
    """

    substitute: Costs
    added: Costs
    lost: Costs
    split: Costs
    merged: Costs
    pairs: int = 0

    def arrays(self) -> dict[str, Costs]:
        """The model as arrays, to be kept with the form index."""
        return {
            "substitute": self.substitute,
            "added": self.added,
            "lost": self.lost,
            "split": self.split,
            "merged": self.merged,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> ConfusionModel:
        """The model that `arrays` gave. Raises KeyError where one is missing."""
        substitute, added, lost, split, merged = (
            np.asarray(arrays[name], dtype=np.float32)
            for name in ("substitute", "added", "lost", "split", "merged")
        )
        return cls(substitute, added, lost, split, merged)


def learn(vocabulary: Collection[tuple[str, int]]) -> ConfusionModel:
    """A model of the misreadings in a vocabulary of (folded form, number of chunks).

    The vocabulary is gone through several times, so that nothing of it need be held.
    """
    seen = observed(vocabulary)
    letters: Counter[str] = Counter(dict.fromkeys(string.ascii_lowercase + string.digits, 0))
    for form, count in _plain(vocabulary):
        weight = min(count, 2 * _RATIO)
        for letter in form:
            letters[letter] += weight
    return model(seen, letters)


def _plain(vocabulary: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    return ((form, count) for form, count in vocabulary if form.isascii() and form.isalpha())


def observed(vocabulary: Collection[tuple[str, int]]) -> Counter[Confusion]:
    """How often each confusion stands between a rare form and the one frequent form near it."""
    frequent = [
        (form, count)
        for form, count in _plain(vocabulary)
        if count >= _FREQUENT and len(form) >= _SHORTEST_FREQUENT
    ]
    frequent.sort(key=lambda pair: (-pair[1], pair[0]))
    counts = dict(frequent[:_FREQUENT_FORMS])
    gaps = _gaps(counts)
    found: Counter[Confusion] = Counter()
    # An even sample is as good as all of them, and bounds the time for millions of forms.
    step = max(1, sum(1 for _ in _rare(vocabulary)) // _RARE_FORMS)
    for form, count in islice(_rare(vocabulary), 0, None, step):
        confusion = _single_confusion(form, count * _RATIO, counts, gaps)
        if confusion is not None:
            found[confusion] += 1
    return found


def _rare(vocabulary: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    return (
        (form, count)
        for form, count in _plain(vocabulary)
        if count <= _RARE and len(form) >= _SHORTEST_RARE
    )


def model(seen: Mapping[Confusion, int], letters: Mapping[str, int]) -> ConfusionModel:
    """The costs that follow from counted confusions and letter frequencies (see the module)."""
    known = glyphs.similar()
    total = sum(letters.values()) + len(letters) + 1
    share = {letter: (count + 1) / total for letter, count in letters.items()}
    kinds: Counter[tuple[int, int]] = Counter()
    for (intended, read), count in seen.items():
        kinds[len(intended), len(read)] += count

    def cost(intended: str, read: str, base: float = 1.0) -> float:
        chance = math.prod(share.get(letter, 1 / total) for letter in intended + read)
        expected = kinds[len(intended), len(read)] * chance
        prior = _KNOWN_LIFT if (intended, read) in known else 1.0
        lift = (seen.get((intended, read), 0) + prior) / (expected + 1.0)
        return min(max(base - _RATE * math.log(lift), _CHEAPEST), max(base, _DEAREST))

    costs = _neutral()
    for a in letters:
        costs.added[code(a)] = cost("", a)
        costs.lost[code(a)] = cost(a, "")
        for b in letters:
            if a != b:
                costs.substitute[code(a), code(b)] = cost(a, b)
    for intended, read in {*seen, *known}:
        base = 1.0 if (intended, read) in known else _UNKNOWN_PAIR
        if len(intended) == 1 and len(read) == 2:
            row = LETTERS * code(read[0]) + code(read[1])
            costs.split[row, code(intended)] = cost(intended, read, base)
        elif len(intended) == 2 and len(read) == 1:
            row = LETTERS * code(intended[0]) + code(intended[1])
            costs.merged[row, code(read)] = cost(intended, read, base)
    return ConfusionModel(**costs.arrays(), pairs=sum(seen.values()))


def _neutral() -> ConfusionModel:
    substitute = np.ones((LETTERS, LETTERS), dtype=np.float32)
    np.fill_diagonal(substitute, 0.0)
    single = np.ones(LETTERS, dtype=np.float32)
    double = np.full((LETTERS * LETTERS, LETTERS), _NEVER, dtype=np.float32)
    return ConfusionModel(substitute, single, single.copy(), double, double.copy())


def _splits(form: str, gap: int) -> Iterator[tuple[int, str, str]]:
    """(place, head, tail) of a form with `gap` letters cut out, never at either end."""
    for place in range(1, len(form) - gap):
        yield place, form[:place], form[place + gap :]


def _gaps(frequent: Iterable[str]) -> dict[int, tuple[tuple[str, int, int], ...]]:
    """Hash of (head, tail) -> the frequent forms (form, place, gap) that have both."""
    found: dict[int, tuple[tuple[str, int, int], ...]] = {}
    for form in frequent:
        for gap in (0, 1, 2):
            for place, head, tail in _splits(form, gap):
                key = hash((head, tail))
                found[key] = (*found.get(key, ()), (form, place, gap))
    return found


def _single_confusion(
    form: str,
    least: int,
    counts: Mapping[str, int],
    gaps: Mapping[int, Sequence[tuple[str, int, int]]],
) -> Confusion | None:
    """The one confusion that turns a frequent form into this one; None when none or several do.

    Inflection happens at the ends of words and is no misreading: confusions stand inside.
    """
    best: dict[str, Confusion] = {}
    for gap in (0, 1, 2):
        for place, head, tail in _splits(form, gap):
            for near, at, lacking in gaps.get(hash((head, tail)), ()):
                if at != place or counts[near] < least or max(gap, lacking) == 0:
                    continue
                if near[:at] != head or near[at + lacking :] != tail:
                    continue
                confusion = (near[at : at + lacking], form[place : place + gap])
                if near not in best or _size(confusion) < _size(best[near]):
                    best[near] = confusion
    if not best:
        return None
    smallest = min(_size(confusion) for confusion in best.values())
    nearest = [confusion for confusion in best.values() if _size(confusion) == smallest]
    # Two of each is an edit too many, and letters out of nothing are mostly parts of compounds.
    if len(nearest) > 1 or nearest[0] == ("", "") or smallest > 3:
        return None
    return nearest[0] if "" not in nearest[0] or smallest == 1 else None


def _size(confusion: Confusion) -> int:
    return len(confusion[0]) + len(confusion[1])
