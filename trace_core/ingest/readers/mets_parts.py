"""A METS file taken apart: its files, its pages in order, and the articles of its logical map."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import PageLayout
from trace_core.ingest.xml_safe import Element, attribute, children, descendants, local, plain_text

_ITEM = re.compile(
    r"article|advert|announce|letter|obituar|death|notice|feuilleton|poem|weather|chapter|interview"
    r"|review|shipping|classified|editorial|news_item|serial",
    re.IGNORECASE,
)
_TEXT_GROUP = re.compile(r"alto|fulltext|ocr-d-(ocr|gt)|page", re.IGNORECASE)


_TRUTH = re.compile(r"(?<![A-Za-z])GT(?![A-Za-z])")
_NO_LABEL = re.compile(r"[\s\-–.]*|NP|\[?(?:uncounted|unpaginated|non paginé)\]?", re.IGNORECASE)
"""What producers write for a page that bears no number."""


@dataclass
class MetsPage:
    """A page of the issue: the id of its text file, its label and scan, and what was read of it."""

    file: str
    label: str = ""
    image: str = ""
    layout: PageLayout = field(default_factory=PageLayout)


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a text file: from the element `begin` (a block, a line, a word) to `end`."""

    file: str
    begin: str
    end: str = ""


@dataclass(frozen=True, slots=True)
class Article:
    """An item of the logical map: id, type, title, language, the parts of the text it names."""

    id: str
    type: str
    title: str
    language: str
    areas: tuple[Area, ...]


@dataclass
class Mets:
    """A METS file taken apart; `texts` are the ids of all text files, also of further readings."""

    root: Element
    texts: list[str]
    files: dict[str, str]
    pages: list[MetsPage]
    descriptions: dict[str, Element]

    def described(self, element: Element) -> list[Element]:
        """The descriptive sections that a div points at."""
        names = attribute(element, "DMDID").split()
        return [self.descriptions[name] for name in names if name in self.descriptions]


def take_apart(root: Element, holds_text: Callable[[str], bool] | None = None) -> Mets:
    """The files, pages and descriptions below a root element.

    Of several readings of the same pages the last one is taken; `holds_text`, given the link of a
    file, leaves those aside that only tell where lines are.
    """
    groups = _groups(root)
    files = {name: href for group in groups.values() for name, href in group.items()}
    readings = _text_files(groups)
    texts = readings[-1] if readings else []
    if holds_text is not None and len(readings) > 1:
        held = (one for one in reversed(readings) if any(holds_text(files[name]) for name in one))
        texts = next(held, texts)
    descriptions = {attribute(d, "ID"): d for d in descendants(root, "dmdSec")}
    pages = list(_physical(root, texts, files))
    first: dict[str, MetsPage] = {}
    for page in pages or map(MetsPage, texts):
        # Parts of a page point at its file too, behind the page itself.
        first.setdefault(page.file, page)
    named = [name for reading in readings for name in reading]
    return Mets(root, named, files, list(first.values()), descriptions)


def _groups(root: Element) -> dict[str, dict[str, str]]:
    """Files (id to link) by the name of their innermost group."""
    groups: dict[str, dict[str, str]] = {}
    for file in descendants(root, "file"):
        parent = file.getparent()
        name = (
            " ".join(filter(None, (attribute(parent, "USE"), attribute(parent, "ID"))))
            if parent is not None
            else ""
        )
        links = [attribute(location, "href") for location in children(file, "FLocat")]
        link = next((ln for ln in links if not ln.startswith("http")), links[0] if links else "")
        mime = attribute(file, "MIMETYPE")
        if mime and not ("xml" in mime or "image" in mime or "text" in mime):
            continue
        groups.setdefault(name, {})[attribute(file, "ID")] = link
    return groups


def _text_files(groups: dict[str, dict[str, str]]) -> list[list[str]]:
    """Ids of the files of each group that holds text; its name or its suffixes tell it.

    Several groups are readings of the same pages, the last one the most advanced, but for a ground
    truth, which is better than all; ALTO beside PAGE was made from it.
    """
    found: list[tuple[int, list[str]]] = []
    for name, files in groups.items():
        xml = [file for file, link in files.items() if re.search(r"\.xml(\.gz)?$|alto", link, re.I)]
        known = _TEXT_GROUP.search(name) is not None
        if xml and (known or not any(_TEXT_GROUP.search(other) for other in groups)):
            rank = 0 if not known or "alto" in name.casefold() else 2 if _TRUTH.search(name) else 1
            found.append((rank, xml))
    return [xml for _, xml in sorted(found, key=lambda item: item[0])]


