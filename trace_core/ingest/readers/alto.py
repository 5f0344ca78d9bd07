"""ALTO 1 to 4 of any producer: blocks in reading order, hyphenated words paired.

The namespace is not looked at: files say version 3 and are of version 2, or have none. A line's
text is its Strings parted by blanks, and the hyphen that stands outside the last word. The halves
of a word are paired by their whole word (SUBS_CONTENT), not by standing side by side. Blocks stand
as in the file, unless a ReadingOrder or IDNEXT tells another order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import SIGNS, SOFT, Block, Line, PageLayout, compose
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    Element,
    attribute,
    children,
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
    name_pages(pages, source.title)
    composed = compose(pages)
    return SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text=composed.text,
        location=source.at(),
        title=source.title,
        date_written=source.parts.date,
        language=language,
        pages=composed.pages,
        meta={"file": source.path.name, **meta},
        quality=composed.quality,
    )


def read_pages(root: Element) -> list[PageLayout]:
    """The pages of an ALTO tree."""
    image = _scan(root)
    order = [attribute(ref, "REF") for ref in _references(root)]
    pages = [_page(page, order) for page in descendants(root, "Page")]
    if len(pages) == 1 and image:
        pages[0].image = image
    return pages


def name_pages(pages: list[PageLayout], stem: str) -> None:
    """Give a page without a printed number the number that ends its file's name."""
    number = re.search(r"(?:^|\D)0*(\d{1,5})\D{0,6}$", stem)
    if len(pages) == 1 and number and not pages[0].label:
        pages[0].label = number[1]


def _references(root: Element) -> Iterator[Element]:
    for order in children(root, "ReadingOrder"):
        yield from descendants(order, "ElementRef")


def _page(element: Element, order: list[str]) -> PageLayout:
    page = PageLayout(label=attribute(element, "PRINTED_IMG_NR"), sure=_page_confidence(element))
    languages: Counter[str] = Counter()
    following: dict[str, str] = {}
    for block in descendants(element, "TextBlock"):
        following[attribute(block, "ID")] = attribute(block, "IDNEXT")
        around = tuple(
            attribute(parent, "ID") for parent in block.iterancestors() if local(parent) != "Page"
        )
        lines = [_line(line) for line in descendants(block, "TextLine")]
        page.blocks.append(Block(attribute(block, "ID"), [ln for ln in lines if ln.text], around))
        own = attribute(block, "language") or attribute(block, "LANG")
        for line in descendants(block, "TextLine"):
            languages[normalise_language(own or attribute(line, "LANG"))] += 1
    page.language = languages.most_common(1)[0][0] if languages else ""
    page.blocks = _ranked(page.blocks, order) if order else _followed(page.blocks, following)
    return page


def _ranked(blocks: list[Block], order: list[str]) -> list[Block]:
    """The blocks that a ReadingOrder names, by themselves or around them, then the others."""
    place = {name: number for number, name in reversed(list(enumerate(order)))}

    def rank(block: Block) -> int:
        return next((place[n] for n in (block.id, *block.around) if n in place), len(place))

    return sorted(blocks, key=rank)


def _followed(blocks: list[Block], following: Mapping[str, str]) -> list[Block]:
    """The blocks with each right behind the one whose IDNEXT names it."""
    named = {block.id: block for block in blocks}
    followers = {after for name, after in following.items() if after in named and after != name}
    found: dict[str, Block] = {}
    for block in [*(b for b in blocks if b.id not in followers), *blocks]:
        current: Block | None = block
        while current is not None and current.id not in found:
            found[current.id] = current
            current = named.get(following.get(current.id, ""))
    return list(found.values()) if len(named) == len(blocks) else blocks


def _line(element: Element) -> Line:
    words: list[str] = []
    line = Line("")
    ids = [attribute(element, "ID")]
    for child in element:
        name = local(child)
        if name == "String":
            ids.append(attribute(child, "ID"))
            content = attribute(child, "CONTENT").strip()
            _confidence(child, line)
            kind = attribute(child, "SUBS_TYPE")
            whole = attribute(child, "SUBS_CONTENT").strip()
            # The quotation mark that old print repeats in each line is no word before it.
            if kind == "HypPart2" and not any(map(str.isalnum, "".join(words))):
                line.closes = whole
            halves = kind == "HypPart2" and bool(words) and line.opens == whole != ""
            line.opens = whole if kind == "HypPart1" else ""
            if halves and content:
                # A line that was put together from two: the break is still inside the word.
                sign = "" if words[-1][-1] in SIGNS else SOFT
                words[-1] += f"{sign}\n{content}"
            elif content:
                words.append(content)
        elif name == "HYP" and words and words[-1][-1] not in SIGNS:
            words[-1] += attribute(child, "CONTENT").strip() or "-"
    if line.opens and words and words[-1][-1] not in SIGNS:
        words[-1] += SOFT
    line.text, line.ids = " ".join(words), tuple(filter(None, ids))
    return line


def _page_confidence(element: Element) -> float | None:
    """The confidence that a page states for all of it: `PC` in parts, `ACCURACY` in percent."""
    for name, whole in (("PC", 1.0), ("ACCURACY", 100.0)):
        try:
            value = float(attribute(element, name).replace(",", ".")) / whole
        except ValueError:
            continue
        if 0.0 <= value <= 1.0:
            return value
    return None


def _confidence(element: Element, line: Line) -> None:
    try:
        value = float(attribute(element, "WC").replace(",", "."))
    except ValueError:
        return
    # Some producers write percentages.
    line.rate(value / 100 if value > 1 else value)


def _scan(root: Element) -> str:
    """A link to the scan, where the file names one that can be followed."""
    identifier = plain_text(first(root, "sourceImageInformation", "fileIdentifier"))
    name = plain_text(first(root, "sourceImageInformation", "fileName"))
    for text in (identifier, name):
        if re.match(r"https?://", text):
            return text
        if text.startswith("ark:/"):
            return f"https://n2t.net/{text}"
    return ""


def _description(root: Element) -> dict[str, str]:
    image = plain_text(first(root, "sourceImageInformation", "fileName"))
    software = plain_text(first(root, "processingSoftware", "softwareName"))
    return {key: value for key, value in {"image": image, "ocr": software}.items() if value}


def _language(pages: list[PageLayout]) -> str:
    found = Counter(page.language for page in pages if page.language)
    return found.most_common(1)[0][0] if found else ""


READER = Reader(name="alto", title="ALTO page", suffixes=(".xml",), sniff=sniff, read=read)
