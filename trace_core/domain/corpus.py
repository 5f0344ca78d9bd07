"""What an archive holds: sub-corpora, documents in versions, and chunks of their text.

A document's identity is (sub-corpus, source id): two newspapers may name an issue by the same
day. A chunk is a span of one version of a document's shown text; its id is given once by the
store and never reused, so that a decision can point at it for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from trace_core.domain.dates import HistoricalDate
from trace_core.domain.errors import BadInput

KINDS = (
    "newspaper",
    "debates",
    "minutes",
    "letters",
    "diary",
    "court records",
    "pamphlets",
    "books",
    "other",
)
"""Kinds of sub-corpora that the routing knows words for; any other word is allowed."""

_EMPTY: Mapping[str, str] = MappingProxyType({})


class DocumentKey(NamedTuple):
    """A document's identity: its sub-corpus and its id inside it."""

    corpus: str
    source_id: str

    def __str__(self) -> str:
        return f"{self.corpus}/{self.source_id}"


@dataclass(frozen=True, slots=True)
class SubCorpus:
    """One source of an archive (a parliament's debates, a newspaper, a bundle of letters).

    `language` is an ISO 639-1 code or "" when unknown or mixed. `local_only` says that its text
    must never be sent to a model on another machine. `citation` maps fields of a citation
    (archive, collection, location, url pattern …) to values or patterns, edited once by the
    historian.
    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    kind: str = "other"
    language: str = ""
    description: str = ""
    local_only: bool = False
    citation: Mapping[str, str] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a document: where its text begins in the shown text, its label, its scan.

    `quality` is the OCR quality of its text from 0 to 1, None when unknown.
    """

    start: int
    index: int
    label: str = ""
    image: str = ""
    quality: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document.

    `raw` is the text as read, untouched; `text` is the text as shown (see `trace_core.text`).
    `version` counts from 1; a changed text makes a new version and keeps the old one.
    `date` is None for an undated document and `undated_reason` then says why. `quality` is the
    estimated or reported OCR quality from 0 to 1, None when unknown. `withdrawn` documents stay
    in the record and leave the search.
    """

    key: DocumentKey
    version: int
    title: str
    text: str
    raw: str
    language: str = ""
    date: HistoricalDate | None = None
    undated_reason: str = ""
    pages: tuple[Page, ...] = ()
    meta: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    quality: float | None = None
    withdrawn: bool = False

    def page_at(self, offset: int) -> Page | None:
        """The page on which the character at `offset` of the shown text stands."""
        current = None
        for page in self.pages:
            if page.start > offset:
                break
            current = page
        return current


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What a list needs of a document without its text. `words` counts white-space words."""

    key: DocumentKey
    version: int
    title: str
    date: HistoricalDate | None
    language: str
    words: int
    quality: float | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: characters `start` to `end` of the shown text of one document version.

    `ordinal` counts the chunks of that version from 0; `page` is the index of the page on which
    it begins, None when the source has no pages. `current` is False once a newer version of the
    document, or a new chunking, has taken its place in the search.
    """

    id: int
    key: DocumentKey
    version: int
    ordinal: int
    start: int
    end: int
    text: str
    page: int | None = None
    current: bool = True


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a search looks: sub-corpora (none named = all), a range of days, a least quality.

    `earliest` and `latest` are day ordinals (`HistoricalDate`), inclusive. A dated document is
    inside when its span of days overlaps the range. Undated documents are left out of a dated
    scope unless `include_undated`. `min_quality` leaves out documents whose OCR quality is known
    to be lower; those of unknown quality stay.
    """

    corpora: tuple[str, ...] = ()
    earliest: int | None = None
    latest: int | None = None
    include_undated: bool = False
    min_quality: float | None = None

    def checked(self) -> Scope:
        """The scope itself. Raises BadInput where its days are in the wrong order."""
        if self.earliest is not None and self.latest is not None and self.earliest > self.latest:
            raise BadInput("The first day is later than the last one; exchange them.")
        return self

    @property
    def dated(self) -> bool:
        """Whether the scope limits the days at all."""
        return self.earliest is not None or self.latest is not None
