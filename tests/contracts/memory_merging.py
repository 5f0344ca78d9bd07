"""Merging and giving back, in memory."""

from __future__ import annotations

from dataclasses import replace

from tests.contracts.memory_documents import MemoryDocuments
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.domain.merging import gone, heirs, returnable, within, without
from trace_core.ports import Moved


class MemoryMerging(MemoryDocuments):
    """Documents in memory whose sub-corpora can be made one, and two again."""

    def merge(self, corpus: str, into: str) -> list[Moved]:
        if not {corpus, into} <= self._corpora.keys():
            raise NotFound(f"There is no sub-corpus {corpus} or {into}.")
        renamed, now = [], {}
        for number, key in enumerate(self._versions, 1):
            if key.corpus == corpus:
                now[key] = self.free(DocumentKey(into, key.source_id), corpus, number)
                self.moved[key] = number
                self.home.add(key)
                if now[key].source_id != key.source_id:
                    renamed.append(Moved(key, now[key]))
        kept = gone(self._corpora.pop(corpus), self._corpora[into])
        self._move(now)
        self._give(corpus, into)
        self.former[corpus] = kept
        target = self._corpora[into]
        self._corpora[into] = replace(target, aliases=(*target.aliases, *kept.gained))
        return renamed

    def taken(self, corpus: str, into: str) -> int:
        ids = {n: key.source_id for n, key in enumerate(self._versions, 1) if key.corpus == corpus}
        free = (self.free(DocumentKey(into, own), corpus, n).source_id for n, own in ids.items())
        return sum(new != own for new, own in zip(free, ids.values(), strict=True))

    def unmerge(self, corpus: str) -> SubCorpus:
        leaving = returnable(corpus, self.former)
        holder, former = self._corpora[leaving.into], dict(self.former)
        goes = {}
        for number, key in enumerate(self._versions, 1):
            home = self._home(number, corpus) if key.corpus == holder.id else None
            if home is not None:
                goes[key] = home
                self.moved[key] = number
        self._move(goes)
        self.former.pop(corpus)
        for one in within(corpus, former):
            self.former[one] = replace(self.former[one], into=corpus)
        self.former |= {heir.id: heir for heir in heirs(leaving, former)}
        self._corpora[corpus] = leaving.again(holder)
        self._corpora[holder.id] = without(holder, leaving, former)
        return self._corpora[corpus]

    def returning(self, corpus: str) -> int:
        if corpus not in self.former:
            return 0
        into, names = self.former[corpus].into, {corpus, *within(corpus, self.former)}
        goes = {self.now(key) for key in self.home if key.corpus in names}
        return sum(key.corpus == into for key in goes)

    def _home(self, number: int, corpus: str) -> DocumentKey | None:
        homes = [key for key in self.home if self.moved[key] == number]
        own = next((key for key in homes if key.corpus == corpus), None)
        if own is not None:
            return own
        inside = within(corpus, self.former)
        stray = next((key for key in homes if key.corpus in inside), None)
        if stray is None:
            return None
        free = self.free(DocumentKey(corpus, stray.source_id), stray.corpus, number)
        self.moved[free] = number
        return free

    def _move(self, now: dict[DocumentKey, DocumentKey]) -> None:
        self.rekey(now)
        for key in now.values():
            self.moved.pop(key, None)
            self.home.discard(key)
            if key not in self._withdrawn:
                self._queue(self._cut[key, len(self._versions[key])])
        self._generation += 1

    def _give(self, corpus: str, into: str) -> None:
        for name, one in self.former.items():
            if one.into == corpus:
                self.former[name] = replace(one, into=into)
