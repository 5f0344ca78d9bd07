"""How well a machine has read a text: an estimate from 0 to 1, without a dictionary.

Method. Each word between white space gets a degree of damage from 0 to 1, the greatest of what its
characters show: figures inside a word, signs that no language writes there, capitals after small
letters, a letter alone that is no word, letters in a run that no word has. Whether a run of
letters is plausible is learned from the archive itself: :class:`LetterModel` counts the letter
pairs and triples of the archive's frequent words (frequent words are rarely misread, and bring
their language with them), and a word is suspicious as far as its rarest triple is rarer than those
of the words it was learned from. A word that the archive has often is sound whatever its letters.
The estimate is the mean soundness of the words, each weighted by its length, longest 12. It is a
relative measure: good for comparing and filtering the documents of one archive, no error rate.

Related: lexicality-free OCR quality estimation from character n-grams (Alex and Burns 2014;
Ströbel, Clematide and Volk 2022), here without any outside resource.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trace_core.text.folding import fold_word

_TRIM = "\"'«»„“”‘’‹›()[]{}.,;:!?…–—-*†§&/°%=¬⸗\xad"
_LETTERS = re.compile(r"[^\W\d_]+")
_MIXED = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_ORDINAL = re.compile(
    r"\d+(?:er|re|e|ème|eme|me|st|nd|rd|th|te|ten|ter|bre|o|a|º|h|m|s|f|fr|d)", re.I
)
_CHAOS = re.compile(r"[^\W\d_A-ZÀ-ÖØ-Þ](?<!\bMc)(?<!\bMac)[A-ZÀ-ÖØ-Þ]")
_INNER = re.compile(r"[-'’‘.,:/&·=¬⸗\xad–—]")
_SAME = re.compile(r"(.)\1\1")
_BARE_SIGNS = frozenset("|\\^~_<>■□●•¦{}@#$¢¥©®™±¬¤`´¨¸ªº¿¡×÷")
_LONE_LETTERS = frozenset("aàyôoóieéuàâdljcmnstqz")
_VOWELS = frozenset("aeiouy")
_ROMAN = re.compile(r"[ivxlcdm]+")
_LONGEST = 12  # letters: the weight of a word stops growing here
_SOFT = 0.35  # what a word unknown to the archive costs although its letters are plausible
_KNOWN = 3  # times that the archive must have a word for it to count as known
_REMEMBERED = 100_000  # words
_SMALL_VOWELS = "aeiouyàâäéèêëîïôöùûü"
_SMALL_CONSONANTS = "bcdfghjklmnpqrstvwxzç"
#: A word that nothing speaks against, which most words are: small letters behind perhaps a capital
#: or an elision, a vowel in every eight, perhaps a stop behind.
_SOUND = re.compile(
    rf"(?:[a-z]['’])?(?=[^\W\d_]{{2}})[A-Z]?(?:[{_SMALL_CONSONANTS}]{{0,6}}[{_SMALL_VOWELS}])+"
    rf"[{_SMALL_CONSONANTS}]{{0,6}}[.,;:!?]?"
)
_EDGE = "\x02\x03"
_STOPS = ".,;:!?"


@dataclass(frozen=True)
class LetterModel:
    """Which letters follow which in the archive's frequent words.

    ``surprise`` is the highest -log2 probability of a letter given the one or the two before it,
    in bits; ``usual`` is what 95 of 100 words of the archive stay below.
    """

    triples: Mapping[str, float]
    usual: float
    _ratios: _Ratios = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ratios", _Ratios(self.triples))

    @classmethod
    def learn(cls, counts: Mapping[str, int], *, at_least: int = 5) -> LetterModel | None:
        """The model of words that occur so often, or ``None`` where they are fewer than 200.

        ``counts`` are the archive's folded words with their frequencies, as its index holds them.
        A word counts with the logarithm of its frequency: else a few particles decide alone.
        """
        frequent = {
            word: math.log2(1 + number)
            for word, number in counts.items()
            if number >= at_least and word.isalpha() and len(word) > 1
        }
        if len(frequent) < 200:
            return None
        triples: dict[str, float] = defaultdict(float)
        for word, weight in frequent.items():
            for triple in _triples(word):
                triples[triple] += weight
        model = cls(dict(triples), 0.0)
        surprises = sorted(model.surprise(word) for word in frequent)
        return replace(model, usual=surprises[int(0.95 * (len(surprises) - 1))])

    def surprise(self, word: str) -> float:
        """Bits of the least expected letter of a folded word."""
        worst = max(map(self._ratios.__getitem__, _triples(word)), default=1.0)
        return math.log2(max(worst, 1.0))

    def damage(self, word: str) -> float:
        """How much a word's letters speak against it, from 0 (usual) to 1 (two bits and more)."""
        return min(1.0, max(0.0, (self.surprise(word) - self.usual) / 2))


def _triples(word: str) -> list[str]:
    """Each three neighbours of a word, its edges counted as letters."""
    edged = f"{_EDGE[0]}{word}{_EDGE[1]}"
    return [edged[place : place + 3] for place in range(len(word))]


