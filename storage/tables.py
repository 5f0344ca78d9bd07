"""The tables of a workspace's SQLite file in their present form.

`schema.py` and the migrations create them; a test holds the two descriptions together. The
base has a registry of its own, so that importing this module a second time (as a web server
does when a file was edited) does not collide with the first.
"""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel


class Base(SQLModel, registry=registry()):
    """The base of all tables here."""


class MigrationRow(Base, table=True):
    """A migration that was applied."""

    __tablename__ = "migrations"
    number: int = Field(primary_key=True)
    name: str
    time: str


class CorpusRow(Base, table=True):
    """A sub-corpus; aliases and citation are JSON."""

    __tablename__ = "corpora"
    id: str = Field(primary_key=True)
    name: str
    aliases: str
    kind: str
    language: str
    description: str
    local_only: bool
    citation: str


class DocumentRow(Base, table=True):
    """A document: its identity, its newest version, and what lists need of that version.

    `source` is the fingerprint of the record that its newest version was made from, None where it
    is to be read again. `quality_by` names who told the quality: the source, a model of the
    archive, "" for a first estimate.
    """

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("corpus", "source_id"),)
    id: int = Field(primary_key=True)
    corpus: str = Field(foreign_key="corpora.id")
    source_id: str
    version_id: int
    withdrawn: bool
    earliest: int | None
    latest: int | None
    words: int
    chunks: int
    quality: float | None
    quality_by: str = "source"
    source: bytes | None = None


class VersionRow(Base, table=True):
    """One version of a document without its text.

    `report` is the number of the report of the import that brought it. Its present chunks are the
    `chunk_count` rows from `first_chunk` on. `pages` and `meta` are JSON. The hashes tell whether
    a text that comes again is the same, and cut the same way.
    """

    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("document", "number"),)
    id: int = Field(primary_key=True)
    document: int = Field(foreign_key="documents.id")
    number: int
    title: str
    language: str
    date_written: str | None
    date_edtf: str | None
    earliest: int | None
    latest: int | None
    undated_reason: str
    words: int
    quality: float | None
    first_chunk: int
    chunk_count: int
    content_hash: bytes
    spans_hash: bytes
    pages: str
    meta: str
    report: int | None


class TextRow(Base, table=True):
    """The texts of a version: as shown (UTF-8), and as read where that differs (see `texts.py`)."""

    __tablename__ = "texts"
    version_id: int = Field(primary_key=True, foreign_key="versions.id")
    text: bytes
    raw: bytes | None


class MarkRow(Base, table=True):
    """What tells whether a document's newest text is that of another one."""

    __tablename__ = "marks"
    document: int = Field(primary_key=True, foreign_key="documents.id")
    version: int
    fingerprint: bytes
    signature: bytes


class TwinRow(Base, table=True):
    """A document that has a twin; `first` is the first document of its group."""

    __tablename__ = "twins"
    document: int = Field(primary_key=True, foreign_key="documents.id")
    first: int
    exact: bool


class MovedRow(Base, table=True):
    """A key that a document had before its sub-corpus was merged, or while it was.

    To a key with `home` the document goes back when its sub-corpus is given back.
    """

    __tablename__ = "moved"
    corpus: str = Field(primary_key=True)
    source_id: str = Field(primary_key=True)
    document: int = Field(foreign_key="documents.id")
    home: bool = True


class PlacedRow(Base, table=True):
    """A document that its source names by a key which another document had once."""

    __tablename__ = "placed"
    corpus: str = Field(primary_key=True)
    source_id: str = Field(primary_key=True)
    document: int = Field(foreign_key="documents.id")


class FormerCorpusRow(Base, table=True):
    """A sub-corpus that was merged, and the one that holds its documents now.

    `described` is its row as JSON, "" where an earlier version of the program kept none; `gained`
    are the names, as JSON, that the other one got by the merge.
    """

    __tablename__ = "former_corpora"
    id: str = Field(primary_key=True)
    name: str
    now: str = Field(foreign_key="corpora.id")
    merged_into: str = ""
    described: str = ""
    gained: str = "[]"


class DeedRow(Base, table=True):
    """What a person did to the archive; triggers refuse every change. `details` is JSON."""

    __tablename__ = "deeds"
    number: int = Field(primary_key=True)
    kind: str
    target: str
    person: str
    reason: str
    time: str
    details: str


class ChunkRow(Base, table=True):
    """A span of a version's shown text. Ids are never given twice."""

    __tablename__ = "chunks"
    __table_args__ = {"sqlite_autoincrement": True}
    id: int = Field(primary_key=True)
    version_id: int = Field(foreign_key="versions.id")
    ordinal: int
    start: int
    stop: int
    page: int | None
    current: bool


class GenerationRow(Base, table=True):
    """One row: how often what a search can find has changed."""

    __tablename__ = "generation"
    id: int = Field(primary_key=True)
    value: int


class LexicalTicketRow(Base, table=True):
    """A chunk whose lexical entry must be brought up to date."""

    __tablename__ = "queue_lexical"
    __table_args__ = {"sqlite_autoincrement": True}
    ticket: int = Field(primary_key=True)
    chunk: int = Field(foreign_key="chunks.id")


class VectorTicketRow(Base, table=True):
    """A chunk whose vector must be brought up to date."""

    __tablename__ = "queue_vectors"
    __table_args__ = {"sqlite_autoincrement": True}
    ticket: int = Field(primary_key=True)
    chunk: int = Field(foreign_key="chunks.id")


class EventRow(Base, table=True):
    """An event of a run; triggers refuse every change."""

    __tablename__ = "events"
    run: str = Field(primary_key=True)
    sequence: int = Field(primary_key=True)
    time: str
    actor_kind: str
    actor_name: str
    type: str
    body: str
    previous_hash: str
    hash: str


class RunRow(Base, table=True):
    """A projection of a run's events for lists."""

    __tablename__ = "runs"
    id: str = Field(primary_key=True)
    question: str
    assistant: str
    status: str
    waiting_for: str
    plan_adopted: bool
    created: str
    updated: str
    events: int
    head_hash: str
    purpose: str = ""


class CallRow(Base, table=True):
    """A model call; triggers refuse every change. `meta` is JSON."""

    __tablename__ = "calls"
    __table_args__ = (UniqueConstraint("run", "key"),)
    id: str = Field(primary_key=True)
    run: str
    key: str
    stage: str
    model: str
    prompt_hash: str
    request: str
    reply: str
    tokens_in: int
    tokens_out: int
    seconds: float
    price: float | None
    time: str
    problem: str
    meta: str


class LeaseRow(Base, table=True):
    """Who works on a run, the last sign of life (seconds since 1970), and what is wished."""

    __tablename__ = "leases"
    run: str = Field(primary_key=True)
    owner: str
    beat: float
    wish: str


class ReportRow(Base, table=True):
    """An import report as JSON."""

    __tablename__ = "reports"
    number: int = Field(primary_key=True)
    id: str = Field(unique=True)
    body: str


class ShelfRow(Base, table=True):
    """A question, an answer or a report of an evaluation as JSON."""

    __tablename__ = "shelf"
    number: int = Field(primary_key=True)
    kind: str
    id: str
    body: str


class NoteRow(Base, table=True):
    """A person's note; triggers refuse every change."""

    __tablename__ = "notes"
    number: int = Field(primary_key=True)
    id: str = Field(unique=True)
    kind: str
    author: str
    time: str
    corpus: str
    source_id: str
    text: str
    chunk: int | None
    run: str
