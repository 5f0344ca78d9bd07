from __future__ import annotations

import importlib
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from storage import Workspace, migrations, tables
from storage.backup import restore
from storage.migrations import MIGRATIONS, Migration, migrate
from tests.contracts.building import draft
from trace_core.domain.corpus import DocumentKey, Page, Scope
from trace_core.domain.errors import WorkspaceError
from trace_core.ports import Part

LAST = migrations.LATEST
NEXT = Migration(
    LAST + 1, "colours", ("CREATE TABLE colours (name TEXT)", "INSERT INTO colours VALUES ('red')")
)
BROKEN = Migration(
    LAST + 2, "broken", ("CREATE TABLE more (a INT)", "INSERT INTO nowhere VALUES (1)")
)


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("PRAGMA user_version").fetchone()[0])


def values(path: Path, sql: str) -> list[object]:
    with closing(sqlite3.connect(path)) as raw:
        return [row[0] for row in raw.execute(sql)]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """The records of a workspace with one event."""
    with Workspace.create(tmp_path / "w") as made:
        made.events.append("r1", [draft()], after=0)
    return tmp_path / "w" / "trace.sqlite"


def test_migrations_are_numbered_and_recorded(records: Path) -> None:
    numbers = [migration.number for migration in MIGRATIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    assert values(records, "SELECT number FROM migrations") == numbers
    assert version(records) == migrations.LATEST


def test_an_old_workspace_is_migrated_and_a_copy_kept(records: Path) -> None:
    copy = migrate(records, (*MIGRATIONS, NEXT))
    assert copy is not None and version(copy) == LAST
    assert values(copy, "SELECT run FROM events") == ["r1"]
    assert version(records) == LAST + 1
    assert values(records, "SELECT name FROM colours") == ["red"]
    assert values(records, "SELECT run FROM events") == ["r1"]
    assert migrate(records, (*MIGRATIONS, NEXT)) is None


def old_workspace(folder: Path) -> Path:
    """A workspace as an earlier version of the program left it: one document, one report."""
    Workspace.create(folder).close()
    records = folder / "trace.sqlite"
    for path in folder.glob("trace.sqlite*"):
        path.unlink()
    migrate(records, MIGRATIONS[:2])
    with closing(sqlite3.connect(records)) as raw:
        raw.execute("INSERT INTO corpora VALUES ('g', 'Gazette', '[]', 'other', '', '', 0, '{}')")
        raw.execute("INSERT INTO documents VALUES (1, 'g', 'd1', 1, 0, 5, 6, 2, 1)")
        raw.execute(
            "INSERT INTO versions VALUES (1, 1, 1, 'T', 'fr', '5', '0001-01-05', 5, 6, '', 2, 0.7,"
            " 1, 1, x'00', x'00', '[[0, 0, \"iv\", \"\"]]', '')"
        )
        raw.execute("INSERT INTO texts VALUES (1, CAST('Le pont.' AS BLOB), NULL)")
        raw.execute("INSERT INTO chunks VALUES (1, 1, 0, 0, 8, 0, 1)")
        raw.execute("INSERT INTO reports VALUES (1, 'import-1', '{}')")
        raw.execute("INSERT INTO queue_lexical (chunk) VALUES (1)")
        raw.commit()
    return records


def test_a_workspace_of_the_previous_form_is_brought_forward(tmp_path: Path) -> None:
    records = old_workspace(tmp_path / "w")
    key = DocumentKey("g", "d1")
    with Workspace.open(tmp_path / "w") as workspace:
        document = workspace.documents.document(key)
        assert (document.text, document.quality) == ("Le pont.", 0.7)
        assert document.pages == (Page(0, 0, "iv"),)
        assert [h.key for h in workspace.documents.browse(Scope(min_quality=0.6))] == [key]
        assert workspace.documents.browse(Scope(min_quality=0.8)) == []
        # What was kept may have come from the source, so it is not estimated anew.
        assert workspace.documents.unrated("any") == []
        assert [one.text for one in workspace.twins.unmarked()] == ["Le pont."]
        assert workspace.upkeep.deeds() == []
        assert workspace.upkeep.size(Part(report="import-1")) == (0, 0)
        assert workspace.queue.pending_count("lexical") == 1
    assert version(records) == LAST
    copy = records.with_name("trace.before-migration-3.sqlite")
    assert version(copy) == 2
    assert values(copy, "SELECT text FROM texts") == [b"Le pont."]


def test_a_backup_of_an_older_form_is_brought_forward(tmp_path: Path) -> None:
    old = old_workspace(tmp_path / "w")
    with restore(tmp_path / "w", tmp_path / "again") as workspace:
        assert workspace.documents.document(DocumentKey("g", "d1")).text == "Le pont."
        assert workspace.queue.pending_count("vectors") == 1
    assert version(old) == 2
    assert not list((tmp_path / "again").glob("*before-migration*"))


def test_a_failing_step_leaves_the_old_form(records: Path) -> None:
    with pytest.raises(WorkspaceError):
        migrate(records, (*MIGRATIONS, NEXT, BROKEN))
    assert version(records) == LAST
    assert values(records, "SELECT name FROM sqlite_schema WHERE name IN ('colours', 'more')") == []
    assert migrate(records, (*MIGRATIONS, NEXT)) is not None


def test_racing_openers_apply_each_step_once(records: Path) -> None:
    failures: list[Exception] = []
    barrier = threading.Barrier(6)

    def work() -> None:
        try:
            barrier.wait()
            migrate(records, (*MIGRATIONS, NEXT))
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert values(records, "SELECT name FROM colours") == ["red"]
    assert values(records, "SELECT number FROM migrations") == list(range(1, LAST + 2))


def test_the_tables_as_described_are_those_created(records: Path) -> None:
    found = inspect(create_engine(f"sqlite:///{records}"))
    described = tables.Base.metadata.tables
    assert set(found.get_table_names()) == set(described)
    for name, table in described.items():
        columns = {c["name"]: c for c in found.get_columns(name)}
        assert list(columns) == list(table.columns.keys())
        for column in table.columns:
            is_key = column.primary_key
            assert is_key or columns[column.name]["nullable"] == column.nullable, column
        keys = set(found.get_pk_constraint(name)["constrained_columns"])
        assert keys == {column.name for column in table.primary_key.columns}


def test_the_tables_may_be_imported_twice() -> None:
    before = tables.CorpusRow
    again = importlib.reload(tables)
    assert again.CorpusRow is not before
