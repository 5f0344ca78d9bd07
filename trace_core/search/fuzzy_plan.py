"""What the OCR-tolerant channel looks for: each word of a query with its forms and weights.

In: a query and the archive's forms. Out: a `FuzzyPlan`: for each word the forms in which it may
stand, each worth the word's idf (as in BM25) times its similarity; a chunk's score is the sum,
over words, of what the best of its forms is worth. Two neighbouring words are also tried as one
(`New York`, `Newyork`), and one word as two or three (`lon don`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from trace_core.ports import WeightedTerm
from trace_core.search.forms import LONGEST, Form, FormIndex, Kind, distinctness, segmentations
from trace_core.search.spellings import spellings
from trace_core.text.tokens import words

FoundKind = Literal[Kind, "split", "joined", "spelling", "given"]

BAR = "|"
"""Stands between a query and the variants that a person chose for it."""

FEW_WORDS = 3
"""Up to so many words a query means each of them, a name say."""

_MOST_WORDS = 12  # of a long query, those that tell most
_MOST_READ = 1000  # of a pasted page
_COMMON = 0.2  # share of the chunks above which a word is looked for as it stands
_FEW_CHUNKS = 50  # below, shares of chunks say nothing
_PIECES = 10
_SPLIT = 0.9
_TIES = 0.1
_SPELT = 0.9


@dataclass(frozen=True, slots=True)
class FuzzyLimits:
    """How freely words are read: the least similarity of a form, the most forms of a word.

    `forms_in_long` is the most in a query of more words than `FEW_WORDS`: where many words tell,
    the doubtful forms of each add more noise than passages.
    """

    least: float = 0.3
    forms: int = 40
    forms_in_long: int = 10


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a word may stand: its tokens, its similarity, what kind of way it is."""

    tokens: tuple[str, ...]
    similarity: float
    kind: FoundKind
    worth: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """A word of the query, its weight, and the ways in which it may stand, best first."""

    word: str
    idf: float
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class FuzzyPlan:
    """All that a query looks for."""

    wanted: tuple[Wanted, ...]

    def groups(self) -> list[list[WeightedTerm]]:
        """For the lexical index: the ways of each word."""
        return [[WeightedTerm(" ".join(w.tokens), w.worth) for w in x.ways] for x in self.wanted]

    def ties(self) -> list[WeightedTerm]:
        """The words as they stand, whose frequency orders chunks of equal worth."""
        return [WeightedTerm(wanted.word, _TIES) for wanted in self.wanted]


def idf(chunks: int, holding: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), BM25's weight of a term in n of N chunks."""
    return math.log1p((max(chunks - holding, 0) + 0.5) / (holding + 0.5))


def plan(query: str, forms: FormIndex, chunks: int, limits: FuzzyLimits) -> FuzzyPlan:
    """What to look for in an archive of so many chunks."""
    line = words(query)[:_MOST_READ]
    if len(line) > FEW_WORDS:
        limits = replace(limits, forms=min(limits.forms, limits.forms_in_long))
    known = {word: forms.chunks(word) for word in line}
    ranked = sorted(dict.fromkeys(line), key=lambda word: (known[word], line.index(word)))
    kept = [word for word in dict.fromkeys(line) if word in set(ranked[:_MOST_WORDS])]
    wanted = {word: _wanted(word, forms, chunks, limits) for word in kept}
    for one, two in dict.fromkeys(itertools.pairwise(line)):
        if one in wanted and two in wanted and one != two and forms.chunks(one + two):
            rarer, other = (one, two) if known[one] <= known[two] else (two, one)
            both = wanted[one].idf + wanted[two].idf
            wanted[rarer] = _with(wanted[rarer], Way((one + two,), 1.0, "joined", both))
            # What is worth both words must not count for the other one once more.
            wanted[other] = _without(wanted[other], one + two)
    return FuzzyPlan(tuple(wanted.values()))


def plan_given(query: str, forms: FormIndex, chunks: int) -> FuzzyPlan:
    """What a query with its variants already chosen looks for: `Name | Variant | Variant`.

    Each stands as it is written, its words side by side; nothing is added.
    """
    given = [tuple(words(part)) for part in query.split(BAR)]
    ways: dict[tuple[str, ...], Way] = {}
    holding = sum(min(forms.chunks(word) for word in tokens) for tokens in given if tokens)
    weight = idf(chunks, holding)
    for tokens in given:
        if tokens:
            kind: FoundKind = "given" if ways else "exact"
            ways.setdefault(tokens, Way(tokens, 1.0, kind, weight))
    if not ways:
        return FuzzyPlan(())
    first = next(iter(ways))
    return FuzzyPlan((Wanted(" ".join(first), weight, tuple(ways.values())),))


def _wanted(word: str, forms: FormIndex, chunks: int, limits: FuzzyLimits) -> Wanted:
    holding = forms.chunks(word)
    weight = idf(chunks, holding)
    ways: dict[tuple[str, ...], Way] = {(word,): Way((word,), 1.0, "exact", weight)}
    common = chunks >= _FEW_CHUNKS and holding > _COMMON * chunks
    if len(word) <= LONGEST and not common:
        for form in forms.expand(word, limits.least, limits.forms):
            ways.setdefault((form.text,), _way(form, weight))
        for way in _spelt(word, weight, forms):
            known = ways.get(way.tokens)
            if known is None or known.worth < way.worth:
                ways[way.tokens] = way
        for way in _pieces(word, weight, forms):
            ways.setdefault(way.tokens, way)
    return Wanted(word, weight, _sorted(ways.values()))


def _way(form: Form, weight: float) -> Way:
    return Way((form.text,), form.similarity, form.kind, weight * form.similarity)


def _spelt(word: str, weight: float, forms: FormIndex) -> list[Way]:
    """Old and new spellings that the archive has; a frequent one is rather a word of its own."""
    found = []
    for text in spellings(word):
        chunks = forms.chunks(text)
        if chunks:
            similarity = _SPELT * math.sqrt(distinctness(chunks))
            found.append(Way((text,), similarity, "spelling", weight * similarity))
    return found


def _pieces(word: str, weight: float, forms: FormIndex) -> list[Way]:
    """Ways to cut the word; where all pieces are words of their own it was hardly one word."""
    found = []
    for pieces in segmentations(word, forms):
        rarest = min(forms.chunks(piece) for piece in pieces)
        similarity = _SPLIT * distinctness(rarest)
        found.append(Way(pieces, similarity, "split", weight * similarity))
    found.sort(key=lambda way: (len(way.tokens), -way.similarity, way.tokens))
    return found[:_PIECES]


def _with(wanted: Wanted, joined: Way) -> Wanted:
    others = [way for way in wanted.ways if way.tokens != joined.tokens]
    return Wanted(wanted.word, wanted.idf, _sorted([joined, *others]))


def _without(wanted: Wanted, joined: str) -> Wanted:
    ways = tuple(way for way in wanted.ways if way.tokens != (joined,))
    return Wanted(wanted.word, wanted.idf, ways)


def _sorted(ways: Iterable[Way]) -> tuple[Way, ...]:
    return tuple(sorted(ways, key=lambda way: (-way.worth, way.tokens)))
