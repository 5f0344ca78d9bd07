"""Zip and tar archives: unpacked beside the work, never outside it, never without end.

Refused are: paths that lead outside, links, archives that unpack to more than is allowed or than
the disk holds, and archives that say one size and hold another.
"""

from __future__ import annotations

import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from trace_core.ingest.records import Problem
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import BrokenFile

DEPTH = 3
"""Most archives inside one another."""

_BLOCK = 1 << 20
_RATIO = 1_000
_RATIO_FROM = 100 * 1024**2
_MEMBERS = 5_000_000


def is_archive(source: Source) -> bool:
    """Whether the file is a zip or tar archive of files, and no spreadsheet or the like."""
    return _is_zip(source) or _is_tar(source)


def unpack(source: Source, folder: Path, limit: int) -> Iterator[Problem]:
    """Unpack into an empty folder; members that must not be unpacked become problems.

    `limit` is in bytes. Raises BrokenFile for an archive that is refused as a whole or breaks off.
    """
    try:
        if _is_zip(source):
            yield from _unzip(source, folder, limit)
        else:
            yield from _untar(source, folder, limit)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise BrokenFile(f"the archive is damaged or incomplete ({error})") from None


def _is_zip(source: Source) -> bool:
    if not source.head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return False
    if source.suffix in (".xlsx", ".xlsm"):
        return False
    office = (b"[Content_Types].xml", b"mimetypeapplication/vnd", b"mimetypeapplication/epub")
    return not any(mark in source.head[:200] for mark in office)


def _is_tar(source: Source) -> bool:
    return source.head[257:262] == b"ustar"


def _unzip(source: Source, folder: Path, limit: int) -> Iterator[Problem]:
    with zipfile.ZipFile(source.path) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        _check(sum(i.file_size for i in members), len(members), source.size, folder, limit)
        left = limit
        for info in members:
            name = _name(info)
            place = source.at(record=name)
            if (info.external_attr >> 16) and stat.S_ISLNK(info.external_attr >> 16):
                yield Problem(place, "the member is a link, not a file, and was left out")
                continue
            try:
                target = _target(folder, name)
                if target is None:
                    reason = "the member's path leads outside the archive; it was refused"
                    yield Problem(place, reason)
                    continue
                if target.is_file():
                    reason = "the archive holds another member of this name; the last one was taken"
                    yield Problem(place, reason, "suspicious")
                with archive.open(info) as stream:
                    left -= _write(stream, target, min(left, info.file_size))
            except RuntimeError:
                yield Problem(place, "the member is protected by a password; save it without one")
            except OSError as error:
                yield Problem(place, f"the member cannot be unpacked ({error.strerror or error})")
            except (NotImplementedError, zipfile.BadZipFile, EOFError) as error:
                yield Problem(place, f"the member cannot be unpacked ({error})")


def _untar(source: Source, folder: Path, limit: int) -> Iterator[Problem]:
    left, count = limit, 0
    with source.open() as raw, tarfile.open(fileobj=raw, mode="r|") as archive:
        for member in archive:
            count += 1
            if member.isdir():
                continue
            place = source.at(record=member.name)
            stream = archive.extractfile(member) if member.isreg() else None
            if stream is None:
                yield Problem(place, "the member is no plain file and was left out")
                continue
            _check(limit - left + member.size, count, source.size, folder, limit)
            try:
                target = _target(folder, member.name)
                if target is None:
                    reason = "the member's path leads outside the archive; it was refused"
                    yield Problem(place, reason)
                else:
                    left -= _write(stream, target, min(left, member.size))
            except OSError as error:
                yield Problem(place, f"the member cannot be unpacked ({error.strerror or error})")


def _check(total: int, members: int, packed: int, folder: Path, limit: int) -> None:
    if members > _MEMBERS:
        raise BrokenFile(f"the archive holds {members:,} files, which is more than is unpacked")
    if total > limit or (total > _RATIO_FROM and total > _RATIO * max(packed, 1)):
        raise BrokenFile(
            f"the archive would unpack from {packed:,} to {total:,} bytes and was refused as a "
            "possible bomb; unpack it yourself and import the folder"
        )
    free = shutil.disk_usage(folder).free
    if total > free * 0.9:
        raise BrokenFile(
            f"the archive needs {total:,} bytes to unpack and only {free:,} are free on the disk"
        )


def _write(stream: IO[bytes], target: Path, most: int) -> int:
    """Copy a member; raises BrokenFile as soon as it is longer than it said."""
    written = 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        while block := stream.read(_BLOCK):
            written += len(block)
            if written > most:
                raise BrokenFile("the archive holds more than it says and was refused")
            out.write(block)
    return written


def _target(folder: Path, name: str) -> Path | None:
    """Where a member goes, None for a path that would leave the folder."""
    plain = name.replace("\\", "/")
    pure = PurePosixPath(plain)
    if pure.is_absolute() or PureWindowsPath(plain).drive or ".." in pure.parts or "\0" in plain:
        return None
    target = (folder / pure).resolve()
    inside = target.is_relative_to(folder.resolve()) and target != folder.resolve()
    return target if inside else None


def _name(info: zipfile.ZipInfo) -> str:
    """The member's name; programs wrote UTF-8 or Windows' letters without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("utf-8", "cp1252"):
        try:
            name = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or (_letters(name) and not _letters(info.filename)):
            return name
    return info.filename


def _letters(name: str) -> bool:
    """Whether all characters beyond ASCII are letters of Western languages."""
    return all(c.isascii() or (c.isalpha() and c <= "\u017f") for c in name)
