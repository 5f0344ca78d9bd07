"""The numbered steps that bring a workspace's SQLite file to the present form.

Steps are only ever added. Each runs in one transaction with its record, under SQLite's write
lock, so that two processes which open an old workspace at once apply every step once. Before a
file that holds anything is changed, a copy of it is kept beside it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from storage.database import BUSY_SECONDS, explained
from storage.locks import folder_lock
from storage.schema import FIRST, append_only
from trace_core.domain.errors import WorkspaceError
from trace_core.domain.events import now


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its number, what it is for, and its statements."""

    number: int
    name: str
    statements: tuple[str, ...]


_SHELF = """
CREATE TABLE shelf (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (kind, id)
)"""

_PURPOSE = "ALTER TABLE runs ADD COLUMN purpose TEXT NOT NULL DEFAULT ''"

# What was kept before may have come from the source itself, so no estimate takes its place.
_QUALITY = (
    "ALTER TABLE documents ADD COLUMN quality REAL",
    "ALTER TABLE documents ADD COLUMN quality_by TEXT NOT NULL DEFAULT 'source'",
    """UPDATE documents SET quality =
        (SELECT v.quality FROM versions v WHERE v.id = documents.version_id)""",
)

_TWINS = (
    """
    CREATE TABLE marks (
        document INTEGER PRIMARY KEY REFERENCES documents (id),
        version INTEGER NOT NULL,
        fingerprint BLOB NOT NULL,
        signature BLOB NOT NULL
    )""",
    """
    CREATE TABLE twins (
        document INTEGER PRIMARY KEY REFERENCES documents (id),
        first INTEGER NOT NULL,
        exact INTEGER NOT NULL
    )""",
    "CREATE INDEX twins_by_first ON twins (first, document)",
)

_UPKEEP = (
    # The import that brought a version, by its report's number.
    "ALTER TABLE versions ADD COLUMN report INTEGER",
    """
    CREATE TABLE moved (
        corpus TEXT NOT NULL,
        source_id TEXT NOT NULL,
        document INTEGER NOT NULL REFERENCES documents (id),
        PRIMARY KEY (corpus, source_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX moved_by_document ON moved (document)",
    """
    CREATE TABLE former_corpora (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        now TEXT NOT NULL REFERENCES corpora (id)
    )""",
    """
    CREATE TABLE deeds (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        person TEXT NOT NULL,
        reason TEXT NOT NULL,
        time TEXT NOT NULL,
        details TEXT NOT NULL
    )""",
    """
    CREATE TRIGGER deeds_once BEFORE INSERT ON deeds
    WHEN EXISTS (SELECT 1 FROM deeds WHERE number = NEW.number)
    BEGIN SELECT RAISE(ABORT, 'records of deeds are never changed'); END""",
    *append_only("deeds", "records of deeds"),
)

_SOURCES = ("ALTER TABLE documents ADD COLUMN source BLOB",)

_UNMERGE = (
    # Whether a document goes back to this key with its sub-corpus; else the key was used meanwhile.
    "ALTER TABLE moved ADD COLUMN home INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE former_corpora ADD COLUMN merged_into TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE former_corpora ADD COLUMN described TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE former_corpora ADD COLUMN gained TEXT NOT NULL DEFAULT '[]'",
    """UPDATE former_corpora SET merged_into = coalesce(
        (SELECT json_extract(d.details, '$.into') FROM deeds d
         WHERE d.kind = 'merge' AND d.target = former_corpora.id ORDER BY d.number DESC LIMIT 1),
        now)""",
    """
    CREATE TABLE placed (
        corpus TEXT NOT NULL,
        source_id TEXT NOT NULL,
        document INTEGER NOT NULL REFERENCES documents (id),
        PRIMARY KEY (corpus, source_id)
    ) WITHOUT ROWID""",
)

MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "first form", FIRST),
    Migration(
        2, "evaluations: a shelf for questions and answers, runs with a purpose", (_SHELF, _PURPOSE)
    ),
    Migration(3, "quality beside what lists and filters need", _QUALITY),
    Migration(4, "documents with the same text", _TWINS),
    Migration(5, "documents withdrawn and moved, with a record of who did it and why", _UPKEEP),
    Migration(6, "fingerprints of what documents were made from", _SOURCES),
    Migration(7, "what is needed to take a merge back", _UNMERGE),
)

LATEST = MIGRATIONS[-1].number


def migrate(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Path | None:
    """Bring the file to the last migration; the copy kept of its old form, if one was needed.

    Raises WorkspaceError when the file is newer than this program knows, or damaged.
    """
    try:
        with closing(_connect(path)) as connection:
            version, last = _version(connection), migrations[-1].number
            if version == last:
                return None
            if version > last:
                raise too_new(path.parent)
            with folder_lock(path.parent, "migrate"):
                copy = _keep_copy(connection, path)
                _apply(connection, migrations)
            return copy
    except sqlite3.DatabaseError as error:
        raise explained(error, path) from error


def too_new(folder: Path) -> WorkspaceError:
    """The refusal to touch a workspace that a later version has written."""
    return WorkspaceError(
        f"The workspace {folder} was written by a newer version of this program; "
        "update the program to open it."
    )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    # A new file only: pages of 4 kB would hold one text of 300 words each, and be half empty.
    connection.execute("PRAGMA page_size=16384")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _keep_copy(connection: sqlite3.Connection, path: Path) -> Path | None:
    version = _version(connection)
    copy = path.with_name(f"{path.stem}.before-migration-{version + 1}.sqlite")
    if version == 0 or copy.exists():
        return copy if copy.exists() else None
    part = copy.with_suffix(".part")
    part.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(part),))
    part.rename(copy)
    return copy


def _apply(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        for migration in migrations:
            if migration.number <= version:
                continue
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migrations (number, name, time) VALUES (?, ?, ?)",
                (migration.number, migration.name, now()),
            )
            connection.execute(f"PRAGMA user_version = {migration.number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
