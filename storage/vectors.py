"""Vectors of chunks in LanceDB."""

from __future__ import annotations

import json
import os
import shutil
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from storage.locks import folder_lock
from storage.queue import ranges
from storage.vectors_resident import ResidentVectors
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import ChunkScore
from trace_core.ports import IndexEntry, Vectors

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import Table

T = TypeVar("T")

_TABLE = "chunks"
_COLUMNS = ["chunk", "corpus", "source_id", "_distance"]
_COUNT_FILE = "count.json"
_PARTITION_ROWS = 2_000
_PROBED_SHARE = 0.4
_PROBED_LEAST = 20
"""How many partitions a search looks at: recall@20 stays above 0.95 (tests/storage)."""
_EXACT_INSIDE = 50_000
"""Rows inside a filter up to which LanceDB compares them one by one."""
_RESIDENT_BYTES = 500_000_000
"""Vectors that take more than this are left to LanceDB even where they are compared exactly."""


class LanceIndex:
    """Fulfils `trace_core.ports.VectorIndex`.

    One lock for all writers and a connection that always reads the newest version: without both,
    LanceDB doubles rows. Chunks are held in memory and compared exactly until there are
    `exact_below` of them; then `optimize` builds an inverted file of full vectors (never product
    quantisation, which loses three of four neighbours).
    """

    def __init__(self, folder: Path, exact_below: Callable[[], int] = lambda: 200_000) -> None:
        self._folder = folder
        self._exact_below = exact_below
        self._lock = threading.RLock()
        self._database: DBConnection | None = None
        self._table: Table | None = None
        self._resident: tuple[object, ResidentVectors | None] = (None, None)

    # --- writing ---

    def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add or replace chunks."""
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} chunks came with {len(vectors)} vectors")
        if not entries:
            return
        last = {entry.chunk.id: n for n, entry in enumerate(entries)}
        order = list(last.values())
        matrix = np.asarray(vectors, dtype=np.float32)[order]
        rows = _arrow([entries[n] for n in order], matrix)
        with self._writing():
            table = self._open()
            if table is None:
                table = self._create(matrix.shape[1])
            elif _dimensions(table) != matrix.shape[1]:
                raise SearchFailed(
                    f"The vector index holds vectors of {_dimensions(table)} dimensions, not "
                    f"{matrix.shape[1]}; reindex the workspace for the new embedder."
                )
            _delete(table, last)
            table.add(rows)

    def remove(self, chunk_ids: Iterable[int]) -> None:
        """Take chunks out."""
        wanted = set(chunk_ids)
        if not wanted:
            return
        with self._writing():
            table = self._open()
            if table is not None:
                _delete(table, wanted)

    def clear(self, dimensions: int) -> None:
        """Empty the index and set the vectors' length."""
        with self._writing():
            try:
                self._create(dimensions)
            except (OSError, RuntimeError):
                # A damaged table cannot even be overwritten. Its files can be made again.
                self._database = self._table = None
                shutil.rmtree(self._folder / f"{_TABLE}.lance")
                self._create(dimensions)

    def optimize(self) -> None:
        """Merge small files, drop old versions, and index the vectors where there are many."""
        with self._writing():
            table = self._open()
            if table is None:
                return
            _tidy(table)
            rows = table.count_rows()
            if rows >= max(self._exact_below(), 1):
                _build_indexes(table, rows)
            if _is_indexed(table):
                # What takes new rows into an index leaves the one before to the next time.
                _tidy(table)
                _tidy(table)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with folder_lock(self._folder.parent, "vectors"), self._lock, _failures("written"):
            yield
            self._note_count()

    # --- reading ---

    def count(self) -> int:
        """Number of chunks in the index."""
        with _failures("read"):
            table = self._open()
            return 0 if table is None else int(table.count_rows())

    def noted_count(self) -> int | None:
        """The number of chunks after the last write, without opening the index."""
        path = self._folder / _COUNT_FILE
        try:
            return int(json.loads(path.read_text(encoding="utf-8"))["chunks"])
        except FileNotFoundError:
            return None if self._exists() else 0
        except (ValueError, KeyError):
            return None

    def ids(self) -> set[int]:
        """The ids of all chunks in the index."""
        with _failures("read"):
            table = self._open()
            if table is None:
                return set()
            rows = table.count_rows()
            found = table.search().select(["chunk"]).limit(max(rows, 1)).to_arrow()
            return set(found["chunk"].to_pylist())

    def search(self, vector: Vectors, scope: Scope, limit: int) -> list[ChunkScore]:
        """The nearest chunks to one vector (shape (dimensions,)), score = cosine."""
        wanted = np.asarray(vector, dtype=np.float32).reshape(-1)
        if limit < 1 or not wanted.any():
            return []
        with _failures("searched"):
            resident = self._retried(self._in_memory)
            if resident is not None:
                return resident.search(wanted, scope, limit)
            found = self._retried(lambda: self._nearest(wanted, where(scope), limit))
        columns = (found[name] for name in _COLUMNS)
        return [
            ChunkScore(chunk, DocumentKey(corpus, source), 1.0 - distance)
            for chunk, corpus, source, distance in zip(*columns, strict=True)
        ]

    def _in_memory(self) -> ResidentVectors | None:
        """All vectors as they are now; None where none is, or too many to be compared exactly."""
        with self._lock:
            table = self._open()
            if table is None:
                return None
            state = (table.version, self._note_stamp())
            if self._resident[0] != state:
                self._resident = (None, None)  # free the old ones first
                self._resident = (state, self._held(table))
            return self._resident[1]

    def _held(self, table: Table) -> ResidentVectors | None:
        rows, dimensions = table.count_rows(), _dimensions(table)
        few = rows < self._exact_below() and 4 * rows * dimensions <= _RESIDENT_BYTES
        return ResidentVectors(table, dimensions) if few else None

    def _note_stamp(self) -> tuple[int, int]:
        # A table that was made anew counts its versions from 1 again.
        try:
            status = (self._folder / _COUNT_FILE).stat()
        except FileNotFoundError:
            return (0, 0)
        return (status.st_mtime_ns, status.st_ino)

    def _nearest(self, wanted: Vectors, condition: str, limit: int) -> dict[str, list[Any]]:
        table = self._open()
        if table is None:
            return {name: [] for name in _COLUMNS}
        query: Any = table.search(wanted)
        query = query.distance_type("cosine").select(_COLUMNS).limit(limit)
        if condition:
            query = query.where(condition, prefilter=True)
        query = self._probing(table, query, condition)
        found: dict[str, list[Any]] = query.to_arrow().to_pydict()
        return found

    def _probing(self, table: Table, query: Any, condition: str) -> Any:
        if not _is_indexed(table):
            return query
        # Few rows inside the filter are compared exactly: in the probed partitions alone too few
        # of them might lie.
        rows = table.count_rows()
        few = max(min(self._exact_below(), _EXACT_INSIDE), rows // 10)
        if condition and table.count_rows(condition) < few:
            return query.bypass_vector_index()
        return query.nprobes(probes(rows))

    def _retried(self, read: Callable[[], T]) -> T:
        """Read once more when another process has just cleared away the version being read."""
        try:
            return read()
        except (OSError, RuntimeError):
            with self._lock:
                self._table = None
            return read()

    # --- opening ---

    def _exists(self) -> bool:
        return (self._folder / f"{_TABLE}.lance").exists()

    def _open(self) -> Table | None:
        with self._lock:
            if self._table is None and self._exists():
                self._table = self._connect().open_table(_TABLE)
            return self._table

    def _create(self, dimensions: int) -> Table:
        self._table = self._connect().create_table(
            _TABLE, schema=_schema(dimensions), mode="overwrite"
        )
        return self._table

    def _connect(self) -> DBConnection:
        if self._database is None:
            # Its Rust half warns on standard error of every table that it is told to make.
            os.environ.setdefault("LANCEDB_LOG", "error")
            import lancedb

            self._folder.mkdir(parents=True, exist_ok=True)
            self._database = lancedb.connect(
                str(self._folder), read_consistency_interval=timedelta(0)
            )
        return self._database

    def _note_count(self) -> None:
        rows = 0 if self._table is None else int(self._table.count_rows())
        path = self._folder / _COUNT_FILE
        part = path.with_suffix(".part")
        self._folder.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps({"chunks": rows}), encoding="utf-8")
        part.replace(path)


