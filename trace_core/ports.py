"""What the core needs and does not do itself: stores, indexes, embedders, assistants.

`storage/` fulfils the first group; tests and other engines may. Nothing here assumes a file, a
single process or a single user. Each port has its contract tests in `tests/contracts/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Page,
    Scope,
    SubCorpus,
)
from trace_core.domain.events import Draft, Event
from trace_core.domain.hits import ChunkScore
from trace_core.ports_archive import Spread, TwinStore, UpkeepStore

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row: shape (n, dimensions)."""


# --- the archive -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """Numbers of one sub-corpus: current documents, chunks, undated ones, its span of days."""

    corpus: str
    documents: int
    chunks: int
    undated: int
    withdrawn: int
    words: int
    earliest: int | None
    latest: int | None


IndexName = Literal["lexical", "vectors"]

Outcome = Literal["new", "unchanged", "changed"]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document on its way into the store, with the chunks of its shown text.

    `spans` are (start, end, page index or None) into `document.text`. `document.version` is
    ignored: the store gives the next one when the text, or a field that is shown, has changed.
    `rated` says that the source itself tells the document's quality, so that no estimate ever
    takes its place. `report` is the id of the import that brings it, "" for none.
    `source` is a fingerprint of what it was made from, by which the same may be known before it is
    made again.
    """

    document: Document
    spans: tuple[tuple[int, int, int | None], ...]
    rated: bool = False
    report: str = ""
    source: bytes = b""


@dataclass(frozen=True, slots=True)
class KnownSource:
    """What a document was made from, and what a report needs of it. `key` is its present one."""

    key: DocumentKey
    source: bytes
    version: int
    language: str
    words: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Unrated:
    """The newest version of a document whose quality is to be estimated (anew).

    `number` is its place in the store, by which the next ones are asked for.
    """

    number: int
    key: DocumentKey
    version: int
    text: str
    pages: tuple[Page, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """An estimate, from 0 to 1, for a version of a document and for each of its pages."""

    key: DocumentKey
    version: int
    quality: float | None
    pages: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What the store made of a new document: outcome, version given, chunks written."""

    key: DocumentKey
    outcome: Outcome
    version: int
    chunk_ids: tuple[int, ...]


class DocumentStore(Protocol):
    """The archive's records: sub-corpora, documents in all versions, chunks.

    Writes are atomic a call. Reading sees all that was written before the call. A document that
    was moved by a merge is found under its old key too, and the answer bears the key that was
    asked for; only its chunks name the present one. A document that comes again under a former
    sub-corpus goes where its like went.
    """

    def corpora(self) -> list[SubCorpus]:
        """All sub-corpora, by name."""

    def put_corpus(self, corpus: SubCorpus) -> None:
        """Add a sub-corpus or replace its description; its documents stay."""

    def stats(self) -> list[CorpusStats]:
        """Numbers of every sub-corpus."""

    def spread(self) -> Spread:
        """How the documents that can be found are spread over days and OCR quality."""

    def add(self, documents: Sequence[NewDocument]) -> list[StoredDocument]:
        """Store a batch in one transaction; same text and fields again is `unchanged`."""

    def document(self, key: DocumentKey, version: int | None = None) -> Document:
        """One document, its newest version unless told. Raises NotFound."""

    def versions(self, key: DocumentKey) -> list[int]:
        """The versions kept of a document, oldest first; empty when it does not exist."""

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        """The heads of the newest versions of the documents that exist."""

    def browse(
        self,
        scope: Scope,
        *,
        offset: int = 0,
        limit: int = 100,
        withdrawn: bool = False,
        worst_first: bool = False,
    ) -> list[DocumentHead]:
        """A page of documents by sub-corpus, date and id.

        With `withdrawn`, those taken out of the search are among them; with `worst_first` they
        stand by OCR quality, those of unknown quality last.
        """

    def count(self, scope: Scope, *, withdrawn: bool = False) -> tuple[int, int]:
        """(documents inside the scope, undated ones that its dates leave out)."""

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """The chunks with these ids, current or not."""

    def chunks_of(self, key: DocumentKey, version: int | None = None) -> list[Chunk]:
        """All chunks of a document version (the newest unless told), in order."""

    def all_chunks(self, after: int = 0, limit: int = 1000) -> list[Chunk]:
        """Current, not withdrawn chunks with an id above `after`, by id (for reindexing)."""

    def withdraw(self, keys: Iterable[DocumentKey], withdrawn: bool = True) -> list[int]:
        """Take documents out of the search, or back in; returns the chunk ids concerned."""

    def sources(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, KnownSource]:
        """What those of these documents were made from of which it is known."""

    def unrated(self, model: str, after: int = 0, limit: int = 500) -> list[Unrated]:
        """Documents behind a number whose quality neither their source nor this model has told.

        As many as the limit, fewer where their texts are long, none when there are no more.
        """

    def set_quality(self, model: str, estimates: Sequence[Quality]) -> None:
        """Keep a model's estimates; one of a version that is no longer the newest is dropped.

        An estimate makes no version: the text and all that a reader sees stay as they are.
        """


