"""How long each export of a large run takes: own processor time and peak memory a format.

Run from the project's root: python -m benchmarks.exports [decisions] [documents]
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from importlib import import_module
from pathlib import Path
from typing import Any

from trace_core.export.bundle_verify import verify_bytes
from trace_core.export.options import Options
from trace_core.export.registry import FORMATS

MEGABYTE = 1024 * 1024
BUILDERS = Path(__file__).parents[1] / "tests" / "export"


def main() -> None:
    """Export an invented run in every format, then check its bundle."""
    sys.path.insert(0, str(BUILDERS))
    runs: Any = import_module("run_builders")
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    documents = int(sys.argv[2]) if len(sys.argv) > 2 else decisions
    made = runs.large_record(decisions, documents)
    options = Options(include_held=True, include_rejected=True)
    print(f"{decisions} decisions on {documents} documents, {len(made.events)} events")
    print(f"{'format':10} {'seconds':>8} {'MB':>8} {'peak MB':>8}")
    for name, form in FORMATS.items():
        fresh = runs.reopened(made)
        start = time.process_time()
        content = form.write(fresh, options)
        seconds = time.process_time() - start
        peak = _peak(lambda form=form: form.write(runs.reopened(made), options))
        print(f"{name:10} {seconds:8.2f} {len(content) / MEGABYTE:8.2f} {peak:8.1f}")
        if name == "bundle":
            start = time.process_time()
            report = verify_bytes(content)
            seconds = time.process_time() - start
            print(f"{'verify':10} {seconds:8.2f}  {'agrees' if report.ok else report.sentence}")


def _peak(work: Any) -> float:
    """Peak of newly allocated memory while something is done, in megabytes."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MEGABYTE


if __name__ == "__main__":
    main()