def where(scope: Scope) -> str:
    """The scope as LanceDB's SQL, "" for everything."""
    clauses = []
    if scope.corpora:
        named = ", ".join("'" + corpus.replace("'", "''") + "'" for corpus in scope.corpora)
        clauses.append(f"corpus IN ({named})")
    if scope.dated:
        dated = []
        if scope.latest is not None:
            dated.append(f"earliest <= {int(scope.latest)}")
        if scope.earliest is not None:
            dated.append(f"latest >= {int(scope.earliest)}")
        inside = " AND ".join(dated)
        clauses.append(f"({inside} OR earliest IS NULL)" if scope.include_undated else inside)
    return " AND ".join(clauses)


def _schema(dimensions: int) -> Any:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("chunk", pa.int64(), nullable=False),
            pa.field("corpus", pa.string(), nullable=False),
            pa.field("source_id", pa.string(), nullable=False),
            pa.field("earliest", pa.int32()),
            pa.field("latest", pa.int32()),
            pa.field("vector", pa.list_(pa.float32(), dimensions), nullable=False),
        ]
    )


def _arrow(entries: Sequence[IndexEntry], matrix: Vectors) -> Any:
    import pyarrow as pa

    schema = _schema(matrix.shape[1])
    flat = pa.array(np.ascontiguousarray(matrix).reshape(-1))
    columns = [
        pa.array([e.chunk.id for e in entries], pa.int64()),
        pa.array([e.chunk.key.corpus for e in entries], pa.string()),
        pa.array([e.chunk.key.source_id for e in entries], pa.string()),
        pa.array([e.earliest for e in entries], pa.int32()),
        pa.array([e.latest for e in entries], pa.int32()),
        pa.FixedSizeListArray.from_arrays(flat, matrix.shape[1]),
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _dimensions(table: Table) -> int:
    return int(table.schema.field("vector").type.list_size)


def _delete(table: Table, chunk_ids: Iterable[int]) -> None:
    spans = ranges(chunk_ids)
    for begin in range(0, len(spans), 500):
        clause = " OR ".join(
            f"(chunk >= {first} AND chunk <= {last})" for first, last in spans[begin : begin + 500]
        )
        if table.count_rows(clause):
            table.delete(clause)


def _is_indexed(table: Table) -> bool:
    return any("vector" in index.columns for index in table.list_indices())


def probes(rows: int) -> int:
    """How many partitions of an index over so many rows a search looks at."""
    return max(_PROBED_LEAST, round(_partitions(rows) * _PROBED_SHARE))


def _partitions(rows: int) -> int:
    return max(1, rows // _PARTITION_ROWS)


def _tidy(table: Table) -> None:
    """Merge small files, take new rows into the indexes, drop all older versions."""
    with warnings.catch_warnings():
        # It warns that readers of an older version may fail; ours try again.
        warnings.simplefilter("ignore")
        table.optimize(cleanup_older_than=timedelta(0))


def _build_indexes(table: Table, rows: int) -> None:
    from lancedb.index import Bitmap, BTree, IvfFlat

    present = {column for index in table.list_indices() for column in index.columns}
    if "corpus" not in present:
        table.create_index("corpus", config=Bitmap())
    for column in ("earliest", "latest"):
        if column not in present:
            table.create_index(column, config=BTree())
    if "vector" not in present:
        config = IvfFlat(distance_type="cosine", num_partitions=_partitions(rows))
        table.create_index("vector", config=config)


@contextmanager
def _failures(deed: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        sentence = f"The vector index could not be {deed} ({error}); reindex the workspace."
        raise SearchFailed(sentence) from error
