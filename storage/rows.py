"""From rows to the core's values, and the SQL of a scope."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from storage.database import as_text, json_list
from storage.texts import decode
from trace_core.domain.corpus import Chunk, DocumentHead, DocumentKey, Page, Scope, SubCorpus
from trace_core.domain.dates import HistoricalDate

Row = Sequence[Any]

HEAD_COLUMNS = (
    "d.corpus, d.source_id, v.number, v.title, v.date_written, v.date_edtf, v.earliest, v.latest, "
    "v.language, v.words, v.quality, d.withdrawn"
)

CHUNK_COLUMNS = (
    "c.id, d.corpus, d.source_id, v.number, c.ordinal, c.start, c.stop, c.page, c.current, "
    "c.version_id"
)

CHUNK_TABLES = (
    "chunks c JOIN versions v ON v.id = c.version_id JOIN documents d ON d.id = v.document"
)


def as_date(row: Row) -> HistoricalDate | None:
    """A date from (written, edtf, earliest, latest)."""
    written, edtf, earliest, latest = row
    return None if edtf is None else HistoricalDate(as_text(written), edtf, earliest, latest)


def as_head(row: Row) -> DocumentHead:
    """A head from HEAD_COLUMNS."""
    return DocumentHead(
        key=DocumentKey(row[0], row[1]),
        version=row[2],
        title=as_text(row[3]),
        date=as_date(row[4:8]),
        language=row[8],
        words=row[9],
        quality=row[10],
        withdrawn=bool(row[11]),
    )


def as_corpus(row: Row) -> SubCorpus:
    """A sub-corpus from its row."""
    return SubCorpus(
        id=row[0],
        name=row[1],
        aliases=tuple(json.loads(row[2])),
        kind=row[3],
        language=row[4],
        description=row[5],
        local_only=bool(row[6]),
        citation=MappingProxyType(json.loads(row[7])),
    )


def corpus_row(corpus: SubCorpus) -> tuple[str | int, ...]:
    """The row of a sub-corpus."""
    return (
        corpus.id,
        corpus.name,
        json.dumps(list(corpus.aliases)),
        corpus.kind,
        corpus.language,
        corpus.description,
        int(corpus.local_only),
        json.dumps(dict(corpus.citation)),
    )


def as_pages(text: str) -> tuple[Page, ...]:
    """Pages from their JSON."""
    return tuple(Page(*fields) for fields in json.loads(text)) if text else ()


def pages_json(pages: Sequence[Page]) -> str:
    """Pages as JSON; nothing for none."""
    if not pages:
        return ""
    rows = ([p.start, p.index, p.label, p.image, p.quality] for p in pages)
    return json.dumps([row if row[4] is not None else row[:4] for row in rows])


def meta_json(meta: Mapping[str, str]) -> str:
    """Metadata as JSON; nothing for none."""
    return json.dumps(dict(meta)) if meta else ""


def as_meta(text: str) -> Mapping[str, str]:
    """Metadata from their JSON."""
    return MappingProxyType(json.loads(text) if text else {})


def with_texts(connection: Connection, rows: Sequence[Row]) -> Iterator[tuple[Row, Chunk]]:
    """Rows that begin with CHUNK_COLUMNS, each with its chunk, grouped by document version.

    One document's text is in memory at a time, and is read once for all its chunks.
    """
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[9], []).append(row)
    texts = connection.exec_driver_sql(
        "SELECT t.version_id, t.text FROM json_each(?) j JOIN texts t ON t.version_id = j.value",
        (json_list(groups),),
    )
    for version_id, data in texts:
        text = decode(data)
        for row in groups[version_id]:
            yield row, _chunk(row, text)


def _chunk(row: Row, text: str) -> Chunk:
    start, stop = row[5], row[6]
    return Chunk(
        row[0],
        DocumentKey(row[1], row[2]),
        row[3],
        row[4],
        start,
        stop,
        text[start:stop],
        row[7],
        bool(row[8]),
    )


def scope_sql(scope: Scope, table: str = "d") -> tuple[str, list[object]]:
    """The condition of a scope on a table with corpus, earliest and latest; and its values."""
    clauses, values = corpora_sql(scope.corpora, table)
    if scope.dated:
        dated: list[str] = []
        if scope.latest is not None:
            dated.append(f"{table}.earliest <= ?")
            values.append(scope.latest)
        if scope.earliest is not None:
            dated.append(f"{table}.latest >= ?")
            values.append(scope.earliest)
        inside = " AND ".join(dated)
        if scope.include_undated:
            inside = f"(({inside}) OR {table}.earliest IS NULL)"
        clauses.append(inside)
    more, least = quality_sql(scope, table)
    return " AND ".join([*clauses, *more]) or "1", [*values, *least]


def quality_sql(scope: Scope, table: str = "d") -> tuple[list[str], list[object]]:
    """The condition of the least quality alone; what is unknown stays."""
    if scope.min_quality is None:
        return [], []
    return [f"({table}.quality IS NULL OR {table}.quality >= ?)"], [scope.min_quality]


def corpora_sql(corpora: Iterable[str], table: str = "d") -> tuple[list[str], list[object]]:
    """The condition of the sub-corpora alone."""
    named = list(corpora)
    if not named:
        return [], []
    marks = ", ".join("?" * len(named))
    return [f"{table}.corpus IN ({marks})"], list(named)