# --- the indexes -------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Artifact:
    """A derived model of the archive (latent semantic index, form index …): arrays and a note."""

    version: str
    arrays: Mapping[str, npt.NDArray[np.generic]]
    meta: str = ""


class ArtifactStore(Protocol):
    """Derived models by name. Saving replaces atomically; arrays come back memory-mapped."""

    def save(self, name: str, artifact: Artifact) -> None:
        """Replace the artifact of this name."""

    def load(self, name: str) -> Artifact | None:
        """The artifact of this name, None when there is none."""


class SettingsStore(Protocol):
    """The workspace's own settings: only what differs from the defaults."""

    def load(self) -> dict[str, dict[str, object]]:
        """The differing values by group and name."""

    def save(self, values: Mapping[str, Mapping[str, object]]) -> None:
        """Replace them."""


class ReportStore(Protocol):
    """Import reports, kept for ever."""

    def save(self, report_id: str, body: str) -> None:
        """Keep or replace (while the import runs) a report's JSON."""

    def load(self, report_id: str) -> str | None:
        """A report's JSON."""

    def list(self) -> list[tuple[str, str]]:
        """(id, JSON) of all reports, newest first."""


@dataclass(frozen=True, slots=True)
class Note:
    """A person's note, tag or star on a document or a passage. Never changed, only superseded.

    `kind` is note, tag, star or untag/unstar (which take one back). `chunk` is None for a whole
    document; `run` is "" outside a run.
    """

    id: str
    kind: Literal["note", "tag", "star", "untag", "unstar"]
    author: str
    time: str
    key: DocumentKey
    text: str = ""
    chunk: int | None = None
    run: str = ""


class Shelf(Protocol):
    """JSON texts by kind and id: own questions, kept answers and reports of evaluations."""

    def put(self, kind: str, text_id: str, body: str) -> None:
        """Keep a text, or replace the one of this kind and id."""

    def get(self, kind: str, text_id: str) -> str | None:
        """The text of this kind and id."""

    def list(self, kind: str) -> list[tuple[str, str]]:
        """(id, text) of all of a kind, in the order in which they were first kept."""


class NoteStore(Protocol):
    """Notes of all people on all documents."""

    def add(self, note: Note) -> None:
        """Keep a note."""

    def notes(self, keys: Iterable[DocumentKey] | None = None) -> list[Note]:
        """Notes on these documents (all when None), oldest first."""


# --- the record --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunHead:
    """What a list needs of a run. `status` is the folded state's status.

    `purpose` is "evaluation" for a run that measures the method, "" for a person's own.
    """

    id: str
    question: str
    assistant: str
    status: str
    created: str
    updated: str
    events: int
    waiting_for: str = ""
    owner: str = ""
    purpose: str = ""


