"""What is written to the record stays: triggers refuse, and `verify` finds what went past them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import Workspace
from tests.contracts.building import draft
from tests.contracts.test_record import CALL
from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import ChainBroken
from trace_core.ports import Deed, Note

COLUMNS = (
    "run",
    "sequence",
    "time",
    "actor_kind",
    "actor_name",
    "type",
    "body",
    "previous_hash",
    "hash",
)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    with Workspace.create(tmp_path / "w") as made:
        payloads: list[ev.Payload] = [
            ev.RunPaused(reason="nuit é"),
            ev.RunResumed(),
            ev.RunStopped(reason="assez"),
        ]
        made.events.append("r1", [draft(), *(draft(one) for one in payloads)], after=0)
        made.events.append("r2", [draft()], after=0)
        made.calls.save(CALL)
        made.documents.put_corpus(SubCorpus("a", "A"))
        made.upkeep.describe(SubCorpus("a", "B"), Deed("describe", "a", "Zoé", "", "2026"))
        made.notes.add(Note("n1", "star", "Zoé", "2026", DocumentKey("a", "b")))
    return tmp_path / "w" / "trace.sqlite"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE events SET body = '{}'",
        "UPDATE events SET run = 'r9' WHERE run = 'r2'",
        "DELETE FROM events",
        "DELETE FROM events WHERE run = 'r2'",
        "INSERT OR REPLACE INTO events SELECT * FROM events WHERE run = 'r1' AND sequence = 2",
        "INSERT INTO events SELECT run, 9, time, actor_kind, actor_name, type, body, "
        "previous_hash, hash FROM events WHERE run = 'r1' AND sequence = 2",
        "INSERT OR REPLACE INTO events (rowid, run, sequence, time, actor_kind, actor_name, type, "
        "body, previous_hash, hash) SELECT 1, 'r3', 1, time, actor_kind, actor_name, type, "
        "body, previous_hash, hash FROM events WHERE run = 'r1' AND sequence = 1",
        "UPDATE calls SET reply = 'better'",
        "DELETE FROM calls",
        "UPDATE notes SET text = 'x'",
        "DELETE FROM notes",
        "INSERT OR REPLACE INTO notes SELECT * FROM notes",
        "UPDATE deeds SET reason = 'x'",
        "DELETE FROM deeds",
        "INSERT OR REPLACE INTO deeds SELECT * FROM deeds",
    ],
)
def test_the_database_refuses(records: Path, sql: str) -> None:
    with closing(sqlite3.connect(records)) as raw:
        before = raw.execute("SELECT * FROM events, calls, notes, deeds").fetchall()
        with pytest.raises(sqlite3.IntegrityError, match=r"never changed|only appended"):
            raw.execute(sql)
        assert raw.execute("SELECT * FROM events, calls, notes, deeds").fetchall() == before


OTHER_CALL = """
    INSERT OR REPLACE INTO calls (rowid, id, run, "key", stage, model, prompt_hash, request, reply,
        tokens_in, tokens_out, seconds, price, time, problem, meta)
    SELECT rowid, 'c9', 'r9', 'k', stage, model, prompt_hash, request, 'better',
        1, 1, 1, 1, time, problem, meta FROM calls"""


@pytest.mark.parametrize("sql", ["INSERT OR REPLACE INTO calls SELECT * FROM calls", OTHER_CALL])
def test_a_call_cannot_be_replaced(records: Path, sql: str) -> None:
    with closing(sqlite3.connect(records)) as raw:
        before = raw.execute("SELECT rowid, * FROM calls").fetchall()
        raw.execute(sql)
        assert raw.execute("SELECT rowid, * FROM calls").fetchall() == before


@pytest.fixture
def opened(records: Path) -> Iterator[tuple[Workspace, sqlite3.Connection]]:
    """A workspace, and a connection past its triggers."""
    with closing(sqlite3.connect(records, isolation_level=None)) as raw:
        for (name,) in raw.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        ).fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        with Workspace.open(records.parent) as workspace:
            yield workspace, raw


@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_changed_byte_is_noticed(
    opened: tuple[Workspace, sqlite3.Connection], data: st.DataObject
) -> None:
    workspace, raw = opened
    column = data.draw(st.sampled_from(COLUMNS))
    sequence = data.draw(st.integers(1, 4))
    where = "WHERE run = 'r1' AND sequence = ?"
    old = raw.execute(f"SELECT {column} FROM events {where}", (sequence,)).fetchone()[0]
    new = data.draw(changes(old), label="new value")
    raw.execute("BEGIN")
    try:
        raw.execute(f"UPDATE events SET {column} = ? {where}", (new, sequence))
    except sqlite3.IntegrityError:  # two events in one place: the key itself refuses
        raw.execute("ROLLBACK")
        return
    raw.execute("COMMIT")
    try:
        with pytest.raises(ChainBroken):
            workspace.events.verify("r1")
    finally:
        here = (new if column == "sequence" else sequence, new if column == "run" else "r1")
        raw.execute(f"UPDATE events SET {column} = ? WHERE sequence = ? AND run = ?", (old, *here))
    assert workspace.events.verify("r1") == 4


def changes(old: object) -> st.SearchStrategy[object]:
    """Other values for a column: one character other, one more, one less, or any text."""
    if isinstance(old, int):
        return st.integers(-5, 50).filter(lambda n: n != old)
    text = str(old)
    places = st.integers(0, max(len(text) - 1, 0))
    chars = st.characters(codec="utf-8", exclude_characters="\0")
    swapped = st.builds(lambda n, c: text[:n] + c + text[n + 1 :], places, chars)
    added = st.builds(lambda n, c: text[:n] + c + text[n:], places, chars)
    cut = st.builds(lambda n: text[:n] + text[n + 1 :], places)
    free = st.text(chars, max_size=10)
    return st.one_of(swapped, added, cut, free).filter(lambda value: value != text)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM events WHERE run = 'r1' AND sequence = 4",
        "DELETE FROM events WHERE run = 'r1' AND sequence = 2",
        "DELETE FROM events WHERE run = 'r1' AND sequence = 1",
        "DELETE FROM events WHERE run = 'r1'",
        "UPDATE events SET sequence = 7 - sequence + 10 WHERE run = 'r1' AND sequence > 1",
        "INSERT INTO events SELECT run, 5, time, actor_kind, actor_name, type, body, "
        "previous_hash, hash FROM events WHERE run = 'r1' AND sequence = 4",
    ],
)
def test_removed_moved_and_added_events_are_noticed(
    opened: tuple[Workspace, sqlite3.Connection], sql: str
) -> None:
    workspace, raw = opened
    raw.execute(sql)
    with pytest.raises(ChainBroken):
        workspace.events.verify("r1")
    assert workspace.events.verify("r2") == 1
