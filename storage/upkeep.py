"""What is done to the archive: withdrawn, brought back, merged, described; each with its record."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection

from storage import merging
from storage.database import Database, as_stored, as_text, json_list
from storage.documents import bump, write_corpus
from storage.keys import present_key, present_keys, read_former
from storage.queue import queue_documents
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.merging import FormerCorpus
from trace_core.ports import Deed, Moved, Part

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


class SqliteUpkeep:
    """Fulfils `trace_core.ports.UpkeepStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # --- withdrawing ---

    def set_withdrawn(self, part: Part, deed: Deed, *, withdrawn: bool) -> int:
        """Take a part out of the search, or bring it back; how many documents that concerned."""
        with self._database.write() as connection:
            clause, value = _where(connection, part)
            clause = f"{clause} AND d.withdrawn = {int(not withdrawn)}"
            queue_documents(connection, clause, (value,))
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
            renamed = merging.merge(connection, corpus, into)
            _record(connection, deed)
            bump(connection)
        return renamed

    def taken(self, corpus: str, into: str) -> int:
        """How many documents a merge would have to give another id."""
        with self._database.read() as connection:
            return merging.taken(connection, corpus, into)

    def unmerge(self, corpus: str, deed: Deed) -> SubCorpus:
        """Give a former sub-corpus back, with its documents under the ids that they had."""
        with self._database.write() as connection:
            again = merging.unmerge(connection, corpus)
            _record(connection, deed)
            bump(connection)
        return again

    def returning(self, corpus: str) -> int:
        """How many documents an unmerge would give back."""
        with self._database.read() as connection:
            return merging.returning(connection, corpus)

    def describe(self, corpus: SubCorpus, deed: Deed) -> None:
        """Replace the description of a sub-corpus, and record it."""
        with self._database.write() as connection:
            if write_corpus(connection, corpus):
                _record(connection, deed)
                bump(connection)

    def former_corpora(self) -> dict[str, FormerCorpus]:
        """Sub-corpora that were merged into others, by their ids."""
        with self._database.read() as connection:
            return read_former(connection)

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
