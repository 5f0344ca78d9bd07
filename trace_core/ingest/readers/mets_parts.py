"""A METS file taken apart: its files, its pages in order, and the articles of its logical map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from trace_core.ingest.layout import PageLayout
from trace_core.ingest.xml_safe import attribute, children, descendants, local, plain_text

_ITEM = re.compile(
    r"article|advert|announce|letter|obituar|death|notice|feuilleton|poem|weather|chapter|interview"
    r"|review|shipping|classified|editorial|news_item|serial",
    re.IGNORECASE,
)
_TEXT_GROUP = re.compile(r"alto|fulltext|ocr-d-(ocr|gt)|page", re.IGNORECASE)


@dataclass
class MetsPage:
    """A page of the issue: the id of its text file, its label and scan, and what was read of it."""

    file: str
    label: str = ""
    image: str = ""
    layout: PageLayout = field(default_factory=PageLayout)


@dataclass(frozen=True, slots=True)
class Article:
    """An item of the logical map: its id, type, title and the blocks it names (file, block id)."""

    id: str
    type: str
    title: str
    areas: tuple[tuple[str, str], ...]


@dataclass
class Mets:
    """A METS file taken apart."""

    root: Any
    files: dict[str, str]
    pages: list[MetsPage]
    descriptions: dict[str, Any]

    def described(self, element: Any) -> list[Any]:
        """The descriptive sections that a div points at."""
        names = attribute(element, "DMDID").split()
        return [self.descriptions[name] for name in names if name in self.descriptions]


def take_apart(root: Any) -> Mets:
    """The files, pages and descriptions below a root element."""
    groups = _groups(root)
    files = {name: href for group in groups.values() for name, href in group.items()}
    texts = _text_files(groups)
    descriptions = {attribute(d, "ID"): d for d in descendants(root, "dmdSec")}
    pages = list(_physical(root, texts, files))
    seen = {page.file for page in pages}
    if not pages:
        pages = [MetsPage(name) for name in texts]
    elif len(seen) < len(pages):
        pages = list({page.file: page for page in reversed(pages)}.values())[::-1]
    return Mets(root, files, pages, descriptions)


def _groups(root: Any) -> dict[str, dict[str, str]]:
    """Files (id to link) by the name of their innermost group."""
    groups: dict[str, dict[str, str]] = {}
    for file in descendants(root, "file"):
        parent = file.getparent()
        name = (
            " ".join(filter(None, (attribute(parent, "USE"), attribute(parent, "ID"))))
            if parent is not None
            else ""
        )
        link = next((attribute(f, "href") for f in children(file, "FLocat")), "")
        mime = attribute(file, "MIMETYPE")
        if mime and not ("xml" in mime or "image" in mime or "text" in mime):
            continue
        groups.setdefault(name, {})[attribute(file, "ID")] = link
    return groups


def _text_files(groups: dict[str, dict[str, str]]) -> list[str]:
    """Ids of the files of the group that holds the text; its name or its suffixes tell it."""
    best: list[str] = []
    for name, files in groups.items():
        xml = [file for file, link in files.items() if re.search(r"\.xml(\.gz)?$|alto", link, re.I)]
        if xml and (_TEXT_GROUP.search(name) or not best):
            best = xml
    return best


def _physical(root: Any, texts: list[str], files: dict[str, str]) -> Iterator[MetsPage]:
    wanted = set(texts)
    for chart in descendants(root, "structMap"):
        if attribute(chart, "TYPE").casefold() != "physical":
            continue
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
            yield MetsPage(text, label, image)


def _pointed(div: Any) -> list[str]:
    """The files that a div points at itself, not through divs inside it."""
    names = []
    for pointer in children(div, "fptr"):
        names.append(attribute(pointer, "FILEID"))
        names.extend(attribute(area, "FILEID") for area in descendants(pointer, "area"))
    return [name for name in names if name]


def _order(div: Any, otherwise: int) -> int:
    order = attribute(div, "ORDER")
    return int(order) if order.isdigit() else otherwise


def articles(mets: Mets) -> Iterator[Article]:
    """The items of the logical map that name text blocks, in its order."""
    for chart in descendants(mets.root, "structMap"):
        if attribute(chart, "TYPE").casefold() != "logical":
            continue
        for number, div in enumerate(descendants(chart, "div"), 1):
            if not _is_item(div) or any(_is_item(above) for above in div.iterancestors()):
                continue
            areas = tuple(
                (attribute(area, "FILEID"), attribute(area, "BEGIN"))
                for area in descendants(div, "area")
                if attribute(area, "BEGIN")
            )
            if areas:
                name = attribute(div, "ID") or f"item{number}"
                title = titles(mets.described(div)) or attribute(div, "LABEL")
                yield Article(name, attribute(div, "TYPE"), title, areas)


def _is_item(element: Any) -> bool:
    return local(element) == "div" and bool(_ITEM.search(attribute(element, "TYPE")))


def titles(sections: Iterable[Any]) -> str:
    """The titles of sections, those without any letter left out."""
    titles: dict[str, None] = {}
    for section in sections:
        for element in descendants(section, "titleInfo"):
            if any(local(above) == "relatedItem" for above in element.iterancestors()):
                continue
            for title in children(element, "title"):
                text = plain_text(title)
                if any(character.isalnum() for character in text):
                    titles[text] = None
        if not titles:
            for title in descendants(section, "title"):
                if text := plain_text(title):
                    titles[text] = None
    return " ".join(titles)
