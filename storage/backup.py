"""A consistent copy of a workspace while it is in use, and the way back.

The copy holds the records, the settings and the trained models; the two indexes are left out,
since they follow from the records: the copy's queue names every passage, so the next indexing of
a workspace made from it (the command `restore` does one) builds them anew.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path, PurePosixPath

from storage.database import Database, explained
from storage.locks import folder_lock
from storage.migrations import migrate
from storage.queue import SqliteQueue
from storage.settings import FILE_NAME
from storage.workspace import DATABASE, Workspace
from trace_core.domain.errors import BadInput, WorkspaceError

_ARTIFACTS = "artifacts"


def backup(workspace: Workspace, target: str | Path) -> Path:
    """Copy a workspace to a new folder, or to a new file where the name ends in .zip.

    Others may go on reading and writing meanwhile; the copy shows one moment. Raises BadInput
    when the target exists or lies in the workspace, WorkspaceError when it cannot be written.
    """
    goal = Path(target).expanduser().absolute()
    if goal.resolve().is_relative_to(workspace.path.resolve()):
        raise BadInput(
            f"{goal} lies inside the workspace {workspace.path}, and would be lost with it; name a "
            "place outside."
        )
    if goal.exists():
        raise BadInput(f"{goal} exists already; name a new file or folder for the backup.")
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=goal.parent, prefix=".backup-") as place:
            copy = Path(place) / "copy"
            copy.mkdir()
            _copy(workspace, copy)
            if goal.suffix.lower() == ".zip":
                packed = Path(place) / "copy.zip"
                _pack(copy, packed)
                packed.rename(goal)
            else:
                copy.rename(goal)
    except OSError as error:
        raise WorkspaceError(
            f"The backup {goal} cannot be written ({error}); choose another place."
        ) from error
    return goal


def restore(source: str | Path, target: str | Path) -> Workspace:
    """Make a workspace in a new or empty folder from a backup, and open it.

    Its indexes are still to be built (`health` says so). The source may be a workspace itself,
    even one in use. Raises BadInput when the source is no backup, or a damaged one, WorkspaceError
    when the target cannot be used.
    """
    origin, goal = Path(source).expanduser().absolute(), Path(target).expanduser().absolute()
    if goal.exists() and (not goal.is_dir() or any(goal.iterdir())):
        raise WorkspaceError(f"{goal} is not empty; name a new or an empty folder.")
    if goal.resolve().is_relative_to(origin.resolve()):
        raise WorkspaceError(f"{goal} lies inside the backup {origin}; name a place outside.")
    goal.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=goal.parent, prefix=".restore-") as place:
        copy = Path(place) / "copy"
        if origin.is_dir():
            _check_names(origin, {path.name for path in origin.iterdir()})
            _copy_folder(origin, copy)
        elif origin.is_file() and zipfile.is_zipfile(origin):
            _unpack(origin, copy)
        else:
            raise BadInput(f"{origin} is no backup; name a folder or .zip that `backup` made.")
        _check_database(origin, copy)
        older = migrate(copy / DATABASE)
        if older is not None:
            older.unlink()  # the backup itself is the copy of the older form
        _requeue(copy)
        if goal.exists():
            goal.rmdir()
        copy.rename(goal)
    return Workspace.open(goal)


def _copy(workspace: Workspace, copy: Path) -> None:
    origin = workspace.path
    try:
        _copy_database(origin, copy)
    except sqlite3.DatabaseError as error:
        raise explained(error, origin / DATABASE) from error
    with folder_lock(origin, "settings"):
        shutil.copy2(origin / FILE_NAME, copy / FILE_NAME)
    if (origin / _ARTIFACTS).is_dir():
        with folder_lock(origin, "artifacts"):
            shutil.copytree(origin / _ARTIFACTS, copy / _ARTIFACTS)
    _requeue(copy)


def _copy_folder(origin: Path, copy: Path) -> None:
    """Copy the same from a folder that need not be writable, without locking anything in it."""
    copy.mkdir()
    journal = origin / f"{DATABASE}-wal"
    if journal.exists() and journal.stat().st_size:
        # Some of the records are in the journal alone: the folder is, or was, a workspace in use.
        _copy_database(origin, copy)
    else:
        shutil.copy2(origin / DATABASE, copy / DATABASE)
    shutil.copy2(origin / FILE_NAME, copy / FILE_NAME)
    if (origin / _ARTIFACTS).is_dir():
        shutil.copytree(origin / _ARTIFACTS, copy / _ARTIFACTS)


def _copy_database(origin: Path, copy: Path) -> None:
    with closing(sqlite3.connect(origin / DATABASE)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy / DATABASE),))


def _requeue(copy: Path) -> None:
    database = Database(copy / DATABASE)
    queue = SqliteQueue(database)
    queue.requeue_all("lexical")
    queue.requeue_all("vectors")
    database.close()
    with closing(sqlite3.connect(copy / DATABASE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _pack(copy: Path, packed: Path) -> None:
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=5) as archive:
        for path in sorted(copy.rglob("*")):
            archive.write(path, path.relative_to(copy).as_posix())


def _unpack(packed: Path, copy: Path) -> None:
    try:
        _extract(packed, copy)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise BadInput(f"{packed} is damaged and cannot be unpacked: {error}.") from error


def _extract(packed: Path, copy: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
        _check_names(packed, {str(name) for name in names})
        if any(name.is_absolute() or ".." in name.parts for name in names):
            raise BadInput(f"{packed} holds a path outside its folder; it is no backup.")
        archive.extractall(copy)


def _check_database(origin: Path, copy: Path) -> None:
    try:
        with closing(sqlite3.connect(copy / DATABASE)) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise BadInput(f"{origin} is damaged: {DATABASE} in it cannot be read ({found}).")


def _check_names(origin: Path, names: set[str]) -> None:
    if not {DATABASE, FILE_NAME} <= names:
        raise BadInput(f"{origin} is no backup: {DATABASE} or {FILE_NAME} is missing in it.")
