"""What is done to the archive: withdrawn, brought back, merged, described; each with its record."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection

from storage.database import Database, as_stored, as_text, json_list
from storage.documents import bump, write_corpus
from storage.keys import present_key, present_keys
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.ports_archive import Deed, FormerCorpus, Moved, Part

_CHUNKS_OF = """
    SELECT c.id FROM documents d JOIN versions v ON v.id = d.version_id
    JOIN chunks c ON c.id BETWEEN v.first_chunk AND v.first_chunk + v.chunk_count - 1 WHERE """

_FIRST_OF_IMPORT = """d.id IN (
    SELECT v.document FROM reports r JOIN versions v ON v.report = r.number AND v.number = 1
    WHERE r.id = ?)"""

_OF_KEYS = """d.id IN (
    SELECT k.id FROM json_each(?) j JOIN documents k
    ON k.corpus = json_extract(j.value, '$[0]') AND k.source_id = json_extract(j.value, '$[1]'))"""

_FORMER = """
    SELECT d.corpus, d.source_id, m.corpus, m.source_id
    FROM json_each(?) j JOIN documents d ON d.corpus = json_extract(j.value, '$[0]')
        AND d.source_id = json_extract(j.value, '$[1]')
    JOIN moved m ON m.document = d.id ORDER BY m.corpus, m.source_id"""

_TAKEN = """
    SELECT d.id, d.source_id FROM documents d
    JOIN documents o ON o.corpus = ? AND o.source_id = d.source_id WHERE d.corpus = ?"""


class SqliteUpkeep:
    """Fulfils `trace_core.ports_archive.UpkeepStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # --- withdrawing ---

    def set_withdrawn(self, part: Part, withdrawn: bool, deed: Deed) -> int:
        """Take a part out of the search, or bring it back; how many documents that concerned."""
        with self._database.write() as connection:
            clause, value = _where(connection, part)
            clause = f"{clause} AND d.withdrawn = {int(not withdrawn)}"
            _queue(connection, clause, (value,))
            sql = f"UPDATE documents AS d SET withdrawn = {int(withdrawn)} WHERE {clause}"
            changed = connection.exec_driver_sql(sql, (value,)).rowcount
            if changed:
                _record(connection, deed)
                bump(connection)
        return changed

    def size(self, part: Part) -> tuple[int, int]:
        """(documents of a part, those of them that are withdrawn)."""
        with self._database.read() as connection:
            clause, value = _where(connection, part)
            sql = f"SELECT count(*), coalesce(sum(withdrawn), 0) FROM documents d WHERE {clause}"
            row = connection.exec_driver_sql(sql, (value,)).one()
        return row[0], row[1]

    def changed_by(self, report: str) -> int:
        """How many documents an import only gave a new version."""
        sql = (
            "SELECT count(DISTINCT v.document) FROM reports r "
            "JOIN versions v ON v.report = r.number AND v.number > 1 WHERE r.id = ?"
        )
        with self._database.read() as connection:
            return int(connection.exec_driver_sql(sql, (report,)).scalar_one())

    # --- sub-corpora ---

    def merge(self, corpus: str, into: str, deed: Deed) -> list[Moved]:
        """Move all documents of a sub-corpus to another one; those that got another id there."""
        with self._database.write() as connection:
            name = _name(connection, corpus)
            _name(connection, into)
            connection.exec_driver_sql(
                "INSERT INTO moved SELECT corpus, source_id, id FROM documents WHERE corpus = ?",
                (corpus,),
            )
            renamed = _rename_taken(connection, corpus, into)
            connection.exec_driver_sql(
                "UPDATE documents SET corpus = ? WHERE corpus = ?", (into, corpus)
            )
            connection.exec_driver_sql(
                "UPDATE former_corpora SET now = ? WHERE now = ?", (into, corpus)
            )
            connection.exec_driver_sql(
                "INSERT INTO former_corpora VALUES (?, ?, ?)", (corpus, name, into)
            )
            connection.exec_driver_sql("DELETE FROM corpora WHERE id = ?", (corpus,))
            moved = "d.withdrawn = 0 AND d.id IN (SELECT document FROM moved WHERE corpus = ?)"
            _queue(connection, moved, (corpus,))
            _record(connection, deed)
            bump(connection)
        return renamed

    def describe(self, corpus: SubCorpus, deed: Deed) -> None:
        """Replace the description of a sub-corpus, and record it."""
        with self._database.write() as connection:
            if write_corpus(connection, corpus):
                _record(connection, deed)
                bump(connection)

    def former_corpora(self) -> dict[str, FormerCorpus]:
        """Sub-corpora that were merged into others, by their ids."""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql("SELECT * FROM former_corpora").all()
        return {row[0]: FormerCorpus(*row) for row in rows}

    # --- keys ---

    def present(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentKey]:
        """The present keys of those of these documents that were moved."""
        with self._database.read() as connection:
            return present_keys(connection, keys)

    def former(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, tuple[DocumentKey, ...]]:
        """The keys that documents had before, by their present ones."""
        found: dict[DocumentKey, tuple[DocumentKey, ...]] = {}
        with self._database.read() as connection:
            for row in connection.exec_driver_sql(_FORMER, (json_list(keys),)):
                key = DocumentKey(row[0], row[1])
                found[key] = (*found.get(key, ()), DocumentKey(row[2], row[3]))
        return found

    def deeds(self) -> list[Deed]:
        """All records, oldest first."""
        sql = "SELECT kind, target, person, reason, time, details FROM deeds ORDER BY number"
        with self._database.read() as connection:
            return [
                Deed(
                    kind=row[0],
                    target=row[1],
                    person=as_text(row[2]),
                    reason=as_text(row[3]),
                    time=row[4],
                    details=json.loads(row[5]),
                )
                for row in connection.exec_driver_sql(sql)
            ]


def _where(connection: Connection, part: Part) -> tuple[str, object]:
    if part.corpus:
        return "d.corpus = ?", part.corpus
    if part.report:
        return _FIRST_OF_IMPORT, part.report
    return _OF_KEYS, json_list({present_key(connection, key) for key in part.keys})


def _queue(connection: Connection, clause: str, values: tuple[object, ...]) -> None:
    for table in ("queue_lexical", "queue_vectors"):
        sql = f"INSERT INTO {table} (chunk) {_CHUNKS_OF}{clause} ORDER BY c.id"
        connection.exec_driver_sql(sql, values)


def _name(connection: Connection, corpus: str) -> str:
    sql = "SELECT name FROM corpora WHERE id = ?"
    name = connection.exec_driver_sql(sql, (corpus,)).scalar()
    if name is None:
        raise NotFound(f"There is no sub-corpus {corpus!r} in this workspace.")
    return str(name)


def _rename_taken(connection: Connection, corpus: str, into: str) -> list[Moved]:
    """Give documents whose id the other sub-corpus has too an id that neither has."""
    renamed = []
    for document, source_id in connection.exec_driver_sql(_TAKEN, (into, corpus)).all():
        free = free_id(connection, source_id, corpus, (corpus, into))
        sql = "UPDATE documents SET source_id = ? WHERE id = ?"
        connection.exec_driver_sql(sql, (free, document))
        renamed.append(Moved(DocumentKey(corpus, source_id), DocumentKey(into, free)))
    return renamed


def free_id(connection: Connection, source_id: str, corpus: str, within: tuple[str, str]) -> str:
    """An id that is free in two sub-corpora: the id with the sub-corpus that it comes from."""
    free = f"{source_id}~{corpus}"
    sql = "SELECT 1 FROM documents WHERE corpus IN (?, ?) AND source_id = ?"
    while connection.exec_driver_sql(sql, (*within, free)).first():
        free += "~"
    return free


def _record(connection: Connection, deed: Deed) -> None:
    connection.exec_driver_sql(
        "INSERT INTO deeds (kind, target, person, reason, time, details) VALUES (?, ?, ?, ?, ?, ?)",
        (
            deed.kind,
            deed.target,
            as_stored(deed.person),
            as_stored(deed.reason),
            deed.time,
            json.dumps(dict(deed.details)),
        ),
    )
