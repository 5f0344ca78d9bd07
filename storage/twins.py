"""Which documents have the same text, in SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from storage.database import Database, json_list
from storage.keys import present_keys
from storage.rows import Row
from storage.texts import decode, some
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Marked, TwinGroup, TwinKind, Unmarked

_UNMARKED = """
    SELECT d.id, v.number, t.text
    FROM documents d JOIN versions v ON v.id = d.version_id JOIN texts t ON t.version_id = v.id
    LEFT JOIN marks m ON m.document = d.id
    WHERE d.id > ? AND (m.version IS NULL OR m.version <> v.number) ORDER BY d.id LIMIT ?"""

_MARK = """
    INSERT INTO marks (document, version, fingerprint, signature)
    SELECT d.id, v.number, ?, ? FROM documents d JOIN versions v ON v.id = d.version_id
    WHERE d.id = ? AND v.number = ?
    ON CONFLICT (document) DO UPDATE SET version = excluded.version,
        fingerprint = excluded.fingerprint, signature = excluded.signature"""

# A group is listed while two of its documents are not withdrawn.
_LIVE = """
    SELECT t.first, min(t.exact) AS exact, count(*) AS size
    FROM twins t JOIN documents d ON d.id = t.document AND d.withdrawn = 0
    GROUP BY t.first HAVING count(*) > 1"""

_MEMBERS = """
    SELECT t.first, t.exact, d.corpus, d.source_id
    FROM json_each(?) j JOIN twins t ON t.first = j.value
    JOIN documents d ON d.id = t.document AND d.withdrawn = 0 ORDER BY t.first, t.document"""

_FIRSTS = """
    SELECT j.key, t.first FROM json_each(?) j
    JOIN documents d ON d.corpus = json_extract(j.value, '$[0]')
        AND d.source_id = json_extract(j.value, '$[1]')
    JOIN twins t ON t.document = d.id"""


class SqliteTwins:
    """Fulfils `trace_core.ports.TwinStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unmarked(self, after: int = 0, limit: int = 500) -> list[Unmarked]:
        """Documents behind a number whose newest version has no marks."""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(_UNMARKED, (after, limit))
            return [Unmarked(row[0], row[1], decode(row[2])) for row in some(rows, text=2)]

    def mark(self, marks: Sequence[Marked]) -> None:
        """Keep marks; those of a version that is no longer the newest are dropped."""
        if marks:
            rows = [(m.fingerprint, m.signature, m.number, m.version) for m in marks]
            with self._database.write() as connection:
                connection.exec_driver_sql(_MARK, rows)

    def marks(self, after: int = 0, limit: int = 5000) -> list[Marked]:
        """The marks of documents behind a number, by number."""
        sql = "SELECT * FROM marks WHERE document > ? ORDER BY document LIMIT ?"
        with self._database.read() as connection:
            return [Marked(*row) for row in connection.exec_driver_sql(sql, (after, limit))]

    def put_groups(self, groups: Iterable[tuple[TwinKind, Sequence[int]]]) -> None:
        """Replace all groups, given by the numbers of their documents."""
        rows = [
            (number, numbers[0], int(kind == "exact"))
            for kind, numbers in groups
            for number in numbers
        ]
        with self._database.write() as connection:
            connection.exec_driver_sql("DELETE FROM twins")
            if rows:
                connection.exec_driver_sql("INSERT INTO twins VALUES (?, ?, ?)", rows)

    def groups(self, offset: int = 0, limit: int = 100) -> list[TwinGroup]:
        """A page of the groups of two or more that are not withdrawn."""
        sql = f"SELECT first FROM ({_LIVE}) ORDER BY first LIMIT ? OFFSET ?"
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(sql, (limit, offset)).all()
            found = _members(connection, [row[0] for row in rows])
        return [found[row[0]] for row in rows]

    def count(self) -> tuple[int, int]:
        """(groups, documents in them)."""
        with self._database.read() as connection:
            sql = f"SELECT count(*), coalesce(sum(size), 0) FROM ({_LIVE})"
            row = connection.exec_driver_sql(sql).one()
        return row[0], row[1]

    def twins(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, TwinGroup]:
        """The groups of those of these documents that have a twin."""
        wanted = list(keys)
        with self._database.read() as connection:
            moved = present_keys(connection, wanted)
            now = json_list(moved.get(key, key) for key in wanted)
            rows = connection.exec_driver_sql(_FIRSTS, (now,)).all()
            found = _members(connection, sorted({row[1] for row in rows}))
        return {
            wanted[place]: found[first]
            for place, first in rows
            if first in found and len(found[first].keys) > 1
        }


def _members(connection: Connection, firsts: Sequence[int]) -> dict[int, TwinGroup]:
    groups: dict[int, list[Row]] = {}
    for row in connection.exec_driver_sql(_MEMBERS, (json_list(firsts),)):
        groups.setdefault(row[0], []).append(row)
    return {
        first: TwinGroup(
            "exact" if all(row[1] for row in rows) else "near",
            tuple(DocumentKey(row[2], row[3]) for row in rows),
        )
        for first, rows in groups.items()
    }
