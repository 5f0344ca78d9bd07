"""Finding the same text twice: exactly, and nearly, as two OCR readings or two editions of it.

Each document gives two short byte strings that can be stored beside it and never need its text
again: a *fingerprint* of its folded words (equal for texts that differ in case, accents, line
breaks and punctuation alone) and a *signature*, a MinHash (Broder 1997) of its pairs of
neighbouring words by one permutation in 128 bins (Li, Owen and Zhang 2012), empty bins filled as
Shrivastava (*Optimal Densification*, 2017) has it. From two signatures the share of common pairs
of two documents (Jaccard) is estimated with a standard error of about 0.04. Signatures are
compared only where they agree in one of 32 bands of 4 values (locality-sensitive hashing), so the
cost grows with the archive, not with its square.
Nothing is removed here: duplicates are grouped, and the historian sees the group.
"""

from __future__ import annotations

import hashlib
import itertools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from trace_core.text.tokens import words

_SHINGLE = 2  # words
_FINGERPRINT = 16  # bytes
_FEWEST = 20  # words: below, a signature says nothing
_HASHES = 128
_ROWS = 4
_BANDS = _HASHES // _ROWS
_BLOCK = 8_192  # signatures compared at once: 4 MB
_BATCH = 200  # texts
_AT_ONCE = 50_000  # words hashed at once: some 15 MB
_NOTHING = np.uint64(2**64 - 1)  # the value of a bin that no run fell into
#: Share of common word pairs from which two texts count as nearly the same: two readings of one
#: text with one word in ten misread in each still share about half of their pairs.
NEAR = 0.5

Ints = npt.NDArray[np.uint64]
Matrix = npt.NDArray[np.uint16]
K = TypeVar("K")


