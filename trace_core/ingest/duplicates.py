"""Finding the same text twice: exactly, and nearly, as two OCR readings or two editions of it.

Each document gives two short byte strings that can be stored beside it and never need its text
again: a *fingerprint* of its folded words (equal for texts that differ in case, accents, line
breaks and punctuation alone) and a *signature*, a MinHash (Broder 1997) of its pairs of
neighbouring words, from which the share of common pairs of two documents (Jaccard) can be
estimated with a standard error of about 0.04. Signatures are compared only where they agree in
one of 32 bands of 4 values (locality-sensitive hashing), so the cost grows with the archive, not
with its square.
Nothing is removed here: duplicates are grouped, and the historian sees the group.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from trace_core.text.layers import words

_SHINGLE = 2  # words
_FEWEST = 20  # words: below, a signature says nothing
_HASHES = 128
_ROWS = 4
_BANDS = _HASHES // _ROWS
_BLOCK = 8_192  # pairs of words hashed at once: 4 MB
#: Share of common word pairs from which two texts count as nearly the same: two readings of one
#: text with one word in ten misread in each still share about half of their pairs.
NEAR = 0.5

Ints = npt.NDArray[np.uint64]
Hashes = npt.NDArray[np.uint32]
Matrix = npt.NDArray[np.uint16]


def _mixed(values: Ints) -> Ints:
    """Each number spread over all 64 bits (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


# Not drawn from numpy's generator, whose stream may change: signatures are stored.
_ODD = _mixed(np.arange(1, _HASHES + 1, dtype=np.uint64)) | np.uint64(1)
_FACTORS: Hashes = _ODD.astype(np.uint32)
_TERMS: Hashes = _mixed(np.arange(1001, _HASHES + 1001, dtype=np.uint64)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Marks:
    """What is stored of a document to find its duplicates.

    ``fingerprint`` has 16 bytes, none for a text without words. ``signature`` has 256 bytes, none
    for a text of fewer than 20 words, which can only be an exact duplicate.
    """

    fingerprint: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Documents with the same text (``exact``) or nearly the same, by their keys in order."""

    kind: Literal["exact", "near"]
    keys: tuple[str, ...]


def marks(text: str) -> Marks:
    """The fingerprint and the signature of a text."""
    return marks_of_words(words(text))


def marks_of_words(found: Sequence[str]) -> Marks:
    """The same from the words of the indexed layer, where they are at hand already."""
    if not found:
        return Marks(b"", b"")
    fingerprint = hashlib.blake2b(" ".join(found).encode("utf-8", "replace"), digest_size=16)
    signature = _signature(found) if len(found) >= _FEWEST else b""
    return Marks(fingerprint.digest(), signature)


def _signature(found: Sequence[str]) -> bytes:
    hashed = np.fromiter(
        (zlib.crc32(word.encode("utf-8", "replace")) for word in found), np.uint64, len(found)
    )
    runs = _mixed(_runs(hashed)).astype(np.uint32)
    lowest = np.full(_HASHES, np.iinfo(np.uint32).max, dtype=np.uint32)
    for start in range(0, len(runs), _BLOCK):
        block = runs[start : start + _BLOCK, None] * _FACTORS + _TERMS
        np.minimum(lowest, block.min(axis=0), out=lowest)
    # The low 16 bits of each minimum are enough: two different pairs agree in 1 of 65,536 cases.
    return lowest.astype("<u2").tobytes()


def _runs(hashed: Ints) -> Ints:
    """One number for each run of consecutive words."""
    combined = hashed[: len(hashed) - _SHINGLE + 1].copy()
    for place in range(1, _SHINGLE):
        following = hashed[place : len(hashed) - _SHINGLE + 1 + place]
        combined = _mixed(combined) + following
    return combined


def similarity(first: bytes, second: bytes) -> float:
    """The estimated share of common word pairs of two signatures, 0 where one is empty."""
    if not first or not second:
        return 0.0
    return float(np.mean(np.frombuffer(first, "<u2") == np.frombuffer(second, "<u2")))


def band_keys(signature: bytes) -> tuple[int, ...]:
    """32 signed 64-bit numbers; documents that share none are not compared.

    For an index in the store, that finds the near duplicates of one new document.
    """
    if not signature:
        return ()
    row = np.frombuffer(signature, "<u2").reshape(1, _HASHES)
    return tuple(int(_band(row, band)[0].view(np.int64)) for band in range(_BANDS))


def _band(matrix: Matrix, band: int) -> Ints:
    """The key of one band for each signature: its four values and the band's number, mixed."""
    part = np.ascontiguousarray(matrix[:, band * _ROWS : (band + 1) * _ROWS])
    keys: Ints = part.view("<u8")[:, 0]
    return _mixed(keys + np.uint64(band))


class DuplicateFinder:
    """Takes the marks of documents one after another and groups the duplicates among them.

    It holds the keys, 16 bytes and 256 bytes a document: about 350 MB for a million documents.
    """

    def __init__(self, near: float = NEAR) -> None:
        self._near = near
        self._keys: list[str] = []
        self._first: dict[bytes, int] = {}
        self._parents: list[int] = []
        self._signatures = bytearray()
        self._signed: list[int] = []

    def add(self, key: str, marks: Marks) -> None:
        """Take a document by a key that names it."""
        place = len(self._keys)
        self._keys.append(key)
        same = self._first.setdefault(marks.fingerprint, place) if marks.fingerprint else place
        self._parents.append(same)
        if same == place and marks.signature:
            self._signatures += marks.signature
            self._signed.append(place)

    def groups(self) -> list[DuplicateGroup]:
        """The groups of two or more, in the order of their first documents.

        A group is exact if all its texts are the same; else it is near, and holds the exact
        duplicates of its members too. Nearness passes on from text to text.
        """
        exact = list(self._parents)
        for first, second in self._pairs():
            self._join(first, second)
        members: dict[int, list[int]] = {}
        for place in range(len(self._keys)):
            members.setdefault(self._root(place), []).append(place)
        found = []
        for places in members.values():
            if len(places) > 1:
                kind: Literal["exact", "near"] = (
                    "exact" if len({exact[place] for place in places}) == 1 else "near"
                )
                found.append(DuplicateGroup(kind, tuple(self._keys[place] for place in places)))
        return found

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Pairs of documents that agree in a band and are near enough."""
        matrix = np.frombuffer(bytes(self._signatures), "<u2").reshape(-1, _HASHES)
        for band in range(_BANDS if len(matrix) > 1 else 0):
            keys = _band(matrix, band)
            order = np.argsort(keys, kind="stable")
            runs = keys[order]
            # Within a run of equal keys each text is compared with the one before it and with
            # the run's first: enough to join what is alike, and linear for a thousand copies.
            starts = np.flatnonzero(np.r_[True, runs[1:] != runs[:-1]])
            firsts = order[np.repeat(starts, np.diff(np.r_[starts, len(runs)]))]
            agreeing = np.flatnonzero(runs[1:] == runs[:-1]) + 1
            for others in (order[agreeing - 1], firsts[agreeing]):
                yield from self._near_enough(matrix, order[agreeing], others)

    def _near_enough(
        self, matrix: Matrix, left: npt.NDArray[np.intp], right: npt.NDArray[np.intp]
    ) -> Iterator[tuple[int, int]]:
        for start in range(0, len(left), _BLOCK):
            some, others = left[start : start + _BLOCK], right[start : start + _BLOCK]
            alike = (matrix[some] == matrix[others]).mean(axis=1) >= self._near
            for first, second in zip(some[alike], others[alike], strict=True):
                yield self._signed[first], self._signed[second]

    def _root(self, place: int) -> int:
        while self._parents[place] != place:
            self._parents[place] = self._parents[self._parents[place]]
            place = self._parents[place]
        return place

    def _join(self, first: int, second: int) -> None:
        one, other = sorted((self._root(first), self._root(second)))
        self._parents[other] = one


def find_duplicates(documents: Iterable[tuple[str, str]]) -> list[DuplicateGroup]:
    """The groups of duplicates among (key, text) pairs; the texts are read once and not kept."""
    finder = DuplicateFinder()
    for key, text in documents:
        finder.add(key, marks(text))
    return finder.groups()
