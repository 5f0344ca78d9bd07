"""Ids and names that a database can hold: zero bytes and halves of characters are replaced."""

from __future__ import annotations

import re
from dataclasses import replace

from trace_core.domain.characters import whole
from trace_core.ingest.records import CorpusHint, Problem, SourceRecord

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(record: SourceRecord) -> tuple[SourceRecord, Problem | None]:
    """The record under ids that can be stored, and what is to be said where they are others."""
    hint = record.corpus
    told = "".join((record.source_id, hint.id, hint.name, hint.language, record.language))
    if not _UNSTORABLE.search(told):
        return record, None
    named = replace(
        record,
        source_id=_plain(record.source_id),
        corpus=_plain_hint(hint),
        language=_plain(record.language),
    )
    reason = (
        "its ids hold characters that cannot be stored; "
        f"it is kept as {named.corpus.id}/{named.source_id}"
    )
    return named, Problem(record.location, reason, "suspicious")


def _plain_hint(hint: CorpusHint) -> CorpusHint:
    return replace(hint, id=_plain(hint.id), name=_plain(hint.name), language=_plain(hint.language))


def _plain(text: str) -> str:
    return whole(text.replace("\0", "\ufffd"))
