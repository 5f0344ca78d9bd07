"""The port of the archive's records: documents with their versions and chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Page,
    Scope,
    SubCorpus,
)
from trace_core.ports.upkeep import Spread


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


Outcome = Literal["new", "unchanged", "changed"]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document on its way into the store, with the chunks of its shown text.

    `spans` are (start, end, page index or None) into `document.text`. `document.version` is
    ignored: the store gives the next one when the text, or a field that is shown, has changed.
    `rated` says that the source itself tells the document's quality, so that no estimate ever
    takes its place. `report` is the id of the import that brings it, "" for none.
    `source` is a fingerprint of what it was made from, by which the same may be known before it is
    made again. `words` counts those of the text between white space; None leaves it to the store.
    """

    document: Document
    spans: tuple[tuple[int, int, int | None], ...]
    rated: bool = False
    report: str = ""
    source: bytes = b""
    words: int | None = None


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

    def withdraw(self, keys: Iterable[DocumentKey], *, withdrawn: bool = True) -> list[int]:
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
