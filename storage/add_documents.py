"""One batch of documents on its way into SQLite, as few statements as possible.

The batch is compared with what is stored, gets its ids (the write lock is held, so the next
free ids are known), and is written with one `executemany` a table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from storage.database import as_stored, json_list
from storage.placing import Place, place
from storage.queue import queue_spans
from storage.rows import meta_json, pages_json
from storage.texts import content_hash, encode, pack_raw, spans_hash
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.ports import NewDocument, Outcome, StoredDocument

_KNOWN = """
    SELECT d.corpus, d.source_id, d.id, v.id, v.number, v.first_chunk, v.chunk_count,
           v.content_hash, v.spans_hash
    FROM json_each(?) j JOIN documents d
    ON d.corpus = json_extract(j.value, '$[0]') AND d.source_id = json_extract(j.value, '$[1]')
    JOIN versions v ON v.id = d.version_id"""

_NEW_CORPUS = """
    INSERT OR IGNORE INTO corpora
        (id, name, aliases, kind, language, description, local_only, citation)
    VALUES (?, ?, '[]', 'other', '', '', 0, '{}')"""

_VERSION = f"INSERT INTO versions VALUES ({', '.join('?' * 19)})"

_RENEWED = """
    UPDATE documents SET version_id = ?, earliest = ?, latest = ?, words = ?, chunks = ?,
        quality = ?, quality_by = ?, source = ?
    WHERE id = ?"""

_DOCUMENT = """
    INSERT INTO documents (id, corpus, source_id, version_id, withdrawn, earliest, latest, words,
        chunks, quality, quality_by, source)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_RESOURCED = "UPDATE documents SET source = ? WHERE id = ? AND source IS NOT ?"

_RECOUNTED = "UPDATE documents SET chunks = ? WHERE id = ?"

_RECUT = "UPDATE versions SET first_chunk = ?, chunk_count = ?, spans_hash = ? WHERE id = ?"


@dataclass(slots=True)
class _Known:
    """What is stored of a document (or will be, by an earlier line of the same batch)."""

    document_id: int
    version_id: int
    number: int
    first_chunk: int
    chunk_count: int
    content_hash: bytes
    spans_hash: bytes

    @property
    def chunk_ids(self) -> tuple[int, ...]:
        return tuple(range(self.first_chunk, self.first_chunk + self.chunk_count))


@dataclass(slots=True)
class _Ids:
    """The next free ids."""

    document: int
    version: int
    chunk: int


