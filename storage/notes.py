"""Notes, tags and stars of all people in SQLite; never changed, only superseded."""

from __future__ import annotations

from collections.abc import Iterable

from storage.database import Database, as_stored, as_text, json_list
from storage.rows import Row
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Note

_COLUMNS = "n.id, n.kind, n.author, n.time, n.corpus, n.source_id, n.text, n.chunk, n.run"

_OF_KEYS = (
    f"SELECT {_COLUMNS} FROM json_each(?) j JOIN notes n "
    "ON n.corpus = json_extract(j.value, '$[0]') AND n.source_id = json_extract(j.value, '$[1]') "
    "ORDER BY n.number"
)


class SqliteNotes:
    """Fulfils `trace_core.ports.NoteStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, note: Note) -> None:
        """Keep a note."""
        row = (
            note.id,
            note.kind,
            as_stored(note.author),
            note.time,
            *note.key,
            as_stored(note.text),
            note.chunk,
            note.run,
        )
        names = _COLUMNS.replace("n.", "")
        with self._database.write() as connection:
            connection.exec_driver_sql(
                f"INSERT INTO notes ({names}) VALUES ({', '.join('?' * len(row))})", row
            )

    def notes(self, keys: Iterable[DocumentKey] | None = None) -> list[Note]:
        """Notes on these documents (all when None), oldest first."""
        with self._database.read() as connection:
            if keys is None:
                rows = connection.exec_driver_sql(
                    f"SELECT {_COLUMNS} FROM notes n ORDER BY n.number"
                )
            else:
                rows = connection.exec_driver_sql(_OF_KEYS, (json_list(set(keys)),))
            return [_note(row) for row in rows]


def _note(row: Row) -> Note:
    return Note(
        id=row[0],
        kind=row[1],
        author=as_text(row[2]),
        time=row[3],
        key=DocumentKey(row[4], row[5]),
        text=as_text(row[6]),
        chunk=row[7],
        run=row[8],
    )
