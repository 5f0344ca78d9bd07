"""Who works on a run, found again when the worker's process has died.

A worker is named "process id:process start:random". It lives while that very process runs (a
reused process id has another start) and gives a sign of life at least every LIVING_SECONDS, so
that a thread which died inside a living server is noticed too.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

import psutil

from storage.database import Database
from trace_core.domain.errors import WorkspaceBusy
from trace_core.ports import Wish

LIVING_SECONDS = 30.0
BEAT_SECONDS = 8.0


def new_worker() -> str:
    """A name for a worker of this process."""
    return f"{os.getpid()}:{_started(os.getpid())}:{uuid.uuid4().hex[:12]}"


def is_alive(owner: str, beat: float, at: float | None = None) -> bool:
    """Whether a worker whose last sign of life came at `beat` (seconds since 1970) still lives."""
    if (time.time() if at is None else at) - beat > LIVING_SECONDS:
        return False
    pid, _, rest = owner.partition(":")
    started, _, unique = rest.partition(":")
    if not (pid.isdigit() and started and unique):
        return True  # not named by this module: the sign of life is all there is
    return _started(int(pid)) == started


def _started(pid: int) -> str:
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except psutil.NoSuchProcess:
        return ""
    except psutil.AccessDenied:
        return "unknown"


class SqliteLeases:
    """Fulfils `trace_core.ports.RunLease`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def worker(self) -> str:
        """A new name for a worker of this process."""
        return new_worker()

    def acquire(self, run: str, owner: str) -> bool:
        """Take the run unless a living worker has it."""
        with self._database.write() as connection:
            row = connection.exec_driver_sql(
                "SELECT owner, beat FROM leases WHERE run = ?", (run,)
            ).first()
            if row is not None and row[0] not in ("", owner) and is_alive(row[0], row[1]):
                return False
            connection.exec_driver_sql(
                "INSERT INTO leases (run, owner, beat, wish) VALUES (?, ?, ?, '') "
                "ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, beat = excluded.beat",
                (run, owner, time.time()),
            )
            return True

    def beat(self, run: str, owner: str) -> None:
        """Say that the worker is alive; nothing happens when another one has the run."""
        with self._database.write() as connection:
            connection.exec_driver_sql(
                "UPDATE leases SET beat = ? WHERE run = ? AND owner = ?",
                (time.time(), run, owner),
            )

    def release(self, run: str, owner: str) -> None:
        """Give the run back; nothing happens when another worker has it."""
        with self._database.write() as connection:
            connection.exec_driver_sql(
                "UPDATE leases SET owner = '' WHERE run = ? AND owner = ?", (run, owner)
            )

    @contextmanager
    def beating(self, run: str, owner: str) -> Iterator[None]:
        """Give signs of life from a thread while the block runs, however long its steps are."""
        ended = threading.Event()

        def work() -> None:
            while not ended.wait(BEAT_SECONDS):
                with suppress(WorkspaceBusy):  # the next beat comes long before the lease ends
                    self.beat(run, owner)

        thread = threading.Thread(target=work, name=f"beat {run}", daemon=True)
        self.beat(run, owner)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def request(self, run: str, wish: Wish) -> None:
        """Ask the worker of a run to pause or stop at its next step; it stands until replaced."""
        with self._database.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO leases (run, owner, beat, wish) VALUES (?, '', 0, ?) "
                "ON CONFLICT (run) DO UPDATE SET wish = excluded.wish",
                (run, wish),
            )

    def wish(self, run: str) -> Wish:
        """What was asked for."""
        with self._database.read() as connection:
            row = connection.exec_driver_sql(
                "SELECT wish FROM leases WHERE run = ?", (run,)
            ).first()
        return cast(Wish, row[0]) if row is not None else ""

    def living(self, run: str) -> bool:
        """Whether a living worker, of whatever process, has the run."""
        with self._database.read() as connection:
            row = connection.exec_driver_sql(
                "SELECT owner, beat FROM leases WHERE run = ? AND owner <> ''", (run,)
            ).first()
        return row is not None and is_alive(row[0], row[1])

    def orphans(self) -> list[str]:
        """Runs whose worker has died in the middle."""
        sql = (
            "SELECT l.run, l.owner, l.beat FROM leases l LEFT JOIN runs r ON r.id = l.run "
            "WHERE l.owner <> '' AND coalesce(r.status, 'running') IN ('planning', 'running') "
            "ORDER BY l.run"
        )
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(sql).all()
        return [run for run, owner, beat in rows if not is_alive(owner, beat)]
