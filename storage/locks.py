"""Locks on parts of a workspace, between threads and between processes.

A lock is a file that the operating system locks; it is free again as soon as its holder's
process has ended, however it ended.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from trace_core.domain.errors import WorkspaceBusy

WAIT_SECONDS = 60.0

_threads: dict[str, threading.RLock] = {}
_guard = threading.Lock()


@contextmanager
def folder_lock(folder: Path, name: str, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock `name` of a workspace folder; re-entrant within a thread.

    Raises WorkspaceBusy when another thread or process keeps it for longer than `wait` seconds.
    """
    path = str(folder.resolve() / f".{name}.lock")
    with _guard:
        threads = _threads.setdefault(path, threading.RLock())
    if not threads.acquire(timeout=wait):
        raise _busy(folder)
    try:
        lock = FileLock(path, is_singleton=True, thread_local=False)
        try:
            lock.acquire(timeout=wait)
        except Timeout:
            raise _busy(folder) from None
        try:
            yield
        finally:
            lock.release()
    finally:
        threads.release()


def _busy(folder: Path) -> WorkspaceBusy:
    return WorkspaceBusy(
        f"Another process is writing to the indexes of {folder}; try again when it has finished."
    )
