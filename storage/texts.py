"""How a document's texts lie in SQLite, and the hashes that tell whether they changed.

The shown text is plain UTF-8, so that reading it costs nothing. The text as read is kept only
where it differs; it is then compressed against the shown text, with which it shares nearly all.
Lone surrogates, which some sources hold, survive.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from trace_core.domain.corpus import Document
from trace_core.ports import NewDocument

_WINDOW = 32_768  # bytes that zlib looks back
_AT_ONCE = 8_000_000  # bytes of texts in memory together, but for one text that is longer alone


def encode(text: str) -> bytes:
    """A text as bytes."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The text behind `encode`."""
    return data.decode("utf-8", "surrogatepass")


def some(rows: Iterable[Any], text: int) -> Iterator[Any]:
    """Rows up to the one with which their texts, in the column `text`, are enough for once."""
    held = 0
    for row in rows:
        yield row
        held += len(row[text])
        if held >= _AT_ONCE:
            return


def pack_raw(raw: str, shown: bytes) -> bytes:
    """The text as read, compressed with the shown text as the dictionary."""
    packer = zlib.compressobj(level=1, zdict=shown[:_WINDOW])
    return packer.compress(encode(raw)) + packer.flush()


def unpack_raw(data: bytes, shown: bytes) -> str:
    """The text behind `pack_raw`."""
    unpacker = zlib.decompressobj(zdict=shown[:_WINDOW])
    return decode(unpacker.decompress(data) + unpacker.flush())


def content_hash(document: Document, shown: bytes) -> bytes:
    """16 bytes over everything of a document that a reader sees.

    What the program itself estimates (quality, why a date was not read) is left out: a better
    estimate must not look like a changed document.
    """
    date = document.date
    fields = json.dumps(
        [
            document.title,
            document.language,
            [date.written, date.edtf, date.earliest, date.latest] if date else None,
            [[p.start, p.index, p.label, p.image] for p in document.pages],
            sorted(document.meta.items()),
            len(shown),
        ]
    )
    digest = hashlib.blake2b(fields.encode(), digest_size=16)
    digest.update(shown)
    if document.raw != document.text:
        digest.update(b"\0raw\0" + encode(document.raw))
    return digest.digest()


def spans_hash(new: NewDocument) -> bytes:
    """8 bytes over the way a document is cut into chunks."""
    return hashlib.blake2b(repr(new.spans).encode(), digest_size=8).digest()
