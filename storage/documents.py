"""The archive's records in SQLite: sub-corpora, documents in all versions, chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection
from sqlmodel import col, select

from storage.add_documents import Batch
from storage.database import Database, as_text, json_list
from storage.keys import former_corpora, present_key, present_keys, present_scope
from storage.placing import arrivals
from storage.quality import keep_quality, read_unrated
from storage.queue import queue_spans
from storage.recent import RecentChunks
from storage.rows import (
    CHUNK_COLUMNS,
    CHUNK_TABLES,
    HEAD_COLUMNS,
    Row,
    as_corpus,
    as_date,
    as_head,
    as_meta,
    as_pages,
    corpora_sql,
    corpus_row,
    quality_sql,
    scope_sql,
    with_texts,
)
from storage.spread import read_spread
from storage.tables import CorpusRow
from storage.texts import decode, unpack_raw
from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Scope,
    SubCorpus,
)
from trace_core.domain.errors import NotFound
from trace_core.ports import (
    CorpusStats,
    KnownSource,
    NewDocument,
    Quality,
    Spread,
    StoredDocument,
    Unrated,
)

_KEYS = (
    "json_each(?) j JOIN documents d ON d.corpus = json_extract(j.value, '$[0]') "
    "AND d.source_id = json_extract(j.value, '$[1]')"
)


class SqliteDocuments:
    """Fulfils `trace_core.ports.DocumentStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._recent = RecentChunks()

    def generation(self) -> int:
        """How many transactions have changed what a search can find."""
        with self._database.read() as connection:
            return _generation(connection)

    # --- sub-corpora ---

    def corpora(self) -> list[SubCorpus]:
        """All sub-corpora, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                select(*CorpusRow.__table__.columns).order_by(  # type: ignore[attr-defined]
                    col(CorpusRow.name), col(CorpusRow.id)
                )
            )
            return [as_corpus(row) for row in rows]

    def put_corpus(self, corpus: SubCorpus) -> None:
        """Add a sub-corpus or replace its description; its documents stay."""
        with self._database.write() as connection:
            if write_corpus(connection, corpus):
                bump(connection)

    def stats(self) -> list[CorpusStats]:
        """Numbers of every sub-corpus, by its id."""
        # In the order of an index each row would be looked up at a place of its own: six times
        # slower for a million documents.
        sql = """
            SELECT c.id, d.* FROM corpora c LEFT JOIN (
                SELECT sum(withdrawn = 0), sum(iif(withdrawn, 0, chunks)),
                       sum(withdrawn = 0 AND earliest IS NULL), sum(withdrawn),
                       sum(iif(withdrawn, 0, words)), min(iif(withdrawn, NULL, earliest)),
                       max(iif(withdrawn, NULL, latest)), corpus
                FROM documents NOT INDEXED GROUP BY corpus
            ) d ON d.corpus = c.id ORDER BY c.id"""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(sql).all()
        return [_stats(row) for row in rows]

    def spread(self) -> Spread:
        """How the documents that can be found are spread over days and OCR quality."""
        with self._database.read() as connection:
            return read_spread(connection)

    # --- writing ---

    def add(self, documents: Sequence[NewDocument]) -> list[StoredDocument]:
        """Store a batch in one transaction; same text and fields again is `unchanged`.

        A document whose text is the same but is cut differently keeps its version and gets new
        chunks. A withdrawn document stays withdrawn when it is imported again.
        """
        if not documents:
            return []
        batch = Batch(documents)
        with self._database.write() as connection:
            stored = batch.store(connection)
            if batch.changed:
                bump(connection)
            return stored

    def withdraw(self, keys: Iterable[DocumentKey], *, withdrawn: bool = True) -> list[int]:
        """Take documents out of the search, or back in; returns the chunk ids concerned."""
        sql = (
            "SELECT d.id, v.first_chunk, v.chunk_count "
            f"FROM {_KEYS} JOIN versions v ON v.id = d.version_id WHERE d.withdrawn <> ?"
        )
        with self._database.write() as connection:
            wanted = _present(connection, keys)
            rows = connection.exec_driver_sql(sql, (json_list(wanted), int(withdrawn))).all()
            if not rows:
                return []
            connection.exec_driver_sql(
                "UPDATE documents SET withdrawn = ? WHERE id = ?",
                [(int(withdrawn), row[0]) for row in rows],
            )
            spans = [(first, first + count - 1) for _, first, count in rows if count]
            queue_spans(connection, spans)
            bump(connection)
        return [chunk for first, last in spans for chunk in range(first, last + 1)]

    def set_quality(self, model: str, estimates: Sequence[Quality]) -> None:
        """Keep a model's estimates; one of a version that is no longer the newest is dropped."""
        if estimates:
            with self._database.write() as connection:
                keep_quality(connection, model, estimates)
                bump(connection)

    # --- reading ---

    def sources(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, KnownSource]:
        """What those of these documents were made from of which it is known."""
        sql = (
            "SELECT d.corpus, d.source_id, d.source, v.number, v.language, d.words, d.chunks "
            f"FROM {_KEYS} JOIN versions v ON v.id = d.version_id WHERE d.source IS NOT NULL"
        )
        wanted = set(keys)
        with self._database.read() as connection:
            arrived = arrivals(connection, wanted)
            now = {key: new for key in wanted if (new := arrived.get(key, key)) is not None}
            rows = connection.exec_driver_sql(sql, (json_list(set(now.values())),))
            found = {DocumentKey(r[0], r[1]): r[2:] for r in rows}
        return {key: KnownSource(new, *found[new]) for key, new in now.items() if new in found}

    def unrated(self, model: str, after: int = 0, limit: int = 500) -> list[Unrated]:
        """Documents behind a number whose quality neither their source nor this model has told."""
        with self._database.read() as connection:
            return read_unrated(connection, model, after, limit)

    def document(self, key: DocumentKey, version: int | None = None) -> Document:
        """One document, its newest version unless told. Raises NotFound."""
        which = "v.id = d.version_id" if version is None else "v.document = d.id AND v.number = ?"
        sql = (
            f"SELECT {HEAD_COLUMNS}, v.undated_reason, v.pages, v.meta, t.text, t.raw "
            f"FROM documents d JOIN versions v ON {which} JOIN texts t ON t.version_id = v.id "
            "WHERE d.corpus = ? AND d.source_id = ?"
        )
        with self._database.read() as connection:
            now = present_key(connection, key)
            values = (*(() if version is None else (version,)), *now)
            row = connection.exec_driver_sql(sql, values).first()
        if row is None:
            what = f"document {key}" if version is None else f"version {version} of {key}"
            raise NotFound(f"There is no {what} in this workspace.")
        return _document(row, key)

    def versions(self, key: DocumentKey) -> list[int]:
        """The versions kept of a document, oldest first; empty when it does not exist."""
        sql = (
            "SELECT v.number FROM documents d JOIN versions v ON v.document = d.id "
            "WHERE d.corpus = ? AND d.source_id = ? ORDER BY v.number"
        )
        with self._database.read() as connection:
            now = present_key(connection, key)
            return [row[0] for row in connection.exec_driver_sql(sql, tuple(now))]

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        """The heads of the newest versions of the documents that exist."""
        sql = f"SELECT {HEAD_COLUMNS} FROM {_KEYS} JOIN versions v ON v.id = d.version_id"
        wanted = list(keys)
        with self._database.read() as connection:
            moved = present_keys(connection, wanted)
            now = {moved.get(key, key) for key in wanted}
            rows = connection.exec_driver_sql(sql, (json_list(now),))
            found = {head.key: head for head in map(as_head, rows)}
        heads = {key: found[key] for key in wanted if key in found}
        return heads | {
            old: replace(found[new], key=old) for old, new in moved.items() if new in found
        }

    def browse(
        self,
        scope: Scope,
        *,
        offset: int = 0,
        limit: int = 100,
        withdrawn: bool = False,
        worst_first: bool = False,
    ) -> list[DocumentHead]:
        """A page of documents by sub-corpus, date and id, undated ones last in each.

        With `withdrawn`, documents that were taken out of the search are among them; with
        `worst_first` they stand by OCR quality, those of unknown quality last.
        """
        hidden = "" if withdrawn else "AND d.withdrawn = 0"
        first = "ifnull(d.quality, 2), " if worst_first else ""
        with self._database.read() as connection:
            where, values = scope_sql(present_scope(connection, scope))
            sql = (
                f"SELECT {HEAD_COLUMNS} FROM documents d JOIN versions v ON v.id = d.version_id "
                f"WHERE {where} {hidden} "
                f"ORDER BY {first}d.corpus, ifnull(d.earliest, 99999999), d.source_id "
                "LIMIT ? OFFSET ?"
            )
            rows = connection.exec_driver_sql(sql, (*values, limit, offset))
            return [as_head(row) for row in rows]

    def count(self, scope: Scope, *, withdrawn: bool = False) -> tuple[int, int]:
        """(documents inside the scope, undated ones that its dates leave out)."""
        hidden = "" if withdrawn else "d.withdrawn = 0 AND "
        sql = f"SELECT count(*) FROM documents d WHERE {hidden}"
        with self._database.read() as connection:
            scope = present_scope(connection, scope)
            where, values = scope_sql(scope)
            named, corpora = corpora_sql(scope.corpora)
            good, least = quality_sql(scope)
            undated = " AND ".join([*named, *good, "d.earliest IS NULL"])
            inside = connection.exec_driver_sql(sql + where, tuple(values)).scalar_one()
            if not scope.dated or scope.include_undated:
                return inside, 0
            left = connection.exec_driver_sql(sql + undated, (*corpora, *least)).scalar_one()
        return inside, left

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """The chunks with these ids, current or not."""
        wanted = list(ids)
        with self._database.read() as connection:
            generation = _generation(connection)
            found = self._recent.get(generation, wanted)
            missing = [chunk for chunk in wanted if chunk not in found]
            if missing:
                read = _read_chunks(connection, missing)
                self._recent.put(generation, read)
                found |= read
        return {chunk: found[chunk] for chunk in wanted if chunk in found}

    def chunks_of(self, key: DocumentKey, version: int | None = None) -> list[Chunk]:
        """All chunks of a document version (the newest unless told), in order."""
        which = "v.id = d.version_id" if version is None else "v.number = ?"
        sql = (
            f"SELECT {CHUNK_COLUMNS} FROM documents d JOIN versions v ON v.document = d.id "
            "JOIN chunks c ON c.id BETWEEN v.first_chunk AND v.first_chunk + v.chunk_count - 1 "
            f"WHERE {which} AND d.corpus = ? AND d.source_id = ? ORDER BY c.id"
        )
        with self._database.read() as connection:
            now = present_key(connection, key)
            values = (*(() if version is None else (version,)), *now)
            rows = connection.exec_driver_sql(sql, values).all()
            return [chunk for _, chunk in with_texts(connection, rows)]

    def all_chunks(self, after: int = 0, limit: int = 1000) -> list[Chunk]:
        """Current, not withdrawn chunks with an id above `after`, by id (for reindexing)."""
        sql = (
            f"SELECT {CHUNK_COLUMNS} FROM {CHUNK_TABLES} "
            "WHERE c.id > ? AND c.current = 1 AND d.withdrawn = 0 ORDER BY c.id LIMIT ?"
        )
        with self._database.read() as connection:
            rows = connection.exec_driver_sql(sql, (after, limit)).all()
            found = [chunk for _, chunk in with_texts(connection, rows)]
        return sorted(found, key=lambda chunk: chunk.id)


def _generation(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT value FROM generation").scalar_one())


def _read_chunks(connection: Connection, ids: Sequence[int]) -> dict[int, Chunk]:
    sql = f"SELECT {CHUNK_COLUMNS} FROM json_each(?) j CROSS JOIN {CHUNK_TABLES}"
    sql = sql.replace("chunks c JOIN", "chunks c ON c.id = j.value JOIN", 1)
    rows = connection.exec_driver_sql(sql, (json_list(ids),)).all()
    return {chunk.id: chunk for _, chunk in with_texts(connection, rows)}


def _stats(row: Row) -> CorpusStats:
    return CorpusStats(
        corpus=row[0],
        documents=row[1] or 0,
        chunks=row[2] or 0,
        undated=row[3] or 0,
        withdrawn=row[4] or 0,
        words=row[5] or 0,
        earliest=row[6],
        latest=row[7],
    )


def _present(connection: Connection, keys: Iterable[DocumentKey]) -> set[DocumentKey]:
    wanted = set(keys)
    moved = present_keys(connection, wanted)
    return {moved.get(key, key) for key in wanted}


def _document(row: Row, key: DocumentKey) -> Document:
    head, shown, raw = as_head(row), row[15], row[16]
    text = decode(shown)
    return Document(
        key=key,
        version=head.version,
        title=head.title,
        text=text,
        raw=text if raw is None else unpack_raw(raw, shown),
        language=head.language,
        date=as_date(row[4:8]),
        undated_reason=as_text(row[12]),
        pages=as_pages(row[13]),
        meta=as_meta(row[14]),
        quality=head.quality,
        withdrawn=head.withdrawn,
    )


def write_corpus(connection: Connection, corpus: SubCorpus) -> bool:
    """Write a sub-corpus; whether that changed anything. One that was merged stays so."""
    row = corpus_row(corpus)
    query = "SELECT * FROM corpora WHERE id = ?"
    old = connection.exec_driver_sql(query, (corpus.id,)).first()
    if (old is not None and tuple(old) == row) or corpus.id in former_corpora(connection):
        return False
    names = list(CorpusRow.model_fields)
    updates = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
    connection.exec_driver_sql(
        f"INSERT INTO corpora ({', '.join(names)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        f"ON CONFLICT (id) DO UPDATE SET {updates}",
        row,
    )
    return True


def bump(connection: Connection) -> None:
    """Say that what a search can find has changed."""
    connection.exec_driver_sql("UPDATE generation SET value = value + 1")
