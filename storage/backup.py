"""A copy of a workspace, safe while the workspace is in use."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from storage.workspace import DATABASE
from trace_core.domain.errors import NotFound, WorkspaceError


def back_up(folder: Path, target: Path) -> Path:
    """Copy a workspace to a folder that does not exist yet; returns that folder.

    The records are copied by SQLite itself, so that a run or an import at work does no harm;
    should the copied indexes lag behind them, opening the copy says so and `reindex` mends it.
    Raises NotFound for no workspace, WorkspaceError where the copy cannot be made.
    """
    if not (folder / DATABASE).is_file():
        raise NotFound(f"{folder} is not a workspace; there is nothing to copy.")
    if target.exists():
        raise WorkspaceError(f"{target} exists already; name a new folder for the copy.")
    try:
        shutil.copytree(folder, target, ignore=_without_records)
        with (
            closing(sqlite3.connect(folder / DATABASE)) as source,
            closing(sqlite3.connect(target / DATABASE)) as copy,
        ):
            source.backup(copy)
    except OSError as error:
        raise WorkspaceError(
            f"The copy in {target} could not be finished ({error.strerror}); make room or name a "
            "folder where you may write."
        ) from error
    return target


def _without_records(folder: str, names: list[str]) -> set[str]:
    del folder
    return {name for name in names if name.startswith(DATABASE) or name.endswith(".lock")}
