"""The built-in embedder: a latent semantic index trained on the archive itself.

Comes in: texts of the archive's chunks (for training: any iterable, of which a seeded sample is
kept). Goes out: unit vectors for passages and queries. What is kept: arrays (the axes in four bits
a component, see `lsa_axes`) and a line of JSON, never a pickle, with a version that changes
whenever the same text would get another vector.

Features are the words of the folded text and the character 4-grams inside them (with a mark at
either end), so that an inflected, misspelt or misread word still shares most of its features
with the right one, in any language. Each of the two groups is weighted by (1 + ln tf) * idf and
scaled to unit length (Salton and Buckley 1988), then both are projected together on the leading
right singular vectors of the training matrix (Deerwester et al., *Indexing by Latent Semantic
Analysis*, 1990; the decomposition is the randomised one of Halko, Martinsson and Tropp 2011).
Trained on the archive in seconds, it follows the archive's own spelling and vocabulary.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from trace_core.domain.errors import BadInput, EmbedderUnavailable
from trace_core.ports import Artifact, Vectors
from trace_core.search.lsa_axes import Axes
from trace_core.text.folding import FOLDING
from trace_core.text.tokens import words as cut

_FORMAT = f"lsa-2.{FOLDING}"
_GRAM = 4
_MAX_WORD = 40
_CACHE = 200_000

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

_NO_IDS: Ids = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class LsaSettings:
    """How an index is trained.

    `dimensions` of the space; `sample` is the most chunks it is trained on; `words` and `grams`
    bound the two vocabularies (the features in most chunks stay); a feature must occur in at
    least `min_chunks` of them, unless the archive is too small to ask that.
    """

    dimensions: int = 300
    sample: int = 20_000
    words: int = 32_768
    grams: int = 32_768
    min_chunks: int = 2
    power_iterations: int = 2
    seed: int = 1887


def fold_words(text: str) -> list[str]:
    """The words of a text without case, accents, ligatures and line-end hyphens."""
    return [word[:_MAX_WORD] for word in cut(text)]


def _grams(word: str) -> list[str]:
    marked = f" {word} "
    return [marked[i : i + _GRAM] for i in range(max(1, len(marked) - _GRAM + 1))]


class LatentIndex:
    """A trained latent semantic index; an `Embedder` that needs neither model nor network."""

    def __init__(self, words: Sequence[str], grams: Sequence[str], idf: Floats, axes: Axes):
        """`idf` has one value a feature, words first, and `axes` one row."""
        self._words = {word: i for i, word in enumerate(words)}
        self._grams = {gram: i for i, gram in enumerate(grams, start=len(words))}
        self._idf = idf
        self._axes = axes
        self._cache: dict[str, tuple[int, Ids]] = {}
        self._version = _version_of(words, grams, idf, axes)

    @property
    def version(self) -> str:
        """A hash of all that the vectors depend on."""
        return self._version

    @property
    def dimensions(self) -> int:
        """Length of a vector; less than asked for where the archive is small."""
        return self._axes.dimensions

    @classmethod
    def fit(cls, texts: Iterable[str], settings: LsaSettings | None = None) -> LatentIndex:
        """Train on a seeded reservoir sample of the texts. Raises BadInput without any word.

        The same texts in the same order with the same settings give the same index.
        """
        wanted = settings or LsaSettings()
        counts = [Counter(fold_words(text)) for text in _reservoir(texts, wanted)]
        counts = [count for count in counts if count]
        if not counts:
            raise BadInput("There is no text to train the latent semantic index on; import first.")
        words, grams, idf = _vocabulary(counts, wanted)
        blank = cls(words, grams, idf, Axes.of(np.zeros((len(idf), 0), dtype=np.float32)))
        return cls(words, grams, idf, Axes.of(_axes(blank._matrix(counts), wanted)))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (n, dimensions); zeros where no feature is known."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        matrix = self._matrix([Counter(fold_words(text)) for text in texts])
        return _unit(np.asarray(matrix @ self._axes.whole(), dtype=np.float32))

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,); zeros where no feature is known."""
        ids, values = self._features(Counter(fold_words(text)))
        if not len(ids):
            return np.zeros(self.dimensions, dtype=np.float32)
        # Not by BLAS, whose threads would wait busily and slow down the search that follows.
        vector: Vectors = _unit(np.einsum("i,ij->j", values, self._axes.rows(ids))[None, :])[0]
        return vector

    def artifact(self) -> Artifact:
        """The index as arrays and a line of JSON, to be kept with the workspace."""
        return Artifact(
            version=self.version,
            arrays={
                "words": _packed(self._words),
                "grams": _packed(self._grams),
                "idf": self._idf,
                **self._axes.arrays(),
            },
            meta=json.dumps({"format": _FORMAT}),
        )

    @classmethod
    def from_artifact(cls, artifact: Artifact) -> LatentIndex:
        """The index that `artifact` gave. Raises EmbedderUnavailable for a foreign or torn one."""
        try:
            known = json.loads(artifact.meta)["format"] == _FORMAT
            index = cls(
                _unpacked(artifact.arrays["words"]),
                _unpacked(artifact.arrays["grams"]),
                np.asarray(artifact.arrays["idf"], dtype=np.float32),
                Axes.from_arrays(artifact.arrays),
            )
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise EmbedderUnavailable(_DAMAGED) from error
        if not known or index.version != artifact.version:
            raise EmbedderUnavailable(_DAMAGED)
        return index

    def _features(self, counts: Counter[str]) -> tuple[Ids, Floats]:
        """Feature ids and weights of one text; each of the two groups has unit length."""
        found = [(count, *self._ids(word)) for word, count in counts.items()]
        known = [(word_id, count) for count, word_id, _ in found if word_id >= 0]
        gram_ids = np.concatenate([_NO_IDS, *(grams for _, _, grams in found)])
        repeats = np.repeat([c for c, _, _ in found], [len(grams) for _, _, grams in found])
        grams, place = np.unique(gram_ids, return_inverse=True)
        gram_tf = np.bincount(place, weights=repeats, minlength=len(grams))
        ids = np.concatenate([np.array([i for i, _ in known], dtype=np.int32), grams])
        tf = np.concatenate([np.array([c for _, c in known], dtype=np.float32), gram_tf])
        values = ((1.0 + np.log(tf)) * self._idf[ids]).astype(np.float32)
        for part in (values[: len(known)], values[len(known) :]):
            length = float(np.linalg.norm(part))
            if length:
                part /= length
        return ids, values

    def _ids(self, word: str) -> tuple[int, Ids]:
        """The word's feature (-1 when unknown) and those of its 4-grams."""
        known = self._cache.get(word)
        if known is None:
            found = [self._grams[g] for g in _grams(word) if g in self._grams]
            known = (self._words.get(word, -1), np.array(found, dtype=np.int32))
            if len(self._cache) >= _CACHE:
                self._cache.clear()
            self._cache[word] = known
        return known

    def _matrix(self, counts: Sequence[Counter[str]]) -> Any:
        """Sparse rows of weighted features, shape (texts, features)."""
        from scipy.sparse import csr_matrix

        rows = [self._features(count) for count in counts]
        ends = np.cumsum([0, *(len(ids) for ids, _ in rows)])
        return csr_matrix(
            (np.concatenate([v for _, v in rows]), np.concatenate([i for i, _ in rows]), ends),
            shape=(len(rows), len(self._idf)),
            dtype=np.float32,
        )


