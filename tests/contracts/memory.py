"""Small stores in memory that keep the same contracts as the real ones, for tests of the core.

Nothing is optimised: each answer is computed from plain lists.
"""

from __future__ import annotations

from tests.contracts.memory_indexes import MemoryLexical, MemoryVectors
from tests.contracts.memory_merging import MemoryMerging
from tests.contracts.memory_record import (
    MemoryArtifacts,
    MemoryEvents,
    MemoryLeases,
    MemoryNotes,
    MemoryReports,
    MemorySettings,
    MemoryShelf,
)
from tests.contracts.memory_twins import MemoryTwins
from tests.contracts.memory_upkeep import MemoryUpkeep
from trace_core.evaluation.replay import MemoryCalls
from trace_core.ports import StoreHealth


class MemoryStores:
    """All stores of one archive in memory."""

    name = "memory"

    def __init__(self) -> None:
        self.documents = MemoryMerging()
        self.twins = MemoryTwins(self.documents)
        self.upkeep = MemoryUpkeep(self.documents)
        self.queue = self.documents
        self.lexical = MemoryLexical()
        self.vectors = MemoryVectors()
        self.artifacts = MemoryArtifacts()
        self.events = MemoryEvents()
        self.calls = MemoryCalls()
        self.leases = MemoryLeases()
        self.settings = MemorySettings()
        self.reports = MemoryReports()
        self.notes = MemoryNotes()
        self.shelf = MemoryShelf()

    def generation(self) -> int:
        return self.documents.generation()

    def health(self) -> StoreHealth:
        stats = self.documents.stats()
        chunks = sum(s.chunks for s in stats)
        waiting = (self.queue.pending_count("lexical"), self.queue.pending_count("vectors"))
        counts = (self.lexical.count(), self.vectors.count())
        ok = not any(waiting) and counts == (chunks, chunks)
        sentence = "" if ok else "The indexes are behind the records; run `reindex`."
        documents = sum(s.documents for s in stats)
        return StoreHealth(documents, chunks, *counts, *waiting, ok, sentence)

    def close(self) -> None:
        return None
