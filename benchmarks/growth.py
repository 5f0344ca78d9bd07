"""How the cost of reading grows with what is read: four times the text, times the cost.

What comes into an archive or out of a model is not always text: a scanner's noise, a pasted book,
a reply of brackets without end. What costs the square of its length would stop the work there.
Each row reads a text and the same four times over: a ratio near four is what is wanted, sixteen
would be the square. With `--pages` the app's pages of a run of 5,000 decisions are drawn anew
beside those of a run of 100.

Run from the project's root: python -m benchmarks.growth [--characters N] [--pages]
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import string
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine, table
from trace_core.assistant.replies import Unreadable, read
from trace_core.assistant.shapes import ReviewReply
from trace_core.ingest.chunks import split
from trace_core.ingest.dates import find_dates
from trace_core.text.layers import layer

TIMES = 4
PAGES = ("run", "review", "evidence")
FEW, MANY = 100, 5_000

Work = Callable[[str], object]


def _unreadable(reply: str) -> None:
    with suppress(Unreadable):
        read(reply, ReviewReply)


#: What reads, and junk of every kind that once cost, or might cost, more than its length.
READERS: dict[str, tuple[Work, tuple[str, ...]]] = {
    "layers": (layer, ("-\n", "¬ ", "\xad", "a-\n\n", "é\u0301", " ", "œß", "-" + " " * 99)),
    "chunks": (split, ("a", ". ", ")", "A.-", "\n", "Un mot. ", '" ')),
    "dates": (
        find_dates,
        ("printable", "figures", "1-", "an  ", "vers ", "entre le 3 et le ", " ", "a", "mai "),
    ),
    "replies": (
        _unreadable,
        ("{", '{"a":', "[", "```", "```{ ", "{}", "[}", "\\", ":", "<think>", "mot "),
    ),
}


def junk(kind: str, size: int) -> str:
    """So many characters: of a seeded draw where `kind` names one, else `kind` over and over."""
    alphabets = {"printable": string.printable, "figures": "0123456789 /.-"}
    if kind in alphabets:
        return "".join(random.Random(7).choices(alphabets[kind], k=size))
    return (kind * (size // len(kind) + 1))[:size]


def cost(work: Callable[[], object]) -> float:
    """CPU seconds, the least of three tries."""
    tries = []
    for _ in range(3):
        began = time.process_time()
        work()
        tries.append(time.process_time() - began)
    return min(tries)


def readings(characters: int) -> Iterator[tuple[str, str, str, str, str]]:
    """(reader, kind of junk, milliseconds, milliseconds for four times as much, ratio)."""
    for name, (work, kinds) in READERS.items():
        for kind in kinds:
            few, many = (
                cost(partial(work, junk(kind, size))) for size in (characters, TIMES * characters)
            )
            yield name, repr(kind[:20]), *_compared(few, many)


def looks() -> Iterator[tuple[str, str, str, str]]:
    """(page, milliseconds for 100 decisions, for 5,000, ratio): a second look at a run's pages."""
    from storage.workspace import Workspace
    from tests.pages.driving import big_run, fill
    from trace_core.service import Service

    logging.disable(logging.WARNING)  # the app's test bench warns at each of its steps
    with tempfile.TemporaryDirectory() as home:
        runs: list[tuple[Path, str]] = []
        for decisions in (FEW, MANY):
            folder = Path(home) / str(decisions)
            workspace = Workspace.create(folder)
            fill(workspace)
            service = Service(workspace)
            runs.append((folder, big_run(service, workspace, decisions)))
            service.close()
        for page in PAGES:
            few, many = (cost(_opened(page, *run).run) for run in runs)
            yield page, *_compared(few, many)


def _opened(page: str, workspace: Path, run: str) -> Any:
    from streamlit.testing.v1 import AppTest

    from tests.pages.driving import APP

    os.environ["TRACE_WORKSPACE"] = str(workspace)
    app = AppTest.from_file(str(APP), default_timeout=600)
    app.run()
    app.switch_page(f"pages/views/{page}.py")
    app.query_params["run"] = run
    app.run()
    assert not app.exception
    return app


def _compared(few: float, many: float) -> tuple[str, str, str]:
    ratio = f"{many / few:.1f}" if few else "-"
    return f"{1000 * few:.1f}", f"{1000 * many:.1f}", ratio


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="How the cost of reading grows.")
    parser.add_argument("--characters", type=int, default=100_000)
    parser.add_argument("--pages", action="store_true", help="the app's pages instead")
    chosen = parser.parse_args(arguments)
    print(machine())
    if chosen.pages:
        print(table(("page", f"ms, {FEW} decisions", f"ms, {MANY}", "ratio"), looks()))
        return
    heads = ("reader", "text", "ms", f"ms, {TIMES} times the text", "ratio")
    print(table(heads, readings(chosen.characters)))


if __name__ == "__main__":
    main()
