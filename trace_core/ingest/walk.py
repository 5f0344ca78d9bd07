"""Every file below what the person named, in a stable order, with its sub-corpus."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from trace_core.domain.errors import BadInput, NotFound
from trace_core.ingest.names import readable_name
from trace_core.ingest.records import Location, Problem
from trace_core.ingest.source import Source

_ISSUE = 2_000  # files of one folder at most that a METS file among them may describe
_IGNORED_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx", "mets.xml.md5"})


@dataclass
class Walk:
    """The files below a root; files that another one (a METS file) claims are left out.

    `shown` is put before every name (an archive's own name, for what was unpacked from it), `base`
    before every relative path; `corpus` is the sub-corpus of what lies in no folder.
    """

    root: Path
    shown: str = ""
    corpus: str = ""
    base: PurePosixPath = field(default_factory=PurePosixPath)
    _claims: list[tuple[Path, frozenset[Path]]] = field(default_factory=list)
    _left_out: list[Problem] = field(default_factory=list)

    def claim(self, folder: Path, files: Iterable[Path]) -> None:
        """Leave these files out: another file in `folder` reads them as its parts."""
        inside: set[Path] = set()
        outside: set[Path] = set()
        for file in files:
            (inside if file.is_relative_to(folder) else outside).add(file)
        self._claims.append((folder, frozenset(inside)))
        if outside:
            self._claims.append((self.root, frozenset(outside)))

    def _claimed(self, path: Path) -> bool:
        return any(path in files for _, files in self._claims)

    def left_out(self) -> Iterator[Problem]:
        """What was left out since this was asked last: links, what may not be read."""
        yield from self._left_out
        self._left_out.clear()

    def files(self) -> Iterator[Source]:
        """All files, folder by folder, names in order; hidden files and folders are left out.

        Links that lead out of the folder are not followed, nor are links to folders. Raises
        NotFound where nothing is there.
        """
        if not self.root.exists():
            raise NotFound(f"There is no file or folder {self.root}; check the path.")
        if self.root.is_file():
            yield self._source(self.root, self.root.parent)
            return
        for folder, names, leaves in os.walk(self.root, onerror=self._closed):
            if _is_workspace(leaves):
                names[:] = []
                continue
            self._leave_links(Path(folder), names)
            names[:] = sorted((name for name in names if not _ignored(name)), key=_rank)
            # Claims made in a folder that the walk has left are of no use any more.
            here = Path(folder)
            self._claims = [claim for claim in self._claims if here.is_relative_to(claim[0])]
            for leaf in _describers_first(here, [leaf for leaf in leaves if not _ignored(leaf)]):
                path = here / leaf
                if not self._claimed(path) and self._usable(path):
                    yield self._source(path, self.root)

    def _usable(self, path: Path) -> bool:
        """Whether there is a file of this folder; what else it is, is told."""
        if path.is_symlink() and not path.resolve().is_relative_to(self.root.resolve()):
            self._leave(path, "the link leads out of the folder and was not followed")
        elif path.is_file():
            return True
        elif path.is_symlink():
            self._leave(path, "the link leads nowhere")
        elif not path.exists():
            self._leave(path, "the file has gone since the folder was listed")
        else:
            self._leave(path, "this is a device or a pipe, not a file")
        return False

    def _leave_links(self, folder: Path, names: list[str]) -> None:
        for name in names:
            if (folder / name).is_symlink() and not _ignored(name):
                self._leave(folder / name, "a link to a folder is not followed")

    def _closed(self, error: OSError) -> None:
        reason = f"the folder cannot be read ({error.strerror}); change its permissions"
        self._leave(Path(error.filename or self.root), reason)

    def _leave(self, path: Path, reason: str) -> None:
        self._left_out.append(Problem(Location(self._shown(path, self.root)), reason))

    def _shown(self, path: Path, base: Path) -> str:
        inside = readable_name(path.relative_to(base).as_posix())
        return f"{self.shown}/{inside}" if self.shown else str(self.base / inside)

    def size(self) -> tuple[int, int]:
        """(number of files, bytes on the disk) of all that is there, for the estimate."""
        if self.root.is_file():
            return 1, self.root.stat().st_size
        count = total = 0
        for folder, names, leaves in os.walk(self.root):
            if _is_workspace(leaves):
                names[:] = []
                continue
            names[:] = [name for name in names if not _ignored(name)]
            for leaf in leaves:
                if _ignored(leaf):
                    continue
                try:
                    total += Path(folder, leaf).stat().st_size
                except OSError:
                    continue
                count += 1
        return count, total

    def _source(self, path: Path, base: Path) -> Source:
        inside = PurePosixPath(readable_name(path.relative_to(base).as_posix()))
        relative = self.base / inside
        own = self.corpus or (base.resolve().name or "archive")
        corpus = relative.parts[0] if len(relative.parts) > 1 else own
        try:
            size = path.stat().st_size
        except OSError:
            size = 0  # it has just gone; reading it will say so
        shown = self._shown(path, base)
        return Source(path, shown, relative, corpus, base, size, alone=path == self.root)


def _is_workspace(names: list[str]) -> bool:
    """Whether a folder is a workspace of this program: it is no source, even inside one."""
    return "workspace.toml" in names and "trace.sqlite" in names


def _describers_first(folder: Path, names: list[str]) -> list[str]:
    """Names in order, those of METS files first: by their names, else by their first bytes."""
    names.sort(key=_rank)
    pages = [name for name in names if name.casefold().endswith(".xml")]
    if not 1 < len(pages) <= _ISSUE or not all(_rank(name)[0] for name in pages):
        return names
    mets = {name for name in pages if _is_mets(folder / name)}
    return sorted(names, key=lambda name: name not in mets) if mets else names


def _is_mets(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return re.search(rb"<(?:\w+:)?mets[\s>]", stream.read(2048), re.IGNORECASE) is not None
    except OSError:
        return False


def _rank(name: str) -> tuple[bool, str]:
    # Files that describe others are read before these, so that they can claim them.
    return (re.search(r"mets|meta|manifest", name, re.IGNORECASE) is None, name)


def _ignored(name: str) -> bool:
    return name.startswith((".", "~$")) or name.casefold() in _IGNORED_NAMES


def existing(path: Path) -> Path:
    """The path, if something readable is there. Raises NotFound or BadInput."""
    path = path.expanduser()
    if not path.exists():
        raise NotFound(f"There is no file or folder {path}; check the path.")
    if not path.is_file() and not path.is_dir():
        raise BadInput(f"{path} is a device or a pipe; name a file or a folder.")
    if not os.access(path, os.R_OK):
        raise BadInput(f"{path} may not be read by this user; change its permissions.")
    return path
