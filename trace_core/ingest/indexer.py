"""The indexer: brings the indexes and the derived models up to the records, whatever happened.

The records and the queue lie in one database and change in one transaction; an index entry is
written first and its ticket closed after. So the work can be killed at any moment: what was not
finished is still in the queue, and writing an entry twice changes nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, Protocol

from trace_core.domain.corpus import Chunk, Scope
from trace_core.ingest.preparing import chunk_spans
from trace_core.ingest.qualities import rate_again
from trace_core.ingest.twins import compare
from trace_core.ports import (
    Artifact,
    ArtifactStore,
    DocumentStore,
    Embedder,
    IndexEntry,
    IndexName,
    IndexQueue,
    LexicalIndex,
    NewDocument,
    TwinStore,
    VectorIndex,
    Wish,
)
from trace_core.settings import IndexSettings
from trace_core.text.folding import FOLDING

LEXICAL_BATCH = 10_000
VECTOR_BATCH = 2_000
GROWTH = 0.1
"""Share by which the archive may grow before a model trained on it is trained again.

A model that never saw a sub-corpus cannot tell its passages apart.
"""

_QUICK = 5_000
"""Passages up to which training takes a few seconds: a fiftieth of growth then suffices."""

_QUICK_GROWTH = 0.02

STATE = "index-state"
_PAGE = 500


Stage = Literal[
    "cutting", "words", "quality", "twins", "training", "vectors", "deriving", "weighing"
]
"""The steps of an indexing, in their order; `STAGES` says them in English."""

STAGES: Mapping[Stage, str] = MappingProxyType(
    {
        "cutting": "cutting the texts into chunks",
        "words": "indexing words",
        "quality": "estimating the quality of the texts",
        "twins": "looking for texts that are there twice",
        "training": "training the latent semantic index",
        "vectors": "embedding passages",
        "deriving": "learning the written forms of words",
        "weighing": "measuring what each way of searching is worth here",
    }
)


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """What is being done, and how many of how many documents or chunks are done (0 if unknown)."""

    stage: Stage
    done: int
    total: int


IndexWatch = Callable[[IndexProgress], Wish]


def watch_nothing(progress: IndexProgress) -> Wish:
    """The watch of a run that nobody looks at."""
    del progress
    return ""


class Deriver(Protocol):
    """A model derived from the archive besides the vectors (the index of word forms …)."""

    name: str

    def stale(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> bool:
        """Whether what is kept no longer fits the archive."""

    def build(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> None:
        """Derive the model and keep it."""


class Trainer(Protocol):
    """Trains the built-in embedder on the archive's chunks and keeps it as an artifact."""

    def __call__(self, texts: Iterator[str], artifacts: ArtifactStore) -> Embedder:
        """The trained embedder, already kept in `artifacts`."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an indexing did: chunks written and removed by index, what was trained, how long."""

    lexical: int = 0
    vectors: int = 0
    removed: int = 0
    trained: bool = False
    derived: tuple[str, ...] = ()
    recut: int = 0
    rated: int = 0
    compared: int = 0
    seconds: float = 0.0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the vectors were made with; kept as an artifact.

    `embedder` is the version of the embedder behind all vectors, "" while they are being replaced.
    `trained_on` is the number of chunks when it was trained. `chunking` names the chunk settings,
    `folding` the version of the indexed layer.
    """

    embedder: str = ""
    trained_on: int = 0
    chunking: str = ""
    folding: str = ""


def chunking(settings: IndexSettings) -> str:
    """The chunk settings as the state names them."""
    return f"{settings.chunk_words} words, overlap {settings.chunk_overlap}"


def load_state(artifacts: ArtifactStore) -> IndexState:
    """The state as it was last saved."""
    artifact = artifacts.load(STATE)
    if artifact is None:
        return IndexState()
    values = json.loads(artifact.meta)
    return IndexState(
        str(values.get("embedder", "")),
        int(values.get("trained_on", 0)),
        str(values.get("chunking", "")),
        str(values.get("folding", "")),
    )


def save_state(artifacts: ArtifactStore, state: IndexState) -> None:
    """Keep the state."""
    meta = json.dumps(
        {
            "embedder": state.embedder,
            "trained_on": state.trained_on,
            "chunking": state.chunking,
            "folding": state.folding,
        }
    )
    artifacts.save(STATE, Artifact(version=state.embedder or "none", arrays={}, meta=meta))


class Stopped(Exception):
    """The watch asked to pause or stop."""


@dataclass
class Indexer:
    """Works the index queue off. `embedder` opens the one that the settings name, or None."""

    documents: DocumentStore
    queue: IndexQueue
    lexical: LexicalIndex
    vectors: VectorIndex
    artifacts: ArtifactStore
    settings: IndexSettings
    open_embedder: Callable[[], Embedder | None]
    train: Trainer | None = None
    derivers: Sequence[Deriver] = ()
    twins: TwinStore | None = None
    growth: float = GROWTH
    _watch: IndexWatch = field(default=watch_nothing, repr=False)

    def run(self, progress: IndexWatch = watch_nothing) -> IndexReport:
        """Write what is queued, train and derive what no longer fits; safe to kill, safe to repeat.

        Raises EmbedderUnavailable after the lexical index is done where the vectors' model fails.
        """
        self._watch = progress
        started = time.monotonic()
        report = IndexReport()
        try:
            self._refold()
            recut = self._recut()
            report = replace(report, recut=recut)
            lexical, removed = self._drain_lexical()
            report = replace(report, lexical=lexical, removed=removed)
            report = replace(report, rated=self._rate(), compared=self._compare())
            vectors, trained = self._bring_vectors()
            report = replace(report, vectors=vectors, trained=trained)
            report = replace(report, derived=self._derive())
        except Stopped:
            report = replace(report, complete=False)
        return replace(report, seconds=time.monotonic() - started)

    def reindex(self, progress: IndexWatch = watch_nothing) -> IndexReport:
        """Build everything anew from the records."""
        self._begin_anew()
        return self.run(progress)

    def _begin_anew(self) -> None:
        save_state(self.artifacts, replace(load_state(self.artifacts), embedder="", trained_on=0))
        self.lexical.clear()
        self.queue.requeue_all("lexical")

    def _refold(self) -> None:
        """Index everything anew where the indexes were made from an older indexed layer."""
        state = load_state(self.artifacts)
        if state.folding == FOLDING:
            return
        if state.chunking:
            self._begin_anew()
        save_state(self.artifacts, replace(load_state(self.artifacts), folding=FOLDING))

    # --- chunks ---

    def _recut(self) -> int:
        """Cut all documents again where the chunk settings have changed; how many."""
        state = load_state(self.artifacts)
        wanted = chunking(self.settings)
        if state.chunking == wanted:
            return 0
        recut = 0
        if state.chunking:
            for corpus in self.documents.corpora():
                recut += self._recut_corpus(corpus.id)
        save_state(self.artifacts, replace(load_state(self.artifacts), chunking=wanted))
        return recut

    def _recut_corpus(self, corpus: str) -> int:
        scope, offset = Scope(corpora=(corpus,)), 0
        while heads := self.documents.browse(scope, offset=offset, limit=_PAGE, withdrawn=True):
            documents = [self.documents.document(head.key) for head in heads]
            self.documents.add(
                [
                    NewDocument(document, chunk_spans(document, self.settings))
                    for document in documents
                ]
            )
            offset += len(heads)
            self._report("cutting", offset, 0)
        return offset

    # --- lexical ---

    def _drain_lexical(self) -> tuple[int, int]:
        done = removed = 0
        total = self.queue.pending_count("lexical")
        while True:
            entries, gone, tickets = self._pending("lexical", LEXICAL_BATCH)
            if not tickets:
                break
            if gone:
                self.lexical.remove(gone)
            if entries:
                self.lexical.add(entries)
            self.queue.done("lexical", tickets)
            done, removed = done + len(entries), removed + len(gone)
            self._report("words", done, max(total, done))
        if done + removed > LEXICAL_BATCH:
            self.lexical.optimize()
        return done, removed

    def _documents(self) -> int:
        return sum(stats.documents + stats.withdrawn for stats in self.documents.stats())

    def _compare(self) -> int:
        if self.twins is None:
            return 0
        total = self._documents()
        return compare(self.twins, lambda done: self._report("twins", done, total))

    def _rate(self) -> int:
        total = self._documents()

        def report(done: int) -> None:
            self._report("quality", done, total)

        return rate_again(self.documents, self.lexical, self.artifacts, report)

    # --- vectors ---

    def _bring_vectors(self) -> tuple[int, bool]:
        chunks = sum(stats.chunks for stats in self.documents.stats())
        embedder, trained = self._embedder(chunks)
        state = load_state(self.artifacts)
        if embedder is None:
            # Without a model nothing is owed: a later model begins with a full queue anyway.
            self.queue.clear("vectors")
            if state.embedder:
                save_state(self.artifacts, replace(state, embedder=""))
            return 0, False
        if state.embedder != embedder.version:
            self._begin_vectors(embedder, chunks if trained else state.trained_on)
        return self._drain_vectors(embedder), trained

    def _embedder(self, chunks: int) -> tuple[Embedder | None, bool]:
        if self.train is None or self.settings.embedder != "lsa":
            return self.open_embedder(), False
        state = load_state(self.artifacts)
        growth = self.growth if chunks > _QUICK else min(self.growth, _QUICK_GROWTH)
        grown = chunks > (1 + growth) * state.trained_on
        known = None if grown or not state.trained_on else self.open_embedder()
        if known is not None or not chunks:
            return known, False
        self._report("training", 0, chunks)
        # The state says "being replaced" before the new model takes the old one's place.
        save_state(self.artifacts, replace(state, embedder="", trained_on=0))
        return self.train((chunk.text for chunk in self._chunks()), self.artifacts), True

    def _begin_vectors(self, embedder: Embedder, trained_on: int) -> None:
        state = replace(load_state(self.artifacts), embedder="")
        save_state(self.artifacts, state)
        self.vectors.clear(embedder.dimensions)
        self.queue.requeue_all("vectors")
        save_state(self.artifacts, replace(state, embedder=embedder.version, trained_on=trained_on))

    def _drain_vectors(self, embedder: Embedder) -> int:
        done, total = 0, self.queue.pending_count("vectors")
        while True:
            entries, gone, tickets = self._pending("vectors", VECTOR_BATCH)
            if not tickets:
                break
            if gone:
                self.vectors.remove(gone)
            if entries:
                texts = [entry.chunk.text for entry in entries]
                self.vectors.add(entries, embedder.embed_passages(texts))
            self.queue.done("vectors", tickets)
            done += len(entries)
            self._report("vectors", done, max(total, done))
        if done > VECTOR_BATCH:
            self.vectors.optimize()
        return done

    # --- the rest ---

    def _derive(self) -> tuple[str, ...]:
        built = []
        for deriver in self.derivers:
            if deriver.stale(self.lexical, self.artifacts):
                self._report("deriving", 0, 0)
                deriver.build(self.lexical, self.artifacts)
                built.append(deriver.name)
        return tuple(built)

    def _pending(
        self, index: IndexName, limit: int
    ) -> tuple[list[IndexEntry], list[int], list[int]]:
        """(entries, each chunk once; chunks to remove; all tickets)."""
        adding, removing = self.queue.pending(index, limit)
        entries = {entry.chunk.id: entry for entry, _ in adding}
        tickets = [ticket for _, ticket in adding] + [ticket for _, ticket in removing]
        return list(entries.values()), [chunk for chunk, _ in removing], tickets

    def _chunks(self) -> Iterator[Chunk]:
        after = 0
        while page := self.documents.all_chunks(after, 2_000):
            yield from page
            after = page[-1].id

    def _report(self, stage: Stage, done: int, total: int) -> None:
        if self._watch(IndexProgress(stage, done, total)):
            raise Stopped