def _mixed(values: Ints) -> Ints:
    """Each number spread over all 64 bits (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _fillers() -> npt.NDArray[np.intp]:
    """For each bin the order in which others are asked for a value where it has none.

    Not drawn from numpy's generator, whose stream may change: signatures are stored.
    """
    drawn = _mixed(np.arange(1, _HASHES * _HASHES + 1, dtype=np.uint64))
    return np.argsort(drawn.reshape(_HASHES, _HASHES), axis=1, kind="stable")


_FILLERS = _fillers()


# What a byte at a place of a word adds to the word's hash; places further on count as the last.
_LONGEST = 64
_ADDED = _mixed(np.arange(1, _LONGEST * 256 + 1, dtype=np.uint64))


@dataclass(frozen=True, slots=True)
class Marks:
    """What is stored of a document to find its duplicates.

    ``fingerprint`` has 16 bytes, none for a text without words. ``signature`` has 256 bytes, none
    for a text of fewer than 20 words, which can only be an exact duplicate.
    """

    fingerprint: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class DuplicateGroup(Generic[K]):
    """Documents with the same text (``exact``) or nearly the same, by their keys in order."""

    kind: Literal["exact", "near"]
    keys: tuple[K, ...]


def marks(text: str) -> Marks:
    """The fingerprint and the signature of a text."""
    return marks_of([text])[0]


def marks_of(texts: Sequence[str]) -> list[Marks]:
    """The marks of several texts, much faster than one by one."""
    found = [words(text) for text in texts]
    long = [place for place, some in enumerate(found) if len(some) >= _FEWEST]
    signatures = dict(zip(long, _signatures([found[place] for place in long]), strict=True))
    return [
        Marks(_fingerprint(some), signatures.get(place, b"")) for place, some in enumerate(found)
    ]


def _fingerprint(found: Sequence[str]) -> bytes:
    if not found:
        return b""
    joined = " ".join(found).encode("utf-8", "replace")
    return hashlib.blake2b(joined, digest_size=_FINGERPRINT).digest()


def _signatures(texts: Sequence[Sequence[str]]) -> list[bytes]:
    if not texts:
        return []
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    hashes = _hashes(list(itertools.chain.from_iterable(texts)))
    runs = _mixed(_runs(hashes))
    # A run from the end of one text into the next one is none.
    whole = owners[: len(runs)] == owners[_SHINGLE - 1 :]
    runs, owners = runs[whole], owners[: len(runs)][whole]
    # The highest seven bits choose the bin; of each bin the lowest run is its value, of which
    # the low 16 bits are enough: two different pairs agree in 1 of 65,536 cases.
    lowest = np.full(len(texts) * _HASHES, _NOTHING)
    np.minimum.at(lowest, owners * _HASHES + (runs >> np.uint64(57)).astype(np.intp), runs)
    filled = (lowest != _NOTHING).reshape(len(texts), _HASHES)
    values = (lowest & np.uint64(0xFFFF)).astype("<u2").reshape(len(texts), _HASHES)
    rows, empty = np.nonzero(~filled)
    order = _FILLERS[empty]
    first = filled[rows[:, np.newaxis], order].argmax(axis=1)
    values[rows, empty] = values[rows, order[np.arange(len(rows)), first]]
    return [row.tobytes() for row in values]


def _hashes(found: Sequence[str]) -> Ints:
    """A number for each word; some at a time, for an array holds many times their bytes."""
    parts = (found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE))
    return np.concatenate([_word_hashes(" ".join(p).encode("utf-8", "replace")) for p in parts])


def _word_hashes(joined: bytes) -> Ints:
    """A number for each word of a text whose words are parted by single blanks."""
    codes = np.frombuffer(joined, np.uint8)
    starts = np.append(0, np.flatnonzero(codes == 32) + 1)
    lengths = np.diff(np.append(starts, len(codes)))
    places = np.arange(len(codes)) - np.repeat(starts, lengths)
    # The blank behind a word is part of it but for the last; it adds nothing.
    added = np.where(codes == 32, 0, _ADDED[np.minimum(places, _LONGEST - 1) * 256 + codes])
    hashes: Ints = np.add.reduceat(added, starts)
    return hashes


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


class DuplicateFinder(Generic[K]):
    """Takes the marks of documents one after another and groups the duplicates among them.

    The signatures lie in a temporary file; held are some 100 bytes a document.
    """

    def __init__(self, near: float = NEAR) -> None:
        self._near = near
        self._keys: list[K] = []
        self._fingerprints = bytearray()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the finder
        self._signed: list[int] = []
        self._parents: list[int] = []

    def add(self, key: K, marks: Marks) -> None:
        """Take a document by a key that names it."""
        if marks.signature:
            self._signed.append(len(self._keys))
            self._file.write(marks.signature)
        self._keys.append(key)
        self._fingerprints += marks.fingerprint or bytes(_FINGERPRINT)

    def groups(self) -> list[DuplicateGroup[K]]:
        """The groups of two or more, in the order of their first documents.

        A group is exact if all its texts are the same; else it is near, and holds the exact
        duplicates of its members too. Nearness passes on from text to text.
        """
        exact = self._exact()
        self._parents = exact.tolist()
        for first, second in self._pairs(exact):
            self._join(first, second)
        members: dict[int, list[int]] = {}
        for place in range(len(self._keys)):
            root = self._root(place)
            if root != place:
                members.setdefault(root, [root]).append(place)
        found = []
        for _, places in sorted(members.items()):
            kind: Literal["exact", "near"] = "exact" if len(set(exact[places])) == 1 else "near"
            found.append(DuplicateGroup(kind, tuple(self._keys[place] for place in places)))
        return found

    def _exact(self) -> npt.NDArray[np.intp]:
        """For each document the first one with the same words; itself where it has no words."""
        places = np.arange(len(self._keys))
        prints = np.frombuffer(bytes(self._fingerprints), "<u8").reshape(-1, 2)
        order = np.lexsort((places, prints[:, 1], prints[:, 0]))
        ordered = prints[order]
        same = (ordered[1:] == ordered[:-1]).all(axis=1) & ordered[1:].any(axis=1)
        starts = np.flatnonzero(np.r_[True, ~same])[: len(places)]
        lengths = np.diff(np.r_[starts, len(places)])
        firsts = np.empty_like(places)
        firsts[order] = order[np.repeat(starts, lengths)] if len(places) else order
        return firsts

    def _pairs(self, exact: npt.NDArray[np.intp]) -> Iterator[tuple[int, int]]:
        """Pairs of documents that agree in a band and are near enough."""
        signed = np.array(self._signed, dtype=np.intp)
        rows = np.flatnonzero(exact[signed] == signed)
        if len(rows) < 2:
            return
        self._file.flush()
        matrix: Matrix = np.memmap(self._file, "<u2", "r", shape=(len(signed), _HASHES))
        for band in range(_BANDS):
            keys = _band(matrix, band)[rows]
            order = np.argsort(keys, kind="stable")
            runs, order = keys[order], rows[order]
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


def find_duplicates(documents: Iterable[tuple[K, str]]) -> list[DuplicateGroup[K]]:
    """The groups of duplicates among (key, text) pairs; the texts are read once and not kept."""
    finder: DuplicateFinder[K] = DuplicateFinder()
    waiting = iter(documents)
    while batch := list(itertools.islice(waiting, _BATCH)):
        for (key, _), found in zip(batch, marks_of([text for _, text in batch]), strict=True):
            finder.add(key, found)
    return finder.groups()
