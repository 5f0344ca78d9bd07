"""PAGE XML of any producer: regions by ReadingOrder, text by TextEquiv's index, lines first.

The text of a line is its TextEquiv with the lowest index; the words below are used only where the
line has none, for in many editions only the lines were corrected. A region's own text is used only
where it has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import Block, Line, PageLayout
from trace_core.ingest.readers.alto import paged_record
from trace_core.ingest.records import Item, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
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


def read_pages(root: Any) -> list[PageLayout]:
    """The pages of a PAGE tree."""
    return [_page(element) for element in children(root, "Page")]


def _page(element: Any) -> PageLayout:
    image = attribute(element, "imageFilename")
    page = PageLayout(
        image=image if image.startswith(("http://", "https://")) else "",
        language=normalise_language(attribute(element, "primaryLanguage")),
    )
    for region in _ordered(element):
        lines = [line for line in _region_lines(region) if line.text]
        if lines:
            page.blocks.append(Block(attribute(region, "id"), lines))
    return page


def _ordered(page: Any) -> list[Any]:
    """Text regions in reading order: those that ReadingOrder names, then the others as they come.

    Where there is no ReadingOrder, the `custom` attributes may hold one.
    """
    regions = list(descendants(page, "TextRegion"))
    wanted = _reading_order(page)
    if not wanted:
        numbered = [(_custom_index(region), region) for region in regions]
        if numbered and all(index is not None for index, _ in numbered):
            return [region for _, region in sorted(numbered, key=lambda item: item[0] or 0)]
        return regions
    place = {name: number for number, name in enumerate(wanted)}
    # A region inside a region that is named keeps to its parent's place.
    ranked = []
    for number, region in enumerate(regions):
        names = [attribute(region, "id")]
        names += [attribute(p, "id") for p in region.iterancestors() if local(p) == "TextRegion"]
        rank = next((place[name] for name in names if name in place), len(place))
        ranked.append((rank, number, region))
    return [region for _, _, region in sorted(ranked, key=lambda item: item[:2])]


def _reading_order(page: Any) -> list[str]:
    order = first(page, "ReadingOrder")
    return _group(order) if order is not None else []


def _group(group: Any) -> list[str]:
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


_GROUPS = ("OrderedGroup", "UnorderedGroup", "GroupIndexed")


def _region_lines(region: Any) -> list[Line]:
    lines = [line for line in region if local(line) == "TextLine"]
    numbered = [_custom_index(line) for line in lines]
    if lines and all(index is not None for index in numbered) and len(set(numbered)) == len(lines):
        lines = [line for _, line in sorted(zip(numbered, lines, strict=True), key=_by_index)]
    if not lines:
        return [Line(text.strip()) for text in _equivalent(region).split("\n")]
    found = []
    for line in lines:
        text = _equivalent(line)
        if not text.strip():
            text = " ".join(_equivalent(word).strip() for word in children(line, "Word")).strip()
        made = Line(" ".join(text.split("\n")).strip())
        _rate(made, line)
        found.append(made)
    return found


def _by_index(item: tuple[int | None, Any]) -> int:
    return item[0] or 0


def _equivalent(element: Any) -> str:
    """The text with the lowest index, the first where none has one; "" where there is none."""
    best, lowest = None, 0
    for candidate in children(element, "TextEquiv"):
        index = _number(attribute(candidate, "index"), 1_000_000)
        if best is None or index < lowest:
            best, lowest = candidate, index
    if best is None:
        return ""
    for name in ("Unicode", "PlainText"):
        found = next(children(best, name), None)
        if found is not None and found.text:
            return str(found.text)
    return ""


def _rate(line: Line, source: Any) -> None:
    """Mean of the words' confidences where there are words, else the line's own."""
    words = list(children(source, "Word"))
    for element in words or [source]:
        for equivalent in children(element, "TextEquiv"):
            try:
                value = float(attribute(equivalent, "conf"))
            except ValueError:
                continue
            line.rate(value)
            break


def _custom_index(element: Any) -> int | None:
    match = _ORDER.search(attribute(element, "custom"))
    return int(match[1]) if match else None


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdigit() else otherwise


READER = Reader(name="page", title="PAGE XML", suffixes=(".xml",), sniff=sniff, read=read)
