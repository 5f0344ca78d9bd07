"""Plain text: one file is one document, its folder a sub-corpus, its name its id and date."""

from __future__ import annotations

from collections.abc import Iterator

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import decode, find_encoding
from trace_core.ingest.records import Item, Problem, ReadOptions, SourcePage, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source


def sniff(source: Source) -> float:
    """Any text that nothing else claims; a name in .txt makes it likely, zero bytes rule it out."""
    head = source.head
    if not head:
        return 0.3 if source.suffix in READER.suffixes else 0.0
    encoding = find_encoding(head).name
    if b"\0" in head and not encoding.startswith(("utf-16", "utf-32")):
        return 0.3 if source.suffix in READER.suffixes and _mostly_text(head) else 0.0
    return 0.65 if source.suffix in READER.suffixes else 0.1 if source.suffix == "" else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document. Form feeds end pages, as OCR programs write them."""
    text, encoding = decode(source.read_all(), options.encoding)
    text = text.removeprefix("\ufeff")
    if "\ufffd" in text:
        yield Problem(
            source.at(),
            f"{text.count(chr(0xFFFD))} characters could not be read as {encoding.name}; "
            "name the right encoding with --encoding",
            "suspicious",
        )
    meta = {} if encoding.name.startswith("utf-8") else {"encoding": encoding.name}
    yield SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text=text,
        location=source.at(),
        title=source.title,
        date_written=source.parts.date,
        pages=_pages(text),
        meta={"file": source.path.name, **meta},
    )


def _pages(text: str) -> tuple[SourcePage, ...]:
    if "\f" not in text.strip("\f"):
        return ()
    starts = [0]
    at = text.find("\f")
    while at >= 0:
        if at + 1 < len(text):
            starts.append(at + 1)
        at = text.find("\f", at + 1)
    return tuple(SourcePage(start, index, str(index + 1)) for index, start in enumerate(starts))


def _mostly_text(head: bytes) -> bool:
    odd = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return odd <= 3 + len(head) * 0.02


READER = Reader(
    name="txt", title="Plain text", suffixes=(".txt", ".text", ".md"), sniff=sniff, read=read
)