_DAMAGED = "The latent semantic index cannot be read; `reindex` trains it again."


def _reservoir(texts: Iterable[str], settings: LsaSettings) -> list[str]:
    """A uniform sample of at most `sample` texts (Vitter's algorithm R), seeded."""
    chance = random.Random(settings.seed)
    kept: list[str] = []
    for seen, text in enumerate(texts):
        if seen < settings.sample:
            kept.append(text)
        elif (place := chance.randint(0, seen)) < settings.sample:
            kept[place] = text
    return kept


def _vocabulary(
    counts: Sequence[Counter[str]], settings: LsaSettings
) -> tuple[list[str], list[str], Floats]:
    """The words and 4-grams kept and their idf = 1 + ln((1 + n) / (1 + df)), words first."""
    in_words: Counter[str] = Counter()
    in_grams: Counter[str] = Counter()
    for count in counts:
        in_words.update(count.keys())
        in_grams.update({gram for word in count for gram in _grams(word)})
    least = settings.min_chunks if len(counts) >= 10 * settings.min_chunks else 1
    words = _most(in_words, settings.words, least)
    grams = _most(in_grams, settings.grams, least)
    found = [*(in_words[w] for w in words), *(in_grams[g] for g in grams)]
    idf = [1.0 + math.log((1 + len(counts)) / (1 + df)) for df in found]
    return words, grams, np.array(idf, dtype=np.float32)


def _most(found_in: Counter[str], most: int, least: int) -> list[str]:
    kept = [(feature, n) for feature, n in found_in.items() if n >= least]
    kept.sort(key=lambda pair: (-pair[1], pair[0]))
    return sorted(feature for feature, _ in kept[:most])


def _axes(matrix: Any, settings: LsaSettings) -> Floats:
    """The leading right singular vectors by randomised range finding, (features, dimensions)."""
    rank = min(settings.dimensions, *matrix.shape)
    width = min(rank + 10, *matrix.shape)
    random_state = np.random.default_rng(settings.seed)
    across = matrix.T.tocsr()
    basis = _orthonormal(
        matrix @ random_state.standard_normal((matrix.shape[1], width), dtype=np.float32)
    )
    for _ in range(settings.power_iterations):
        basis = _orthonormal(matrix @ (across @ basis))
    inside = across @ basis
    # The eigenvectors of the small matrix give the singular vectors of the tall one.
    squares, turn = np.linalg.eigh((inside.T @ inside).astype(np.float64))
    order = np.argsort(-squares)[:rank]
    order = order[squares[order] > squares.max() * 1e-9]
    axes = inside @ (turn[:, order] / np.sqrt(squares[order])).astype(np.float32)
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.ascontiguousarray(axes * signs, dtype=np.float32)


def _orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis of the columns' span."""
    basis, _ = np.linalg.qr(columns)
    return np.asarray(basis, dtype=np.float32)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit


def _packed(features: Iterable[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(features).encode(), dtype=np.uint8)


def _unpacked(packed: npt.NDArray[np.generic]) -> list[str]:
    text = np.asarray(packed, dtype=np.uint8).tobytes().decode()
    return text.split("\n") if text else []


def _version_of(words: Sequence[str], grams: Sequence[str], idf: Floats, axes: Axes) -> str:
    digest = hashlib.sha256(_FORMAT.encode())
    for part in (*words, "", *grams):
        digest.update(part.encode() + b"\n")
    digest.update(np.ascontiguousarray(idf).tobytes())
    digest.update(np.ascontiguousarray(axes.codes).tobytes())
    digest.update(np.ascontiguousarray(axes.scale).tobytes())
    return f"{_FORMAT}-{digest.hexdigest()[:16]}"
