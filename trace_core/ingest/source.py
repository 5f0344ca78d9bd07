"""One file to be read: its name for people, its bytes unpacked, how far it has been read."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, AnyStr, BinaryIO, cast

from trace_core.domain.errors import BadInput
from trace_core.ingest.names import COMMON, NameParts, read_name
from trace_core.ingest.records import Location

HEAD = 64 * 1024
WHOLE = 1024**3
"""Most bytes of a file that has to be read as a whole (XML, plain text), unpacked."""

LINE = 256 * 1024**2
"""Longest line that is read, in bytes or characters."""

_BLOCK = 1 << 20
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"


@dataclass
class Source:
    """A readable file. `name` is shown to people; `relative` lies below what was named to import.

    `corpus` is the sub-corpus that its folder stands for. `siblings` are not scanned: a reader that
    needs them (METS) resolves them from `path`, never leaving `fence`, the folder or the unpacked
    archive that the person named. `alone` says that the person named this very file.
    """

    path: Path
    name: str
    relative: PurePosixPath
    corpus: str
    fence: Path
    size: int = 0
    alone: bool = False
    _raw: BinaryIO | None = field(default=None, repr=False)

    @property
    def suffix(self) -> str:
        """The last suffix that tells the format, lower case, compression left aside."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        while suffixes and suffixes[-1] in (".gz", ".bz2", ".xz"):
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    @cached_property
    def parts(self) -> NameParts:
        """What the file's name tells."""
        return read_name(str(self.relative))

    @property
    def id(self) -> str:
        """The file's id inside its sub-corpus: its path below the sub-corpus's folder."""
        folders = self.relative.parts[:-1]
        if folders and folders[0] == self.corpus:
            folders = folders[1:]
        return "/".join([*folders, self.parts.stem])

    @property
    def title(self) -> str:
        """The file's name as words; the folders above it where every file bears the same name."""
        folders, _, name = self.id.rpartition("/")
        if folders and name.casefold() in COMMON:
            return folders
        return self.parts.stem.replace("_", " ").strip()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked as far as they can be; none for a file that is all broken."""
        data = bytearray()
        try:
            with self.open() as stream:
                while len(data) < HEAD and (block := stream.read(4096)):
                    data += block
        except (OSError, EOFError, lzma.LZMAError, zlib.error):
            # What is wrong with the file is said when it is read, with what could be read before.
            return bytes(data)
        return bytes(data)

    def at(self, line: int | None = None, page: int | None = None, record: str = "") -> Location:
        """A place in this file."""
        return Location(self.name, line, page, record)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file's bytes, unpacked on the fly where it is compressed."""
        with self.path.open("rb") as raw:
            self._raw = raw
            magic = raw.read(6)
            raw.seek(0)
            try:
                yield _unpacked(raw, magic)
            finally:
                self._raw = None

    def read_all(self, limit: int = WHOLE) -> bytes:
        """All bytes, unpacked. Raises BadInput where they are more than `limit`."""
        with self.open() as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise BadInput(
                f"{self.name} unpacks to more than {limit // 1024**2} MB and was not read; "
                "split it into smaller files."
            )
        return data

    @property
    def packed(self) -> bool:
        """Whether the file is compressed as a whole."""
        with self.path.open("rb") as raw:
            return raw.read(6).startswith((_GZIP, _BZIP2, _XZ))

    @contextmanager
    def unpacked(self, limit: int) -> Iterator[Source]:
        """The same file, lying unpacked on the disk for as long as it is needed.

        For libraries that go to and fro in a file. Raises BadInput beyond `limit` bytes.
        """
        with TemporaryDirectory(prefix="trace-import-") as folder:
            path = Path(folder) / re.sub(r"\.(gz|bz2|xz)$", "", self.path.name, flags=re.IGNORECASE)
            written = 0
            with self.open() as stream, path.open("wb") as plain:
                while block := stream.read(_BLOCK):
                    written += plain.write(block)
                    if written > limit:
                        raise BadInput(f"{self.name} unpacks to more than {limit} bytes.")
            yield replace(self, path=path)

    @property
    def consumed(self) -> int:
        """Bytes of the file as it lies on the disk that have been read; 0 while it is closed."""
        return self._raw.tell() if self._raw is not None and not self._raw.closed else 0


def _unpacked(raw: BinaryIO, magic: bytes) -> BinaryIO:
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw))
    if magic.startswith(_BZIP2):
        return cast(BinaryIO, bz2.BZ2File(raw))
    if magic.startswith(_XZ):
        return cast(BinaryIO, lzma.LZMAFile(raw))
    return raw


def bounded_lines(stream: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines of a stream. Raises ValueError for one that would fill the memory: a small packed
    file may hold a line of many gigabytes."""
    for number in itertools.count(1):
        line = stream.readline(LINE)
        if not line:
            return
        if len(line) >= LINE:
            raise ValueError(f"line {number} is longer than {LINE // 1024**2} MB and was not read")
        yield line


def text_stream(stream: BinaryIO, encoding: str) -> io.TextIOWrapper:
    """A text stream over bytes; unknown bytes become U+FFFD, line ends stay as they are."""
    return io.TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
