"""Kinds of files that no reader takes, by their first bytes: what they are, and what to do."""

from __future__ import annotations

_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it and import the folder"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it and import the folder"),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard; unpack it first"),
    (b"\x04\x22\x4d\x18", "compressed by LZ4; unpack it first"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file (.doc, .xls) or one protected by a password; save it as .docx or .xlsx "
        "without one, a text as .txt",
    ),
    (b"{\\rtf", "an RTF text; save it as plain text (.txt)"),
    (b"AT&TFORM", "a DjVu scan; export its text (djvutxt) and import that"),
    (b"SQLite format 3\0", "a database; export its tables as CSV"),
    (b"\x89PNG", "a picture; run OCR over it and import the result"),
    (b"\xff\xd8\xff", "a picture; run OCR over it and import the result"),
    (b"II*\0", "a picture; run OCR over it and import the result"),
    (b"MM\0*", "a picture; run OCR over it and import the result"),
)
_OFFICE: tuple[tuple[bytes, str], ...] = (
    (b"mimetypeapplication/epub", "an e-book (EPUB); save its text as HTML or plain text"),
    (b"mimetypeapplication/vnd.oasis", "an OpenDocument file; save it as .xlsx, .csv or .txt"),
    (b"[Content_Types].xml", "an Office file that is no spreadsheet; save it as plain text (.txt)"),
)


def unreadable_kind(head: bytes) -> str:
    """The sentence for a file that begins with these bytes, "" where they say nothing."""
    for mark, kind in _KINDS:
        if head.startswith(mark):
            return f"the file is {kind}"
    if head.startswith(b"PK"):
        for mark, kind in _OFFICE:
            if mark in head[:200]:
                return f"the file is {kind}"
    return ""
