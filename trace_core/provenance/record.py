"""A run with all that it refers to, as one value: what every export, check and account reads.

`trace_core.provenance.gathering` fills it from the stores once; nothing here touches a store. The
texts of whole documents are not part of it, only their hashes: what was judged are passages, and
those are kept character by character.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from trace_core.domain.corpus import Chunk, DocumentKey, Page, SubCorpus
from trace_core.domain.dates import HistoricalDate
from trace_core.domain.events import Event
from trace_core.domain.state import RunState
from trace_core.ports import CallRecord, Note

T = TypeVar("T")
EXPORTER = "exported by trace-archive"
"""The name under which `versions` gives the version that took the record from the workspace."""
SourceKey = tuple[DocumentKey, int]
"""A document in one version."""


def text_hash(text: str) -> str:
    """SHA-256 of a text, as 64 hex digits; what stands for a text that is withheld."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Source:
    """A document version without its text. `text_hash` is the SHA-256 of its shown text.

    `twins` are other documents with the same text, or nearly the same, as the archive knew them
    when the record was taken: at most 50 of them, and `more_twins` counts the others.
    """

    key: DocumentKey
    version: int
    title: str
    text_hash: str
    language: str = ""
    date: HistoricalDate | None = None
    undated_reason: str = ""
    pages: tuple[Page, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    quality: float | None = None
    twins: tuple[DocumentKey, ...] = ()
    more_twins: int = 0

    def page(self, index: int | None) -> Page | None:
        """The page with this index, None when there is none."""
        return next((p for p in self.pages if p.index == index), None)


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it was judged. `withheld` says that its text stays out, `text_hash` stands in."""

    chunk: Chunk
    text_hash: str
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt as the run used it: its hash, and its text where it is still known."""

    hash: str
    text: str = ""


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run with everything it refers to. Compared by identity, so that what is derived from it
    can be kept beside it.

    `sources` and `passages` hold what was decided on, in the version that was judged. A source
    or passage that the archive no longer has is missing from them. `accessed` is the ISO day on
    which the record was taken from the workspace.
    """

    run: str
    events: tuple[Event, ...]
    state: RunState
    corpora: Mapping[str, SubCorpus]
    sources: Mapping[SourceKey, Source]
    passages: Mapping[int, Passage]
    calls: tuple[CallRecord, ...] = ()
    notes: tuple[Note, ...] = ()
    prompts: Mapping[str, PromptText] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    accessed: str = ""

    def source(self, key: DocumentKey, version: int | None = None) -> Source | None:
        """A document in the version asked for, else in the newest one that was judged."""
        if version is not None:
            return self.sources.get((key, version))
        return self._newest.get(key)

    def corpus(self, corpus_id: str) -> SubCorpus:
        """The sub-corpus; where the archive does not know it, under the name the run recorded."""
        known = self.corpora.get(corpus_id)
        return known or SubCorpus(id=corpus_id, name=self._recorded.get(corpus_id, corpus_id))

    @cached_property
    def _recorded(self) -> dict[str, str]:
        corpora = self.state.start.corpora if self.state.start else ()
        return {str(c["id"]): str(c.get("name") or c["id"]) for c in corpora if "id" in c}

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What is derived from the record under a name: made at the first call, then kept."""
        if name not in self._derived:
            self._derived[name] = make()
        found: T = self._derived[name]
        return found

    @cached_property
    def _derived(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def _newest(self) -> dict[DocumentKey, Source]:
        found: dict[DocumentKey, Source] = {}
        for (key, version), source in self.sources.items():
            if key not in found or found[key].version < version:
                found[key] = source
        return found

    @cached_property
    def notes_by_key(self) -> dict[DocumentKey, list[Note]]:
        """The notes on each document, oldest first."""
        found: dict[DocumentKey, list[Note]] = {}
        for note in self.notes:
            found.setdefault(note.key, []).append(note)
        return found


def without_texts(record: RunRecord) -> RunRecord:
    """The same record with the texts of passages and calls left out; hashes stand in for them."""
    if all(p.withheld for p in record.passages.values()) and all(
        c.meta.get("withheld") for c in record.calls
    ):
        return record
    passages = {
        i: replace(p, chunk=replace(p.chunk, text=""), withheld=True)
        for i, p in record.passages.items()
    }
    calls = tuple(_withheld_call(call) for call in record.calls)
    return replace(record, passages=passages, calls=calls)


def _withheld_call(call: CallRecord) -> CallRecord:
    if call.meta.get("withheld"):
        return call
    meta = {
        **call.meta,
        "withheld": "yes",
        "request_sha256": text_hash(call.request),
        "reply_sha256": text_hash(call.reply),
    }
    return replace(call, request="", reply="", meta=meta)
