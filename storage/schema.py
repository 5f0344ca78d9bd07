"""The first form of a workspace's tables, as SQL. `tables.py` describes the present form.

Never edit a form that has been released: add a migration.
"""

from __future__ import annotations

_CORPORA = """
CREATE TABLE corpora (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    description TEXT NOT NULL,
    local_only INTEGER NOT NULL,
    citation TEXT NOT NULL
)"""

# What lists, counts and filters need of the newest version stands here a second time, so that
# they read one narrow table. `version_id` has no foreign key: documents and versions would refer
# to each other, and SQLite would look through all documents for each new version.
_DOCUMENTS = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    corpus TEXT NOT NULL REFERENCES corpora (id),
    source_id TEXT NOT NULL,
    version_id INTEGER NOT NULL,
    withdrawn INTEGER NOT NULL,
    earliest INTEGER,
    latest INTEGER,
    words INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    UNIQUE (corpus, source_id)
)"""

_DOCUMENTS_BY_DATE = """
CREATE INDEX documents_by_date
    ON documents (corpus, ifnull(earliest, 99999999), source_id)"""

_VERSIONS = """
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id),
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    date_written TEXT,
    date_edtf TEXT,
    earliest INTEGER,
    latest INTEGER,
    undated_reason TEXT NOT NULL,
    words INTEGER NOT NULL,
    quality REAL,
    first_chunk INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    content_hash BLOB NOT NULL,
    spans_hash BLOB NOT NULL,
    pages TEXT NOT NULL,
    meta TEXT NOT NULL,
    UNIQUE (document, number)
)"""

_TEXTS = """
CREATE TABLE texts (
    version_id INTEGER PRIMARY KEY REFERENCES versions (id),
    text BLOB NOT NULL,
    raw BLOB
)"""

_CHUNKS = """
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version_id INTEGER NOT NULL REFERENCES versions (id),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    page INTEGER,
    current INTEGER NOT NULL
)"""

# Counts the transactions that changed what a search can find.
_GENERATION = """
CREATE TABLE generation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    value INTEGER NOT NULL
)"""

_GENERATION_START = "INSERT INTO generation (id, value) VALUES (1, 0)"

_QUEUE_LEXICAL = """
CREATE TABLE queue_lexical (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk INTEGER NOT NULL REFERENCES chunks (id)
)"""

_QUEUE_VECTORS = """
CREATE TABLE queue_vectors (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk INTEGER NOT NULL REFERENCES chunks (id)
)"""

_EVENTS = """
CREATE TABLE events (
    run TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    time TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
)"""

# A projection of the events, kept in the same transaction; it can be rebuilt from them.
_RUNS = """
CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    question TEXT NOT NULL,
    assistant TEXT NOT NULL,
    status TEXT NOT NULL,
    waiting_for TEXT NOT NULL,
    plan_adopted INTEGER NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    events INTEGER NOT NULL,
    head_hash TEXT NOT NULL
)"""

_CALLS = """
CREATE TABLE calls (
    id TEXT NOT NULL PRIMARY KEY,
    run TEXT NOT NULL,
    "key" TEXT NOT NULL,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    price REAL,
    time TEXT NOT NULL,
    problem TEXT NOT NULL,
    meta TEXT NOT NULL,
    UNIQUE (run, "key")
)"""

_LEASES = """
CREATE TABLE leases (
    run TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    beat REAL NOT NULL,
    wish TEXT NOT NULL
)"""

_REPORTS = """
CREATE TABLE reports (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
)"""

_NOTES = """
CREATE TABLE notes (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    time TEXT NOT NULL,
    corpus TEXT NOT NULL,
    source_id TEXT NOT NULL,
    text TEXT NOT NULL,
    chunk INTEGER,
    run TEXT NOT NULL
)"""

_NOTES_BY_DOCUMENT = "CREATE INDEX notes_by_document ON notes (corpus, source_id)"

_MIGRATIONS = """
CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    time TEXT NOT NULL
)"""


def append_only(table: str, what: str) -> tuple[str, str]:
    """Triggers that refuse to change or to remove a row."""
    refusals = (
        f"""
        CREATE TRIGGER {table}_refuse_{action.lower()} BEFORE {action} ON {table}
        BEGIN SELECT RAISE(ABORT, '{what} are never changed'); END"""
        for action in ("UPDATE", "DELETE")
    )
    update, delete = refusals
    return update, delete


# INSERT OR REPLACE would otherwise take a row's place by one of its keys, or by its row id.
_EVENTS_IN_ORDER = """
CREATE TRIGGER events_in_order BEFORE INSERT ON events
WHEN NEW.sequence <> (
    SELECT coalesce(max(sequence), 0) + 1 FROM events WHERE run = NEW.run
) OR EXISTS (SELECT 1 FROM events WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(ABORT, 'events are only appended'); END"""

_CALLS_ONCE = """
CREATE TRIGGER calls_once BEFORE INSERT ON calls
WHEN EXISTS (SELECT 1 FROM calls WHERE id = NEW.id OR (run = NEW.run AND "key" = NEW."key"))
    OR EXISTS (SELECT 1 FROM calls WHERE rowid = NEW.rowid)
BEGIN SELECT RAISE(IGNORE); END"""

_NOTES_ONCE = """
CREATE TRIGGER notes_once BEFORE INSERT ON notes
WHEN EXISTS (SELECT 1 FROM notes WHERE id = NEW.id OR number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'notes are never changed'); END"""

FIRST: tuple[str, ...] = (
    _MIGRATIONS,
    _CORPORA,
    _VERSIONS,
    _DOCUMENTS,
    _DOCUMENTS_BY_DATE,
    _TEXTS,
    _CHUNKS,
    _GENERATION,
    _GENERATION_START,
    _QUEUE_LEXICAL,
    _QUEUE_VECTORS,
    _EVENTS,
    _RUNS,
    _CALLS,
    _LEASES,
    _REPORTS,
    _NOTES,
    _NOTES_BY_DOCUMENT,
    _EVENTS_IN_ORDER,
    _CALLS_ONCE,
    _NOTES_ONCE,
    *append_only("events", "events"),
    *append_only("calls", "model calls"),
    *append_only("notes", "notes"),
)
