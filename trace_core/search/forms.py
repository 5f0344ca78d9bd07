"""The archive's written forms, and which of them may stand for a word of a query.

Comes in, once: the vocabulary of the indexed layer as (form, number of chunks). Goes out, for a
query word: forms with a similarity from 0 to 1, best first, each with what sort of form it is.
What is kept: arrays that may stay on disk (memory-mapped), never a pickle.

Two steps. Forms that share many letter trigrams with the word, the rare ones counting most, are
proposed through an inverted index of trigrams (Zobel and Dart 1995); the proposed ones are then
measured by the cost of misreading the word so (`alignment`, with the archive's own
`ConfusionModel`):

    similarity = exp(-SHARPNESS * cost / letters of the word) * distinctness

Distinctness falls with the number of chunks that hold a form which is neither the word itself
nor contains it: what is often written so is a word of its own, not another word misread.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from trace_core.domain.errors import SearchFailed
from trace_core.ports import Artifact
from trace_core.search.alignment import alignment_costs, shortening_cost, shortest_stem
from trace_core.search.confusions import ConfusionModel, learn
from trace_core.search.glyphs import CODE_OF_BYTE, Codes, encode
from trace_core.search.grams import GRAMS, grams_of, postings
from trace_core.text.folding import FOLDING

Kind = Literal["exact", "misread", "ending", "compound", "shortened"]

FORMAT = f"forms-1.{FOLDING}"
SHARPNESS = 3.0
LEAST = 0.3
"""Forms less similar than this are never given."""

_PROPOSED = 300
_FEW = 10
_FEW_PROPOSED = 100
"""Forms proposed where at most `_FEW` are wanted: measured beside 300, the same ten were best."""

_MEASURED = 64
_ROUGH = 6000
_STEPS = 1024
_WIDTH = 24
_DISTINCT = 0.2
_INFIX = 0.8
_STUMP = 0.6
LONGEST = 40
"""Bytes of a form; longer ones are run-on lines."""

_CACHE = 4096


@dataclass(frozen=True, slots=True)
class Form:
    """A written form for a query word: its similarity, its kind, the chunks that hold it."""

    text: str
    similarity: float
    kind: Kind
    chunks: int


class FormIndex:
    """All forms of an archive with a trigram index over them."""

    def __init__(self, artifact: Artifact) -> None:
        """Open what `build` made. Raises SearchFailed for a foreign or torn one."""
        try:
            arrays = artifact.arrays
            self._letters = np.asarray(arrays["letters"], dtype=np.uint8)
            self._ends: npt.NDArray[np.int64] = np.asarray(arrays["ends"], dtype=np.int64)
            self._counts = np.asarray(arrays["counts"], dtype=np.uint32)
            self._starts = np.asarray(arrays["starts"], dtype=np.int64)
            self._postings = np.asarray(arrays["postings"], dtype=np.int32)
            self.confusions = ConfusionModel.from_arrays(arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise SearchFailed(_DAMAGED) from error
        whole = len(self._ends) == len(self._counts) and len(self._starts) == GRAMS + 1
        if chunks_behind(artifact) is None or not whole:
            raise SearchFailed(_DAMAGED)
        self.version = artifact.version
        # Single reads of a memory view cost a fifth of those of an array.
        self._text, self._stops = self._letters.data, self._ends.data
        self._chunks = lru_cache(maxsize=_CACHE)(self._counted)
        self._expand = lru_cache(maxsize=_CACHE)(self._expanded)

    def __len__(self) -> int:
        return len(self._ends)

    def form(self, number: int) -> str:
        """The form with this number; forms are numbered in the order of their bytes."""
        return self._bytes(number).decode()

    def chunks(self, form: str) -> int:
        """In how many chunks a form stood when the index was built; 0 for an unknown one."""
        return self._chunks(form)

    def expand(self, word: str, least: float, most: int) -> tuple[Form, ...]:
        """At most `most` forms of a folded word whose similarity is `least` or more, best first.

        The word itself comes first where the archive has it.
        """
        found = self._expand(word, _PROPOSED if most > _FEW else _FEW_PROPOSED)
        return tuple(form for form in found if form.similarity >= least)[:most]

    def forget(self) -> None:
        """Empty the memory for words asked before, so that a measurement finds none."""
        self._chunks.cache_clear()
        self._expand.cache_clear()

    def _counted(self, form: str) -> int:
        number = self._find(form)
        return int(self._counts[number]) if number is not None else 0

    def _bytes(self, number: int) -> bytes:
        return bytes(self._text[self._stops[number - 1] if number else 0 : self._stops[number]])

    def _find(self, form: str) -> int | None:
        wanted = form.encode()
        number = bisect_left(range(len(self)), wanted, key=self._bytes)
        return number if number < len(self) and self._bytes(number) == wanted else None

    def _expanded(self, word: str, proposed: int) -> tuple[Form, ...]:
        known = self.chunks(word)
        found = {word: Form(word, 1.0, "exact", known)} if known else {}
        if len(word) >= 3:
            for number, cost in self._measured(word, proposed):
                text = self.form(number)
                if text not in found and text:
                    found[text] = self._judged(word, text, cost, int(self._counts[number]))
            for form in self._stems(word):
                found.setdefault(form.text, form)
        return tuple(sorted(found.values(), key=lambda f: (-f.similarity, -f.chunks, f.text)))

    def _judged(self, word: str, text: str, cost: float, chunks: int) -> Form:
        kind: Kind = "misread"
        if text.startswith(word):
            kind = "ending" if len(text) - len(word) <= 3 else "compound"
        elif word in text:
            kind = "compound"
        elif word.startswith(text):
            kind = "shortened"
        similarity = math.exp(-SHARPNESS * cost / len(word.encode()))
        if kind in ("misread", "shortened"):
            similarity *= distinctness(chunks)
            if kind == "shortened" and len(text) < shortest_stem(len(word)):
                similarity *= _STUMP
        elif not text.startswith(word) and not text.endswith(word):
            similarity *= _INFIX  # letters on both sides: mostly chance
        return Form(text, similarity, kind, chunks)

    def _measured(self, word: str, proposed: int) -> list[tuple[int, float]]:
        """(number, cost) of the nearest forms, nearest first."""
        numbers = self._proposed(word, proposed)
        starts = np.where(numbers > 0, self._ends[numbers - 1], 0)
        lengths = self._ends[numbers] - starts
        letters = encode(word)[:_WIDTH]
        width = min(_WIDTH, int(lengths.max(initial=0)))
        forms = self._rows(starts, lengths, width)
        costs = alignment_costs(letters, forms, lengths, self.confusions)
        # A form of one or two letters resembles everything.
        costs[lengths < 3] += 0.5
        most = -math.log(LEAST) * len(word.encode()) / SHARPNESS
        found = np.flatnonzero(costs <= most)
        found = found[np.argsort(costs[found], kind="stable")[:_MEASURED]]
        return list(zip(numbers[found].tolist(), costs[found].tolist(), strict=True))

    def _rows(
        self, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], width: int
    ) -> Codes:
        """The letter codes of forms, one a row, padded with 0 and cut at `width`."""
        places = starts[:, None] + np.arange(width)[None, :]
        inside = np.arange(width)[None, :] < lengths[:, None]
        last = len(self._letters) - 1
        codes = CODE_OF_BYTE[self._letters[np.minimum(places, last)]]
        return np.where(inside, codes, np.uint8(0))

    def _proposed(self, word: str, most: int) -> npt.NDArray[np.int64]:
        """The forms that share most with a word, by the idf of common trigrams."""
        count = len(self)
        shared = np.zeros(count, dtype=np.float32)
        lists = []
        for gram in np.unique(grams_of(word)).tolist():
            numbers = self._postings[self._starts[gram] : self._starts[gram + 1]]
            if len(numbers):
                shared[numbers] += np.float32(math.log1p(count / len(numbers)))
                lists.append(numbers)
        if not lists:
            return np.empty(0, dtype=np.int64)
        # A form stands in as many lists as it shares trigrams; going through the lists spares
        # going through all forms of the archive.
        rough = _highest(np.concatenate(lists), shared, _ROUGH)
        rough.sort()
        touched = rough[np.diff(rough, prepend=-1) > 0].astype(np.int64)
        lengths = self._ends[touched] - np.where(touched > 0, self._ends[touched - 1], 0)
        score = shared[touched] / np.sqrt(np.maximum(lengths, len(word.encode())))
        if len(touched) > most:
            touched = touched[np.argpartition(-score, most)[:most]]
        return touched

    def _stems(self, word: str) -> Iterable[Form]:
        """Beginnings of the word that the archive has as forms of their own."""
        for length in range(shortest_stem(len(word)), len(word)):
            number = self._find(word[:length])
            if number is not None:
                cost = shortening_cost(len(word) - length)
                yield self._judged(word, word[:length], cost, int(self._counts[number]))


def _highest(
    numbers: npt.NDArray[np.int32], scores: npt.NDArray[np.float32], most: int
) -> npt.NDArray[np.int32]:
    """The numbers with the highest scores, at most `most` where that leaves any.

    Scores are counted in steps, which is many times faster than to sort or part them.
    """
    if len(numbers) <= most:
        return numbers
    own = scores[numbers]
    steps = (own * np.float32((_STEPS - 1) / own.max())).astype(np.intp)
    above = np.cumsum(np.bincount(steps, minlength=_STEPS)[::-1])
    least = _STEPS - max(int(np.searchsorted(above, most, side="right")), 1)
    kept: npt.NDArray[np.int32] = numbers[steps >= least]
    return kept


_DAMAGED = "The index of written forms cannot be read; `reindex` builds it again."


def distinctness(chunks: int) -> float:
    """1 for a form that stands in one chunk, falling slowly for one that stands in many."""
    return math.exp(-_DISTINCT * math.log(max(chunks, 1)))


def chunks_behind(artifact: Artifact) -> int | None:
    """How many chunks an index of forms was built from; None where it is none of ours."""
    try:
        meta = json.loads(artifact.meta)
        return int(meta["chunks"]) if meta["format"] == FORMAT else None
    except (KeyError, TypeError, ValueError):
        return None


def build(
    vocabulary: Iterable[tuple[str, int]], chunks: int, confusions: ConfusionModel | None = None
) -> Artifact:
    """The form index of a vocabulary of (form of the indexed layer, number of chunks).

    `chunks` is the number of all chunks.

    The confusion model is learned from the same vocabulary unless one is given.
    """
    known = _Known(vocabulary)
    forms, counts = known.forms, known.counts
    letters = np.frombuffer(b"".join(forms), dtype=np.uint8)
    ends = np.cumsum([len(form) for form in forms], dtype=np.int64)
    if confusions is None:
        confusions = learn(known)
    starts, numbers = postings(letters, ends)
    digest = hashlib.sha256(FORMAT.encode())
    for part in (letters, ends, counts):
        digest.update(part.tobytes())
    return Artifact(
        version=f"{FORMAT}-{digest.hexdigest()[:16]}",
        arrays={
            "letters": letters,
            "ends": ends,
            "counts": counts,
            "starts": starts,
            "postings": numbers,
            **confusions.arrays(),
        },
        meta=json.dumps({"format": FORMAT, "chunks": chunks}),
    )


class _Known(Collection[tuple[str, int]]):
    """A vocabulary in the order of its bytes, without forms that are too long to be words."""

    def __init__(self, vocabulary: Iterable[tuple[str, int]]) -> None:
        self.forms: list[bytes] = []
        counts = array("L")
        for form, count in vocabulary:
            encoded = form.encode()
            if 0 < len(encoded) <= LONGEST:
                self.forms.append(encoded)
                counts.append(count)
        self.counts = np.array(counts, dtype=np.uint32)
        if any(one > other for one, other in itertools.pairwise(self.forms)):
            order = sorted(range(len(self.forms)), key=self.forms.__getitem__)
            self.forms = [self.forms[place] for place in order]
            self.counts = self.counts[order]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        for form, count in zip(self.forms, self.counts.tolist(), strict=True):
            yield form.decode(), count

    def __len__(self) -> int:
        return len(self.forms)

    def __contains__(self, pair: object) -> bool:
        return any(pair == known for known in self)


def segmentations(word: str, forms: FormIndex) -> list[tuple[str, str]]:
    """Ways to cut a word into two neighbouring forms of the archive (`lon don`).

    Both pieces must be known to the archive; words below five letters are not cut.
    """
    if len(word) < 5:
        return []
    cuts = ((word[:cut], word[cut:]) for cut in range(1, len(word)))
    return [(head, tail) for head, tail in cuts if forms.chunks(head) and forms.chunks(tail)]
