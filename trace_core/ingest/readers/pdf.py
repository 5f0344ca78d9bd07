"""PDF with a text layer: one document of its pages, each with its index and its printed label.

A scan without a text layer is kept and flagged: a gap must never read as silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.layout import SOFT, Block, Line, PageLayout, compose
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import BrokenFile

_NONCHARACTERS = re.compile("[\x00\ufffe\uffff\ufdd0-\ufdef]")


def sniff(source: Source) -> float:
    """Certain for the format's own mark, which may stand behind some bytes of rubbish."""
    return 0.97 if b"%PDF-" in source.head[:1024] else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document."""
    del options
    import pypdfium2 as pdfium

    problems: list[Problem] = []
    try:
        document = pdfium.PdfDocument(source.path)
    except pdfium.PdfiumError as error:
        raise BrokenFile(f"the PDF cannot be opened ({_words(error)})") from None
    try:
        pages = [_page(source, document, number, problems) for number in range(len(document))]
        meta = {key.casefold(): value for key, value in document.get_metadata_dict().items()}
    finally:
        document.close()
    yield from problems
    if pages and not any(page.lines for page in pages):
        reason = (
            f"none of the {len(pages)} pages has a text layer: the PDF holds pictures only; "
            "run OCR over it and import the result"
        )
        yield Problem(source.at(), reason, "suspicious")
    composed = compose(pages)
    kept = {"author": meta.get("author", ""), "creator": meta.get("creator", "")}
    yield SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text=composed.text,
        location=source.at(),
        title=_title(meta.get("title", "")) or source.title,
        date_written=source.parts.date,
        pages=composed.pages,
        meta={"file": source.path.name} | {key: value for key, value in kept.items() if value},
    )


def _page(source: Source, document: Any, number: int, problems: list[Problem]) -> PageLayout:
    import pypdfium2 as pdfium

    label = str(document.get_page_label(number) or number + 1)
    try:
        page = document[number]
        text_page = page.get_textpage()
        text = str(text_page.get_text_bounded())
        text_page.close()
        page.close()
    except pdfium.PdfiumError as error:
        reason = f"the page cannot be read ({_words(error)}); it is kept without text"
        problems.append(Problem(source.at(page=number + 1), reason, "suspicious"))
        return PageLayout(label=label)
    lines = [Line(line) for raw in _lines(text) if (line := raw.strip())]
    return PageLayout([Block("", lines)] if lines else [], label)


def _lines(text: str) -> list[str]:
    # PDFium writes U+0002 (older versions U+FFFE) for a hyphen inside a word that went on in the
    # next line, and joins the lines there.
    text = re.sub("[\x02\ufffe]", SOFT, text)
    return _NONCHARACTERS.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _title(title: str) -> str:
    text = " ".join(title.split())
    return "" if re.search(r"\.(docx?|tiff?|indd|pdf)$|^untitled|^microsoft", text, re.I) else text


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())
    if "password" in text.casefold():
        return "it is protected by a password; save it without one"
    return text[:200]


READER = Reader(
    name="pdf",
    title="PDF with text layer",
    suffixes=(".pdf",),
    sniff=sniff,
    read=read,
    by_path=True,
)
