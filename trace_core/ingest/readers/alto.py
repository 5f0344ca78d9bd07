"""ALTO 1 to 4 of any producer: lines in the order of the file, hyphenated words paired.

The namespace is not looked at: files say version 3 and are of version 2, or have none. A line's
text is its Strings parted by blanks, and the hyphen that stands outside the last word. The halves
of a word are paired by their whole word (SUBS_CONTENT), not by standing side by side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import SIGNS, SOFT, Block, Line, PageLayout, compose
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    attribute,
    descendants,
    first,
    local,
    parse_xml,
    plain_text,
    root_name,
)


def sniff(source: Source) -> float:
    """Certain for a root element named alto."""
    return 0.95 if root_name(source.head).casefold() == "alto" else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document of its pages."""
    del options
    parsed = parse_xml(source)
    if local(parsed.root).casefold() != "alto":
        raise BrokenFile(f"the file is no ALTO: its root element is {local(parsed.root)}")
    if parsed.remark:
        yield Problem(source.at(), parsed.remark, "suspicious")
    pages = read_pages(parsed.root)
    if not pages:
        raise BrokenFile("the ALTO file holds no page")
    yield paged_record(source, pages, _language(pages), _description(parsed.root))


def paged_record(
    source: Source, pages: list[PageLayout], language: str, meta: Mapping[str, str]
) -> SourceRecord:
    """A file of page layouts as one document; `meta` stands beside the file's name."""
    name_pages(pages, source.parts.stem)
    composed = compose(pages)
    return SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text=composed.text,
        location=source.at(),
        title=source.parts.stem.replace("_", " ").strip(),
        date_written=source.parts.date,
        language=language,
        pages=composed.pages,
        meta={"file": source.path.name, **meta},
        quality=composed.quality,
    )


def read_pages(root: Any) -> list[PageLayout]:
    """The pages of an ALTO tree."""
    image = _scan(root)
    pages = [_page(page) for page in descendants(root, "Page")]
    if len(pages) == 1 and image:
        pages[0].image = image
    return pages


def name_pages(pages: list[PageLayout], stem: str) -> None:
    """Give a page without a printed number the number that ends its file's name."""
    number = re.search(r"(?:^|\D)0*(\d{1,5})\D{0,6}$", stem)
    if len(pages) == 1 and number and not pages[0].label:
        pages[0].label = number[1]


def _page(element: Any) -> PageLayout:
    page = PageLayout(label=attribute(element, "PRINTED_IMG_NR"))
    languages: Counter[str] = Counter()
    for block in descendants(element, "TextBlock"):
        around = tuple(
            attribute(parent, "ID") for parent in block.iterancestors() if local(parent) != "Page"
        )
        lines = [_line(line) for line in descendants(block, "TextLine")]
        page.blocks.append(Block(attribute(block, "ID"), [ln for ln in lines if ln.text], around))
        language = normalise_language(attribute(block, "language") or attribute(block, "LANG"))
        languages[language] += len(lines)
    page.language = languages.most_common(1)[0][0] if languages else ""
    return page


def _line(element: Any) -> Line:
    words: list[str] = []
    line = Line("")
    for child in element:
        name = local(child)
        if name == "String":
            content = attribute(child, "CONTENT").strip()
            _confidence(child, line)
            kind = attribute(child, "SUBS_TYPE")
            whole = attribute(child, "SUBS_CONTENT").strip()
            if kind == "HypPart2" and not words:
                line.closes = whole
            line.opens = whole if kind == "HypPart1" else ""
            if content:
                words.append(content)
        elif name == "HYP" and words and words[-1][-1] not in SIGNS:
            words[-1] += attribute(child, "CONTENT").strip() or "-"
    if line.opens and words and words[-1][-1] not in SIGNS:
        words[-1] += SOFT
    line.text = " ".join(words)
    return line


def _confidence(element: Any, line: Line) -> None:
    try:
        value = float(attribute(element, "WC"))
    except ValueError:
        return
    # Some producers write percentages.
    line.rate(value / 100 if value > 1 else value)


def _scan(root: Any) -> str:
    """A link to the scan, where the file names one that can be followed."""
    identifier = plain_text(first(root, "sourceImageInformation", "fileIdentifier"))
    name = plain_text(first(root, "sourceImageInformation", "fileName"))
    for text in (identifier, name):
        if re.match(r"https?://", text):
            return text
        if text.startswith("ark:/"):
            return f"https://n2t.net/{text}"
    return ""


def _description(root: Any) -> dict[str, str]:
    image = plain_text(first(root, "sourceImageInformation", "fileName"))
    software = plain_text(first(root, "processingSoftware", "softwareName"))
    return {key: value for key, value in {"image": image, "ocr": software}.items() if value}


def _language(pages: list[PageLayout]) -> str:
    found = Counter(page.language for page in pages if page.language)
    return found.most_common(1)[0][0] if found else ""


READER = Reader(name="alto", title="ALTO page", suffixes=(".xml",), sniff=sniff, read=read)
