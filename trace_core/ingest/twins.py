"""Compares what was imported with all that is there, and keeps the groups of the same texts.

Only new and changed texts are read; the groups follow from the marks that are kept of all.
"""

from __future__ import annotations

from collections.abc import Callable

from trace_core.ingest.duplicates import DuplicateFinder, Marks, marks, marks_of
from trace_core.ports import Marked, TwinStore

_BATCH = 200
_PAGE = 5_000

Report = Callable[[int], None]


def compare(store: TwinStore, report: Report) -> int:
    """Mark what has no marks, and group anew if anything was marked; how many were.

    `report` is told how many are done. Safe to break off: what is marked stays marked, and groups
    are made by the next comparison that finds something to mark.
    """
    done = 0
    batch = store.unmarked(limit=_BATCH)
    last = batch[-1] if batch else None
    while batch:
        following = store.unmarked(batch[-1].number, _BATCH)
        # The last marks are kept after the groups, so that work that breaks off is found again.
        if not following:
            last = batch.pop()
        found = marks_of([one.text for one in batch])
        store.mark(
            [
                Marked(one.number, one.version, made.fingerprint, made.signature)
                for one, made in zip(batch, found, strict=True)
            ]
        )
        done += len(batch)
        report(done)
        batch = following
    if last is None:
        return 0
    made = marks(last.text)
    pending = Marked(last.number, last.version, made.fingerprint, made.signature)
    group(store, pending)
    store.mark([pending])
    return done + 1


def group(store: TwinStore, pending: Marked) -> None:
    """Find the groups among all marks, those in hand included."""
    finder: DuplicateFinder[int] = DuplicateFinder()
    after = 0
    while page := store.marks(after, _PAGE):
        for one in page:
            if one.number != pending.number:
                finder.add(one.number, Marks(one.fingerprint, one.signature))
        after = page[-1].number
    finder.add(pending.number, Marks(pending.fingerprint, pending.signature))
    store.put_groups((found.kind, sorted(found.keys)) for found in finder.groups())
