"""The OCR quality of documents and pages: told by the source, or estimated and estimated anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from storage.database import json_list
from storage.rows import as_pages, pages_json
from storage.texts import decode, some
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Quality, Unrated

_UNRATED = """
    SELECT d.id, d.corpus, d.source_id, v.number, t.text, v.pages
    FROM documents d JOIN versions v ON v.id = d.version_id JOIN texts t ON t.version_id = v.id
    WHERE d.id > ? AND d.quality_by NOT IN ('source', ?) ORDER BY d.id LIMIT ?"""

_CURRENT = """
    SELECT j.key, d.id, v.id, v.pages
    FROM json_each(?) j JOIN documents d
    ON d.corpus = json_extract(j.value, '$[0]') AND d.source_id = json_extract(j.value, '$[1]')
    JOIN versions v ON v.id = d.version_id AND v.number = json_extract(j.value, '$[2]')
    WHERE d.quality_by <> 'source'"""


def read_unrated(connection: Connection, model: str, after: int, limit: int) -> list[Unrated]:
    """Newest versions whose quality neither their source nor this model has told."""
    rows = connection.exec_driver_sql(_UNRATED, (after, model, limit))
    return [
        Unrated(row[0], DocumentKey(row[1], row[2]), row[3], decode(row[4]), as_pages(row[5]))
        for row in some(rows, text=4)
    ]


def keep_quality(connection: Connection, model: str, estimates: Sequence[Quality]) -> None:
    """Write estimates to the newest versions that they were made for."""
    wanted = json_list([*one.key, one.version] for one in estimates)
    documents: list[tuple[object, ...]] = []
    versions: list[tuple[object, ...]] = []
    for number, document, version, pages in connection.exec_driver_sql(_CURRENT, (wanted,)).all():
        one = estimates[number]
        documents.append((one.quality, model, document))
        if one.pages:
            rated = zip(as_pages(pages), one.pages, strict=True)
            pages = pages_json([replace(page, quality=quality) for page, quality in rated])
        versions.append((one.quality, pages, version))
    if documents:
        sql = "UPDATE documents SET quality = ?, quality_by = ? WHERE id = ?"
        connection.exec_driver_sql(sql, documents)
        sql = "UPDATE versions SET quality = ?, pages = ? WHERE id = ?"
        connection.exec_driver_sql(sql, versions)
