"""IIIF manifests (Presentation 2 and 3): links to the scans of an item's pages, and its labels.

Transcriptions that stand in the manifest itself, as annotations, are its text. Most manifests hold
none: the document is kept and flagged as empty; text that lies beside it on the network
(annotation lists, ALTO) is only named. Nothing is fetched.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.layout import Block, Line, PageLayout, compose
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.xml_safe import BrokenFile

_TAG = re.compile(r"<[^>]+>")
_LABEL_DATE = re.compile(r"(\d{4}):\s*([A-Za-z]{3,9})\.?(?:\s+(\d{1,2}))?")
_BRACKETED = re.compile(r"[\[(]([^\[\]()]*\d{3,4}[^\[\]()]*)[\])]")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a manifest tells: its id, label, date, fields, (label, scan) of each page; `lines` are
    the transcribed lines of each page, `texts` counts what is only named."""

    id: str
    label: str
    date_written: str
    date_edtf: str
    fields: Mapping[str, str]
    canvases: tuple[tuple[str, str], ...]
    texts: int
    lines: tuple[tuple[str, ...], ...] = ()


def sniff(source: Source) -> float:
    """A JSON object that names a IIIF context and is a manifest."""
    head = source.head[:4000] + source.head[-4000:]
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or b"iiif" not in source.head:
        return 0.0
    named = b"sc:Manifest" in source.head or b'"Manifest"' in source.head
    if named or b"iiif.io/api/presentation" in source.head or b'"Canvas"' in source.head:
        return 0.92
    return 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The manifest as one document of its pages, with the text that it holds itself."""
    del options
    manifest = load_manifest(source)
    if not manifest.canvases:
        raise BrokenFile("the IIIF manifest lists no pages (a collection lists other manifests)")
    composed = compose(
        [
            PageLayout([Block("", [Line(line) for line in lines])], label, image)
            for (label, image), lines in zip(manifest.canvases, manifest.lines, strict=True)
        ]
    )
    if manifest.texts:
        reason = (
            f"the manifest names {manifest.texts} texts on the network; they were not fetched: "
            "download them and import them as files"
        )
        yield Problem(source.at(), reason, "suspicious")
    named = ("language", "langue", "sprache", "lingua")
    language = next((v for k, v in manifest.fields.items() if k.casefold() in named), "")
    yield SourceRecord(
        source_id=manifest.id or source.id,
        corpus=corpus_hint(source.corpus),
        text=composed.text,
        location=source.at(),
        title=manifest.label,
        date_written=manifest.date_written,
        date_edtf=manifest.date_edtf,
        language=normalise_language(language),
        pages=composed.pages,
        meta={"file": source.path.name, "manifest": manifest.id} | dict(manifest.fields),
    )


def load_manifest(source: Source) -> Manifest:
    """A manifest of either version. Raises BrokenFile for anything else."""
    try:
        data = json.loads(source.read_all().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BrokenFile(f"the manifest is not JSON ({error})") from None
    if not isinstance(data, dict):
        raise BrokenFile("the file is no IIIF manifest")
    canvases = _canvases(data)
    fields = _fields(data)
    label = _text(data.get("label"))
    written, edtf = _date(data, label, fields)
    return Manifest(
        id=str(data.get("id") or data.get("@id") or ""),
        label=label,
        date_written=written,
        date_edtf=edtf,
        fields=fields,
        canvases=tuple((_canvas_label(c), _image(c)) for c in canvases),
        texts=sum(_texts(canvas) for canvas in canvases),
        lines=tuple(tuple(_lines(canvas)) for canvas in canvases),
    )


def _canvases(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    if isinstance(data.get("sequences"), list):
        found = [c for s in data["sequences"][:1] for c in (s.get("canvases") or [])]
    else:
        found = data.get("items") or []
    return [
        c for c in found if isinstance(c, dict) and "Canvas" in str(c.get("@type", c.get("type")))
    ]


def _image(canvas: Mapping[str, Any]) -> str:
    """The link to the page's picture: the painted image of version 2 or 3."""
    for image in canvas.get("images") or []:
        resource = image.get("resource") or {}
        return str(resource.get("@id") or resource.get("id") or "")
    for page in canvas.get("items") or []:
        for annotation in page.get("items") or []:
            body = annotation.get("body") or {}
            if isinstance(body, dict) and isinstance(body.get("items"), list):
                body = body["items"]  # a choice of pictures: the first is the usual one
            body = body[0] if isinstance(body, list) and body else body
            if isinstance(body, dict) and "text" not in str(body.get("type")).casefold():
                return str(body.get("id") or body.get("@id") or "")
    return ""


def _canvas_label(canvas: Mapping[str, Any]) -> str:
    label = _text(canvas.get("label"))
    return "" if label.strip("-– ") == "" else label


def _texts(canvas: Mapping[str, Any]) -> int:
    """Texts that the page points at: annotation lists, ALTO and plain text beside it."""
    beside = canvas.get("seeAlso") or []
    beside = beside if isinstance(beside, list) else [beside]
    written = [
        s for s in beside if isinstance(s, dict) and re.search("xml|plain", str(s.get("format")))
    ]
    lists = canvas.get("annotations") or canvas.get("otherContent") or []
    named = [
        li
        for li in lists
        if not (isinstance(li, dict) and (li.get("items") or li.get("resources")))
    ]
    return len(named) + bool(written)


def _lines(canvas: Mapping[str, Any]) -> Iterator[str]:
    """The transcription in a page's own annotations; comments and tags are left aside."""
    holders = [*(canvas.get("annotations") or []), *(canvas.get("otherContent") or [])]
    for holder in (*holders, *(canvas.get("items") or [])):
        if not isinstance(holder, dict):
            continue
        for annotation in holder.get("items") or holder.get("resources") or []:
            if re.search("comment|tag|describ|link", str(annotation.get("motivation")), re.I):
                continue
            bodies = annotation.get("body") or annotation.get("resource") or []
            for body in bodies if isinstance(bodies, list) else [bodies]:
                if isinstance(body, dict):
                    text = str(body.get("value") or body.get("chars") or "")
                    yield from filter(None, (_text(line) for line in text.split("\n")))


def _fields(data: Mapping[str, Any]) -> dict[str, str]:
    fields = {}
    for entry in data.get("metadata") or []:
        if isinstance(entry, dict) and (name := _text(entry.get("label"))):
            value = _text(entry.get("value"))
            if value:
                fields[name] = value
    return fields


def _date(data: Mapping[str, Any], label: str, fields: Mapping[str, str]) -> tuple[str, str]:
    """navDate, else a date in the label, else the field named Date (often that of a whole run)."""
    nav = str(data.get("navDate") or "")
    if match := re.match(r"-?\d{4}-\d{2}-\d{2}", nav):
        return match[0], match[0]
    if match := _LABEL_DATE.search(label):
        return " ".join(filter(None, (match[3], match[2], match[1]))), ""
    if match := _BRACKETED.search(label):
        return match[1].strip(), ""
    named = ("date", "datum", "year", "issued", "published")
    return next((v for k, v in fields.items() if k.casefold() in named), ""), ""


def _text(value: Any) -> str:
    """A label or value of either version as plain text, English before other languages."""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))
    if isinstance(value, dict):
        if "@value" in value:
            return _text(value["@value"])
        for language in ("en", "@none", "none", *value):
            if language in value:
                return _text(value[language])
        return ""
    return " ".join(html.unescape(_TAG.sub("", str(value or ""))).split())


READER = Reader(
    name="iiif",
    title="IIIF manifest (links to scans)",
    suffixes=(".json",),
    sniff=sniff,
    read=read,
)
