"""The ports of an archive's upkeep: which texts are the same, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.merging import FormerCorpus

TwinKind = Literal["exact", "near"]


@dataclass(frozen=True, slots=True)
class Unmarked:
    """The newest version of a document that was not yet compared with others.

    `number` is its place in the store, by which the next ones are asked for.
    """

    number: int
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Marked:
    """What is kept of a version to find its twins (see `trace_core.ingest.duplicates`)."""

    number: int
    version: int
    fingerprint: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class TwinGroup:
    """Documents with the same text (`exact`), or nearly the same, in the order of their import."""

    kind: TwinKind
    keys: tuple[DocumentKey, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """How the documents that can be found are spread; each row ends with their number.

    `days` are (sub-corpus, first day as an ordinal), without dates that are open on a side.
    `qualities` are (sub-corpus, OCR quality in whole hundredths), of documents with a known one.
    """

    days: tuple[tuple[str, int, int], ...]
    qualities: tuple[tuple[str, int, int], ...]


class TwinStore(Protocol):
    """Which documents have the same text. Withdrawn documents are compared but never listed."""

    def unmarked(self, after: int = 0, limit: int = 500) -> list[Unmarked]:
        """Documents behind a number whose newest version has no marks.

        As many as the limit, fewer where their texts are long, none when there are no more.
        """

    def mark(self, marks: Sequence[Marked]) -> None:
        """Keep marks; those of a version that is no longer the newest are dropped."""

    def marks(self, after: int = 0, limit: int = 5000) -> list[Marked]:
        """The marks of documents behind a number, by number."""

    def put_groups(self, groups: Iterable[tuple[TwinKind, Sequence[int]]]) -> None:
        """Replace all groups, given by the numbers of their documents."""

    def groups(self, offset: int = 0, limit: int = 100) -> list[TwinGroup]:
        """A page of the groups of two or more that are not withdrawn."""

    def count(self) -> tuple[int, int]:
        """(groups, documents in them)."""

    def twins(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, TwinGroup]:
        """The groups of those of these documents that have a twin."""


DeedKind = Literal["withdraw", "restore", "merge", "unmerge", "describe"]


@dataclass(frozen=True, slots=True)
class Deed:
    """What a person did to the archive: who, when (ISO 8601, UTC), to what, and why.

    `target` names it as a person does: a document's key, an import's id, a sub-corpus. `details`
    says what came of it, in words by name.
    """

    kind: DeedKind
    target: str
    person: str
    reason: str
    time: str
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the archive: documents by their keys, a whole sub-corpus, or a whole import.

    Exactly one is given. An import's documents are those that came with it for the first time.
    """

    keys: tuple[DocumentKey, ...] = ()
    corpus: str = ""
    report: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """A document that has another key now."""

    old: DocumentKey
    new: DocumentKey


class UpkeepStore(Protocol):
    """Withdrawing, merging, describing, and the ways back, each with its record in one transaction.

    Records are never changed. A document that was moved keeps its versions, texts and passages;
    under every key that it ever had the document store answers as before. So a key that one
    document had is given to no other: an import that brings a document under such a key gets it
    stored under an id of its own, and finds it there again.
    """

    def set_withdrawn(self, part: Part, deed: Deed, *, withdrawn: bool) -> int:
        """Take a part out of the search, or bring it back; how many documents that concerned.

        Their passages are queued. Where it concerns none, nothing is recorded.
        """

    def size(self, part: Part) -> tuple[int, int]:
        """(documents of a part, those of them that are withdrawn)."""

    def changed_by(self, report: str) -> int:
        """How many documents an import only gave a new version."""

    def merge(self, corpus: str, into: str, deed: Deed) -> list[Moved]:
        """Move all documents of a sub-corpus to another one, which takes its place everywhere.

        The other one is known by both names from then on. Returns the documents that had to be
        given another id there, because theirs was taken. Passages are queued. Raises NotFound
        where one of the two does not exist.
        """

    def taken(self, corpus: str, into: str) -> int:
        """How many documents a merge would have to give another id."""

    def unmerge(self, corpus: str, deed: Deed) -> SubCorpus:
        """Give a former sub-corpus back as it was, with its documents under their former ids.

        Those that came under its name since go with it; those that came under the name of the
        other one stay there. The other one loses the names that it got by the merge. Passages are
        queued. Raises NotFound and BadInput as `trace_core.domain.merging.returnable` does.
        """

    def returning(self, corpus: str) -> int:
        """How many documents an unmerge would give back; 0 for what was not merged."""

    def describe(self, corpus: SubCorpus, deed: Deed) -> None:
        """Replace the description of a sub-corpus, and record it."""

    def former_corpora(self) -> dict[str, FormerCorpus]:
        """Sub-corpora that were merged into others, by their ids."""

    def present(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentKey]:
        """The present keys of those of these documents that were moved."""

    def former(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, tuple[DocumentKey, ...]]:
        """The keys that documents had before, by their present ones."""

    def deeds(self) -> list[Deed]:
        """All records, oldest first."""
