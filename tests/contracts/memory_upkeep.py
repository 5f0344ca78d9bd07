"""What is done to the archive, in memory."""

from __future__ import annotations

from collections.abc import Iterable

from tests.contracts.memory_merging import MemoryMerging
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.merging import FormerCorpus
from trace_core.ports import Deed, Moved, Part


class MemoryUpkeep:
    """An UpkeepStore over the documents in memory."""

    def __init__(self, documents: MemoryMerging) -> None:
        self._documents = documents
        self._deeds: list[Deed] = []

    def _keys(self, part: Part) -> list[DocumentKey]:
        if part.corpus:
            return self._documents.keys_of(part.corpus)
        if part.report:
            brought = self._documents.brought.items()
            return [k for (k, number), report in brought if (number, report) == (1, part.report)]
        now = [self._documents.now(key) for key in part.keys]
        return [key for key in dict.fromkeys(now) if self._documents.versions(key)]

    def set_withdrawn(self, part: Part, deed: Deed, *, withdrawn: bool) -> int:
        documents = [self._documents.document(key) for key in self._keys(part)]
        wanted = [d.key for d in documents if d.withdrawn != withdrawn]
        self._documents.withdraw(wanted, withdrawn=withdrawn)
        self._deeds += [deed] if wanted else []
        return len(wanted)

    def size(self, part: Part) -> tuple[int, int]:
        found = [self._documents.document(key) for key in self._keys(part)]
        return len(found), sum(document.withdrawn for document in found)

    def changed_by(self, report: str) -> int:
        brought = self._documents.brought.items()
        return len({key for (key, number), by in brought if number > 1 and by == report})

    def merge(self, corpus: str, into: str, deed: Deed) -> list[Moved]:
        renamed = self._documents.merge(corpus, into)
        self._deeds.append(deed)
        return renamed

    def taken(self, corpus: str, into: str) -> int:
        return self._documents.taken(corpus, into)

    def unmerge(self, corpus: str, deed: Deed) -> SubCorpus:
        again = self._documents.unmerge(corpus)
        self._deeds.append(deed)
        return again

    def returning(self, corpus: str) -> int:
        return self._documents.returning(corpus)

    def describe(self, corpus: SubCorpus, deed: Deed) -> None:
        if corpus not in self._documents.corpora():
            self._documents.put_corpus(corpus)
            self._deeds.append(deed)

    def former_corpora(self) -> dict[str, FormerCorpus]:
        return dict(self._documents.former)

    def present(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentKey]:
        return {key: self._documents.now(key) for key in keys if key in self._documents.moved}

    def former(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, tuple[DocumentKey, ...]]:
        moved = sorted(self._documents.moved)
        found = {key: tuple(o for o in moved if self._documents.now(o) == key) for key in keys}
        return {key: old for key, old in found.items() if old}

    def deeds(self) -> list[Deed]:
        return list(self._deeds)
