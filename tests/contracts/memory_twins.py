"""Which documents have the same text, in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.contracts.memory_documents import MemoryDocuments
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Marked, TwinGroup, TwinKind, Unmarked


class MemoryTwins:
    """A TwinStore over the documents in memory."""

    def __init__(self, documents: MemoryDocuments) -> None:
        self._documents = documents
        self._marks: dict[int, Marked] = {}
        self._groups: list[tuple[TwinKind, list[int]]] = []

    def unmarked(self, after: int = 0, limit: int = 500) -> list[Unmarked]:
        found = [
            Unmarked(number, document.version, document.text)
            for number, document in self._documents.numbered()
            if number > after
            and (number not in self._marks or self._marks[number].version != document.version)
        ]
        return found[:limit]

    def mark(self, marks: Sequence[Marked]) -> None:
        versions = {number: document.version for number, document in self._documents.numbered()}
        self._marks |= {m.number: m for m in marks if versions.get(m.number) == m.version}

    def marks(self, after: int = 0, limit: int = 5000) -> list[Marked]:
        return [mark for number, mark in sorted(self._marks.items()) if number > after][:limit]

    def put_groups(self, groups: Iterable[tuple[TwinKind, Sequence[int]]]) -> None:
        self._groups = [(kind, list(numbers)) for kind, numbers in groups]

    def _live(self) -> list[TwinGroup]:
        documents = dict(self._documents.numbered())
        found = []
        for kind, numbers in sorted(self._groups, key=lambda group: group[1][0]):
            keys = tuple(documents[n].key for n in numbers if not documents[n].withdrawn)
            if len(keys) > 1:
                found.append(TwinGroup(kind, keys))
        return found

    def groups(self, offset: int = 0, limit: int = 100) -> list[TwinGroup]:
        return self._live()[offset : offset + limit]

    def count(self) -> tuple[int, int]:
        return len(self._live()), sum(len(group.keys) for group in self._live())

    def twins(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, TwinGroup]:
        groups = {key: group for group in self._live() for key in group.keys}
        now = {key: self._documents.now(key) for key in keys}
        return {key: groups[now[key]] for key in now if now[key] in groups}
