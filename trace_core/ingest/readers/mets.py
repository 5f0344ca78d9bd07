"""METS: the issue's pages in order, and the articles that its logical structure names.

Every article is a document of the text blocks that the logical map lists, in its order; what no
article claims (the title section) makes one document more, so that no line is lost. Files are
looked for beside the METS file only, never on the network and never outside the named folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from trace_core.ingest.corpora import corpus_hint, slug
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import Block, PageLayout, compose
from trace_core.ingest.readers import alto, page_xml
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    attribute,
    children,
    descendants,
    local,
    parse_xml,
    plain_text,
    root_name,
)

_ITEM = re.compile(
    r"article|advert|announce|letter|obituar|death|notice|feuilleton|poem|weather|chapter|interview"
    r"|review|shipping|classified|editorial|news_item|serial",
    re.IGNORECASE,
)
_TEXT_GROUP = re.compile(r"alto|fulltext|ocr-d-(ocr|gt)|page", re.IGNORECASE)


@dataclass
class _Page:
    """A page of the issue: the id of its text file, its label and scan, and what was read of it."""

    file: str
    label: str = ""
    image: str = ""
    layout: PageLayout = field(default_factory=PageLayout)


@dataclass(frozen=True, slots=True)
class _Article:
    """An item of the logical map: its id, type, title and the blocks it names (file, block id)."""

    id: str
    type: str
    title: str
    areas: tuple[tuple[str, str], ...]


@dataclass
class _Mets:
    """A METS file taken apart."""

    root: Any
    files: dict[str, str]
    pages: list[_Page]
    descriptions: dict[str, Any]

    def described(self, element: Any) -> list[Any]:
        """The descriptive sections that a div points at."""
        names = attribute(element, "DMDID").split()
        return [self.descriptions[name] for name in names if name in self.descriptions]


def sniff(source: Source) -> float:
    """Certain for a root element named mets."""
    return 0.97 if root_name(source.head).casefold() == "mets" else 0.0


def claims(source: Source) -> Iterable[Path]:
    """The text files that the METS file lists and that lie beside it."""
    try:
        mets = _take_apart(parse_xml(source).root)
    except (BrokenFile, OSError):
        return []
    paths = (_local_path(source, mets.files.get(page.file, "")) for page in mets.pages)
    return [path for path in paths if path is not None and path.is_file()]


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The issue's articles and the rest of it, or the issue as one document."""
    parsed = parse_xml(source)
    if local(parsed.root).casefold() != "mets":
        raise BrokenFile(f"the file is no METS: its root element is {local(parsed.root)}")
    if parsed.remark:
        yield Problem(source.at(), parsed.remark, "suspicious")
    mets = _take_apart(parsed.root)
    if not mets.pages:
        raise BrokenFile("the METS file names no text files (ALTO or PAGE) that could be read")
    yield from _load(source, mets)
    issue = _issue(source, mets)
    articles = list(_articles(mets)) if options.articles else []
    taken: set[int] = set()
    for article in articles:
        pages = _layouts(mets, article.areas, taken)
        yield issue.record(source, pages, article.id, article.title, {"type": article.type})
    rest = [
        PageLayout(
            [block for block in page.layout.blocks if id(block) not in taken],
            page.label,
            page.image,
            page.layout.language,
            number,
        )
        for number, page in enumerate(mets.pages)
    ]
    if not articles:
        yield issue.record(source, rest, "", "", {})
    elif any(page.lines for page in rest):
        kept = [page for page in rest if page.lines]
        yield issue.record(source, kept, "rest", "outside the articles", {"type": "REST"})


# --- taking apart --------------------------------------------------------------------------------


def _take_apart(root: Any) -> _Mets:
    groups = _groups(root)
    files = {name: href for group in groups.values() for name, href in group.items()}
    texts = _text_files(groups)
    descriptions = {attribute(d, "ID"): d for d in descendants(root, "dmdSec")}
    pages = list(_physical(root, texts, files))
    seen = {page.file for page in pages}
    if not pages:
        pages = [_Page(name) for name in texts]
    elif len(seen) < len(pages):
        pages = list({page.file: page for page in reversed(pages)}.values())[::-1]
    return _Mets(root, files, pages, descriptions)


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


def _physical(root: Any, texts: list[str], files: dict[str, str]) -> Iterator[_Page]:
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
            yield _Page(text, label, image)


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


def _articles(mets: _Mets) -> Iterator[_Article]:
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
                title = _titles(mets.described(div)) or attribute(div, "LABEL")
                yield _Article(name, attribute(div, "TYPE"), title, areas)


def _is_item(element: Any) -> bool:
    return local(element) == "div" and bool(_ITEM.search(attribute(element, "TYPE")))


# --- reading -------------------------------------------------------------------------------------


