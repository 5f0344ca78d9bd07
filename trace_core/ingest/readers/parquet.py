"""Parquet: rows by row group, columns mapped as in any table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trace_core.ingest.fields import as_text
from trace_core.ingest.readers.archive_rows import is_own_row, own_record
from trace_core.ingest.records import Item, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.tables import Row, table_records, unique_columns
from trace_core.ingest.xml_safe import BrokenFile

_ROWS = 500


def sniff(source: Source) -> float:
    """Certain for the format's own first bytes."""
    return 1.0 if source.head.startswith(b"PAR1") else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The rows as records; memory holds some hundred of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(source.path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise BrokenFile(f"the Parquet file cannot be opened ({_words(error)})") from None
    with table:
        columns = unique_columns(table.schema_arrow.names)
        if is_own_row(columns):
            for number, values in _values(table):
                row = dict(zip(columns, values, strict=True))
                yield own_record(row, source.at(line=number))
        else:
            yield from table_records(source, columns, _rows(source, table, columns), options)


def _values(table: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    number = 0
    for batch in table.iter_batches(batch_size=_ROWS):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            number += 1
            yield number, values


def _rows(source: Source, table: Any, columns: list[str]) -> Iterator[Row]:
    for number, values in _values(table):
        cells = {name: as_text(value) for name, value in zip(columns, values, strict=True)}
        yield Row(cells, source.at(line=number), number)


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


READER = Reader(
    name="parquet",
    title="Parquet table",
    suffixes=(".parquet", ".pq"),
    sniff=sniff,
    read=read,
    single=False,
    by_path=True,
)
