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


def test_passages_cut_by_other_settings_are_noticed_until_they_are_cut_anew(
    town: Service,
) -> None:
    assert town.health().ok and town.disagreement() == ""
    town.save_settings({"index": {"chunk_words": 20}})
    health = town.health()
    assert not health.ok
    assert "cut at 250 words" in health.sentence and "ask for 20 words" in health.sentence
    assert town.disagreement() == health.sentence
    town.reindex()
    assert town.health().ok
    assert town.disagreement() == ""
