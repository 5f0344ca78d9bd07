"""PAGE XML of any producer: regions by ReadingOrder, text by TextEquiv's index, lines first.

The text of a line is its TextEquiv with the lowest index; the words below are used only where the
line has none, for in many editions only the lines were corrected. A region's own text is used only
where no line and no other region stands in it. A table is read row by row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import Block, Line, PageLayout
from trace_core.ingest.readers.alto import paged_record
from trace_core.ingest.records import Item, Problem, ReadOptions
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

_ORDER = re.compile(r"readingOrder\s*\{\s*index\s*:\s*(\d+)")


def sniff(source: Source) -> float:
    """Certain for a root element named PcGts."""
    return 0.95 if root_name(source.head) == "PcGts" else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The file as one document of its pages."""
    del options
    parsed = parse_xml(source)
    if local(parsed.root) != "PcGts":
        raise BrokenFile(f"the file is no PAGE XML: its root element is {local(parsed.root)}")
    if parsed.remark:
        yield Problem(source.at(), parsed.remark, "suspicious")
    pages = read_pages(parsed.root)
    if not pages:
        raise BrokenFile("the PAGE file holds no page")
    image = attribute(next(children(parsed.root, "Page")), "imageFilename")
    creator = plain_text(first(parsed.root, "Metadata", "Creator"))
    meta = {"image": image, "transcription": creator[:200]}
    told = {name: value for name, value in meta.items() if value}
    yield paged_record(source, pages, pages[0].language, told)


def read_pages(root: Element) -> list[PageLayout]:
    """The pages of a PAGE tree."""
    pages = [_page(element) for element in children(root, "Page")]
    server = first(root, "TranskribusMetadata")
    if server is not None and len(pages) == 1:
        link, number = attribute(server, "imgUrl"), attribute(server, "pageNr")
        pages[0].image = pages[0].image or (link if link.startswith("http") else "")
        pages[0].label = number if number.isdigit() and int(number) else ""
    return pages


def _page(element: Element) -> PageLayout:
    image = attribute(element, "imageFilename")
    page = PageLayout(
        image=image if image.startswith(("http://", "https://")) else "",
        language=normalise_language(attribute(element, "primaryLanguage")),
    )
    languages: Counter[str] = Counter()
    for anchor, holders in _ordered(element):
        lines = [line for holder in holders for line in _region_lines(holder) if line.text]
        if lines:
            page.blocks.append(Block(attribute(anchor, "id"), lines))
            languages[normalise_language(attribute(anchor, "primaryLanguage"))] += len(lines)
    page.language = page.language or (languages.most_common(1)[0][0] if languages else "")
    return page


def _ordered(page: Element) -> list[tuple[Element, list[Element]]]:
    """Text regions and rows of tables in reading order, each with what holds its lines.

    Those that ReadingOrder names come first, then the others as they come. Where there is no
    ReadingOrder, the `custom` attributes may hold one.
    """
    units: list[tuple[Element, list[Element]]] = []
    for region in descendants(page, "TextRegion", "TableRegion"):
        if local(region) == "TextRegion":
            units.append((region, [region]))
        else:
            units.extend((region, row) for row in _table_rows(region))
    place = {name: number for number, name in enumerate(_reading_order(page))}
    if place:
        # A region inside a region that is named keeps to its parent's place.
        return sorted(units, key=lambda unit: _named_place(unit[0], place))
    return sorted(units, key=lambda unit: _custom_place(unit[0]))


def _named_place(region: Element, place: dict[str, int]) -> int:
    names = [attribute(r, "id") for r in (region, *region.iterancestors())]
    return next((place[name] for name in names if name in place), len(place))


def _custom_place(region: Element) -> list[int]:
    """The indices of a region and of those around it, the outermost first."""
    around = [r for r in region.iterancestors() if local(r).endswith("Region")]
    indices = [_custom_index(r) for r in (*reversed(around), region)]
    return [_LAST if index is None else index for index in indices]


def _table_rows(table: Element) -> list[list[Element]]:
    """The cells of a table, row by row, each row from left to right."""
    rows: dict[int, list[Element]] = {}
    for cell in children(table, "TableCell"):
        rows.setdefault(_number(attribute(cell, "row"), _LAST), []).append(cell)
    for row in rows.values():
        row.sort(key=lambda cell: _number(attribute(cell, "col"), _LAST))
    return [rows[number] for number in sorted(rows)]


def _reading_order(page: Element) -> list[str]:
    order = first(page, "ReadingOrder")
    return _group(order) if order is not None else []


def _group(group: Element) -> list[str]:
    """Region ids of a group and of those inside it, by index where there is one."""
    members = [m for m in group if attribute(m, "regionRef") or local(m).endswith(_GROUPS)]
    if any(attribute(member, "index") for member in members):
        members.sort(key=lambda member: _number(attribute(member, "index"), len(members)))
    names: list[str] = []
    for member in members:
        if name := attribute(member, "regionRef"):
            names.append(name)
        if local(member).endswith(_GROUPS):
            names.extend(_group(member))
    return names


_HOLDERS = ("TextRegion", "TableRegion", "TextLine")
_GROUPS = ("OrderedGroup", "UnorderedGroup", "GroupIndexed")
_LAST = 1_000_000


def _region_lines(region: Element) -> list[Line]:
    lines = [line for line in region if local(line) == "TextLine"]
    numbered = [_custom_index(line) for line in lines]
    if lines and all(index is not None for index in numbered) and len(set(numbered)) == len(lines):
        lines = [line for _, line in sorted(zip(numbered, lines, strict=True), key=_by_index)]
    if not lines:
        # The text of a region around others only repeats theirs.
        inner = any(element is not region for element in descendants(region, *_HOLDERS))
        return [] if inner else [Line(text.strip()) for text in _equivalent(region).split("\n")]
    found = []
    for line in lines:
        text = _equivalent(line)
        if not text.strip():
            text = " ".join(map(_word, children(line, "Word"))).strip()
        made = Line(" ".join(text.split("\n")).strip(), ids=(attribute(line, "id"),))
        _rate(made, line)
        found.append(made)
    return found


def _by_index(item: tuple[int | None, Element]) -> int:
    return item[0] or 0


def _word(word: Element) -> str:
    return (_equivalent(word) or "".join(map(_equivalent, children(word, "Glyph")))).strip()


def _equivalent(element: Element) -> str:
    """The text of the reading that holds; "" where there is none."""
    best = _reading(element)
    for name in ("Unicode", "PlainText"):
        found = next(children(best, name), None) if best is not None else None
        if found is not None and found.text:
            return str(found.text)
    return ""


def _reading(element: Element) -> Element | None:
    """The TextEquiv with the lowest index, the first where none has one."""
    readings = children(element, "TextEquiv")
    return min(readings, key=lambda e: _number(attribute(e, "index"), _LAST), default=None)


def _rate(line: Line, source: Element) -> None:
    """Mean of the words' confidences where there are words, else the line's own."""
    words = list(children(source, "Word"))
    for element in words or [source]:
        reading = _reading(element)
        try:
            line.rate(float(attribute(reading, "conf") if reading is not None else ""))
        except ValueError:
            continue


def _custom_index(element: Element) -> int | None:
    match = _ORDER.search(attribute(element, "custom"))
    return int(match[1]) if match else None


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdigit() else otherwise


READER = Reader(name="page", title="PAGE XML", suffixes=(".xml",), sniff=sniff, read=read)
