"""Opens the zip of a bundle with suspicion: nothing is unpacked, sizes and names are bounded."""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

from trace_core.domain.errors import NotFound
from trace_core.export.bundle import SEAL
from trace_core.export.bundle_parts import BundleUnreadable

MOST_FILES = 64
MOST_BYTES = 2 * 1024**3
"""Most bytes of all files together, unpacked."""
MOST_RATIO = 200
"""Most bytes unpacked for one byte packed, in files above a megabyte: text packs to a tenth."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def read_bytes(path: str | Path) -> bytes:
    """A bundle's bytes. Raises NotFound, BundleUnreadable."""
    where = Path(path)
    try:
        return where.read_bytes()
    except FileNotFoundError:
        raise NotFound(f"There is no file {where}; name a bundle that `export` wrote.") from None
    except OSError as error:
        raise BundleUnreadable(f"{where} cannot be read: {error.strerror}.") from None


def seal_holds(content: bytes) -> bool | None:
    """Whether the seal agrees with the bytes before it; None when there is no seal."""
    digest, before = content[-64:], content[:-64]
    if not before.endswith(SEAL) or not re.fullmatch(rb"[0-9a-f]{64}", digest):
        return None
    return hashlib.sha256(before).hexdigest().encode("ascii") == digest


def unpacked(content: bytes) -> dict[str, bytes]:
    """The files of a bundle, by name. Raises BundleUnreadable with one sentence."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            entries = archive.infolist()
            _refuse(entries)
            return {entry.filename: _read(archive, entry) for entry in entries}
    except BundleUnreadable:
        raise
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        OSError,
        RuntimeError,
        ValueError,
        OverflowError,
        IndexError,
    ) as error:
        raise BundleUnreadable(
            f"This is no bundle, or a damaged one: {str(error).rstrip('.')}."
        ) from None


def _refuse(entries: list[zipfile.ZipInfo]) -> None:
    """Names that lead out of the file, too many files, and bombs."""
    if len(entries) > MOST_FILES:
        raise BundleUnreadable(f"This is no bundle: it holds {len(entries)} files.")
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        if not _NAME.fullmatch(name) or name in seen:
            raise BundleUnreadable(f"This is no bundle: it holds a file named {name!r}.")
        seen.add(name)
        if entry.flag_bits & 1:
            raise BundleUnreadable(f"This is no bundle: {name} is encrypted.")
        packed = max(entry.compress_size, 1)
        if entry.file_size > 1024**2 and entry.file_size / packed > MOST_RATIO:
            raise BundleUnreadable(f"{name} would unpack to {entry.file_size} bytes; refused.")
    total = sum(entry.file_size for entry in entries)
    if total > MOST_BYTES:
        raise BundleUnreadable(f"The file would unpack to {total} bytes; refused.")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """One file, never more of it than its size says."""
    with archive.open(entry) as stream:
        found = stream.read(entry.file_size + 1)
    if len(found) != entry.file_size:
        raise BundleUnreadable(f"{entry.filename} is not as long as the zip says.")
    return found
