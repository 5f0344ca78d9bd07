"""hOCR of any producer: pages, areas, lines; read as XML where it is, as HTML where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import Block, Line, PageLayout, compose
from trace_core.ingest.readers.alto import name_pages
from trace_core.ingest.records import Item, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    Element,
    attribute,
    descendants,
    plain_text,
    refuse_entities,
    with_named_characters,
)

_LINES = frozenset(
    {"ocr_line", "ocr_caption", "ocr_header", "ocr_footer", "ocr_textfloat", "ocrx_line"}
)
_BLOCKS = frozenset({"ocr_par", "ocr_carea", "ocrx_block"})
_WORDS = frozenset({"ocrx_word", "ocr_word"})
_CONFIDENCE = re.compile(r"x_wconf\s+(-?[\d.]+)")
_CHARACTERS = re.compile(r"x_confs\s+([\d. ]+)")
_IMAGE = re.compile(r"""(?:image|x_source)\s+["']?([^"';]+)["']?""")
_PAGE_NUMBER = re.compile(r"ppageno\s+(\d+)")
_PAGE_LABEL = re.compile(r"""lpageno\s+["']?([^"';]+)["']?""")


def sniff(source: Source) -> float:
    """HTML that names an hOCR class; a page cut out of such a file may lack what is around it."""
    head = source.head.lower()
    whole = b"<html" in head or re.match(rb"\s*<div[^>]*\bocr_page\b", head)
    return 0.92 if whole and re.search(rb"ocr_page|ocr_line|ocr-system", head) else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document of its pages."""
    root = _tree(source, options.encoding)
    elements = [e for e in root.iter() if "ocr_page" in _classes(e)]
    pages = [_page(element) for element in elements or [root]]
    if not elements and not any(page.lines for page in pages):
        raise BrokenFile("the hOCR file holds neither a page nor a line")
    if len(pages) == 1:
        # A program that reads page by page counts each of them as its first.
        pages[0].label = "" if pages[0].label == "1" else pages[0].label
        name_pages(pages, source.title)
    for number, page in enumerate(pages):
        page.label = page.label or (str(number + 1) if len(pages) > 1 else "")
    composed = compose(pages)
    names = {attribute(m, "name").casefold(): attribute(m, "content") for m in _metas(root)}
    kept = {"dc.creator": "author", "dc.publisher": "publisher", "ocr-system": "ocr"}
    meta = {label: names[key] for key, label in kept.items() if names.get(key)}
    title = plain_text(next(descendants(root, "title"), None))
    yield SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text=composed.text,
        location=source.at(),
        title=names.get("dc.title") or _own_title(title) or source.title,
        date_written=names.get("dc.date", "") or source.parts.date,
        language=_language(root, names),
        pages=composed.pages,
        meta={"file": source.path.name} | meta,
        quality=composed.quality,
    )


def _tree(source: Source, encoding: str) -> Element:
    data = source.read_all()
    refuse_entities(data)
    found = find_encoding(data, encoding, whole=True).name
    text = data.decode(found, errors="replace").lstrip("\ufeff")
    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text, count=1).encode("utf-8", "replace")
    # XHTML names characters in a DTD that is not read.
    body = with_named_characters(body)
    if not body.strip():
        raise BrokenFile("the file is empty")
    strict = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(body, strict)
    except etree.XMLSyntaxError:
        lenient = etree.HTMLParser(encoding="utf-8", no_network=True)
        root = etree.fromstring(body, lenient)
        if root is None:
            raise BrokenFile("the file is neither XML nor HTML") from None
        return root


def _page(element: Element) -> PageLayout:
    title = attribute(element, "title")
    image, number = _IMAGE.search(title), _PAGE_NUMBER.search(title)
    link = image[1] if image and image[1].startswith(("http://", "https://")) else ""
    printed = _PAGE_LABEL.search(title)
    label = printed[1].strip() if printed else str(int(number[1]) + 1) if number else ""
    page = PageLayout(label=label, image=link)
    block: Block | None = None
    current: Element = None
    for child in _lines(element):
        text = _text(child)
        around = next((a for a in child.iterancestors() if _classes(a) & _BLOCKS), None)
        if block is None or around is not current:
            block, current = Block(attribute(child, "id")), around
            page.blocks.append(block)
        if text:
            block.lines.append(_rated(Line(text), child))
    return page


def _lines(page: Element) -> list[Element]:
    """The lines of a page, its paragraphs where it tells of no lines, or the page.

    A heading or caption may be a line itself or hold several.
    """
    lines = [child for child in page.iter() if _classes(child) & _LINES]
    around = {above for line in lines for above in line.iterancestors()}
    if lines:
        return [line for line in lines if line not in around]
    for kinds in (frozenset({"ocr_par"}), _BLOCKS):
        found = [
            child
            for child in page.iter()
            if _classes(child) & kinds
            and not any(_classes(above) & kinds for above in child.iterancestors())
        ]
        if found:
            return found
    return [page]


def _text(line: Element) -> str:
    """A line's text; its words stand apart even where no blank does, their characters never."""
    words = [child for child in line.iter() if _classes(child) & _WORDS]
    texts = [_word(word) for word in words]
    whole = plain_text(line)
    if "".join(whole.split()) != "".join("".join(texts).split()):
        return whole
    return " ".join(filter(None, texts))


def _word(word: Element) -> str:
    if any("ocrx_cinfo" in _classes(child) for child in word.iter()):
        return "".join("".join(map(str, word.itertext())).split())
    return plain_text(word)


def _rated(line: Line, element: Element) -> Line:
    for word in element.iter():
        if _classes(word) & _WORDS:
            title = attribute(word, "title")
            if match := _CONFIDENCE.search(title):
                line.rate(float(match[1]) / 100)
            elif match := _CHARACTERS.search(title):
                values = [float(value) for value in match[1].split()]
                line.rate(sum(values) / len(values) / (100 if max(values) > 1 else 1))
    return line


def _classes(element: Element) -> frozenset[str]:
    if not isinstance(element.tag, str):
        return frozenset()
    return frozenset((element.get("class") or "").split())


def _metas(root: Element) -> list[Element]:
    return list(descendants(root, "meta"))


def _own_title(title: str) -> str:
    return "" if title.casefold() in ("", "ocr results", "ocr output", "ocr", "hocr") else title


def _language(root: Element, names: dict[str, str]) -> str:
    if named := normalise_language(names.get("dc.language", "")):
        return named
    for element in root.iter():
        if _classes(element) & (_WORDS | _BLOCKS) and (
            found := normalise_language(attribute(element, "lang"))
        ):
            return found
    return ""


READER = Reader(
    name="hocr", title="hOCR", suffixes=(".hocr", ".html", ".htm", ".xhtml"), sniff=sniff, read=read
)
