"""Web pages with a running text: what Gallica gives as raw text, articles saved from a browser.

Lines such as `Titre : …` and `Date d'édition : …` with which a library heads the text describe it
and are no part of it; so does the rate of recognition that Gallica names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Item, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import (
    BrokenFile,
    Element,
    attribute,
    descendants,
    local,
    plain_text,
)

_DROPPED = frozenset("head script style nav noscript template iframe svg form button".split())
_PARAGRAPHS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 ul ol dl table section article blockquote pre header footer hr".split()
)
_CELLS = frozenset({"td", "th"})
_LINES = frozenset("br li tr dt dd caption".split())
_RATE = re.compile(r"taux de reconnaissance\b[^.]*?(\d{1,3})\s*%")
_FIELD = re.compile(r"([^\W\d_][^:\n]{1,40}?)\s*:\s+(.+)", re.DOTALL)
_HEADING = 60  # paragraphs in which the description of a text ends, if it has one


def sniff(source: Source) -> float:
    """Likely for HTML in a file that is named so."""
    head = source.head[:4000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not (head.startswith((b"<!doctype html", b"<html")) or b"<html" in head[:1000]):
        return 0.0
    return 0.6 if source.suffix in READER.suffixes else 0.4


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The page as one document."""
    data = source.read_all()
    text = data.decode(find_encoding(data, options.encoding, whole=True).name, errors="replace")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.lstrip("\ufeff"), count=1)
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser) if text.strip() else None
    if root is None:
        raise BrokenFile("the web page is empty")
    blocks = _blocks(root)
    fields, rate, blocks = _described(blocks)
    fields = _metas(root) | fields
    title = fields.get("title") or plain_text(next(descendants(root, "title"), None))
    meta = {key: value for key, value in fields.items() if key not in ("title", "date", "language")}
    yield SourceRecord(
        source_id=source.id,
        corpus=corpus_hint(source.corpus),
        text="\n\n".join(blocks),
        location=source.at(),
        title=title or source.title,
        date_written=fields.get("date", "") or source.parts.date,
        language=normalise_language(fields.get("language", "") or attribute(root, "lang")),
        meta={"file": source.path.name} | meta,
        quality=rate,
    )


def _blocks(root: Element) -> list[str]:
    """The paragraphs of a page, each with its lines."""
    parts: list[str] = []
    _collect(root, parts)
    text = re.sub(r"[^\S\n\v\f]+", " ", "".join(parts))
    paragraphs = (re.sub(r" ?\v[ \v]*", "\n", block).strip(" \n") for block in text.split("\f"))
    return [paragraph for paragraph in paragraphs if paragraph]


def _collect(root: Element, parts: list[str]) -> None:
    # A form feed ends a paragraph, a vertical tab a line: neither can stand in HTML.
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, node in walk:
        name = local(node)
        if event == "start" and name in _DROPPED:
            walk.skip_subtree()
        elif event == "start":
            mark = "\f" if name in _PARAGRAPHS else "\v" if name in _LINES else ""
            parts.append(mark or (" " if name in _CELLS else ""))
            parts.append(_flat(node.text))
        else:
            parts.append("\f" if name in _PARAGRAPHS else "")
            parts.append(_flat(node.tail))


def _flat(text: str | None) -> str:
    return (text or "").replace("\n", " ").replace("\r", " ")


_KNOWN = {
    "titre": "title",
    "title": "title",
    "auteur": "author",
    "author": "author",
    "éditeur": "publisher",
    "date d'édition": "date",
    "date": "date",
    "langue": "language",
    "identifiant": "identifier",
    "source": "source",
}


def _described(blocks: list[str]) -> tuple[dict[str, str], float | None, list[str]]:
    """(fields, rate of recognition, the text itself) of a page that a library has headed."""
    at = next((n for n, b in enumerate(blocks[:_HEADING]) if _RATE.search(b)), None)
    if at is None:
        return {}, None, blocks
    fields: dict[str, str] = {}
    for block in blocks[:at]:
        for line in block.split("\n"):
            match = _FIELD.fullmatch(line.strip())
            if match and (key := _KNOWN.get(match[1].replace("’", "'").casefold())):
                fields.setdefault(key, match[2].strip())
    rate = _RATE.search(blocks[at])
    share = int(rate[1]) / 100 if rate else None
    return fields, share if share is None or share <= 1 else None, blocks[at + 1 :]


def _metas(root: Element) -> dict[str, str]:
    kept = {"title": "title", "creator": "author", "date": "date", "language": "language"}
    found: dict[str, str] = {}
    for element in descendants(root, "meta"):
        name = attribute(element, "name").casefold()
        prefix, _, key = name.partition(".")
        content = " ".join(attribute(element, "content").split())
        if prefix in ("dc", "dcterms") and key in kept and content:
            found.setdefault(kept[key], content)
    return found


READER = Reader(
    name="html",
    title="Web page (HTML)",
    suffixes=(".html", ".htm", ".xhtml"),
    sniff=sniff,
    read=read,
)
