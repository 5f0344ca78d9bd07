"""The SQLite file of a workspace: one engine, many threads, several processes.

Readers see one snapshot a block; writers take the write lock at once (BEGIN IMMEDIATE), so that
two processes wait for each other instead of failing half-way. Every SQLite error leaves here as
one sentence that says what to do.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DatabaseError, IntegrityError
from sqlalchemy.pool import QueuePool
from sqlmodel import create_engine

from trace_core.domain.errors import WorkspaceBusy, WorkspaceError

BUSY_SECONDS = 20.0

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA journal_size_limit=8388608",
    # Without it, INSERT OR REPLACE would remove a row past the triggers that refuse DELETE.
    "PRAGMA recursive_triggers=ON",
    f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}",
)


class Database:
    """An opened SQLite file; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = _engine(path)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one snapshot of the database until the block ends."""
        with self._block("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a write transaction: committed at the end, rolled back on an error.

        Raises WorkspaceBusy when another writer does not finish in time.
        """
        with self._block("BEGIN IMMEDIATE") as connection:
            yield connection
            connection.commit()

    @contextmanager
    def _block(self, begin: str) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                # By the driver itself: every read begins so, and SQLAlchemy's way costs as much
                # as the reading.
                connection.connection.cursor().execute(begin)
                yield connection
        except IntegrityError:
            raise
        except (DatabaseError, sqlite3.Error) as error:
            raise explained(error, self.path) from error

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=56,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where this module says so
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    return engine


def explained(error: Exception, path: Path) -> WorkspaceError:
    """A SQLite error as the sentence that a person needs."""
    cause = str(getattr(error, "orig", None) or error)
    low = cause.lower()
    if "locked" in low or "busy" in low:
        return WorkspaceBusy(f"Another process is writing to {path.parent}; try again in a moment.")
    if "readonly" in low or "read-only" in low or "unable to open" in low:
        return WorkspaceError(
            f"The workspace {path.parent} cannot be written; give yourself write access to it, "
            "or copy the folder to a place where you may write."
        )
    if "full" in low or "disk i/o" in low:
        return WorkspaceError(
            f"Writing to {path.parent} failed ({cause}); free some space on the disk and repeat."
        )
    if "malformed" in low or "not a database" in low:
        return WorkspaceError(f"{path} is damaged ({cause}); restore the workspace from a backup.")
    return WorkspaceError(f"The records in {path} could not be used: {cause}.")


def as_stored(text: str) -> str | bytes:
    """A text as SQLite can hold it: with lone surrogates it becomes bytes, else it stays."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def as_text(value: str | bytes) -> str:
    """The text behind what `as_stored` gave."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def json_list(values: Iterable[object]) -> str:
    """Values as one JSON parameter for `json_each`, since SQLite limits their number else."""
    return json.dumps(list(values))
