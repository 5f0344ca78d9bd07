"""From keys and sub-corpora as somebody remembers them to those of today, after merges."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from storage.database import json_list
from storage.rows import as_corpus
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.merging import FormerCorpus

_PRESENT = """
    SELECT m.corpus, m.source_id, d.corpus, d.source_id
    FROM json_each(?) j JOIN moved m ON m.corpus = json_extract(j.value, '$[0]')
        AND m.source_id = json_extract(j.value, '$[1]')
    JOIN documents d ON d.id = m.document"""


_CONCERNED = """
    SELECT j.value FROM json_each(?) j
    WHERE EXISTS (SELECT 1 FROM moved m WHERE m.corpus = j.value)"""


def former_corpora(connection: Connection) -> dict[str, str]:
    """The present sub-corpora of those that were merged."""
    rows = connection.exec_driver_sql("SELECT id, now FROM former_corpora")
    return {row[0]: row[1] for row in rows}


def read_former(connection: Connection) -> dict[str, FormerCorpus]:
    """Sub-corpora that were merged into others, by their ids."""
    sql = "SELECT id, name, now, merged_into, described, gained FROM former_corpora"
    return {
        row[0]: FormerCorpus(
            id=row[0],
            name=row[1],
            into=row[2],
            merged_into=row[3],
            described=as_corpus(json.loads(row[4])) if row[4] else None,
            gained=tuple(json.loads(row[5])),
        )
        for row in connection.exec_driver_sql(sql)
    }


def present_keys(
    connection: Connection, keys: Iterable[DocumentKey]
) -> dict[DocumentKey, DocumentKey]:
    """The present keys of those that were moved; empty in nearly every archive, at no cost."""
    wanted = list(keys)
    corpora = json_list({key[0] for key in wanted})
    concerned = {row[0] for row in connection.exec_driver_sql(_CONCERNED, (corpora,))}
    if not concerned:
        return {}
    old = json_list(key for key in wanted if key[0] in concerned)
    rows = connection.exec_driver_sql(_PRESENT, (old,))
    return {DocumentKey(row[0], row[1]): DocumentKey(row[2], row[3]) for row in rows}


def present_key(connection: Connection, key: DocumentKey) -> DocumentKey:
    """The present key of one document."""
    return present_keys(connection, [key]).get(key, key)


def present_scope(connection: Connection, scope: Scope) -> Scope:
    """A scope with the sub-corpora of today."""
    if not scope.corpora:
        return scope
    former = former_corpora(connection)
    if not former.keys() & set(scope.corpora):
        return scope
    return replace(scope, corpora=tuple(dict.fromkeys(former.get(c, c) for c in scope.corpora)))
