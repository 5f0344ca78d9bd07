"""A consistent copy of a workspace while it is in use, and the way back.

The copy holds the records, the settings and the trained models; the two indexes are left out,
since they follow from the records: the copy's queue names every passage, so the first indexing
after `restore` (or after opening the copy) builds them anew.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path, PurePosixPath

from storage.database import Database, explained
from storage.locks import folder_lock
from storage.queue import SqliteQueue
from storage.settings import FILE_NAME
from storage.workspace import DATABASE, Workspace
from trace_core.domain.errors import BadInput, WorkspaceError

_ARTIFACTS = "artifacts"


def backup(workspace: Workspace, target: str | Path) -> Path:
    """Copy a workspace to a new folder, or to a new file where the name ends in .zip.

    Others may go on reading and writing meanwhile; the copy shows one moment. Raises BadInput
    when the target exists, WorkspaceError when it cannot be written.
    """
    goal = Path(target).expanduser().absolute()
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

    Its indexes are still to be built (`health` says so). Raises BadInput when the source is no
    backup, WorkspaceError when the target cannot be used.
    """
    origin, goal = Path(source).expanduser().absolute(), Path(target).expanduser().absolute()
    if goal.exists() and (not goal.is_dir() or any(goal.iterdir())):
        raise WorkspaceError(f"{goal} is not empty; name a new or an empty folder.")
    goal.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=goal.parent, prefix=".restore-") as place:
        copy = Path(place) / "copy"
        if origin.is_dir():
            _check_names(origin, {path.name for path in origin.iterdir()})
            shutil.copytree(origin, copy, ignore=shutil.ignore_patterns("lexical", "vectors"))
        elif origin.is_file() and zipfile.is_zipfile(origin):
            _unpack(origin, copy)
        else:
            raise BadInput(f"{origin} is no backup; name a folder or .zip that `backup` made.")
        _requeue(copy)
        if goal.exists():
            goal.rmdir()
        copy.rename(goal)
    return Workspace.open(goal)


def _copy(workspace: Workspace, copy: Path) -> None:
    origin = workspace.path
    try:
        with closing(sqlite3.connect(origin / DATABASE)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy / DATABASE),))
    except sqlite3.DatabaseError as error:
        raise explained(error, origin / DATABASE) from error
    with folder_lock(origin, "settings"):
        shutil.copy2(origin / FILE_NAME, copy / FILE_NAME)
    if (origin / _ARTIFACTS).is_dir():
        with folder_lock(origin, "artifacts"):
            shutil.copytree(origin / _ARTIFACTS, copy / _ARTIFACTS)
    _requeue(copy)


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
    with zipfile.ZipFile(packed) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
        _check_names(packed, {str(name) for name in names})
        if any(name.is_absolute() or ".." in name.parts for name in names):
            raise BadInput(f"{packed} holds a path outside its folder; it is no backup.")
        archive.extractall(copy)


def _check_names(origin: Path, names: set[str]) -> None:
    if not {DATABASE, FILE_NAME} <= names:
        raise BadInput(f"{origin} is no backup: {DATABASE} or {FILE_NAME} is missing in it.")
