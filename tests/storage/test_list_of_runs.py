"""The rows that the list of runs reads follow from the events, and can be made anew from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage import Workspace
from tests.contracts.building import draft
from trace_core.domain import events as ev
from trace_core.domain.errors import ChainBroken


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Workspace, sqlite3.Connection]]:
    """A workspace with a stopped run and a resting one, and a connection to its records."""
    with Workspace.create(tmp_path / "w") as made:
        made.events.append("stopped", [draft(), draft(ev.RunStopped(reason="assez"))], after=0)
        made.events.append("resting", [draft(), draft(ev.RunPaused(reason="nuit"))], after=0)
        path = tmp_path / "w" / "trace.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as raw:
            yield made, raw


@pytest.mark.parametrize(
    "damage",
    [
        "status = 'running'",
        "question = 'another'",
        "purpose = 'evaluation'",
        "waiting_for = 'plan'",
    ],
)
def test_a_row_that_disagrees_is_made_anew(
    opened: tuple[Workspace, sqlite3.Connection], damage: str
) -> None:
    workspace, raw = opened
    before = workspace.events.runs()
    raw.execute(f"UPDATE runs SET {damage} WHERE id = 'stopped'")
    assert workspace.events.runs() != before
    assert workspace.events.relist() == ["stopped"]
    assert workspace.events.runs() == before
    assert workspace.events.relist() == []


@pytest.mark.parametrize("damage", ["events = 3", "head_hash = 'ff'"])
def test_the_witness_of_a_cut_record_is_left(
    opened: tuple[Workspace, sqlite3.Connection], damage: str
) -> None:
    workspace, raw = opened
    raw.execute(f"UPDATE runs SET status = 'running', {damage} WHERE id = 'stopped'")
    assert workspace.events.relist() == []
    with pytest.raises(ChainBroken, match="cut off or replaced"):
        workspace.events.verify("stopped")


def test_a_run_whose_events_cannot_be_read_keeps_its_row(
    opened: tuple[Workspace, sqlite3.Connection],
) -> None:
    workspace, raw = opened
    triggers = raw.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
    ).fetchall()
    for (name,) in triggers:
        raw.execute(f"DROP TRIGGER {name}")
    raw.execute("UPDATE events SET body = '{' WHERE run = 'stopped' AND sequence = 2")
    raw.execute("UPDATE runs SET status = 'running'")
    assert workspace.events.relist() == ["resting"]
    assert {head.id: head.status for head in workspace.events.runs()} == {
        "stopped": "running",
        "resting": "paused",
    }
