"""An archive seen otherwise, for one replay: documents hidden from its searches, or planted in it.

The stores themselves are not touched: these are the same ports with something left out or put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from trace_core.domain.corpus import Chunk, DocumentHead, DocumentKey, Scope
from trace_core.domain.dates import HistoricalDate
from trace_core.domain.hits import ChunkScore
from trace_core.ports import DocumentStore, LexicalIndex, VectorIndex
from trace_core.text.tokens import words

_FIRST_PLANTED = 2_000_000_000
"""Ids of planted passages; no workspace has given so many."""

_SHARED_WORDS = 2
"""A planted passage comes up for a query that shares so many longer words with it."""

_LONG = 4


@dataclass(frozen=True, slots=True)
class Planted:
    """A document that is not in the archive: one passage, with a title and perhaps a date."""

    key: DocumentKey
    text: str
    title: str = ""
    date: HistoricalDate | None = None
    language: str = ""

    @property
    def head(self) -> DocumentHead:
        """As lists see it."""
        return DocumentHead(
            self.key, 1, self.title, self.date, self.language, len(self.text.split())
        )


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is hidden and what is planted."""

    hidden: frozenset[DocumentKey] = frozenset()
    planted: tuple[Planted, ...] = ()

    def lexical(self, index: LexicalIndex) -> LexicalIndex:
        """The inverted index under this overlay."""
        return cast(LexicalIndex, _Lexical(index, self))

    def vectors(self, index: VectorIndex) -> VectorIndex:
        """The vector index under this overlay; nothing is planted in it."""
        return cast(VectorIndex, _Vectors(index, self))

    def documents(self, documents: DocumentStore) -> DocumentStore:
        """The records under this overlay. What is hidden can be read, but no longer browsed."""
        return cast(DocumentStore, _Documents(documents, self))

    def chunk_of(self, planted: Planted) -> Chunk:
        """The one passage of a planted document."""
        number = _FIRST_PLANTED + self.planted.index(planted)
        return Chunk(number, planted.key, 1, 0, 0, len(planted.text), planted.text)

    def left(self, fetch: Callable[[int], list[ChunkScore]], limit: int) -> list[ChunkScore]:
        """The first `limit` chunks that are not hidden."""
        more = limit
        while True:
            found = fetch(more)
            kept = [c for c in found if c.key not in self.hidden]
            if len(kept) >= limit or len(found) < more:
                return kept[:limit]
            more *= 2


class _Lexical:
    def __init__(self, inner: LexicalIndex, overlay: Overlay) -> None:
        self._inner, self._overlay = inner, overlay

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        found = self._overlay.left(lambda n: self._inner.search(text, scope, n), limit)
        best = found[0].score if found else 1.0
        asked = _longer(text)
        planted = [
            ChunkScore(self._overlay.chunk_of(p).id, p.key, best * 1.01)
            for p in self._overlay.planted
            if len(asked & _longer(p.text)) >= _SHARED_WORDS and _inside(p, scope)
        ]
        return [*planted, *found][:limit]

    def search_terms(self, terms: Any, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._overlay.left(lambda n: self._inner.search_terms(terms, scope, n), limit)

    def search_best(self, groups: Any, ties: Any, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._overlay.left(lambda n: self._inner.search_best(groups, ties, scope, n), limit)

    def search_phrase(self, text: str, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._overlay.left(lambda n: self._inner.search_phrase(text, scope, n), limit)


class _Vectors:
    def __init__(self, inner: VectorIndex, overlay: Overlay) -> None:
        self._inner, self._overlay = inner, overlay

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def search(self, vector: Any, scope: Scope, limit: int) -> list[ChunkScore]:
        return self._overlay.left(lambda n: self._inner.search(vector, scope, n), limit)


class _Documents:
    def __init__(self, inner: DocumentStore, overlay: Overlay) -> None:
        self._inner, self._overlay = inner, overlay
        self._chunks = {c.id: c for p in overlay.planted for c in [overlay.chunk_of(p)]}
        self._heads = {p.key: p.head for p in overlay.planted}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def browse(self, scope: Scope, **page: Any) -> list[DocumentHead]:
        found = self._inner.browse(scope, **page)
        return [head for head in found if head.key not in self._overlay.hidden]

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        wanted = list(keys)
        own = {k: self._heads[k] for k in wanted if k in self._heads}
        return own | self._inner.heads([k for k in wanted if k not in own])

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        wanted = list(ids)
        own = {i: self._chunks[i] for i in wanted if i in self._chunks}
        return own | self._inner.chunks([i for i in wanted if i not in own])

    def chunks_of(self, key: DocumentKey, version: int | None = None) -> Sequence[Chunk]:
        if key in self._heads:
            return [chunk for chunk in self._chunks.values() if chunk.key == key]
        return self._inner.chunks_of(key, version)


def _longer(text: str) -> set[str]:
    return {word for word in words(text) if len(word) >= _LONG}


def _inside(planted: Planted, scope: Scope) -> bool:
    if scope.corpora and planted.key.corpus not in scope.corpora:
        return False
    if not scope.dated:
        return True
    if planted.date is None:
        return scope.include_undated
    low = scope.earliest is None or planted.date.latest >= scope.earliest
    high = scope.latest is None or planted.date.earliest <= scope.latest
    return low and high
