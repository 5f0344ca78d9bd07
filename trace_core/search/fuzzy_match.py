"""With which written forms a text answers a fuzzy plan.

In: a plan and a chunk's shown text. Out: for each word of the query the best of its ways that
stands there, as it is written. Where the text disagrees with the form, the worth is corrected:
a name written small is hardly that name, and `zuLondon` is London with a word run on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from trace_core.search.fuzzy_plan import FuzzyPlan, Way
from trace_core.text.folding import FOLD_TABLE
from trace_core.text.layers import layer
from trace_core.text.places import places, single
from trace_core.text.tokens import words

_SMALL = 0.85  # of the worth of a name's form that is written small
_SURE = 0.6  # similarity from which a form hardly stands for anything else
_SURE_CUT = 1  # letters
_RUN_ON = 0.9  # similarity of a word that begins with a capital inside a longer one
_NAME_SHARE = 0.8
_NAME_SEEN = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A word of the query in a text: the way in which it stands there, and what is written."""

    word: str
    way: Way
    written: str

    @property
    def capital(self) -> bool:
        """Whether it is written with a capital."""
        return self.written[:1].isupper()

    @property
    def sure(self) -> bool:
        """Whether the form hardly stands for anything else."""
        return surely(self.word, self.way) or self.run_on

    @property
    def run_on(self) -> bool:
        """Whether the word begins with a capital inside a longer one."""
        if self.way.kind != "compound":
            return False
        inside = self.written[1:].lower().find(self.word)
        return inside >= 0 and self.written[1 + inside].isupper() and not self.written.isupper()


def surely(word: str, way: Way) -> bool:
    """Whether a way in which a word may stand hardly stands for anything else.

    A beginning of the word is mostly another word (Kessel and Kesselring), whatever it costs.
    """
    if way.kind == "shortened" and len(word) - len(way.tokens[0]) > _SURE_CUT:
        return False
    return way.similarity >= _SURE


class Matcher:
    """Finds the words of one plan in texts."""

    def __init__(self, plan: FuzzyPlan) -> None:
        self._plan = plan
        self._ways: dict[str, list[tuple[int, Way]]] = defaultdict(list)
        for place, wanted in enumerate(plan.wanted):
            for way in wanted.ways:
                self._ways[way.tokens[0]].append((place, way))

    def match(self, text: str) -> dict[int, Found]:
        """The best way of each word that stands in a text, by the word's place in the plan."""
        line = words(text)
        best: dict[int, Way] = {}
        for first in self._ways.keys() & set(line):
            for place, way in self._ways[first]:
                known = best.get(place)
                if (known is None or way.worth > known.worth) and _stands(way, line):
                    best[place] = way
        written = _written(text, {way.tokens for way in best.values()})
        return {
            place: Found(self._plan.wanted[place].word, way, written[way.tokens])
            for place, way in sorted(best.items())
        }

    def names(self, matches: Iterable[Mapping[int, Found]]) -> frozenset[int]:
        """The words that these texts, where they have them exactly, write with a capital."""
        large: dict[int, int] = defaultdict(int)
        total: dict[int, int] = defaultdict(int)
        for match in matches:
            for place, found in match.items():
                if found.way.kind == "exact":
                    total[place] += 1
                    large[place] += found.capital
        enough = (p for p, n in total.items() if n >= _NAME_SEEN and large[p] > _NAME_SHARE * n)
        return frozenset(enough)

    def correction(self, match: Mapping[int, Found], names: frozenset[int]) -> float:
        """What the written forms add to, or take from, the index's score of the chunk."""
        total = 0.0
        for place, found in match.items():
            if found.run_on:
                gain = _RUN_ON - found.way.similarity
                total += max(gain, 0.0) * self._plan.wanted[place].idf
            elif place in names and not found.capital and found.way.kind != "exact":
                total -= (1.0 - _SMALL) * found.way.worth
        return total


def _stands(way: Way, line: list[str]) -> bool:
    if len(way.tokens) == 1:
        return True
    size = len(way.tokens)
    starts = (i for i, token in enumerate(line) if token == way.tokens[0])
    return any(tuple(line[i : i + size]) == way.tokens for i in starts)


def _plain_table() -> bytes:
    return bytes(
        ord(folded) if len(folded := FOLD_TABLE[code]) == 1 and ord(folded) < 256 else code
        for code in range(256)
    )


_PLAIN = _plain_table()


def _plain(text: str) -> str:
    """The text without case and accents, where that moves no character; else as it can be."""
    try:
        return text.encode("latin-1").translate(_PLAIN).decode("latin-1")
    except UnicodeEncodeError:
        return text.translate(FOLD_TABLE) if single(text) else text.lower()


def _written(text: str, wanted: set[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """What stands in a shown text for sequences of its tokens, at their first place."""
    found: dict[tuple[str, ...], str] = {}
    plain = _plain(text)
    if len(plain) == len(text):
        for tokens in wanted:
            for start, end in islice(places(plain, tokens), 1):
                found[tokens] = text[start:end]
    missing = wanted - found.keys()
    if missing:
        # Ligatures and broken words: only the layers know where they stand.
        layered = layer(text)
        for tokens in missing:
            for place in islice(places(layered.indexed, tokens), 1):
                start, end = layered.to_shown(*place)
                found[tokens] = text[start:end]
    return {tokens: found.get(tokens, " ".join(tokens)) for tokens in wanted}
