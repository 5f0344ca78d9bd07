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
        with self._database.read() as connection:
            return _events(connection, run, after=after, limit=limit)

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
            events = _events(connection, run)
        if projection is None and not events:
            raise NotFound(f"There is no run {run!r}; `runs` lists those there are.")
        count = check_chain(events)
        derived = runs.derive(run, events)
        if projection is None or not projection.ends_like(derived):
            expected = projection.events if projection else 0
            raise ChainBroken(
                f"Run {run} has {count} events where {expected} were written: "
                "its end was cut off or replaced."
            )
        return count

    def relist(self) -> list[str]:
        """Make the rows that `runs` reads anew from the events; the runs whose row was another.

        A row that counts other events, or ends with another hash, is left as it is: it is the
        witness by which `verify` finds that a record's end was cut off or replaced. So is the row
        of a run whose events cannot be read.
        """
        return [head.id for head in self.runs() if self._relist(head.id)]

    def _relist(self, run: str) -> bool:
        with self._database.write() as connection:
            listed = runs.load(connection, run)
            try:
                derived = runs.derive(run, _events(connection, run))
            except ChainBroken:
                return False
            if listed is None or listed == derived or not listed.ends_like(derived):
                return False
            runs.save(connection, derived)
        return True


def _events(
    connection: Connection, run: str, *, after: int = 0, limit: int | None = None
) -> list[Event]:
    rows = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM events WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?",
        (run, after, -1 if limit is None else limit),
    )
    return [_event(row) for row in rows]


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
