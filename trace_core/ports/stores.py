"""All ports of one archive under one roof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trace_core.ports.documents import DocumentStore
from trace_core.ports.indexes import IndexQueue, LexicalIndex, VectorIndex
from trace_core.ports.keeping import ArtifactStore, NoteStore, ReportStore, SettingsStore, Shelf
from trace_core.ports.record import CallLog, EventLog, RunLease
from trace_core.ports.upkeep import TwinStore, UpkeepStore


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
