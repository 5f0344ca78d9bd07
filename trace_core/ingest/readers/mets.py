"""METS: the issue's pages in order, and the articles that its logical structure names.

Every article is a document of the text blocks that the logical map lists, in its order; what no
article claims (the title section) makes one document more, so that no line is lost. Files are
looked for beside the METS file only, never on the network and never outside the named folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

from trace_core.ingest.layout import Block, PageLayout
from trace_core.ingest.readers import alto, page_xml
from trace_core.ingest.readers.mets_issue import describe_issue
from trace_core.ingest.readers.mets_parts import Area, Article, Mets, articles, take_apart
from trace_core.ingest.records import Item, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import BrokenFile, Element, local, parse_xml, root_name

_WORDS = re.compile(rb"""\sCONTENT\s*=\s*["'][^"']|<(?:\w+:)?(?:Unicode|PlainText)>[^<]""")


def sniff(source: Source) -> float:
    """Certain for a root element named mets, by itself or as a harvester (OAI-PMH) wraps it."""
    root = root_name(source.head).casefold()
    wrapped = root == "oai-pmh" and re.search(rb"<(\w+:)?mets[\s>]", source.head)
    return 0.97 if root == "mets" or wrapped else 0.0


def claims(source: Source) -> Iterable[Path]:
    """The text files that the METS file lists and that lie beside it, all readings of a page."""
    try:
        mets = take_apart(_mets(parse_xml(source).root))
    except (BrokenFile, OSError):
        return []
    paths = (_local_path(source, mets.files.get(name, "")) for name in mets.texts)
    return [path for path in paths if path is not None and path.is_file()]


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The issue's articles and the rest of it, or the issue as one document."""
    parsed = parse_xml(source)
    root = _mets(parsed.root)
    if parsed.remark:
        yield Problem(source.at(), parsed.remark, "suspicious")
    mets = take_apart(root, lambda link: _holds_text(source, link))
    if not mets.pages:
        raise BrokenFile("the METS file names no text files (ALTO or PAGE) that could be read")
    yield from _load(source, mets)
    others = len(mets.texts) - len({page.file for page in mets.pages} & set(mets.texts))
    if others:
        reason = f"{others} more text files are listed for the same pages; they were not read"
        yield Problem(source.at(), reason, "suspicious")
    issue = describe_issue(source, mets)
    named = list(articles(mets)) if options.articles else []
    taken: set[int] = set()
    for article in named:
        pages = _layouts(mets, article.areas, taken)
        yield issue.record(source, pages, article)
    rest = [
        PageLayout(
            [_without(block, taken) for block in page.layout.blocks],
            page.label,
            page.image,
            page.layout.language,
            number,
            page.layout.sure,
        )
        for number, page in enumerate(mets.pages)
    ]
    if not named:
        yield issue.record(source, rest)
    elif any(page.lines for page in rest):
        kept = [page for page in rest if page.lines]
        yield issue.record(source, kept, Article("rest", "REST", "outside the articles", "", ()))


def _mets(root: Element) -> Element:
    found = next((element for element in root.iter() if local(element).casefold() == "mets"), None)
    if found is None:
        raise BrokenFile(f"the file is no METS: its root element is {local(root)}")
    return found


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
            page.layout.sure = layout.sure
            page.image = page.image or layout.image
            page.label = page.label or layout.label


def _holds_text(source: Source, link: str) -> bool:
    path = _local_path(source, link)
    if path is None or not path.is_file():
        return False
    data = replace(source, path=path).read_all()
    return _WORDS.search(data) is not None


def _local_path(source: Source, link: str) -> Path | None:
    """The file that a link names, None for one that is not here or outside the named folder.

    A link to the network or to a place on the producer's own disk names the file of the same name
    beside the METS file, if there is one, in the same folder if that is there too.
    """
    # Producers write file://./ALTO/x.xml, file:///ALTO/x.xml and plain paths alike.
    plain = re.sub(r"^file:/*", "", link)
    plain = urlparse(plain).path if re.match(r"https?://", plain) else plain
    parts = [part for part in re.split(r"[/\\]+", unquote(plain)) if part]
    if not parts:
        return None
    tails = [parts, *(parts[start:] for start in range(max(1, len(parts) - 3), len(parts)))]
    paths = [path for tail in tails if (path := _inside(source, "/".join(tail)))]
    return next((path for path in paths if path.is_file()), paths[0] if paths else None)


def _inside(source: Source, relative: str) -> Path | None:
    # The walk leaves a page out by the path that it knows: with links in it that is another one
    # than the place that they lead to, which alone tells whether the page lies inside.
    path = Path(os.path.normpath(source.path.parent / relative))
    return path if path.resolve().is_relative_to(source.fence.resolve()) else None


def _layouts(mets: Mets, areas: Iterable[Area], taken: set[int]) -> list[PageLayout]:
    """The named lines page by page in the order of the logical map; marks them as taken."""
    numbers = {page.file: number for number, page in enumerate(mets.pages)}
    found: list[PageLayout] = []
    used: set[int] = set()
    for area in areas:
        number = numbers.get(area.file)
        if number is None:
            continue
        page = mets.pages[number]
        if not found or found[-1].index != number:
            layout = page.layout
            found.append(
                PageLayout([], page.label, page.image, layout.language, number, layout.sure)
            )
        for block in _named(page.layout, area):
            fresh = _without(block, used)
            taken.update(id(line) for line in block.lines)
            used.update(id(line) for line in block.lines)
            if fresh.lines:
                found[-1].blocks.append(fresh)
    return found


def _without(block: Block, lines: set[int]) -> Block:
    kept = [line for line in block.lines if id(line) not in lines]
    return Block(block.id, kept, block.around)


def _named(layout: PageLayout, area: Area) -> list[Block]:
    """The blocks that an area names, or those of the lines from its first word to its last."""
    name, end = area.begin, area.end or area.begin
    blocks = [block for block in layout.blocks if block.id == name or name in block.around]
    if blocks:
        return blocks
    lines = [(line, block) for block in layout.blocks for line in block.lines]
    first = next((at for at, (line, _) in enumerate(lines) if name in line.ids), None)
    if first is None:
        return []
    last = next((at for at in range(first, len(lines)) if end in lines[at][0].ids), first)
    found: list[Block] = []
    for line, block in lines[first : last + 1]:
        if not found or found[-1].id != block.id:
            found.append(Block(block.id, [], block.around))
        found[-1].lines.append(line)
    return found


READER = Reader(
    name="mets",
    title="METS with ALTO or PAGE",
    suffixes=(".xml",),
    sniff=sniff,
    read=read,
    claims=claims,
)
