"""What a reader gives: records, problems with their place, and hints about sub-corpora.

A reader never decides what a date means, how a text is shown or whether it is new: it hands on what
the source says, as the source says it, and says where.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from trace_core.domain.corpus import Document, SubCorpus
from trace_core.ingest.dates import Order


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


ProblemKind = Literal["skipped", "empty", "undated", "suspicious"]
"""`skipped` records are not in the archive; the other three are, and are listed all the same."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a source: the file as the person named it, and a line, page or record in it."""

    file: str
    line: int | None = None
    page: int | None = None
    record: str = ""

    def __str__(self) -> str:
        parts = [f"{self.file}:{self.line}" if self.line is not None else self.file]
        if self.page is not None:
            parts.append(f"page {self.page}")
        if self.record:
            parts.append(self.record)
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the person must hear of, in one sentence, with its place."""

    location: Location
    reason: str
    kind: ProblemKind = "skipped"


@dataclass(frozen=True, slots=True)
class CorpusHint:
    """What the data tell about a sub-corpus; used only where the sub-corpus does not exist yet."""

    id: str
    name: str = ""
    kind: str = ""
    language: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page: where its text begins in the record's text, its index from 0, its printed label.

    `image` is a link to its scan, `confidence` the mean word confidence from 0 to 1.
    """

    start: int
    index: int
    label: str = ""
    image: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One document as its source gives it.

    `text` is the text as read. `date_written` stands as in the source; `date_edtf` is the source's
    own normalised form of it (TEI's `when`, separate year, month and day columns), "" if it has
    none; `date_order` is how its column writes numeric dates, None if it does not tell. `quality`
    is the mean word confidence that the source reports, 0 to 1. `prepared` is set by the reader of
    the archive's own export only: a document that is taken over as it is.
    """

    source_id: str
    corpus: CorpusHint
    text: str
    location: Location
    title: str = ""
    date_written: str = ""
    date_edtf: str = ""
    date_order: Order | None = None
    language: str = ""
    pages: tuple[SourcePage, ...] = ()
    meta: Mapping[str, str] = field(default_factory=_nothing)
    quality: float | None = None
    prepared: Document | None = None


@dataclass(frozen=True, slots=True)
class CorpusRecord:
    """A sub-corpus's full description, as only the archive's own export holds it."""

    corpus: SubCorpus
    location: Location


Item = SourceRecord | Problem | CorpusRecord

Grouping = Literal["file", "name", "folder"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person may say about a source; every default means "find out".

    `format` names a reader. `corpus` puts all records into one sub-corpus. `mapping` maps the
    fields `id`, `corpus`, `title`, `date`, `text`, `language`, `page` and `image` to column names.
    `day_first` says how 03/04/1887 is read. `metadata` is a table or Zotero file that describes
    other files by their names. `pages` tells what makes one document out of page files: each file,
    files of one name but for a final number, or all files of a folder. `articles` makes one
    document of every article that a METS file names, else one of the issue; `speeches` makes one of
    every speech in a TEI debate. `unpacked_bytes` is the most that an archive may unpack to.
    """

    format: str = "auto"
    corpus: str = ""
    mapping: Mapping[str, str] = field(default_factory=_nothing)
    language: str = ""
    encoding: str = ""
    delimiter: str = ""
    day_first: bool | None = None
    metadata: Path | None = None
    scans: Path | None = None
    pages: Grouping = "file"
    articles: bool = True
    speeches: bool = False
    unpacked_bytes: int = 50 * 1024**3
