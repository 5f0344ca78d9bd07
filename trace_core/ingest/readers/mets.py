"""METS: the issue's pages in order, and the articles that its logical structure names.

Every article is a document of the text blocks that the logical map lists, in its order; what no
article claims (the title section) makes one document more, so that no line is lost. Files are
looked for beside the METS file only, never on the network and never outside the named folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlparse

from trace_core.ingest.layout import Block, PageLayout
from trace_core.ingest.readers import alto, page_xml
from trace_core.ingest.readers.mets_issue import describe_issue
from trace_core.ingest.readers.mets_parts import Mets, articles, take_apart
from trace_core.ingest.records import Item, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    local,
    parse_xml,
    root_name,
)


def sniff(source: Source) -> float:
    """Certain for a root element named mets."""
    return 0.97 if root_name(source.head).casefold() == "mets" else 0.0


def claims(source: Source) -> Iterable[Path]:
    """The text files that the METS file lists and that lie beside it."""
    try:
        mets = take_apart(parse_xml(source).root)
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
    mets = take_apart(parsed.root)
    if not mets.pages:
        raise BrokenFile("the METS file names no text files (ALTO or PAGE) that could be read")
    yield from _load(source, mets)
    issue = describe_issue(source, mets)
    named = list(articles(mets)) if options.articles else []
    taken: set[int] = set()
    for article in named:
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
    if not named:
        yield issue.record(source, rest, "", "", {})
    elif any(page.lines for page in rest):
        kept = [page for page in rest if page.lines]
        yield issue.record(source, kept, "rest", "outside the articles", {"type": "REST"})


def _load(source: Source, mets: Mets) -> Iterator[Problem]:
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
    # The walk leaves a page out by the path that it knows: with links in it that is another one
    # than the place that they lead to, which alone tells whether the page lies inside.
    path = Path(os.path.normpath(source.path.parent / relative))
    return path if path.resolve().is_relative_to(source.fence.resolve()) else None


def _layouts(mets: Mets, areas: Iterable[tuple[str, str]], taken: set[int]) -> list[PageLayout]:
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


READER = Reader(
    name="mets",
    title="METS with ALTO or PAGE",
    suffixes=(".xml",),
    sniff=sniff,
    read=read,
    claims=claims,
)
