"""What pages and the command line are given: plain frozen values, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Page,
    SubCorpus,
)
from trace_core.domain.evidence import Actor, Found
from trace_core.domain.question import SubQuestion
from trace_core.ports import CorpusStats

Span = tuple[int, int]
"""Character offsets (start, end) into the text that stands beside them."""


@dataclass(frozen=True, slots=True)
class CorpusView:
    """A sub-corpus with its numbers."""

    corpus: SubCorpus
    stats: CorpusStats


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a passage; `spans` are marks inside `text`."""

    chunk_id: int
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class HitView:
    """One line of a search result. `spans` are marks inside `snippet`.

    `second` is the document's second best passage, where more than one was found. `twins` are the
    other documents with the same text, or nearly the same.
    """

    rank: int
    key: DocumentKey
    head: DocumentHead
    corpus_name: str
    score: float
    channels: Mapping[str, int]
    snippet: str
    spans: tuple[Span, ...]
    chunk_id: int
    chunk_ids: tuple[int, ...] = ()
    forms: tuple[str, ...] = ()
    boosts: Mapping[str, float] | None = None
    twins: tuple[DocumentKey, ...] = ()
    second: Snippet | None = None


@dataclass(frozen=True, slots=True)
class SearchView:
    """A search result.

    `undated_left_out` counts undated documents that the dates leave out, `below_quality` those
    inside the dates that the least quality leaves out.
    """

    query: str
    channel: str
    hits: tuple[HitView, ...]
    terms: tuple[str, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    undated_left_out: int = 0
    below_quality: int = 0
    at_work: bool = False


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage as a reader judges it. `spans` are marks inside `chunk.text`.

    `changed_since` says that the document has a newer version than the one shown here.
    """

    chunk: Chunk
    head: DocumentHead
    corpus: SubCorpus
    page: Page | None
    spans: tuple[Span, ...]
    before: Chunk | None
    after: Chunk | None
    changed_since: bool


@dataclass(frozen=True, slots=True)
class ReaderView:
    """A whole document with marks inside `document.text`."""

    document: Document
    corpus: SubCorpus
    spans: tuple[Span, ...]
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One line of the evidence list. `twins` are other documents with the same text.

    They stand under the line whether or not they were judged themselves.
    """

    rank: int
    key: DocumentKey
    head: DocumentHead | None
    corpus_name: str
    confirmations: int
    sub_questions: tuple[SubQuestion, ...]
    reason: str
    actor: Actor
    decided_at: str
    chunk_ids: tuple[int, ...]
    found: tuple[tuple[str, Found], ...]
    twins: tuple[DocumentKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run is likely to cost. `money` in US dollars, None where no price is known."""

    calls: int
    tokens_in: int
    tokens_out: int
    money: float | None


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The configured model's state. `reachable` is None when it was not tried."""

    configured: bool
    name: str
    local: bool
    reachable: bool | None
    sentence: str
