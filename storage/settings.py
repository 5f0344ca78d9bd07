"""`workspace.toml`: what the folder is, and the settings that differ from the defaults."""

from __future__ import annotations

import tomllib
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from storage.locks import folder_lock
from trace_core.domain.errors import WorkspaceError

FORMAT = 1
FILE_NAME = "workspace.toml"


class TomlSettings:
    """Fulfils `trace_core.ports.SettingsStore`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME

    def create(self) -> None:
        """Write the file of a new workspace."""
        self._write({"workspace": {"format": FORMAT, "id": uuid.uuid4().hex}})

    @property
    def format(self) -> int:
        """The form of the folder, counted from 1."""
        return int(self._read().get("workspace", {}).get("format", FORMAT))

    @property
    def workspace_id(self) -> str:
        """A random name that tells this workspace from every other."""
        return str(self._read().get("workspace", {}).get("id", ""))

    def load(self) -> dict[str, dict[str, object]]:
        """The differing values by group and name."""
        groups = self._read().get("settings", {})
        return {group: dict(values) for group, values in groups.items()}

    def save(self, values: Mapping[str, Mapping[str, object]]) -> None:
        """Replace them. A value of None, which TOML does not know, is the default: left out."""
        kept = {
            group: {name: value for name, value in named.items() if value is not None}
            for group, named in values.items()
        }
        with folder_lock(self._folder, "settings"):
            data = self._read()
            data["settings"] = {group: named for group, named in kept.items() if named}
            self._write(data)

    def _read(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise not_a_workspace(self._folder) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise WorkspaceError(
                f"{self._path} cannot be read ({error}); correct that line."
            ) from error

    def _write(self, data: Mapping[str, object]) -> None:
        part = self._path.with_suffix(".part")
        part.write_text(tomli_w.dumps(data), encoding="utf-8")
        part.replace(self._path)


def not_a_workspace(folder: Path) -> WorkspaceError:
    """The refusal of a folder that is something else."""
    return WorkspaceError(
        f"{folder} is not a workspace; choose another folder, or make one there with `init`."
    )
