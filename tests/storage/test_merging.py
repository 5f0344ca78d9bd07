"""Merges in the workspace's file: all or nothing, and those of the form before."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import Workspace, upkeep
from storage.migrations import MIGRATIONS, migrate
from tests.contracts.building import new
from trace_core.domain.corpus import DocumentKey, Scope, SubCorpus
from trace_core.domain.merging import FormerCorpus
from trace_core.ports import Deed

MERGE = Deed("merge", "gaz", "Max", "un seul journal", "2026-01-03T00:00:00+00:00")
BACK = Deed("unmerge", "gaz", "Max", "deux journaux", "2026-01-04T00:00:00+00:00")


def dump(records: Path) -> list[str]:
    with closing(sqlite3.connect(records)) as raw:
        return list(raw.iterdump())


def test_broken_off_neither_way_changes_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    records = tmp_path / "w" / "trace.sqlite"
    with Workspace.create(tmp_path / "w") as made:
        made.documents.add([new("d1", "un"), new("d1", "deux", "gaz"), new("d2", "trois", "gaz")])
        for act in (
            lambda: made.upkeep.merge("gaz", "herald", MERGE),
            lambda: made.upkeep.unmerge("gaz", BACK),
        ):
            before = dump(records)
            # The record is the last thing written.
            with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(upkeep, "_record", fail)
                act()
            assert dump(records) == before
            act()
            assert dump(records) != before


def old_merges(folder: Path) -> Path:
    """A workspace in which the form before wrote two merges in a row: gaz to herald to press."""
    Workspace.create(folder).close()
    records = folder / "trace.sqlite"
    for path in folder.glob("trace.sqlite*"):
        path.unlink()
    migrate(records, MIGRATIONS[:6])
    with closing(sqlite3.connect(records)) as raw:
        raw.executescript(
            """
            INSERT INTO corpora VALUES
                ('press', 'La presse', '["Le Héraut", "La Gazette"]', 'other', 'fr', '', 0, '{}');
            INSERT INTO documents (id, corpus, source_id, version_id, withdrawn, words, chunks)
                VALUES (1, 'press', 'd', 1, 0, 1, 0), (2, 'press', 'd~gaz', 2, 0, 1, 0);
            INSERT INTO versions VALUES
                (1, 1, 1, '', 'fr', NULL, NULL, NULL, NULL, '', 1, NULL, 1, 0, x'00', x'00', '', '',
                 NULL),
                (2, 2, 1, '', 'fr', NULL, NULL, NULL, NULL, '', 1, NULL, 1, 0, x'00', x'00', '', '',
                 NULL);
            INSERT INTO texts VALUES
                (1, CAST('Un.' AS BLOB), NULL), (2, CAST('Deux.' AS BLOB), NULL);
            INSERT INTO former_corpora VALUES
                ('gaz', 'La Gazette', 'press'), ('herald', 'Le Héraut', 'press');
            INSERT INTO moved VALUES ('gaz', 'd', 2), ('herald', 'd~gaz', 2), ('herald', 'd', 1);
            INSERT INTO deeds (kind, target, person, reason, time, details) VALUES
                ('merge', 'gaz', 'Max', '', '2026', '{"into": "herald", "documents": "1"}'),
                ('merge', 'herald', 'Max', '', '2026', '{"into": "press", "documents": "2"}');
            """
        )
    return records


def test_merges_of_the_form_before_are_taken_back_in_their_order(tmp_path: Path) -> None:
    old_merges(tmp_path / "w")
    with Workspace.open(tmp_path / "w") as workspace:
        assert workspace.upkeep.former_corpora() == {
            "gaz": FormerCorpus("gaz", "La Gazette", "press", "herald"),
            "herald": FormerCorpus("herald", "Le Héraut", "press", "press"),
        }
        herald = workspace.upkeep.unmerge("herald", BACK)
        assert herald == SubCorpus("herald", "Le Héraut", language="fr")
        assert workspace.upkeep.returning("gaz") == 1
        workspace.upkeep.unmerge("gaz", BACK)
        keys = [str(head.key) for head in workspace.documents.browse(Scope())]
        assert keys == ["gaz/d", "herald/d"]
        for old in ("press/d~gaz", "herald/d~gaz"):
            key = DocumentKey(*old.split("/"))
            assert workspace.documents.document(key).text == "Deux."
