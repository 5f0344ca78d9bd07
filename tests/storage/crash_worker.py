"""Adds documents, index entries and events until it is killed; a second start goes on."""

from __future__ import annotations

import sys
from pathlib import Path

from storage import Workspace
from tests.contracts.building import draft, drain, new
from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey

DOCUMENTS, BATCH, RUNS, EVENTS = 400, 20, 3, 40


def say(word: str) -> None:
    """Tell the parent process how far the work is."""
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def work(folder: Path) -> None:
    """Do what is left to do."""
    with Workspace.open(folder) as opened:
        say("open")
        for begin in range(0, DOCUMENTS, BATCH):
            texts = {
                f"d{n}": f"Le pont numéro {n} et la crue." for n in range(begin, begin + BATCH)
            }
            opened.documents.add([new(name, text, cuts=[8]) for name, text in texts.items()])
            if begin % 100 == 0:
                drain(opened)
                opened.documents.withdraw([DocumentKey("herald", f"d{begin}")])
            run = f"r{begin // BATCH % RUNS}"
            after = len(opened.events.read(run))
            for n in range(after, min(after + 8, EVENTS)):
                payload = None if n == 0 else ev.RunResumed(reason=str(n))
                opened.events.append(run, [draft(payload)], after=n)
        drain(opened)
    say("done")


if __name__ == "__main__":
    work(Path(sys.argv[1]))
