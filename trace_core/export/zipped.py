"""Zip files whose bytes depend on their content alone: fixed times, order and attributes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_MOMENT = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16


def zip_of(files: Mapping[str, bytes], comment: bytes = b"") -> bytes:
    """Files as a zip, in the order given."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = _MODE
            info.create_system = 3
            archive.writestr(info, content)
        archive.comment = comment
    return out.getvalue()


def stable_zip(content: bytes, instead: Mapping[str, bytes] | None = None) -> bytes:
    """A zip written by a library, written again with fixed times; `instead` replaces files."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return zip_of({**files, **(instead or {})})
