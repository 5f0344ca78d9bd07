"""Page files put together to documents: those of one name but for a final number, or of a folder.

Pages of one document follow one another in the walk, so only one document is ever held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from trace_core.ingest.layout import SIGNS
from trace_core.ingest.names import date_in
from trace_core.ingest.records import Grouping, Item, SourcePage, SourceRecord

_FINAL_NUMBER = re.compile(
    r"[ _.\-]*(?:p|page|f|fol|seite|s|n|img|image)?[ _.\-]*0*(\d{1,6})$", re.I
)


def group_pages(items: Iterator[Item], how: Grouping) -> Iterator[Item]:
    """Records that are pages of one document, joined; problems pass at their place."""
    held: list[SourceRecord] = []
    key: tuple[str, str] | None = None
    for item in items:
        if not isinstance(item, SourceRecord):
            yield item
            continue
        own = _key(item, how)
        if held and own != key:
            yield _joined(held, key)
            held = []
        key = own
        held.append(item)
    if held:
        yield _joined(held, key)


def _key(record: SourceRecord, how: Grouping) -> tuple[str, str]:
    path = PurePosixPath(record.source_id)
    if how == "folder":
        folder = str(path.parent)
        return record.corpus.id, record.corpus.id if folder == "." else folder
    stem = path.name
    match = _FINAL_NUMBER.search(stem)
    # A number that is part of a date names an issue, not a page.
    if (
        match is None
        or not stem[: match.start()]
        or date_in(stem) != date_in(stem[: match.start()])
    ):
        return record.corpus.id, record.source_id
    return record.corpus.id, str(path.with_name(stem[: match.start()]))


def _page_number(record: SourceRecord) -> int:
    # Files of pages lie in order, but records of one file need not; those without a number stay.
    match = _FINAL_NUMBER.search(record.source_id)
    return int(match[1]) if match else 0


def _joined(records: list[SourceRecord], key: tuple[str, str] | None) -> SourceRecord:
    first = records[0]
    if len(records) == 1 or key is None:
        return first
    records = sorted(records, key=_page_number)
    parts: list[str] = []
    pages: list[SourcePage] = []
    length = 0
    for record in records:
        if parts and record.text:
            before = "".join(parts[-1:]).rstrip()
            goes_on = before[-1:] in SIGNS and record.text[:1].islower()
            separator = "" if not before else "\n" if goes_on else "\n\n"
            parts.append(separator)
            length += len(separator)
        own = record.pages or (SourcePage(0, 0, "", ""),)
        pages.extend(
            SourcePage(
                page.start + length, len(pages) + number, page.label, page.image, page.confidence
            )
            for number, page in enumerate(own)
        )
        parts.append(record.text)
        length += len(record.text)
    known = [record.quality for record in records if record.quality is not None]
    return replace(
        first,
        source_id=key[1],
        text="".join(parts),
        title=PurePosixPath(key[1]).name.replace("_", " "),
        date_written=first.date_written or date_in(PurePosixPath(key[1]).name),
        pages=tuple(pages),
        meta=dict(first.meta) | {"files": str(len(records))},
        quality=sum(known) / len(known) if known else None,
    )
