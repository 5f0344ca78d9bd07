"""A run's record is checked as a whole: each event, what follows from it, and its end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.building import draft
from trace_core.domain import events as ev
from trace_core.domain.errors import NotFound
from trace_core.service import Service


@pytest.fixture
def raw(town: Service, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection past the triggers that refuse changes of events."""
    records = tmp_path / "workspace" / "trace.sqlite"
    with closing(sqlite3.connect(records, isolation_level=None)) as opened:
        triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        for (name,) in opened.execute(triggers).fetchall():
            opened.execute(f"DROP TRIGGER {name}")
        yield opened


@pytest.fixture
def run(town: Service) -> str:
    asked = town.ask("Qui craignait pour le pont de la Scie ?")
    town.advance(asked, "approve")
    return asked


def test_a_record_that_was_not_touched_holds(town: Service, run: str) -> None:
    report = town.verify(run)
    assert report.ok
    assert report.events == town.state(run).sequence
    assert report.documents == len(town.evidence(run))


def test_a_cut_off_end_is_noticed(town: Service, run: str, raw: sqlite3.Connection) -> None:
    last = town.state(run).sequence
    raw.execute("DELETE FROM events WHERE run = ? AND sequence > ?", (run, last - 3))
    report = town.verify(run)
    assert (report.ok, report.events) == (False, last - 3)
    assert f"{last - 3} events where {last} were written" in report.sentence


def test_an_end_that_was_sealed_anew_is_noticed(
    town: Service, run: str, raw: sqlite3.Connection
) -> None:
    *_, before, last = town.events(run)
    other = draft(ev.RunStopped(reason="never happened"))
    false = ev.seal(run, last.sequence, before.hash, other, last.time)
    raw.execute(
        "UPDATE events SET actor_kind = ?, actor_name = ?, type = ?, body = ?, hash = ? "
        "WHERE run = ? AND sequence = ?",
        (
            false.actor.kind,
            false.actor.name,
            false.type,
            false.body,
            false.hash,
            run,
            last.sequence,
        ),
    )
    assert "cut off or replaced" in town.verify(run).sentence


def test_a_record_of_which_nothing_is_left_is_noticed(
    town: Service, run: str, raw: sqlite3.Connection
) -> None:
    raw.execute("DELETE FROM events WHERE run = ?", (run,))
    report = town.verify(run)
    assert (report.ok, report.events) == (False, 0)


def test_a_changed_event_is_named(town: Service, run: str, raw: sqlite3.Connection) -> None:
    raw.execute("UPDATE events SET time = '1999' WHERE run = ? AND sequence = 5", (run,))
    report = town.verify(run)
    assert [(f.kind, f.where) for f in report.findings] == [("chain", "event 5")]


def test_a_run_that_never_was_is_not_found(town: Service) -> None:
    with pytest.raises(NotFound, match="nobody"):
        town.verify("nobody")
