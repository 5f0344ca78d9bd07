"""What the benchmarks share: work done in a process of its own, and how its cost is told.

A piece of work is measured in a fresh process, so that its memory is its own and nothing is warm
that would not be in use. Times are CPU seconds of that process with all its threads, beside the
seconds on the wall: on a shared machine only the former say much, and ratios within one run say
most.
"""

from __future__ import annotations

import importlib
import multiprocessing
import platform
import re
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """What a piece of work cost, and what it returned.

    `cpu` and `wall` in seconds, `before` and `peak` the resident memory in bytes before it began
    and at its highest.
    """

    result: Any
    cpu: float
    wall: float
    before: int
    peak: int

    @property
    def grown(self) -> int:
        """Bytes by which the memory grew."""
        return self.peak - self.before


def measured(work: Callable[..., Any], *arguments: Any, warm: Sequence[str] = ()) -> Cost:
    """Do a piece of work (a module's function) in a fresh process. Raises RuntimeError.

    The modules in `warm` are imported before the clock starts.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, work, arguments, warm))
    process.start()
    there.close()
    try:
        cost = here.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"{work.__name__} died with code {process.exitcode}") from None
    process.join()
    assert isinstance(cost, Cost)
    return cost


def _work(
    there: Any, work: Callable[..., Any], arguments: Sequence[Any], warm: Sequence[str]
) -> None:
    for module in warm:
        importlib.import_module(module)
    before = memory()[0]
    wall, cpu = time.perf_counter(), time.process_time()
    result = work(*arguments)
    spent, waited = time.process_time() - cpu, time.perf_counter() - wall
    there.send(Cost(result, spent, waited, before, memory()[1]))
    there.close()


def memory() -> tuple[int, int]:
    """(now, at its highest): the resident memory of this process in bytes."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        highest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return highest, highest
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    now, highest = (1024 * int(fields[name].split()[0]) for name in ("VmRSS", "VmHWM"))
    return now, highest


@contextmanager
def private_peak() -> Iterator[Callable[[], int]]:
    """A question for the most private memory, in bytes, that this process had so far; 0 if unknown.

    Looked at twenty times a second. Private memory leaves out files that are mapped into it, which
    the system takes back whenever it needs the room.
    """
    peak, over = 0, threading.Event()

    def look() -> None:
        nonlocal peak
        while not over.wait(0.05):
            peak = max(peak, _private())

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield lambda: peak
    finally:
        over.set()
        watcher.join()


def _private() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    found = re.search(r"^RssAnon:\s+(\d+)", status, flags=re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def size_of(path: Path) -> int:
    """The bytes of a file or of all files below a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def percentile(values: Iterable[float], share: float) -> float:
    """The value that so large a share of all (0 to 1) do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def mega(size: float) -> str:
    """Bytes as megabytes."""
    return f"{size / _MEGA:,.0f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def machine() -> str:
    """One line on where and when a benchmark ran."""
    import os

    cores = os.cpu_count() or 1
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    now = datetime.now(UTC)
    return (
        f"{now:%Y-%m-%d %H:%M} UTC, {platform.system()} {platform.machine()}, {cores} cores{load}, "
        f"Python {platform.python_version()}"
    )


def numbers(text: str) -> list[int]:
    """The whole numbers of a comma-separated list, as an option's type."""
    return [int(part) for part in text.replace("_", "").split(",") if part]
