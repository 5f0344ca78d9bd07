"""What the core needs and does not do itself: stores, indexes, embedders.

`storage/` fulfils them; tests and other engines may. Nothing here assumes a file, a single process
or a single user. Each port has its contract tests in `tests/contracts/`.
"""

from trace_core.ports.documents import (
    CorpusStats,
    DocumentStore,
    KnownSource,
    NewDocument,
    Outcome,
    Quality,
    StoredDocument,
    Unrated,
)
from trace_core.ports.indexes import (
    Embedder,
    IndexEntry,
    IndexName,
    IndexQueue,
    LexicalIndex,
    VectorIndex,
    Vectors,
    WeightedTerm,
)
from trace_core.ports.keeping import (
    Artifact,
    ArtifactStore,
    Note,
    NoteKind,
    NoteStore,
    ReportStore,
    SettingsStore,
    Shelf,
)
from trace_core.ports.record import CallLog, CallRecord, EventLog, RunHead, RunLease, Wish
from trace_core.ports.stores import StoreHealth, Stores
from trace_core.ports.upkeep import (
    Deed,
    DeedKind,
    Marked,
    Moved,
    Part,
    Spread,
    TwinGroup,
    TwinKind,
    TwinStore,
    Unmarked,
    UpkeepStore,
)

__all__ = [
    "Artifact",
    "ArtifactStore",
    "CallLog",
    "CallRecord",
    "CorpusStats",
    "Deed",
    "DeedKind",
    "DocumentStore",
    "Embedder",
    "EventLog",
    "IndexEntry",
    "IndexName",
    "IndexQueue",
    "KnownSource",
    "LexicalIndex",
    "Marked",
    "Moved",
    "NewDocument",
    "Note",
    "NoteKind",
    "NoteStore",
    "Outcome",
    "Part",
    "Quality",
    "ReportStore",
    "RunHead",
    "RunLease",
    "SettingsStore",
    "Shelf",
    "Spread",
    "StoreHealth",
    "StoredDocument",
    "Stores",
    "TwinGroup",
    "TwinKind",
    "TwinStore",
    "Unmarked",
    "Unrated",
    "UpkeepStore",
    "VectorIndex",
    "Vectors",
    "WeightedTerm",
    "Wish",
]
