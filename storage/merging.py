"""Two sub-corpora made one, and one given back, inside a transaction that the caller holds.

A key names one document for ever: no row of `moved` is the present key of a document, and a
document takes no key that another one had.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from storage.database import json_list
from storage.documents import write_corpus
from storage.keys import read_former
from storage.queue import queue_documents
from storage.rows import as_corpus, corpus_row
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.domain.merging import FormerCorpus, gone, heirs, returnable, within, without
from trace_core.ports import Moved

_TAKEN = """
    SELECT d.id, d.source_id FROM documents d WHERE d.corpus = ? AND (
        EXISTS (SELECT 1 FROM documents o WHERE o.corpus = ? AND o.source_id = d.source_id)
        OR EXISTS (SELECT 1 FROM moved m WHERE m.corpus = ? AND m.source_id = d.source_id
                   AND m.document <> d.id))
    ORDER BY d.id"""

_IS_TAKEN = """
    SELECT 1 FROM documents WHERE corpus IN (?, ?) AND source_id = ?
    UNION ALL SELECT 1 FROM moved WHERE corpus = ? AND source_id = ? AND document <> ?"""

# A key that a document has again is no earlier one any more.
_PRESENT_AGAIN = """
    DELETE FROM moved WHERE corpus = ? AND EXISTS (
        SELECT 1 FROM documents d WHERE d.id = moved.document
        AND d.corpus = moved.corpus AND d.source_id = moved.source_id)"""

_OF = """
    SELECT {} FROM moved m JOIN documents d ON d.id = m.document
    WHERE m.home AND d.corpus = ? AND m.corpus IN (SELECT value FROM json_each(?))"""

# Came under the name of what had been merged before, when the returning one was gone already.
_STRAYS = (
    _OF.format("m.document, m.source_id, m.corpus")
    + """
    AND NOT EXISTS (SELECT 1 FROM moved h
        WHERE h.home AND h.corpus = ? AND h.document = m.document)
    ORDER BY m.document"""
)

_GO_HOME = """
    UPDATE documents SET corpus = h.corpus, source_id = h.source_id
    FROM moved h WHERE h.document = documents.id AND h.home AND h.corpus = ?
        AND documents.corpus = ?"""


def merge(connection: Connection, corpus: str, into: str) -> list[Moved]:
    """Move all documents of a sub-corpus to another one; those that got another id there."""
    source, target = _corpus(connection, corpus), _corpus(connection, into)
    kept = gone(source, target)
    connection.exec_driver_sql(
        "INSERT INTO moved SELECT corpus, source_id, id, 1 FROM documents WHERE corpus = ?",
        (corpus,),
    )
    renamed = _rename_taken(connection, corpus, into)
    connection.exec_driver_sql("UPDATE documents SET corpus = ? WHERE corpus = ?", (into, corpus))
    connection.exec_driver_sql(_PRESENT_AGAIN, (into,))
    connection.exec_driver_sql("UPDATE former_corpora SET now = ? WHERE now = ?", (into, corpus))
    values = (
        corpus,
        source.name,
        into,
        into,
        json.dumps(corpus_row(source)),
        json.dumps(kept.gained),
    )
    connection.exec_driver_sql("INSERT INTO former_corpora VALUES (?, ?, ?, ?, ?, ?)", values)
    connection.exec_driver_sql("DELETE FROM corpora WHERE id = ?", (corpus,))
    write_corpus(connection, replace(target, aliases=(*target.aliases, *kept.gained)))
    clause = "d.withdrawn = 0 AND d.id IN (SELECT document FROM moved WHERE home AND corpus = ?)"
    queue_documents(connection, clause, (corpus,))
    return renamed


def taken(connection: Connection, corpus: str, into: str) -> int:
    """How many documents a merge would have to give another id."""
    sql = f"SELECT count(*) FROM ({_TAKEN})"
    return int(connection.exec_driver_sql(sql, (corpus, into, into)).scalar_one())


def unmerge(connection: Connection, corpus: str) -> SubCorpus:
    """Give a former sub-corpus back, with its documents under the ids that they had."""
    former = read_former(connection)
    leaving = returnable(corpus, former)
    holder = _corpus(connection, leaving.into)
    inside = within(corpus, former)
    again = leaving.again(holder)
    connection.exec_driver_sql("DELETE FROM former_corpora WHERE id = ?", (corpus,))
    write_corpus(connection, again)
    _house_strays(connection, leaving, inside)
    _move_home(connection, leaving)
    sql = "UPDATE former_corpora SET now = ? WHERE id IN (SELECT value FROM json_each(?))"
    connection.exec_driver_sql(sql, (corpus, json_list(inside)))
    for heir in heirs(leaving, former):
        sql = "UPDATE former_corpora SET gained = ? WHERE id = ?"
        connection.exec_driver_sql(sql, (json.dumps(heir.gained), heir.id))
    write_corpus(connection, without(holder, leaving, former))
    queue_documents(connection, "d.withdrawn = 0 AND d.corpus = ?", (corpus,))
    return again


def returning(connection: Connection, corpus: str) -> int:
    """How many documents an unmerge would give back."""
    former = read_former(connection)
    if corpus not in former:
        return 0
    names = json_list({corpus, *within(corpus, former)})
    sql = _OF.format("count(DISTINCT m.document)")
    return int(connection.exec_driver_sql(sql, (former[corpus].into, names)).scalar_one())


def _move_home(connection: Connection, leaving: FormerCorpus) -> None:
    """Give the documents their former keys; those that they had meanwhile lead to them still."""
    ids = _OF.format("m.document")
    sql = (
        "INSERT INTO moved SELECT corpus, source_id, id, 0 FROM documents "
        f"WHERE corpus = ? AND id IN ({ids})"
    )
    names = json_list([leaving.id])
    connection.exec_driver_sql(sql, (leaving.into, leaving.into, names))
    connection.exec_driver_sql(_GO_HOME, (leaving.id, leaving.into))
    connection.exec_driver_sql(_PRESENT_AGAIN, (leaving.id,))


def _house_strays(connection: Connection, leaving: FormerCorpus, inside: Iterable[str]) -> None:
    values = (leaving.into, json_list(inside), leaving.id)
    for document, source_id, corpus in connection.exec_driver_sql(_STRAYS, values).all():
        free = free_id(connection, DocumentKey(corpus, source_id), document, leaving.id)
        sql = "INSERT INTO moved VALUES (?, ?, ?, 1)"
        connection.exec_driver_sql(sql, (leaving.id, free, document))


def _corpus(connection: Connection, corpus: str) -> SubCorpus:
    row = connection.exec_driver_sql("SELECT * FROM corpora WHERE id = ?", (corpus,)).first()
    if row is None:
        raise NotFound(f"There is no sub-corpus {corpus!r} in this workspace.")
    return as_corpus(row)


def _rename_taken(connection: Connection, corpus: str, into: str) -> list[Moved]:
    """Give documents whose id the other sub-corpus has too an id that neither has."""
    renamed = []
    for document, source_id in connection.exec_driver_sql(_TAKEN, (corpus, into, into)).all():
        free = free_id(connection, DocumentKey(corpus, source_id), document, into)
        sql = "UPDATE documents SET source_id = ? WHERE id = ?"
        connection.exec_driver_sql(sql, (free, document))
        renamed.append(Moved(DocumentKey(corpus, source_id), DocumentKey(into, free)))
    return renamed


def free_id(connection: Connection, key: DocumentKey, document: int, into: str) -> str:
    """An id for a document that is free in its sub-corpus and in another one.

    Its own, else with the sub-corpus that it comes from. One that it had there before is free.
    """
    free, tail = key.source_id, f"~{key.corpus}"
    while connection.exec_driver_sql(
        _IS_TAKEN, (key.corpus, into, free, into, free, document)
    ).first():
        free, tail = free + tail, "~"
    return free
