"""Documents and index entries for contract tests, with as little writing as possible."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from trace_core.domain.corpus import Chunk, Document, DocumentKey, Page
from trace_core.domain.dates import from_iso
from trace_core.domain.events import Draft, Payload, RunStarted
from trace_core.domain.evidence import ENGINE
from trace_core.ports import IndexEntry, NewDocument, Stores

_ids = itertools.count(1)


def new(
    source_id: str,
    text: str,
    corpus: str = "herald",
    *,
    day: str | None = "1883-03-02",
    raw: str | None = None,
    cuts: Sequence[int] = (),
    title: str = "",
    meta: Mapping[str, str] | None = None,
    pages: tuple[Page, ...] = (),
    quality: float | None = None,
    rated: bool = False,
    report: str = "",
    source: bytes = b"",
) -> NewDocument:
    """A French document, one chunk between two cuts."""
    document = Document(
        key=DocumentKey(corpus, source_id),
        version=0,
        title=title or source_id,
        text=text,
        raw=text if raw is None else raw,
        language="fr",
        date=from_iso(day) if day else None,
        undated_reason="" if day else "no date given",
        pages=pages,
        meta=meta or {},
        quality=quality,
    )
    edges = [0, *cuts, len(text)]
    spans = tuple((a, b, None) for a, b in itertools.pairwise(edges) if a < b)
    return NewDocument(document, spans, rated, report, source)


def entry(
    text: str,
    source_id: str = "d1",
    corpus: str = "herald",
    *,
    day: str | None = "1883-03-02",
    language: str = "fr",
    chunk_id: int | None = None,
) -> IndexEntry:
    """One chunk as an index takes it, with an id of its own."""
    number = next(_ids) if chunk_id is None else chunk_id
    chunk = Chunk(number, DocumentKey(corpus, source_id), 1, 0, 0, len(text), text)
    date = from_iso(day) if day else None
    earliest, latest = (date.earliest, date.latest) if date else (None, None)
    return IndexEntry(chunk, language, earliest, latest)


def drain(stores: Stores) -> None:
    """Work the lexical queue off as an indexer does."""
    while True:
        adds, removes = stores.queue.pending("lexical", 100)
        if not adds and not removes:
            return
        stores.lexical.add([one for one, _ in adds])
        stores.lexical.remove([chunk for chunk, _ in removes])
        stores.queue.done("lexical", [ticket for _, ticket in (*adds, *removes)])


def draft(payload: Payload | None = None) -> Draft:
    """A draft of the engine; the start of a run unless told."""
    return Draft(ENGINE, payload or RunStarted(question="Qui a vu le pont?", assistant="rules"))
