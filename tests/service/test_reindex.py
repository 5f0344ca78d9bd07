"""Building anew: the indexes from the records, the list of runs from their events."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from trace_core.service import Service


def test_reindexing_makes_the_list_of_runs_anew(town: Service, tmp_path: Path) -> None:
    town.advance(town.ask("Qui craignait pour le pont ?"), "approve")
    before = town.runs()
    records = tmp_path / "workspace" / "trace.sqlite"
    with closing(sqlite3.connect(records, isolation_level=None)) as raw:
        raw.execute("UPDATE runs SET status = 'waiting', waiting_for = 'plan'")
    assert town.runs() != before
    town.reindex()
    assert town.runs() == before
