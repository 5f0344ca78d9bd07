"""Derived models of the archive as NumPy files.

Each save writes a folder of its own and then swings one small pointer file to it, which is a
single rename: a reader sees the old model or the new one, whole. Folders that no pointer names
are removed at the next save.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from pathlib import Path

import numpy as np

from storage.locks import folder_lock
from trace_core.domain.errors import BadInput, WorkspaceError
from trace_core.ports import Artifact

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class FolderArtifacts:
    """Fulfils `trace_core.ports.ArtifactStore`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, name: str, artifact: Artifact) -> None:
        """Replace the artifact of this name."""
        _check(name, *artifact.arrays)
        self._folder.mkdir(parents=True, exist_ok=True)
        with folder_lock(self._folder.parent, "artifacts"):
            target = self._folder / f"{name}.{uuid.uuid4().hex}"
            target.mkdir()
            for array_name, array in artifact.arrays.items():
                np.save(target / f"{array_name}.npy", np.ascontiguousarray(array))
            note = {
                "folder": target.name,
                "version": artifact.version,
                "meta": artifact.meta,
                "arrays": list(artifact.arrays),
            }
            part = target / "note.part"
            part.write_text(json.dumps(note), encoding="utf-8")
            part.replace(self._pointer(name))
            self._sweep(name, keep=target.name)

    def load(self, name: str) -> Artifact | None:
        """The artifact of this name, None when there is none."""
        _check(name)
        for _ in range(3):
            try:
                return self._load(name)
            except FileNotFoundError:
                if not self._pointer(name).exists():
                    return None  # else it was replaced between pointer and arrays: look again
            except (ValueError, KeyError) as error:
                raise _damaged(name, error) from error
        raise _damaged(name, FileNotFoundError("its files are missing"))

    def _load(self, name: str) -> Artifact:
        note = json.loads(self._pointer(name).read_text(encoding="utf-8"))
        folder = self._folder / note["folder"]
        arrays = {array: _mapped(folder / f"{array}.npy") for array in note["arrays"]}
        return Artifact(version=note["version"], arrays=arrays, meta=note["meta"])

    def _pointer(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _sweep(self, name: str, keep: str) -> None:
        for old in self._folder.glob(f"{name}.*"):
            unique = old.name.removeprefix(f"{name}.")
            if old.name != keep and re.fullmatch(r"[0-9a-f]{32}", unique):
                shutil.rmtree(old, ignore_errors=True)  # a reader may hold it on some systems


def _mapped(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    if path.stat().st_size == 0:
        raise ValueError(f"{path.name} is empty")
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)  # type: ignore[no-any-return]
    except ValueError:
        return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]


def _check(*names: str) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name!r} cannot name a model; use letters, digits, _ and -.")


def _damaged(name: str, error: Exception) -> WorkspaceError:
    return WorkspaceError(
        f"The stored model {name!r} cannot be read ({error}); reindex the workspace to rebuild it."
    )
