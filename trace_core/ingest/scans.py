"""Scans of IIIF manifests put beside the pages of documents that were read from other files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from trace_core.ingest.names import strip_suffixes
from trace_core.ingest.readers.iiif import Manifest, load_manifest
from trace_core.ingest.records import Item, Location, Problem, SourcePage, SourceRecord
from trace_core.ingest.walk import Walk, existing
from trace_core.ingest.xml_safe import BrokenFile


def attach_scans(items: Iterator[Item], path: Path) -> Iterator[Item]:
    """Pages with links to their scans, by page number.

    One manifest serves all documents; of several each serves those that have its file's name as
    the last part of their id. A document with more pages than its manifest is left as it is.
    """
    found: dict[str, Manifest] = {}
    for source in Walk(existing(path)).files():
        try:
            found[strip_suffixes(source.path.name).casefold()] = load_manifest(source)
        except BrokenFile as error:
            yield error.problem(source)
    for item in items:
        if isinstance(item, SourceRecord):
            manifest = _fitting(item, found)
            if manifest is not None:
                yield from _attached(item, manifest)
                continue
        yield item


def _fitting(record: SourceRecord, found: dict[str, Manifest]) -> Manifest | None:
    if len(found) == 1:
        return next(iter(found.values()))
    return found.get(PurePosixPath(record.source_id).name.casefold())


def _attached(record: SourceRecord, manifest: Manifest) -> Iterator[Item]:
    pages = record.pages or (SourcePage(0, 0),)
    if max(page.index for page in pages) >= len(manifest.canvases):
        reason = (
            f"the document has more pages than its manifest has pictures "
            f"({len(manifest.canvases)}); no scan was linked"
        )
        yield Problem(Location(record.location.file), reason, "suspicious")
        yield record
        return
    linked = []
    for page in pages:
        label, image = manifest.canvases[page.index]
        linked.append(replace(page, label=page.label or label, image=page.image or image))
    yield replace(record, pages=tuple(linked), meta=dict(record.meta) | {"manifest": manifest.id})
