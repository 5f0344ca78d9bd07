"""Where documents go that come under a key which is not, or not only, theirs.

A sub-corpus may have been merged into another one, and a key may have been that of another
document while two sub-corpora were one: what was decided under it then means that document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from storage.database import json_list
from storage.keys import former_corpora
from trace_core.domain.corpus import DocumentKey

_EXISTS = """
    SELECT 1 FROM documents WHERE corpus = ? AND source_id = ?
    UNION ALL SELECT 1 FROM moved WHERE corpus = ? AND source_id = ?"""

_FOUND = """
    SELECT a.corpus, a.source_id, d.corpus, d.source_id, {}
    FROM json_each(?) j JOIN {} a
    ON a.corpus = json_extract(j.value, '$[0]') AND a.source_id = json_extract(j.value, '$[1]')
    JOIN documents d ON d.id = a.document"""

_ANY = "SELECT EXISTS (SELECT 1 FROM moved) OR EXISTS (SELECT 1 FROM placed)"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document that comes under a key is kept.

    `home` is the key to which it goes back when its former sub-corpus is given back, None where
    it is in its own one. `given` says that it could not keep the key itself.
    """

    now: DocumentKey
    home: DocumentKey | None = None
    given: bool = False


def arrivals(
    connection: Connection, keys: Iterable[DocumentKey]
) -> dict[DocumentKey, DocumentKey | None]:
    """The present keys of the documents that an import knows by these; None where it is another's.

    Keys that were never anything but a document's present one are left out.
    """
    if not connection.exec_driver_sql(_ANY).scalar_one():
        return {}
    wanted = json_list(keys)
    found: dict[DocumentKey, DocumentKey | None] = {}
    # The last word is that of `placed`, which holds what came under a key that was not free.
    for home, table in (("a.home", "moved"), ("1", "placed")):
        for row in connection.exec_driver_sql(_FOUND.format(home, table), (wanted,)):
            found[DocumentKey(row[0], row[1])] = DocumentKey(row[2], row[3]) if row[4] else None
    return found


def place(connection: Connection, keys: Sequence[DocumentKey]) -> dict[DocumentKey, Place]:
    """Where documents are kept that an import names by these keys, known ones and new ones.

    A new one whose id is not free gets an id of its own, as in a merge.
    """
    former, known = former_corpora(connection), arrivals(connection, keys)
    if not former and not known:
        return {}
    placed: dict[DocumentKey, Place] = {}
    taken = {key for key in keys if key.corpus not in former and key not in known}
    for key in dict.fromkeys(keys):
        now = known.get(key)
        if now is not None:
            placed[key] = Place(now)
        elif key in known or key.corpus in former:
            placed[key] = _new(connection, key, former.get(key.corpus, ""), taken)
    return placed


def _new(connection: Connection, key: DocumentKey, into: str, taken: set[DocumentKey]) -> Place:
    own = _free(connection, key, key.corpus, taken)
    taken.add(own)
    if not into:
        return Place(own, None, own != key)
    now = _free(connection, key, into, taken)
    taken.add(now)
    return Place(now, own, own != key)


def _free(
    connection: Connection, key: DocumentKey, corpus: str, taken: set[DocumentKey]
) -> DocumentKey:
    wanted = DocumentKey(corpus, key.source_id)
    while wanted in taken or connection.exec_driver_sql(_EXISTS, (*wanted, *wanted)).first():
        tail = "~" if wanted.source_id != key.source_id else f"~{key.corpus}"
        wanted = DocumentKey(corpus, wanted.source_id + tail)
    return wanted
