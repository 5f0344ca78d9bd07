"""The archive's records and their queue in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trace_core.domain.corpus import Chunk, Document, DocumentHead, DocumentKey, Scope, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.domain.merging import FormerCorpus, within
from trace_core.ports import (
    CorpusStats,
    IndexEntry,
    IndexName,
    KnownSource,
    NewDocument,
    Quality,
    Spread,
    StoredDocument,
    Unrated,
)


def good_enough(scope: Scope, quality: float | None) -> bool:
    """Whether a document is not known to be worse than a scope wants."""
    return scope.min_quality is None or quality is None or quality >= scope.min_quality


def inside(scope: Scope, corpus: str, earliest: int | None, latest: int | None) -> bool:
    """Whether something of this sub-corpus and these days lies inside a scope."""
    if scope.corpora and corpus not in scope.corpora:
        return False
    if not scope.dated:
        return True
    if earliest is None or latest is None:
        return scope.include_undated
    return (scope.latest is None or earliest <= scope.latest) and (
        scope.earliest is None or latest >= scope.earliest
    )


class MemoryDocuments:
    """A DocumentStore and its IndexQueue."""

    def __init__(self) -> None:
        self._corpora: dict[str, SubCorpus] = {}
        self._versions: dict[DocumentKey, list[Document]] = {}
        self._cut: dict[tuple[DocumentKey, int], list[int]] = {}
        self._chunks: dict[int, Chunk] = {}
        self._withdrawn: set[DocumentKey] = set()
        self._tickets: dict[IndexName, dict[int, int]] = {"lexical": {}, "vectors": {}}
        self._next_ticket = 1
        self._rated_by: dict[DocumentKey, str] = {}
        self._sources: dict[DocumentKey, bytes] = {}
        self.former: dict[str, FormerCorpus] = {}
        self.moved: dict[DocumentKey, int] = {}
        self.home: set[DocumentKey] = set()
        self.placed: dict[DocumentKey, int] = {}
        self.brought: dict[tuple[DocumentKey, int], str] = {}
        self._generation = 0

    def generation(self) -> int:
        return self._generation

    def corpora(self) -> list[SubCorpus]:
        return sorted(self._corpora.values(), key=lambda c: (c.name, c.id))

    def put_corpus(self, corpus: SubCorpus) -> None:
        if corpus.id not in self.former and self._corpora.get(corpus.id) != corpus:
            self._corpora[corpus.id] = corpus
            self._generation += 1

    def stats(self) -> list[CorpusStats]:
        return [self._stats(corpus) for corpus in sorted(self._corpora)]

    def _stats(self, corpus: str) -> CorpusStats:
        mine = [key for key in self._versions if key.corpus == corpus]
        newest = [self._versions[key][-1] for key in mine if key not in self._withdrawn]
        dates = [document.date for document in newest if document.date]
        return CorpusStats(
            corpus=corpus,
            documents=len(newest),
            chunks=sum(len(self._cut[d.key, d.version]) for d in newest),
            undated=len(newest) - len(dates),
            withdrawn=len(mine) - len(newest),
            words=sum(len(d.text.split()) for d in newest),
            earliest=min((date.earliest for date in dates), default=None),
            latest=max((date.latest for date in dates), default=None),
        )

    def spread(self) -> Spread:
        found = [v[-1] for key, v in self._versions.items() if key not in self._withdrawn]
        dated = [d for d in found if d.date is not None and not d.date.is_open]
        days = Counter((d.key.corpus, d.date.earliest) for d in dated if d.date)
        rated = [(d.key.corpus, round(100 * d.quality)) for d in found if d.quality is not None]
        return Spread(
            tuple((corpus, day, n) for (corpus, day), n in sorted(days.items())),
            tuple((corpus, percent, n) for (corpus, percent), n in sorted(Counter(rated).items())),
        )

    def add(self, documents: Sequence[NewDocument]) -> list[StoredDocument]:
        before = len(self._chunks)
        stored = [self._add(new) for new in documents]
        changed = any(one.outcome != "unchanged" for one in stored)
        self._generation += changed or len(self._chunks) != before
        return stored

    def _add(self, new: NewDocument) -> StoredDocument:
        key = self._placed(new.document.key, new.document)
        new = replace(new, document=replace(new.document, key=key))
        self._corpora.setdefault(key.corpus, SubCorpus(key.corpus, key.corpus))
        versions = self._versions.setdefault(key, [])
        if versions and _same(versions[-1], new.document):
            number = versions[-1].version
            old = self._cut[key, number]
            spans = [
                (self._chunks[i].start, self._chunks[i].end, self._chunks[i].page) for i in old
            ]
            if spans != list(new.spans):
                self._retire(old)
                old = self._cut_up(new, number)
            self._sources[key] = new.source or self._sources.get(key, b"")
            return StoredDocument(key, "unchanged", number, tuple(old))
        if versions:
            self._retire(self._cut[key, versions[-1].version])
        elif new.document.withdrawn:
            self._withdrawn.add(key)
        self._rated_by[key] = "source" if new.rated else ""
        number = len(versions) + 1
        self.brought[key, number] = new.report
        self._sources[key] = new.source
        versions.append(replace(new.document, version=number, withdrawn=False))
        ids = self._cut_up(new, number)
        return StoredDocument(key, "changed" if number > 1 else "new", number, tuple(ids))

    def now(self, key: DocumentKey) -> DocumentKey:
        return self.at(self.moved[key]) if key in self.moved else key

    def at(self, number: int) -> DocumentKey:
        return list(self._versions)[number - 1]

    def _placed(self, key: DocumentKey, new: Document | None = None) -> DocumentKey:
        if key in self.placed:
            return self.at(self.placed[key])
        if new is None or not self._is_stranger(key, new):
            if key in self.home:
                return self.now(key)
            if key.corpus not in self.former and key not in self.moved:
                return key
        now = own = self.free(key, key.corpus)
        if key.corpus in self.former:
            now = self.free(DocumentKey(self.former[key.corpus].into, key.source_id), key.corpus)
            self.moved[own] = len(self._versions) + 1
            self.home.add(own)
        self._versions[now] = []
        if own != key:
            self.placed[key] = len(self._versions)
        return now

    def _is_stranger(self, key: DocumentKey, new: Document) -> bool:
        """Whether the key's document came by a merge, and this is another one."""
        now = self.now(key)
        if now not in self._versions or (key in self.moved and key not in self.home):
            return False
        number = list(self._versions).index(now) + 1
        inside = within(key.corpus, self.former)
        came = any(self.moved[home] == number and home.corpus in inside for home in self.home)
        return came and not _same(self._versions[now][-1], new)

    def free(self, key: DocumentKey, tail: str, number: int = 0) -> DocumentKey:
        def taken(key: DocumentKey) -> bool:
            return key in self._versions or self.moved.get(key, number) != number

        if not taken(key):
            return key
        key = DocumentKey(key.corpus, f"{key.source_id}~{tail}")
        while taken(key) or DocumentKey(tail, key.source_id) in self._versions:
            key = DocumentKey(key.corpus, key.source_id + "~")
        return key

    def keys_of(self, corpus: str) -> list[DocumentKey]:
        return [key for key in self._versions if key.corpus == corpus]

    def rekey(self, now: dict[DocumentKey, DocumentKey]) -> None:
        self._versions = {
            now.get(key, key): [replace(d, key=now.get(key, key)) for d in documents]
            for key, documents in self._versions.items()
        }
        self._cut = {(now.get(k, k), n): ids for (k, n), ids in self._cut.items()}
        self.brought = {(now.get(k, k), n): r for (k, n), r in self.brought.items()}
        self._sources = {now.get(k, k): source for k, source in self._sources.items()}
        self._rated_by = {now.get(k, k): by for k, by in self._rated_by.items()}
        self._withdrawn = {now.get(k, k) for k in self._withdrawn}
        self._chunks = {i: replace(c, key=now.get(c.key, c.key)) for i, c in self._chunks.items()}

    def _cut_up(self, new: NewDocument, number: int) -> list[int]:
        ids, text = [], new.document.text
        for ordinal, (start, end, page) in enumerate(new.spans):
            chunk = len(self._chunks) + 1
            self._chunks[chunk] = Chunk(
                chunk, new.document.key, number, ordinal, start, end, text[start:end], page
            )
            ids.append(chunk)
        self._cut[new.document.key, number] = ids
        self._queue(ids)
        return ids

    def _retire(self, ids: Iterable[int]) -> None:
        for chunk in ids:
            self._chunks[chunk] = replace(self._chunks[chunk], current=False)
        self._queue(ids)

    def _queue(self, ids: Iterable[int]) -> None:
        for chunk in ids:
            for tickets in self._tickets.values():
                tickets[self._next_ticket] = chunk
                self._next_ticket += 1

    def document(self, key: DocumentKey, version: int | None = None) -> Document:
        asked, key = key, self.now(key)
        versions = self._versions.get(key, [])
        if not versions or (version is not None and not 1 <= version <= len(versions)):
            raise NotFound(f"There is no document {key}.")
        found = versions[-1] if version is None else versions[version - 1]
        return replace(found, key=asked, withdrawn=key in self._withdrawn)

    def numbered(self) -> list[tuple[int, Document]]:
        return [(n, self.document(key)) for n, key in enumerate(self._versions, start=1)]

    def versions(self, key: DocumentKey) -> list[int]:
        return [document.version for document in self._versions.get(self.now(key), [])]

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        return {key: self._head(key) for key in keys if self.now(key) in self._versions}

    def _head(self, key: DocumentKey) -> DocumentHead:
        d = self.document(key)
        size = len(d.text.split())
        return DocumentHead(
            key, d.version, d.title, d.date, d.language, size, d.quality, d.withdrawn
        )

    def _within(self, scope: Scope, withdrawn: bool) -> list[DocumentHead]:
        named = tuple(self.former[c].into if c in self.former else c for c in scope.corpora)
        scope = replace(scope, corpora=named)
        heads = [self._head(key) for key in self._versions]
        return [
            head
            for head in heads
            if (withdrawn or not head.withdrawn)
            and good_enough(scope, head.quality)
            and inside(
                scope,
                head.key.corpus,
                head.date.earliest if head.date else None,
                head.date.latest if head.date else None,
            )
        ]

    def browse(
        self,
        scope: Scope,
        *,
        offset: int = 0,
        limit: int = 100,
        withdrawn: bool = False,
        worst_first: bool = False,
    ) -> list[DocumentHead]:
        def place(head: DocumentHead) -> tuple[float, str, bool, int, str]:
            day = head.date.earliest if head.date else 0
            quality = 2.0 if head.quality is None else head.quality
            first = quality if worst_first else 0.0
            return first, head.key.corpus, head.date is None, day, head.key.source_id

        return sorted(self._within(scope, withdrawn), key=place)[offset : offset + limit]

    def count(self, scope: Scope, *, withdrawn: bool = False) -> tuple[int, int]:
        found = len(self._within(scope, withdrawn))
        if not scope.dated or scope.include_undated:
            return found, 0
        both = replace(scope, include_undated=True)
        return found, len(self._within(both, withdrawn)) - found

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        return {chunk: self._chunks[chunk] for chunk in ids if chunk in self._chunks}

    def chunks_of(self, key: DocumentKey, version: int | None = None) -> list[Chunk]:
        key = self.now(key)
        number = len(self._versions.get(key, [])) if version is None else version
        return [self._chunks[chunk] for chunk in self._cut.get((key, number), [])]

    def all_chunks(self, after: int = 0, limit: int = 1000) -> list[Chunk]:
        found = [c for c in self._chunks.values() if c.id > after and self._is_live(c)]
        return sorted(found, key=lambda c: c.id)[:limit]

    def _is_live(self, chunk: Chunk) -> bool:
        return chunk.current and chunk.key not in self._withdrawn

    def withdraw(self, keys: Iterable[DocumentKey], *, withdrawn: bool = True) -> list[int]:
        concerned: list[int] = []
        for key in dict.fromkeys(map(self.now, keys)):
            if key in self._versions and (key in self._withdrawn) != withdrawn:
                (self._withdrawn.add if withdrawn else self._withdrawn.discard)(key)
                concerned += self._cut[key, len(self._versions[key])]
        self._queue(concerned)
        self._generation += bool(concerned)
        return concerned

    def sources(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, KnownSource]:
        found = {}
        for key in keys:
            own = key not in self.moved and key.corpus not in self.former
            if not (own or key in self.placed or key in self.home):
                continue
            now = self._placed(key)
            if self._sources.get(now):
                head = self._head(now)
                chunks = len(self._cut[now, head.version])
                source = self._sources[now]
                found[key] = KnownSource(
                    now, source, head.version, head.language, head.words, chunks
                )
        return found

    def unrated(self, model: str, after: int = 0, limit: int = 500) -> list[Unrated]:
        found = [
            Unrated(number, key, versions[-1].version, versions[-1].text, versions[-1].pages)
            for number, (key, versions) in enumerate(self._versions.items(), start=1)
            if number > after and self._rated_by[key] not in ("source", model)
        ]
        return found[:limit]

    def set_quality(self, model: str, estimates: Sequence[Quality]) -> None:
        for one in estimates:
            newest = self._versions[one.key][-1]
            if newest.version != one.version or self._rated_by[one.key] == "source":
                continue
            pages = tuple(
                replace(page, quality=quality)
                for page, quality in zip(newest.pages, one.pages, strict=True)
            )
            self._versions[one.key][-1] = replace(newest, quality=one.quality, pages=pages)
            self._rated_by[one.key] = model
        self._generation += bool(estimates)

    # --- the queue ---

    def pending(
        self, index: IndexName, limit: int
    ) -> tuple[list[tuple[IndexEntry, int]], list[tuple[int, int]]]:
        adds: list[tuple[IndexEntry, int]] = []
        removes: list[tuple[int, int]] = []
        for ticket, chunk_id in sorted(self._tickets[index].items())[:limit]:
            chunk = self._chunks[chunk_id]
            if not self._is_live(chunk):
                removes.append((chunk_id, ticket))
                continue
            document = self.document(chunk.key)
            language = document.language or self._corpora[chunk.key.corpus].language
            date = document.date
            days = (date.earliest, date.latest) if date else (None, None)
            adds.append((IndexEntry(chunk, language, *days), ticket))
        return adds, removes

    def pending_count(self, index: IndexName) -> int:
        return len(self._tickets[index])

    def done(self, index: IndexName, tickets: Iterable[int]) -> None:
        for ticket in tickets:
            self._tickets[index].pop(ticket, None)

    def clear(self, index: IndexName) -> None:
        self._tickets[index] = {}

    def requeue_all(self, index: IndexName) -> int:
        live = [chunk.id for chunk in self._chunks.values() if self._is_live(chunk)]
        self._tickets[index] = {self._next_ticket + n: chunk for n, chunk in enumerate(live)}
        self._next_ticket += len(live)
        return len(live)


def _same(old: Document, new: Document) -> bool:
    fields = ("title", "text", "raw", "language", "date")
    same = all(getattr(old, name) == getattr(new, name) for name in fields)
    pages = [[replace(page, quality=None) for page in one.pages] for one in (old, new)]
    return same and dict(old.meta) == dict(new.meta) and pages[0] == pages[1]