@dataclass(slots=True)
class _Rows:
    """What is to be written, by statement."""

    corpora: set[str] = field(default_factory=set)
    documents: list[tuple[object, ...]] = field(default_factory=list)
    versions: list[tuple[object, ...]] = field(default_factory=list)
    texts: list[tuple[object, ...]] = field(default_factory=list)
    chunks: list[tuple[object, ...]] = field(default_factory=list)
    renewed: list[tuple[object, ...]] = field(default_factory=list)
    recut: list[tuple[object, ...]] = field(default_factory=list)
    recounted: list[tuple[int, int]] = field(default_factory=list)
    retired: list[tuple[int, int]] = field(default_factory=list)
    moved: list[tuple[object, ...]] = field(default_factory=list)
    placed: list[tuple[object, ...]] = field(default_factory=list)
    resourced: list[tuple[object, ...]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Listed:
    """What lists and filters need of a document's newest version beside its text.

    `quality` is its OCR quality, who told it, and the fingerprint of what it was made from.
    """

    earliest: int | None
    latest: int | None
    words: int
    quality: tuple[float | None, str, bytes | None]

    @classmethod
    def of(cls, new: NewDocument) -> _Listed:
        document, date = new.document, new.document.date
        return cls(
            earliest=date.earliest if date else None,
            latest=date.latest if date else None,
            words=_words(document.text) if new.words is None else new.words,
            quality=(document.quality, "source" if new.rated else "", new.source or None),
        )


class Batch:
    """Documents to be stored together; `changed` tells afterwards whether anything was."""

    def __init__(self, documents: Sequence[NewDocument]) -> None:
        for new in documents:
            _check(new)
        self._documents = documents
        self._shown = [encode(new.document.text) for new in documents]
        self._hashes = [
            content_hash(new.document, shown)
            for new, shown in zip(documents, self._shown, strict=True)
        ]
        self._rows = _Rows()
        self._places: dict[DocumentKey, tuple[DocumentKey, Place]] = {}
        self._reports: dict[str, int] = {}
        self.changed = False

    def store(self, connection: Connection) -> list[StoredDocument]:
        """Compare and write; what became of each document, in order."""
        placed = place(connection, [new.document.key for new in self._documents], self._hashes)
        self._places = {where.now: (key, where) for key, where in placed.items()}
        self._documents = [
            replace(new, document=replace(new.document, key=placed[new.document.key].now))
            if new.document.key in placed
            else new
            for new in self._documents
        ]
        self._reports = _reports(connection, {new.report for new in self._documents})
        known = self._known(connection)
        ids = _next_ids(connection)
        first_chunk = ids.chunk
        stored = [
            self._one(new, shown, content, known, ids)
            for new, shown, content in zip(self._documents, self._shown, self._hashes, strict=True)
        ]
        self.changed = bool(self._rows.chunks or self._rows.versions or self._rows.retired)
        if self.changed:
            self._write(connection, first_chunk, ids.chunk - 1)
        if self._rows.resourced:
            connection.exec_driver_sql(_RESOURCED, self._rows.resourced)
        return stored

    def _known(self, connection: Connection) -> dict[DocumentKey, _Known]:
        keys = json_list({new.document.key for new in self._documents})
        return {
            DocumentKey(row[0], row[1]): _Known(*row[2:])
            for row in connection.exec_driver_sql(_KNOWN, (keys,))
        }

    def _one(
        self,
        new: NewDocument,
        shown: bytes,
        content: bytes,
        known: dict[DocumentKey, _Known],
        ids: _Ids,
    ) -> StoredDocument:
        key, spans = new.document.key, spans_hash(new)
        old = known.get(key)
        if old is not None and old.content_hash == content:
            if old.spans_hash != spans:
                self._recut(new, old, spans, ids)
            if new.source:
                self._rows.resourced.append((new.source, old.document_id, new.source))
            return StoredDocument(key, "unchanged", old.number, old.chunk_ids)
        if old is None:
            mine = _Known(ids.document, ids.version, 1, ids.chunk, len(new.spans), content, spans)
            ids.document += 1
        else:
            self._retire(old)
            following = (old.document_id, ids.version, old.number + 1)
            mine = _Known(*following, ids.chunk, len(new.spans), content, spans)
        ids.version += 1
        known[key] = mine
        self._add_version(new, mine, shown, is_new=old is None)
        self._add_chunks(new, mine, ids)
        outcome: Outcome = "new" if old is None else "changed"
        return StoredDocument(key, outcome, mine.number, mine.chunk_ids)

    def _recut(self, new: NewDocument, old: _Known, spans: bytes, ids: _Ids) -> None:
        self._retire(old)
        old.first_chunk, old.chunk_count, old.spans_hash = ids.chunk, len(new.spans), spans
        self._rows.recut.append((old.first_chunk, old.chunk_count, spans, old.version_id))
        self._rows.recounted.append((old.chunk_count, old.document_id))
        self._add_chunks(new, old, ids)

    def _retire(self, old: _Known) -> None:
        if old.chunk_count:
            last = old.first_chunk + old.chunk_count - 1
            self._rows.retired.append((old.first_chunk, last))

    def _add_version(self, new: NewDocument, mine: _Known, shown: bytes, *, is_new: bool) -> None:
        document, rows = new.document, self._rows
        listed = _Listed.of(new)
        rows.versions.append(_version_row(new, mine, listed, self._reports.get(new.report)))
        raw = None if document.raw == document.text else pack_raw(document.raw, shown)
        rows.texts.append((mine.version_id, shown, raw))
        numbers = (listed.earliest, listed.latest, listed.words, mine.chunk_count, *listed.quality)
        if is_new:
            rows.corpora.add(document.key.corpus)
            self._place(document.key, mine.document_id)
            identity = (mine.document_id, *document.key, mine.version_id, int(document.withdrawn))
            rows.documents.append((*identity, *numbers))
        else:
            rows.renewed.append((mine.version_id, *numbers, mine.document_id))

    def _place(self, now: DocumentKey, document: int) -> None:
        if now in self._places:
            key, where = self._places[now]
            if where.home is not None:
                self._rows.moved.append((*where.home, document, 1))
            if where.given:
                self._rows.placed.append((*key, document))

    def _add_chunks(self, new: NewDocument, mine: _Known, ids: _Ids) -> None:
        version = mine.version_id
        self._rows.chunks.extend(
            (ids.chunk + n, version, n, start, stop, page, 1)
            for n, (start, stop, page) in enumerate(new.spans)
        )
        ids.chunk += len(new.spans)

    def _write(self, connection: Connection, first_chunk: int, last_chunk: int) -> None:
        rows = self._rows
        many = (
            (_NEW_CORPUS, [(corpus, corpus) for corpus in sorted(rows.corpora)]),
            (_DOCUMENT, rows.documents),
            (_VERSION, rows.versions),
            ("INSERT INTO moved VALUES (?, ?, ?, ?)", rows.moved),
            ("INSERT INTO placed VALUES (?, ?, ?)", rows.placed),
            ("INSERT INTO texts VALUES (?, ?, ?)", rows.texts),
            ("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows.chunks),
            (_RENEWED, rows.renewed),
            (_RECUT, rows.recut),
            (_RECOUNTED, rows.recounted),
            ("UPDATE chunks SET current = 0 WHERE id BETWEEN ? AND ?", rows.retired),
        )
        for sql, values in many:
            if values:
                connection.exec_driver_sql(sql, values)
        new = [(first_chunk, last_chunk)] if rows.chunks else []
        queue_spans(connection, [*rows.retired, *new])


def _version_row(
    new: NewDocument, mine: _Known, listed: _Listed, report: int | None
) -> tuple[object, ...]:
    """The columns of `versions`, in their order."""
    document, date = new.document, new.document.date
    return (
        mine.version_id,
        mine.document_id,
        mine.number,
        as_stored(document.title),
        document.language,
        as_stored(date.written) if date else None,
        date.edtf if date else None,
        listed.earliest,
        listed.latest,
        as_stored(document.undated_reason),
        listed.words,
        document.quality,
        mine.first_chunk,
        mine.chunk_count,
        mine.content_hash,
        mine.spans_hash,
        pages_json(document.pages),
        meta_json(document.meta),
        report,
    )


def _reports(connection: Connection, ids: set[str]) -> dict[str, int]:
    sql = "SELECT r.id, r.number FROM json_each(?) j JOIN reports r ON r.id = j.value"
    return {row[0]: row[1] for row in connection.exec_driver_sql(sql, (json_list(ids - {""}),))}


def _next_ids(connection: Connection) -> _Ids:
    # Chunk ids come from SQLite's own sequence, which remembers ids that were given and lost.
    row = connection.exec_driver_sql(
        """
        SELECT (SELECT coalesce(max(id), 0) + 1 FROM documents),
               (SELECT coalesce(max(id), 0) + 1 FROM versions),
               coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'chunks'), 0) + 1"""
    ).one()
    return _Ids(*row)


def _words(text: str) -> int:
    return len(text.split())


def _check(new: NewDocument) -> None:
    key, length = new.document.key, len(new.document.text)
    name = json.dumps(list(key))
    if not key.corpus or not key.source_id:
        raise BadInput(f"A document needs a sub-corpus and an id, not {name}.")
    if "\0" in key.corpus + key.source_id or not _is_plain(key):
        raise BadInput(f"The id {name} holds characters that cannot be stored; rename it.")
    for start, stop, _ in new.spans:
        if not 0 <= start <= stop <= length:
            raise BadInput(f"A chunk of {name} ({start} to {stop}) lies outside its text.")


def _is_plain(key: DocumentKey) -> bool:
    try:
        "".join(key).encode()
    except UnicodeEncodeError:
        return False
    return True
