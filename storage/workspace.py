"""A workspace is a folder: open it and everything the core needs stands ready.

`trace.sqlite` holds the records, `lexical/` and `vectors/` the indexes that can be rebuilt from
it, `artifacts/` the models trained on the archive, `workspace.toml` the settings. Copy the folder
and everything is copied.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from storage import migrations
from storage.artifacts import FolderArtifacts
from storage.calls import SqliteCalls
from storage.database import Database
from storage.documents import SqliteDocuments
from storage.events import SqliteEvents
from storage.leases import SqliteLeases
from storage.lexical import TantivyIndex
from storage.notes import SqliteNotes
from storage.queue import SqliteQueue
from storage.reports import SqliteReports
from storage.settings import FILE_NAME, FORMAT, TomlSettings, not_a_workspace
from storage.shelf import SqliteShelf
from storage.twins import SqliteTwins
from storage.upkeep import SqliteUpkeep
from storage.vectors import LanceIndex
from trace_core.domain.errors import SearchFailed, WorkspaceError
from trace_core.ports import StoreHealth
from trace_core.settings import Settings

DATABASE = "trace.sqlite"


class Workspace:
    """Fulfils `trace_core.ports.Stores` over one folder. Use `create` or `open`.

    Safe to share between threads. The indexes are opened when they are first used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path / DATABASE)
        self.settings = TomlSettings(path)
        self.documents = SqliteDocuments(self._database)
        self.twins = SqliteTwins(self._database)
        self.upkeep = SqliteUpkeep(self._database)
        self.queue = SqliteQueue(self._database)
        self.events = SqliteEvents(self._database)
        self.calls = SqliteCalls(self._database)
        self.leases = SqliteLeases(self._database)
        self.reports = SqliteReports(self._database)
        self.notes = SqliteNotes(self._database)
        self.shelf = SqliteShelf(self._database)
        self.artifacts = FolderArtifacts(path / "artifacts")
        self.lexical = TantivyIndex(path / "lexical")
        self.vectors = LanceIndex(path / "vectors", self._exact_vectors_below)

    @classmethod
    def create(cls, path: str | Path, settings: Settings | None = None) -> Self:
        """Make a workspace in a new or empty folder. Raises WorkspaceError where it cannot be."""
        folder = Path(path).expanduser().absolute()
        if folder.exists() and not folder.is_dir():
            raise WorkspaceError(f"{folder} is a file; name a folder for the workspace.")
        if (folder / DATABASE).exists():
            raise WorkspaceError(f"{folder} is a workspace already; open it, or name another.")
        # A settings file alone is what a creation leaves behind that broke off.
        begun = {FILE_NAME, Path(FILE_NAME).with_suffix(".part").name}
        if folder.exists() and {entry.name for entry in folder.iterdir()} - begun:
            raise WorkspaceError(f"{folder} holds other files; name a new or an empty folder.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            store = TomlSettings(folder)
            store.create()
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            raise _not_writable(folder) from error
        if settings is not None:
            store.save(settings.differences())
        migrations.migrate(folder / DATABASE)
        return cls(folder)

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a workspace; an older one is migrated first, and a copy of its records kept.

        Raises WorkspaceError when the folder is none, is newer than this program, is damaged or
        cannot be written.
        """
        folder = Path(path).expanduser().absolute()
        if not folder.is_dir():
            raise WorkspaceError(
                f"There is no folder {folder}; make a workspace there with `init`."
            )
        if not (folder / DATABASE).is_file():
            raise _lost(folder) if _used(folder) else not_a_workspace(folder)
        if not (os.access(folder, os.W_OK) and os.access(folder / DATABASE, os.W_OK)):
            raise _not_writable(folder)
        if TomlSettings(folder).format > FORMAT:
            raise migrations.too_new(folder)
        if not (folder / DATABASE).stat().st_size and _used(folder):
            raise _lost(folder)
        migrations.migrate(folder / DATABASE)
        return cls(folder)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    def generation(self) -> int:
        """A number that grows whenever what a search can find has changed."""
        return self.documents.generation()

    def health(self, *, thorough: bool = False) -> StoreHealth:
        """Count records and index entries, and say what to do where they disagree.

        The vectors are counted from a note of the last write, so that LanceDB need not be
        loaded; `thorough` opens them.
        """
        stats = self.documents.stats()
        documents = sum(s.documents for s in stats)
        chunks = sum(s.chunks for s in stats)
        broken = ""
        try:
            lexical = self.lexical.count()
        except SearchFailed as error:
            lexical, broken = 0, str(error)
        try:
            noted = None if thorough else self.vectors.noted_count()
            vectors = self.vectors.count() if noted is None else noted
        except SearchFailed as error:
            vectors, broken = 0, broken or str(error)
        pending = {name: self.queue.pending_count(name) for name in ("lexical", "vectors")}
        sentence = broken or self._advice(chunks, lexical, vectors, pending)
        return StoreHealth(
            documents=documents,
            chunks=chunks,
            lexical=lexical,
            vectors=vectors,
            pending_lexical=pending["lexical"],
            pending_vectors=pending["vectors"],
            ok=not sentence,
            sentence=sentence,
        )

    def close(self) -> None:
        """Let go of files and locks."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _exact_vectors_below(self) -> int:
        return Settings().merged(self.settings.load()).index.exact_vectors_below

    def _uses_vectors(self) -> bool:
        return Settings().merged(self.settings.load()).index.embedder != "none"

    def _advice(self, chunks: int, lexical: int, vectors: int, pending: dict[str, int]) -> str:
        wanted = {"lexical": lexical}
        if self._uses_vectors():
            wanted["vectors"] = vectors
        waiting = max(pending[name] for name in wanted)
        if waiting:
            return (
                f"{waiting} passages are not yet in every index; run `reindex` (or any import) "
                "to take them in."
            )
        wrong = [f"{name} index has {n}" for name, n in wanted.items() if n != chunks]
        if wrong:
            return (
                f"The records hold {chunks} passages but the {' and the '.join(wrong)}; "
                "run `reindex` to rebuild the indexes."
            )
        return ""


def _used(folder: Path) -> bool:
    """Whether a folder holds what only a workspace with documents has."""
    return any((folder / name).exists() for name in ("lexical", "vectors", "artifacts"))


def _lost(folder: Path) -> WorkspaceError:
    """The refusal of a workspace without its records, which must not be taken for a new one."""
    return WorkspaceError(
        f"The records of the workspace {folder} ({DATABASE}) are gone or empty; "
        "restore it from a backup."
    )


def _not_writable(folder: Path) -> WorkspaceError:
    return WorkspaceError(
        f"The workspace {folder} cannot be written; give yourself write access to it, or copy "
        "the folder to a place where you may write."
    )