class EventLog(Protocol):
    """The append-only record of all runs."""

    def append(self, run: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Append drafts in one transaction behind event `after` (0 for a new run).

        Raises StaleRun when the run's last event is another one.
        """

    def read(self, run: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events of a run in order, those after sequence `after`."""

    def runs(self) -> list[RunHead]:
        """All runs, newest first."""

    def verify(self, run: str) -> int:
        """Re-derive the run's hash chain; its number of events. Raises ChainBroken."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model call: what was sent, what came back, what it cost.

    `key` identifies the state that asked (stage, run state, prompt, attempt): a call with the
    same key is answered from the record. `price` is in US dollars, None when unknown. No key or
    secret is ever part of it.
    """

    id: str
    run: str
    key: str
    stage: str
    model: str
    prompt_hash: str
    request: str
    reply: str
    tokens_in: int
    tokens_out: int
    seconds: float
    price: float | None
    time: str
    problem: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)


class CallLog(Protocol):
    """The record of model calls."""

    def find(self, run: str, key: str) -> CallRecord | None:
        """The call already answered for this state, if any."""

    def save(self, call: CallRecord) -> None:
        """Keep a call. A second call with the same run and key is refused silently."""

    def calls(self, run: str) -> list[CallRecord]:
        """All calls of a run, in order of time."""


class RunLease(Protocol):
    """Who works on a run: one worker at a time, found again when its process has died."""

    def worker(self) -> str:
        """A new name for a worker of this process."""

    def beating(self, run: str, owner: str) -> AbstractContextManager[None]:
        """Give signs of life while the block runs, however long its steps are."""

    def acquire(self, run: str, owner: str) -> bool:
        """Take the run unless a living worker has it."""

    def beat(self, run: str, owner: str) -> None:
        """Say that the worker is alive."""

    def release(self, run: str, owner: str) -> None:
        """Give the run back."""

    def request(self, run: str, wish: Literal["", "pause", "stop"]) -> None:
        """Ask the worker of a run to pause or stop at its next step."""

    def wish(self, run: str) -> Literal["", "pause", "stop"]:
        """What was asked for."""

    def orphans(self) -> list[str]:
        """Runs whose worker has died in the middle."""


# --- all of it ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """Whether records and indexes agree, counted in chunks; `sentence` says what to do if not."""

    documents: int
    chunks: int
    lexical: int
    vectors: int
    pending_lexical: int
    pending_vectors: int
    ok: bool
    sentence: str


class Stores(Protocol):
    """Everything that is kept of one archive and its runs, under one roof."""

    @property
    def name(self) -> str:
        """What a person calls it (the folder, the database)."""

    @property
    def documents(self) -> DocumentStore:
        """The archive's records."""

    @property
    def twins(self) -> TwinStore:
        """Which documents have the same text."""

    @property
    def upkeep(self) -> UpkeepStore:
        """What was done to the archive."""

    @property
    def queue(self) -> IndexQueue:
        """What the indexes still have to take in."""

    @property
    def lexical(self) -> LexicalIndex:
        """The inverted index."""

    @property
    def vectors(self) -> VectorIndex:
        """The vector index."""

    @property
    def artifacts(self) -> ArtifactStore:
        """Derived models."""

    @property
    def events(self) -> EventLog:
        """The record of all runs."""

    @property
    def calls(self) -> CallLog:
        """The record of model calls."""

    @property
    def leases(self) -> RunLease:
        """Who works on which run."""

    @property
    def settings(self) -> SettingsStore:
        """The archive's own settings."""

    @property
    def reports(self) -> ReportStore:
        """Import reports."""

    @property
    def notes(self) -> NoteStore:
        """People's notes."""

    @property
    def shelf(self) -> Shelf:
        """Questions, answers and reports of evaluations."""

    def generation(self) -> int:
        """Grows with every change of the archive's documents."""

    def health(self) -> StoreHealth:
        """Count and compare."""

    def close(self) -> None:
        """Let go of files and locks."""