def _load(source: Source, mets: _Mets) -> Iterator[Problem]:
    """Read the pages' text files; a page whose file is missing or broken stays, without text."""
    for number, page in enumerate(mets.pages):
        link = mets.files.get(page.file, "")
        place = source.at(page=number + 1)
        path = _local_path(source, link)
        if path is None or not path.is_file():
            reason = f"the page's text file {link or page.file} is not beside the METS file"
            yield Problem(place, reason, "suspicious")
            continue
        part = Source(
            path,
            f"{source.name} -> {path.name}",
            source.relative,
            source.corpus,
            source.fence,
            path.stat().st_size,
        )
        try:
            root = parse_xml(part).root
        except BrokenFile as error:
            line = f", line {error.line}" if error.line else ""
            yield Problem(place, f"{path.name}{line}: {error.reason}", "suspicious")
            continue
        layouts = page_xml.read_pages(root) if local(root) == "PcGts" else alto.read_pages(root)
        for layout in layouts:
            page.layout.blocks.extend(layout.blocks)
            page.layout.language = layout.language
            page.image = page.image or layout.image
            page.label = page.label or layout.label


def _local_path(source: Source, link: str) -> Path | None:
    """The file that a link names, None for one on the network or outside the named folder."""
    parsed = urlparse(link)
    if not link or parsed.scheme not in ("", "file"):
        return None
    # Producers write file://./ALTO/x.xml, file:///ALTO/x.xml and plain paths alike.
    relative = unquote(re.sub(r"^file:/*", "", link)).replace("\\", "/")
    path = (source.path.parent / relative).resolve()
    fence = source.fence.resolve()
    return path if path.is_relative_to(fence) else None


def _layouts(mets: _Mets, areas: Iterable[tuple[str, str]], taken: set[int]) -> list[PageLayout]:
    """The named blocks page by page in the order of the logical map; marks them as taken."""
    numbers = {page.file: number for number, page in enumerate(mets.pages)}
    found: list[PageLayout] = []
    used: set[int] = set()
    for file, name in areas:
        number = numbers.get(file)
        if number is None:
            continue
        page = mets.pages[number]
        if not found or found[-1].index != number:
            found.append(PageLayout([], page.label, page.image, page.layout.language, number))
        for block in _named(page.layout, name):
            taken.add(id(block))
            if id(block) not in used:
                used.add(id(block))
                found[-1].blocks.append(block)
    return found


def _named(layout: PageLayout, name: str) -> list[Block]:
    return [block for block in layout.blocks if block.id == name or name in block.around]


# --- describing ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Issue:
    """What all documents of one METS file share."""

    id: str
    title: str
    label: str
    date: str
    language: str
    corpus: Any
    meta: dict[str, str]

    def record(
        self, source: Source, pages: list[PageLayout], part: str, title: str, meta: dict[str, str]
    ) -> SourceRecord:
        """A document of the issue."""
        composed = compose(pages)
        name = f"{self.label}: {title}" if title else self.label
        first = composed.pages[0].index + 1 if composed.pages else None
        return SourceRecord(
            source_id=f"{self.id}#{part}" if part else self.id,
            corpus=self.corpus,
            text=composed.text,
            location=source.at(page=first, record=part),
            title=name,
            date_written=self.date,
            language=self.language,
            pages=composed.pages,
            meta=self.meta | {key: value for key, value in meta.items() if value},
            quality=composed.quality,
        )


def _issue(source: Source, mets: _Mets) -> _Issue:
    sections = _issue_sections(mets)
    title = next((t for s in sections if (t := _titles([s]))), "")
    dates = [
        plain_text(d)
        for section in sections
        for d in descendants(section, "dateIssued", "dateCreated", "date", "dateCaptured")
        if plain_text(d)
    ]
    qualifiers = [
        attribute(d, "qualifier")
        for section in sections
        for d in descendants(section, "dateIssued", "dateCreated")
        if plain_text(d) and attribute(d, "qualifier")
    ]
    languages = [
        code
        for section in sections
        for element in descendants(section, "languageTerm", "language")
        if (code := normalise_language(plain_text(element)))
    ]
    own = attribute(mets.root, "OBJID") or re.sub(
        r"[-_.]?mets$", "", source.parts.stem, flags=re.IGNORECASE
    )
    label = " ".join((title or attribute(mets.root, "LABEL") or own).split())
    date = dates[0] if dates else source.parts.date
    newspaper = "newspaper" in f"{attribute(mets.root, 'TYPE')} {_div_types(mets)}".casefold()
    language = languages[0] if languages else ""
    corpus = corpus_hint(
        slug(title) if title else source.corpus,
        name=title,
        kind="newspaper" if newspaper else "",
        language=language,
    )
    meta = {"file": source.path.name} | ({"date qualifier": qualifiers[0]} if qualifiers else {})
    full = f"{label}, {date}" if date else label
    return _Issue(own or source.parts.stem, title, full, date, language, corpus, meta)


def _issue_sections(mets: _Mets) -> list[Any]:
    """Descriptive sections of the issue, the innermost first; all sections where no div has one."""
    found: list[Any] = []
    for div in descendants(mets.root, "div"):
        if re.search("issue|newspaper|volume|monograph", attribute(div, "TYPE"), re.IGNORECASE):
            found = mets.described(div) + found
    return found or list(mets.descriptions.values())[:3]


def _div_types(mets: _Mets) -> str:
    return " ".join(attribute(div, "TYPE") for div in descendants(mets.root, "div"))[:2000]


def _titles(sections: Iterable[Any]) -> str:
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


READER = Reader(
    name="mets",
    title="METS with ALTO or PAGE",
    suffixes=(".xml",),
    sniff=sniff,
    read=read,
    claims=claims,
)
