"""The ports of the indexes, of what fills them, and of the embedder behind the vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from trace_core.domain.corpus import Chunk, Scope
from trace_core.domain.hits import ChunkScore

IndexName = Literal["lexical", "vectors"]

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row: shape (n, dimensions)."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One chunk as the indexes take it: its text as shown, and what filters need."""

    chunk: Chunk
    language: str
    earliest: int | None
    latest: int | None


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """One token of the indexed layer with its weight in the query."""

    text: str
    weight: float = 1.0


class LexicalIndex(Protocol):
    """An inverted index over the indexed layer of chunks.

    Every search applies the scope before it cuts to `limit`, and returns chunks best first. Of
    the scope it knows sub-corpora and days; the rest is applied by `trace_core.search.within`.
    A broken index raises SearchFailed; it never returns an empty list for an error.
    """

    def add(self, entries: Sequence[IndexEntry]) -> None:
        """Add or replace chunks; visible when the call returns."""

    def remove(self, chunk_ids: Iterable[int]) -> None:
        """Take chunks out."""

    def clear(self) -> None:
        """Empty the index."""

    def count(self) -> int:
        """Number of chunks in the index."""

    def ids(self) -> set[int]:
        """The ids of all chunks in the index."""

    def search(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        """BM25 of a text as a person or a model writes it; never refuses any character."""

    def search_terms(
        self, terms: Sequence[WeightedTerm], scope: Scope, limit: int
    ) -> list[ChunkScore]:
        """BM25 of weighted tokens of the indexed layer, joined by OR."""

    def search_best(
        self,
        groups: Sequence[Sequence[WeightedTerm]],
        ties: Sequence[WeightedTerm],
        scope: Scope,
        limit: int,
    ) -> list[ChunkScore]:
        """Chunks by the sum, over groups, of the weight of the heaviest term that stands there.

        A term of several tokens stands where they follow each other. `ties` are terms whose
        weighted BM25 is added; alone they find nothing.
        """

    def search_phrase(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        """Chunks with these words in this order, side by side in the indexed layer."""

    def vocabulary(self) -> Iterator[tuple[str, int]]:
        """Every token of the indexed layer with the number of chunks that hold it."""

    def optimize(self) -> None:
        """Do the housekeeping that a large batch leaves behind."""


class VectorIndex(Protocol):
    """Vectors of chunks, searched by cosine similarity within a scope."""

    def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace chunks."""

    def remove(self, chunk_ids: Iterable[int]) -> None:
        """Take chunks out."""

    def clear(self, dimensions: int) -> None:
        """Empty the index and set the vectors' length."""

    def count(self) -> int:
        """Number of chunks in the index."""

    def ids(self) -> set[int]:
        """The ids of all chunks in the index."""

    def search(self, vector: Vectors, scope: Scope, limit: int) -> list[ChunkScore]:
        """The nearest chunks to one vector (shape (dimensions,)), score = cosine."""

    def optimize(self) -> None:
        """Build or refresh what makes a large index fast."""


class Embedder(Protocol):
    """Turns texts into unit vectors. Loading may take seconds; calls are thread-safe."""

    @property
    def version(self) -> str:
        """Changes when the same text would get another vector."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (n, dimensions); a text without content gives zeros."""

    def embed_query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""


class IndexQueue(Protocol):
    """Chunks whose index entries are still to be written, kept with the documents themselves.

    A store that adds or withdraws documents queues their chunks in the same transaction, once
    for each index; the indexer takes them out only when the index has committed. After a crash
    the queue says what is left to do, and doing it twice changes nothing.
    """

    def pending(
        self, index: IndexName, limit: int
    ) -> tuple[list[tuple[IndexEntry, int]], list[tuple[int, int]]]:
        """(entries to add, chunk ids to remove), each with its queue ticket, oldest first."""

    def pending_count(self, index: IndexName) -> int:
        """How many tickets are open."""

    def done(self, index: IndexName, tickets: Iterable[int]) -> None:
        """Close these tickets."""

    def clear(self, index: IndexName) -> None:
        """Close all tickets of an index that is not kept."""

    def requeue_all(self, index: IndexName) -> int:
        """Drop open tickets and queue every current, not withdrawn chunk; how many."""
