"""What the indexes do not know of a scope: merged sub-corpora, and the least OCR quality.

A run or a person may name a sub-corpus that has gone into another one since; the other one is
then searched. Qualities are estimated anew as an archive grows; were they in the indexes, every
estimate would mean to write every passage again. So here an index is asked for more until enough
of its passages are good enough: the filter applies before the cut, like the rest of a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.hits import ChunkScore
from trace_core.ports import DocumentStore, LexicalIndex, VectorIndex, Vectors, WeightedTerm

_GROWTH = 4
_REMEMBERED = 200_000

Fetch = Callable[[Scope, int], list[ChunkScore]]


class Gate:
    """Lets those passages through that a scope holds; made for one state of the archive."""

    def __init__(self, documents: DocumentStore, former: Mapping[str, str]) -> None:
        """`former` names the present sub-corpora of those that were merged."""
        self._former = former
        self._documents = documents
        self._known: dict[DocumentKey, float | None] = {}

    def lexical(self, index: LexicalIndex) -> LexicalIndex:
        """An inverted index that keeps the whole scope."""
        return cast(LexicalIndex, _Lexical(index, self))

    def vectors(self, index: VectorIndex) -> VectorIndex:
        """A vector index that keeps the whole scope."""
        return cast(VectorIndex, _Vectors(index, self))

    def left(self, fetch: Fetch, scope: Scope, limit: int) -> list[ChunkScore]:
        """The first `limit` passages whose documents are good enough."""
        scope, least = self._present(scope), scope.min_quality
        if least is None:
            return fetch(scope, limit)
        wanted = limit
        while True:
            found = fetch(scope, wanted)
            qualities = self._qualities(found)
            kept = [c for c in found if (q := qualities[c.key]) is None or q >= least]
            if len(kept) >= limit or len(found) < wanted:
                return kept[:limit]
            wanted *= _GROWTH

    def _present(self, scope: Scope) -> Scope:
        if not self._former.keys() & set(scope.corpora):
            return scope
        named = dict.fromkeys(self._former.get(c, c) for c in scope.corpora)
        return replace(scope, corpora=tuple(named))

    def _qualities(self, found: Sequence[ChunkScore]) -> dict[DocumentKey, float | None]:
        known = self._known
        missing = {chunk.key for chunk in found} - known.keys()
        if len(known) + len(missing) > _REMEMBERED:
            self._known = known = {}
            missing = {chunk.key for chunk in found}
        heads = self._documents.heads(missing) if missing else {}
        for key in missing:
            known[key] = heads[key].quality if key in heads else None
        return known


class _Lexical:
    def __init__(self, inner: LexicalIndex, gate: Gate) -> None:
        self._inner, self._gate = inner, gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._gate.left(lambda s, n: self._inner.search(text, s, n), scope, limit)

    def search_terms(
        self, terms: Sequence[WeightedTerm], scope: Scope, limit: int
    ) -> list[ChunkScore]:
        return self._gate.left(lambda s, n: self._inner.search_terms(terms, s, n), scope, limit)

    def search_best(
        self,
        groups: Sequence[Sequence[WeightedTerm]],
        ties: Sequence[WeightedTerm],
        scope: Scope,
        limit: int,
    ) -> list[ChunkScore]:
        return self._gate.left(
            lambda s, n: self._inner.search_best(groups, ties, s, n), scope, limit
        )

    def search_phrase(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._gate.left(lambda s, n: self._inner.search_phrase(text, s, n), scope, limit)


class _Vectors:
    def __init__(self, inner: VectorIndex, gate: Gate) -> None:
        self._inner, self._gate = inner, gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, vector: Vectors, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._gate.left(lambda s, n: self._inner.search(vector, s, n), scope, limit)
