"""The tickets of chunks whose index entries are to be brought up to date.

A ticket names a chunk, not a deed: whether its entry is to be written or removed is read from
the chunk itself when the ticket is worked off. So the order of tickets does not matter, a chunk
may have several, and working one off twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from storage.database import Database
from storage.rows import CHUNK_COLUMNS, CHUNK_TABLES, with_texts
from trace_core.ports import IndexEntry, IndexName

_TABLES: dict[IndexName, str] = {"lexical": "queue_lexical", "vectors": "queue_vectors"}

_PENDING = f"""
    SELECT {CHUNK_COLUMNS}, q.ticket, c.current AND NOT d.withdrawn,
           iif(v.language = '', s.language, v.language), v.earliest, v.latest
    FROM (SELECT ticket, chunk FROM %s ORDER BY ticket LIMIT ?) q
    CROSS JOIN {CHUNK_TABLES.replace("chunks c JOIN", "chunks c ON c.id = q.chunk JOIN", 1)}
    JOIN corpora s ON s.id = d.corpus
    ORDER BY q.ticket"""


_CHUNKS_OF = """
    SELECT c.id FROM documents d JOIN versions v ON v.id = d.version_id
    JOIN chunks c ON c.id BETWEEN v.first_chunk AND v.first_chunk + v.chunk_count - 1 WHERE """


class SqliteQueue:
    """Fulfils `trace_core.ports.IndexQueue`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def pending(
        self, index: IndexName, limit: int
    ) -> tuple[list[tuple[IndexEntry, int]], list[tuple[int, int]]]:
        """(entries to add, chunk ids to remove), each with its queue ticket, oldest first."""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(_PENDING % _TABLES[index], (limit,)).all()
            live = [row for row in rows if row[11]]
            entries = [
                (IndexEntry(chunk, row[12], row[13], row[14]), row[10])
                for row, chunk in with_texts(connection, live)
            ]
        entries.sort(key=lambda pair: pair[1])
        return entries, [(row[0], row[10]) for row in rows if not row[11]]

    def pending_count(self, index: IndexName) -> int:
        """How many tickets are open."""
        with self._database.read() as connection:
            query = f"SELECT count(*) FROM {_TABLES[index]}"
            return int(connection.exec_driver_sql(query).scalar_one())

    def done(self, index: IndexName, tickets: Iterable[int]) -> None:
        """Close these tickets."""
        spans = ranges(tickets)
        if spans:
            with self._database.write() as connection:
                sql = f"DELETE FROM {_TABLES[index]} WHERE ticket BETWEEN ? AND ?"
                connection.exec_driver_sql(sql, spans)

    def clear(self, index: IndexName) -> None:
        """Close all tickets of an index that is not kept."""
        with self._database.write() as connection:
            connection.exec_driver_sql(f"DELETE FROM {_TABLES[index]}")

    def requeue_all(self, index: IndexName) -> int:
        """Drop open tickets and queue every current, not withdrawn chunk; how many."""
        table = _TABLES[index]
        live = f"SELECT c.id FROM {CHUNK_TABLES} WHERE c.current = 1 AND d.withdrawn = 0"
        with self._database.write() as connection:
            connection.exec_driver_sql(f"DELETE FROM {table}")
            sql = f"INSERT INTO {table} (chunk) {live} ORDER BY c.id"
            return connection.exec_driver_sql(sql).rowcount


def queue_spans(connection: Connection, spans: Sequence[tuple[int, int]]) -> None:
    """Queue the chunks from the first to the last id of each span for both indexes."""
    if not spans:
        return
    for table in _TABLES.values():
        sql = f"INSERT INTO {table} (chunk) SELECT id FROM chunks WHERE id BETWEEN ? AND ?"
        connection.exec_driver_sql(sql, list(spans))


def queue_documents(connection: Connection, clause: str, values: tuple[object, ...]) -> None:
    """Queue the present chunks of the documents `d` for which a clause holds, for both indexes."""
    for table in _TABLES.values():
        sql = f"INSERT INTO {table} (chunk) {_CHUNKS_OF}{clause} ORDER BY c.id"
        connection.exec_driver_sql(sql, values)


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers as spans (first, last) without gaps, ascending."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans
