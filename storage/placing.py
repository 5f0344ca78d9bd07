"""Where documents go that come under a key which is not, or not only, theirs.

A sub-corpus may have been merged into another one, and a key may be, or have been, that of a
document which came to it by a merge: what was decided under the key means that document. Another
one that its source gives the same id is a document of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from storage.database import json_list
from storage.keys import read_former
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.merging import Former, within

_EXISTS = """
    SELECT 1 FROM documents WHERE corpus = ? AND source_id = ?
    UNION ALL SELECT 1 FROM moved WHERE corpus = ? AND source_id = ?"""

_FOUND = """
    SELECT a.corpus, a.source_id, d.corpus, d.source_id, {}
    FROM json_each(?) j CROSS JOIN {} a
    ON a.corpus = json_extract(j.value, '$[0]') AND a.source_id = json_extract(j.value, '$[1]')
    JOIN documents d ON d.id = a.document"""

_CAME_FROM = """
    SELECT j.key, h.corpus, v.content_hash FROM json_each(?) j
    CROSS JOIN documents d ON d.corpus = json_extract(j.value, '$[0]')
        AND d.source_id = json_extract(j.value, '$[1]')
    CROSS JOIN moved h ON h.document = d.id AND h.home
    CROSS JOIN versions v ON v.id = d.version_id"""

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


def _placed(connection: Connection, keys: Iterable[DocumentKey]) -> set[DocumentKey]:
    rows = connection.exec_driver_sql(_FOUND.format("1", "placed"), (json_list(keys),))
    return {DocumentKey(row[0], row[1]) for row in rows}


def place(
    connection: Connection, keys: Sequence[DocumentKey], hashes: Sequence[bytes]
) -> dict[DocumentKey, Place]:
    """Where documents are kept that an import names by these keys, known ones and new ones.

    `hashes` are those of their contents. A new one whose id is not free gets an id of its own, as
    in a merge.
    """
    former, known = read_former(connection), arrivals(connection, keys)
    if not former and not connection.exec_driver_sql(_ANY).scalar_one():
        return {}
    first = dict(zip(reversed(keys), reversed(hashes), strict=True))
    known |= dict.fromkeys(_strangers(connection, first, known, former))
    placed: dict[DocumentKey, Place] = {}
    taken = {key for key in keys if key.corpus not in former and key not in known}
    for key in dict.fromkeys(keys):
        now = known.get(key)
        if now is not None:
            placed[key] = Place(now)
        elif key in known or key.corpus in former:
            into = former[key.corpus].into if key.corpus in former else ""
            placed[key] = _new(connection, key, into, taken)
    return placed


def _strangers(
    connection: Connection,
    hashes: Mapping[DocumentKey, bytes],
    known: Mapping[DocumentKey, DocumentKey | None],
    former: Former,
) -> list[DocumentKey]:
    """Keys of documents that came to their sub-corpus by a merge, where another content comes."""
    asked = list(hashes)
    at = json_list(known.get(key, key) for key in asked)
    inside = {corpus: within(corpus, former) for corpus in {key.corpus for key in asked}}
    placed = _placed(connection, asked)
    return [
        asked[number]
        for number, home, content in connection.exec_driver_sql(_CAME_FROM, (at,))
        if asked[number] not in placed
        and home in inside[asked[number].corpus]
        and content != hashes[asked[number]]
    ]


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
