"""Where documents go that come again under a sub-corpus that was merged into another one."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from storage.database import json_list
from storage.keys import former_corpora, present_keys
from trace_core.domain.corpus import DocumentKey

_EXISTS = """
    SELECT d.corpus, d.source_id FROM json_each(?) j JOIN documents d
    ON d.corpus = json_extract(j.value, '$[0]') AND d.source_id = json_extract(j.value, '$[1]')"""


def place(connection: Connection, keys: Sequence[DocumentKey]) -> dict[DocumentKey, DocumentKey]:
    """The keys under which documents of former sub-corpora are kept, known ones and new ones.

    A new one whose id the present sub-corpus has already gets an id of its own, as in the merge.
    """
    former = former_corpora(connection)
    if not former:
        return {}
    placed = present_keys(connection, keys)
    taken = {key for key in keys if key.corpus not in former}
    for key in dict.fromkeys(keys):
        if key.corpus in former and key not in placed:
            into = former[key.corpus]
            wanted = DocumentKey(into, key.source_id)
            while wanted in taken or _exists(connection, wanted):
                tail = "~" if wanted.source_id != key.source_id else f"~{key.corpus}"
                wanted = DocumentKey(into, wanted.source_id + tail)
            taken.add(wanted)
            placed[key] = wanted
    return placed


def _exists(connection: Connection, key: DocumentKey) -> bool:
    return connection.exec_driver_sql(_EXISTS, (json_list([key]),)).first() is not None
