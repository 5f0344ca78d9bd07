"""The ports of what is kept beside the documents: models, settings, reports, notes, a shelf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from trace_core.domain.corpus import DocumentKey


@dataclass(frozen=True, slots=True)
class Artifact:
    """A derived model of the archive (latent semantic index, form index …): arrays and a note."""

    version: str
    arrays: Mapping[str, npt.NDArray[np.generic]]
    meta: str = ""


class ArtifactStore(Protocol):
    """Derived models by name. Saving replaces atomically; arrays come back memory-mapped."""

    def save(self, name: str, artifact: Artifact) -> None:
        """Replace the artifact of this name."""

    def load(self, name: str) -> Artifact | None:
        """The artifact of this name, None when there is none."""


class SettingsStore(Protocol):
    """The workspace's own settings: only what differs from the defaults."""

    def load(self) -> dict[str, dict[str, object]]:
        """The differing values by group and name."""

    def save(self, values: Mapping[str, Mapping[str, object]]) -> None:
        """Replace them."""


class ReportStore(Protocol):
    """Import reports, kept for ever."""

    def save(self, report_id: str, body: str) -> None:
        """Keep or replace (while the import runs) a report's JSON."""

    def load(self, report_id: str) -> str | None:
        """A report's JSON."""

    def list(self) -> list[tuple[str, str]]:
        """(id, JSON) of all reports, newest first."""


NoteKind = Literal["note", "tag", "star", "untag", "unstar"]
"""What a person put on a document; untag and unstar take back what stood there."""


@dataclass(frozen=True, slots=True)
class Note:
    """A person's note, tag or star on a document or a passage. Never changed, only superseded.

    `time` is ISO 8601 in UTC, `chunk` None for a whole document, `run` "" outside a run.
    """

    id: str
    kind: NoteKind
    author: str
    time: str
    key: DocumentKey
    text: str = ""
    chunk: int | None = None
    run: str = ""


class Shelf(Protocol):
    """JSON texts by kind and id: own questions, kept answers and reports of evaluations."""

    def put(self, kind: str, text_id: str, body: str) -> None:
        """Keep a text, or replace the one of this kind and id."""

    def get(self, kind: str, text_id: str) -> str | None:
        """The text of this kind and id."""

    def list(self, kind: str) -> list[tuple[str, str]]:
        """(id, text) of all of a kind, in the order in which they were first kept."""


class NoteStore(Protocol):
    """Notes of all people on all documents."""

    def add(self, note: Note) -> None:
        """Keep a note."""

    def notes(self, keys: Iterable[DocumentKey] | None = None) -> list[Note]:
        """Notes on these documents (all when None), oldest first."""
