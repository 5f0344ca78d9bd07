"""What the archive keeps besides its documents: which texts are the same, and what was done to it.

The ports of `trace_core.ports` that concern an archive's upkeep; see there for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from trace_core.domain.corpus import DocumentKey

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
        """Documents behind a number whose newest version has no marks."""

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
