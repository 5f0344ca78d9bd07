"""The archive as JSON lines or Parquet, such that importing it again reports all as unchanged.

Every current document is written with all its fields, withdrawn ones included, and every
sub-corpus with its description. Older versions of documents stay in the workspace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from trace_core.domain.corpus import Document, Scope
from trace_core.domain.errors import BadInput
from trace_core.ingest.readers.archive_rows import corpus_row, document_row
from trace_core.ports import DocumentStore

_PAGE = 200
_COLUMNS = (
    "trace_record corpus source_id title language date_written date_edtf date_earliest date_latest "
    "undated_reason quality withdrawn version pages meta raw text name aliases kind description "
    "local_only citation exact"
)

Progress = Callable[[int], None]


def _silent(done: int) -> None:
    del done


def export_archive(
    documents: DocumentStore, path: Path, scope: Scope | None = None, progress: Progress = _silent
) -> int:
    """Write the archive, or the sub-corpora of a scope; the number of documents written.

    The suffix tells the format: `.jsonl` or `.parquet`. The file appears under its name only when
    it is complete. Raises BadInput for another suffix.
    """
    writers = {".jsonl": _write_jsonl, ".parquet": _write_parquet}
    write = writers.get(path.suffix.lower())
    if write is None:
        raise BadInput(f"The archive is exported as .jsonl or .parquet, not as {path.name}.")
    rows = _rows(documents, scope or Scope(), progress)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        written = write(unfinished, rows)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return written


def _rows(documents: DocumentStore, scope: Scope, progress: Progress) -> Iterator[dict[str, Any]]:
    done = 0
    for corpus in documents.corpora():
        if scope.corpora and corpus.id not in scope.corpora:
            continue
        yield corpus_row(corpus)
        for document in _documents(documents, corpus.id):
            yield document_row(document)
            done += 1
            if done % _PAGE == 0:
                progress(done)
    progress(done)


def _documents(documents: DocumentStore, corpus: str) -> Iterator[Document]:
    scope, offset = Scope(corpora=(corpus,)), 0
    while heads := documents.browse(scope, offset=offset, limit=_PAGE, withdrawn=True):
        for head in heads:
            yield documents.document(head.key)
        offset += len(heads)


def _write_jsonl(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    written = 0
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            # ASCII keeps lone surrogates, which no encoding of Unicode can hold.
            stream.write(json.dumps(row, ensure_ascii=True) + "\n")
            written += row["trace_record"] == "document"
    return written


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"date_earliest": pa.int64(), "date_latest": pa.int64(), "version": pa.int64()}
    kinds |= {"quality": pa.float64(), "withdrawn": pa.bool_(), "local_only": pa.bool_()}
    schema = pa.schema([(name, kinds.get(name, pa.large_string())) for name in _COLUMNS.split()])
    written, batch = 0, []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for row in rows:
            batch.append(_storable(row))
            written += row["trace_record"] == "document"
            if len(batch) >= _PAGE:
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema=schema))
    return written


def _storable(row: dict[str, Any]) -> dict[str, Any]:
    """A row that Parquet can hold: one with lone surrogates is kept whole, as ASCII, in `exact`."""
    exact = json.dumps(row, ensure_ascii=True)
    if "\\ud" not in exact:
        return row
    shown = {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
    return shown if shown == row else shown | {"exact": exact}
