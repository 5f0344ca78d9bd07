"""Indexes in memory that look at every chunk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tests.contracts.memory_documents import inside
from trace_core.domain.corpus import Scope
from trace_core.domain.hits import ChunkScore
from trace_core.ports import IndexEntry, Vectors, WeightedTerm
from trace_core.text.tokens import words


class MemoryLexical:
    """A LexicalIndex that reads every chunk."""

    def __init__(self) -> None:
        self._entries: dict[int, IndexEntry] = {}

    def add(self, entries: Sequence[IndexEntry]) -> None:
        self._entries |= {entry.chunk.id: entry for entry in entries}

    def remove(self, chunk_ids: Iterable[int]) -> None:
        for chunk in chunk_ids:
            self._entries.pop(chunk, None)

    def clear(self) -> None:
        self._entries.clear()

    def count(self) -> int:
        return len(self._entries)

    def ids(self) -> set[int]:
        return set(self._entries)

    def search(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        weights = Counter(words(text))
        return self.search_terms([WeightedTerm(t, n) for t, n in weights.items()], scope, limit)

    def search_terms(
        self, terms: Sequence[WeightedTerm], scope: Scope, limit: int
    ) -> list[ChunkScore]:
        score: dict[int, float] = {}
        for term in terms:
            found = self._holding(term)
            idf = math.log(1 + (self.count() - len(found) + 0.5) / (len(found) + 0.5))
            for i, times in found.items():
                length = len(words(self._entries[i].chunk.text))
                gain = term.weight * idf * times * 2.2 / (times + 0.3 + 0.009 * length)
                score[i] = score.get(i, 0.0) + gain
        return self._best(score, scope, limit)

    def search_best(
        self,
        groups: Sequence[Sequence[WeightedTerm]],
        ties: Sequence[WeightedTerm],
        scope: Scope,
        limit: int,
    ) -> list[ChunkScore]:
        score: dict[int, float] = {}
        for group in groups:
            best: dict[int, float] = {}
            for term in group:
                for i in self._holding(term):
                    best[i] = max(best.get(i, 0.0), term.weight)
            for i, weight in best.items():
                score[i] = score.get(i, 0.0) + weight
        for hit in self.search_terms(ties, scope, self.count()):
            if hit.chunk_id in score:
                score[hit.chunk_id] += hit.score
        return self._best(score, scope, limit)

    def search_phrase(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        wanted = words(text)
        score: dict[int, float] = {}
        for i, one in self._all() if wanted else []:
            held = words(one.chunk.text)
            parts = " ".join(held).count(" ".join(wanted))
            if parts:
                score[i] = parts + 2.0 * _times(wanted, held)
        return self._best(score, scope, limit)

    def vocabulary(self) -> Iterator[tuple[str, int]]:
        counts: Counter[str] = Counter()
        for entry in self._entries.values():
            counts.update(set(words(entry.chunk.text)))
        yield from counts.items()

    def optimize(self) -> None:
        return None

    def _holding(self, term: WeightedTerm) -> dict[int, int]:
        wanted = term.text.split()
        held = {i: _times(wanted, words(entry.chunk.text)) for i, entry in self._all()}
        return {i: times for i, times in held.items() if times}

    def _all(self) -> list[tuple[int, IndexEntry]]:
        return list(self._entries.items())

    def _best(self, score: Mapping[int, float], scope: Scope, limit: int) -> list[ChunkScore]:
        found = []
        for i, value in sorted(score.items(), key=lambda pair: -pair[1]):
            entry = self._entries[i]
            if inside(scope, entry.chunk.key.corpus, entry.earliest, entry.latest):
                found.append(ChunkScore(i, entry.chunk.key, value))
        return found[: max(limit, 0)]


def _times(wanted: list[str], held: list[str]) -> int:
    size = len(wanted)
    return sum(held[n : n + size] == wanted for n in range(len(held) - size + 1)) if size else 0


class MemoryVectors:
    """A VectorIndex that compares with every chunk."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[IndexEntry, Vectors]] = {}

    def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        for entry, vector in zip(entries, vectors, strict=True):
            self._rows[entry.chunk.id] = (entry, np.asarray(vector, np.float32))

    def remove(self, chunk_ids: Iterable[int]) -> None:
        for chunk in chunk_ids:
            self._rows.pop(chunk, None)

    def clear(self, dimensions: int) -> None:
        self._rows.clear()

    def count(self) -> int:
        return len(self._rows)

    def ids(self) -> set[int]:
        return set(self._rows)

    def search(self, vector: Vectors, scope: Scope, limit: int) -> list[ChunkScore]:
        if not np.any(vector):
            return []
        found = [
            ChunkScore(i, entry.chunk.key, float(row @ vector) / float(np.linalg.norm(vector)))
            for i, (entry, row) in self._rows.items()
            if np.any(row) and inside(scope, entry.chunk.key.corpus, entry.earliest, entry.latest)
        ]
        return sorted(found, key=lambda hit: -hit.score)[: max(limit, 0)]

    def optimize(self) -> None:
        return None
