"""Which ids one import has met, on the disk, so that memory does not grow with the archive."""

from __future__ import annotations

import hashlib
import sqlite3

from trace_core.domain.corpus import DocumentKey


class Seen:
    """Ids with the hashes of their contents. A second content under one id is given `~2`.

    So neither of two different documents with the same id is lost, and a second import of the same
    source, which meets them in the same order, finds both again.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode=OFF")
        self._database.execute("PRAGMA synchronous=OFF")
        self._database.execute(
            "CREATE TABLE seen (key BLOB, text BLOB, PRIMARY KEY (key, text)) WITHOUT ROWID"
        )
        self._database.execute("BEGIN")

    def place(self, key: DocumentKey, content: str) -> int:
        """1 for a new id, n for the n-th different content of an id, 0 for the same again."""
        hashed = _hash(f"{key.corpus}\0{key.source_id}")
        content_hash = _hash(content)
        try:
            self._database.execute("INSERT INTO seen VALUES (?, ?)", (hashed, content_hash))
        except sqlite3.IntegrityError:
            return 0
        query = "SELECT count(*) FROM seen WHERE key = ?"
        return int(self._database.execute(query, (hashed,)).fetchone()[0])

    def close(self) -> None:
        """Forget all."""
        self._database.close()


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).digest()