class _Ratios(dict[str, float]):
    """How many times the neighbours of a triple outweigh it; found when first asked for.

    The greater of two inverse probabilities, smoothed: of the triple's last letter after its first
    two, and of its second after its first.
    """

    def __init__(self, triples: Mapping[str, float]) -> None:
        super().__init__()
        self._triples = triples
        self._pairs: dict[str, float] = defaultdict(float)
        self._singles: dict[str, float] = defaultdict(float)
        for triple, weight in triples.items():
            self._pairs[triple[:2]] += weight
            self._singles[triple[0]] += weight

    def __missing__(self, triple: str) -> float:
        pair = self._pairs.get(triple[:2], 0.0)
        after_two = (pair + 30.0) / (self._triples.get(triple, 0.0) + 0.5)
        after_one = (self._singles.get(triple[0], 0.0) + 30.0) / (pair + 0.5)
        ratio = max(after_two, after_one)
        if len(self) < _REMEMBERED:
            self[triple] = ratio
        return ratio


class QualityEstimator:
    """Estimates texts one after another; it remembers the words that it has judged.

    ``known`` gives the archive's folded words with their frequencies, ``letters`` what was learned
    from them; without them only the signs inside words, their case and gross runs of letters count.
    """

    def __init__(
        self, known: Mapping[str, int] | None = None, letters: LetterModel | None = None
    ) -> None:
        self._judged = _Judged(known, letters)

    def estimate(self, text: str) -> float | None:
        """The quality of a text from 0 (noise) to 1, or ``None`` for a text without words."""
        judged = self._judged
        if len(judged) > _REMEMBERED:
            judged.clear()
        words = text.replace("-\n", "").replace("¬\n", "").split()
        found = sum(map(judged.__getitem__, words), 0j)
        return 1 - found.imag / found.real if found.real else None


class _Judged(dict[str, complex]):
    """Words with their weight, 0 where they say nothing, and the share of it that is damaged.

    The one is the real and the other the imaginary part of a number, so that one sum over the
    words of a text gives both: it is the innermost loop of an import.
    """

    def __init__(self, known: Mapping[str, int] | None, letters: LetterModel | None) -> None:
        super().__init__()
        self._known, self._letters = known, letters
        self._plain = known is None and letters is None

    def __missing__(self, word: str) -> complex:
        verdict = self._judge(word)
        self[word] = verdict
        return verdict

    def _judge(self, word: str) -> complex:
        if self._plain and _SOUND.fullmatch(word) and not _SAME.search(word):
            return complex(min(len(word.rstrip(_STOPS)), _LONGEST), 0)
        damage = word_damage(word, self._known, self._letters)
        if damage is None:
            return 0j
        weight = min(max(len(word.strip(_TRIM)), 1), _LONGEST)
        return complex(weight, weight * damage)


def estimate(
    text: str, *, known: Mapping[str, int] | None = None, letters: LetterModel | None = None
) -> float | None:
    """The quality of a single text, from 0 to 1; see :class:`QualityEstimator`."""
    return QualityEstimator(known, letters).estimate(text)


def word_damage(
    word: str, known: Mapping[str, int] | None, letters: LetterModel | None
) -> float | None:
    """The damage of one word between white space; ``None`` for plain punctuation and numbers."""
    bare = word.strip(_TRIM)
    if bare.isalpha() and len(bare) > 1:
        return _part_damage(bare, known, letters)
    if not bare:
        return 1.0 if len(word) > 3 and len(set(word)) > 2 else None
    if not any(char.isalpha() for char in bare):
        return 1.0 if any(char in _BARE_SIGNS for char in bare) else None
    if len(bare) == 1:
        return 0.0 if bare.lower() in _LONE_LETTERS or word[-1:] in ".'’" else 0.7
    if not _BARE_SIGNS.isdisjoint(bare) or (_MIXED.search(bare) and not _ORDINAL.fullmatch(bare)):
        return 1.0
    parts = [part for part in _INNER.split(bare) if part]
    return max(_part_damage(part, known, letters) for part in parts)


def _part_damage(part: str, known: Mapping[str, int] | None, letters: LetterModel | None) -> float:
    if not part.isalpha() and not _LETTERS.fullmatch(part):
        return 0.0 if part.isdigit() or _ORDINAL.fullmatch(part) else 1.0
    if not part[1:].islower() and _CHAOS.search(part):
        return 0.8
    folded = fold_word(part)
    if len(folded) < 2 or (known is not None and known.get(folded, 0) >= _KNOWN):
        return 0.0
    if _ROMAN.fullmatch(folded) and part.isupper():
        return 0.0
    damage = _gross(folded) if letters is None else letters.damage(folded)
    if known is not None and len(folded) > 3:
        damage = max(damage, _SOFT)
    return damage


def _gross(folded: str) -> float:
    """What needs no archive to be seen: three times the same letter, eight consonants in a row."""
    if _SAME.search(folded):
        return 1.0
    run = longest = 0
    for char in folded:
        run = 0 if char in _VOWELS or char > "\x7f" else run + 1
        longest = max(longest, run)
    if longest == len(folded) > 2:
        return 0.8
    return 0.8 if longest > 7 else 0.0