def _physical(root: Element, texts: list[str], files: dict[str, str]) -> Iterator[MetsPage]:
    wanted = set(texts)
    charts = [c for c in descendants(root, "structMap") if not _is_logical(c)]
    charts.sort(key=lambda chart: attribute(chart, "TYPE").casefold() != "physical")
    for chart in charts:
        divs = []
        for number, div in enumerate(descendants(chart, "div")):
            names = _pointed(div)
            text = next((name for name in names if name in wanted), "")
            if text:
                divs.append((_order(div, number), number, div, text, names))
        for _, _, div, text, names in sorted(divs, key=lambda item: item[:2]):
            links = [files.get(name, "") for name in names if name not in wanted]
            image = next((ln for ln in links if ln.startswith(("http://", "https://"))), "")
            label = attribute(div, "ORDERLABEL") or attribute(div, "LABEL")
            yield MetsPage(text, "" if _NO_LABEL.fullmatch(label) else label.strip(), image)
        if divs:
            return


def _is_logical(chart: Element) -> bool:
    return attribute(chart, "TYPE").casefold() == "logical"


def _pointed(div: Element) -> list[str]:
    """The files that a div points at itself, not through divs inside it."""
    names = []
    for pointer in children(div, "fptr"):
        names.append(attribute(pointer, "FILEID"))
        names.extend(attribute(area, "FILEID") for area in descendants(pointer, "area"))
    return [name for name in names if name]


def _order(div: Element, otherwise: int) -> int:
    order = attribute(div, "ORDER")
    return int(order) if order.isdigit() else otherwise


def articles(mets: Mets) -> Iterator[Article]:
    """The items of the logical map that name text blocks, in its order."""
    links = _links(mets.root)
    physical = {attribute(div, "ID"): div for div in descendants(mets.root, "div")}
    for chart in filter(_is_logical, descendants(mets.root, "structMap")):
        for number, div in enumerate(descendants(chart, "div"), 1):
            if not _is_item(div) or any(_is_item(above) for above in div.iterancestors()):
                continue
            linked = (
                physical[name]
                for part in descendants(div, "div")
                for name in links.get(attribute(part, "ID"), ())
                if name in physical
            )
            areas = [area for place in (div, *linked) for area in _areas(place)]
            if areas:
                name = attribute(div, "ID") or f"item{number}"
                sections = mets.described(div)
                title = titles(sections) or attribute(div, "LABEL")
                kind = attribute(div, "TYPE")
                yield Article(name, kind, title, language_of(sections), tuple(areas))


def _areas(div: Element) -> Iterator[Area]:
    for area in descendants(div, "area"):
        if begin := attribute(area, "BEGIN"):
            yield Area(attribute(area, "FILEID"), begin, attribute(area, "END"))


def _links(root: Element) -> dict[str, list[str]]:
    """The physical divs that the structural links put beside each logical one."""
    found: dict[str, list[str]] = {}
    for link in descendants(root, "smLink"):
        ends = (attribute(link, "from").lstrip("#"), attribute(link, "to").lstrip("#"))
        found.setdefault(ends[0], []).append(ends[1])
    for group in descendants(root, "smLinkGrp"):
        names = [attribute(end, "href").lstrip("#") for end in descendants(group, "smLocatorLink")]
        if names:
            found.setdefault(names[0], []).extend(names[1:])
    return found


def _is_item(element: Element) -> bool:
    return local(element) == "div" and bool(_ITEM.search(attribute(element, "TYPE")))


def language_of(sections: Iterable[Element]) -> str:
    """The first language that sections name, "" where they name none."""
    for section in sections:
        for element in descendants(section, "languageTerm", "language"):
            if code := normalise_language(plain_text(element)):
                return code
    return ""


def titles(sections: Iterable[Element]) -> str:
    """The titles of sections, those without any letter left out."""
    found: dict[str, None] = {}
    for section in sections:
        own = (
            plain_text(title)
            for element in descendants(section, "titleInfo")
            if not any(local(above) == "relatedItem" for above in element.iterancestors())
            for title in children(element, "title")
        )
        found |= {text: None for text in own if any(sign.isalnum() for sign in text)}
        if not found:
            others = map(plain_text, descendants(section, "title"))
            found |= {text: None for text in others if text}
    return " ".join(found).rstrip(" .,:;/")
