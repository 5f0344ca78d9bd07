"""The append-only record of all runs in SQLite.

Storage contract: an event row is written once and triggers refuse to change or remove it; each
row holds the hash of the one before it, so whatever is changed past the triggers is found by
`verify`. The row of the run (see `runs.py`) keeps the number of events and the last hash, so a
cut-off end is found too.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from storage import runs
from storage.database import Database, as_text
from storage.leases import is_alive
from storage.rows import Row
from trace_core.domain.errors import ChainBroken, NotFound, StaleRun
from trace_core.domain.events import GENESIS, Draft, Event, check_chain, now, seal
from trace_core.domain.evidence import Actor
from trace_core.ports import RunHead

_COLUMNS = "run, sequence, time, actor_kind, actor_name, type, body, previous_hash, hash"

_RUNS = """
    SELECT r.id, r.question, r.assistant, r.status, r.created, r.updated, r.events,
           r.waiting_for, coalesce(l.owner, ''), coalesce(l.beat, 0), r.purpose
    FROM runs r LEFT JOIN leases l ON l.run = r.id ORDER BY r.created DESC, r.id DESC"""


class SqliteEvents:
    """Fulfils `trace_core.ports.EventLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def append(self, run: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Append drafts in one transaction behind event `after` (0 for a new run).

        Raises StaleRun when the run's last event is another one.
        """
        with self._database.write() as connection:
            sequence, previous = _head(connection, run)
            if sequence != after:
                raise StaleRun(
                    f"Run {run} has {sequence} events, not {after}: somebody else went on with "
                    "it. Read it again and repeat."
                )
            projection = runs.load(connection, run) or runs.RunProjection(run)
            events: list[Event] = []
            for draft in drafts:
                sequence += 1
                event = seal(run, sequence, previous, draft, now())
                projection = runs.project(projection, event, draft.payload)
                events.append(event)
                previous = event.hash
            if events:
                _insert(connection, events)
                runs.save(connection, projection)
        return events

    def read(self, run: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events of a run in order, those after sequence `after`."""
        sql = (
            f"SELECT {_COLUMNS} FROM events WHERE run = ? AND sequence > ? "
            "ORDER BY sequence LIMIT ?"
        )
        with self._database.read() as connection:
            values = (run, after, -1 if limit is None else limit)
            return [_event(row) for row in connection.exec_driver_sql(sql, values)]

    def runs(self) -> list[RunHead]:
        """All runs, newest first; `owner` is the living worker of each, if it has one."""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(_RUNS).all()
        return [
            RunHead(
                id=row[0],
                question=as_text(row[1]),
                assistant=row[2],
                status=row[3],
                created=row[4],
                updated=row[5],
                events=row[6],
                waiting_for=row[7],
                owner=row[8] if row[8] and is_alive(row[8], row[9]) else "",
                purpose=row[10],
            )
            for row in rows
        ]

    def verify(self, run: str) -> int:
        """Re-derive the run's hash chain; its number of events.

        Raises ChainBroken, and NotFound when there is no such run.
        """
        with self._database.read() as connection:
            projection = runs.load(connection, run)
            sql = f"SELECT {_COLUMNS} FROM events WHERE run = ? ORDER BY sequence"
            rows = connection.exec_driver_sql(sql, (run,)).all()
        if projection is None and not rows:
            raise NotFound(f"There is no run {run} in this workspace.")
        events = [_event(row) for row in rows]
        count = check_chain(events)
        for event in events:
            _ = event.payload
        expected = projection.events if projection else 0
        last = events[-1].hash if events else GENESIS
        if projection is None or count != expected or last != projection.head_hash:
            raise ChainBroken(
                f"Run {run} has {count} events where {expected} were written: "
                "its end was cut off or replaced."
            )
        return count


def _head(connection: Connection, run: str) -> tuple[int, str]:
    row = connection.exec_driver_sql(
        "SELECT sequence, hash FROM events WHERE run = ? ORDER BY sequence DESC LIMIT 1", (run,)
    ).first()
    return (0, GENESIS) if row is None else (row[0], row[1])


def _insert(connection: Connection, events: Sequence[Event]) -> None:
    connection.exec_driver_sql(
        f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                e.run,
                e.sequence,
                e.time,
                e.actor.kind,
                e.actor.name,
                e.type,
                e.body,
                e.previous_hash,
                e.hash,
            )
            for e in events
        ],
    )


def _event(row: Row) -> Event:
    try:
        actor = Actor(kind=row[3], name=row[4])
    except ValueError as error:
        raise ChainBroken(
            f"Event {row[1]} of run {row[0]} was changed after it was written."
        ) from error
    return Event(row[0], row[1], row[2], actor, row[5], row[6], row[7], row[8])
