"""TEI P5 (and what of P4 is alike): letters, plays, editions, parliamentary debates.

The document's date is that of the source (letter sent, sitting, origin), never that of the
edition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Item, Problem, ReadOptions, SourcePage, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.tei_text import TeiText
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

_ROOTS = ("TEI", "TEI.2", "teiCorpus", "teiCorpus.2")
_SURFACES = ("surface", "surfaceGrp")
_DIVISIONS = ("div", "div1", "div2", "div3", "floatingText", "text")
_SPEAKERS = 200
_NAME_PARTS = frozenset({"surname", "forename", "nameLink", "roleName", "genName", "addName"})


def sniff(source: Source) -> float:
    """Certain for the root elements of TEI."""
    return 0.95 if root_name(source.head) in _ROOTS else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """Every TEI element of the file as a document, or every speech in it if the person wants so."""
    parsed = parse_xml(source)
    if local(parsed.root) not in _ROOTS:
        raise BrokenFile(f"the file is no TEI: its root element is {local(parsed.root)}")
    if parsed.remark:
        yield Problem(source.at(), parsed.remark, "suspicious")
    documents = [parsed.root]
    if local(parsed.root).startswith("teiCorpus"):
        documents = list(descendants(parsed.root, "TEI", "TEI.2"))
        if not documents:
            reason = "the file only describes a corpus (teiCorpus); its texts lie in other files"
            yield Problem(source.at(), reason, "suspicious")
    for number, element in enumerate(documents, 1):
        record, text = _record(source, element, number, len(documents))
        if options.speeches and text.speeches:
            yield from _speeches(record, text)
        else:
            yield record


def _record(source: Source, tei: Element, number: int, of: int) -> tuple[SourceRecord, TeiText]:
    header = next(children(tei, "teiHeader"), tei)
    text = TeiText(scans=_scans(tei, header))
    # A genetic edition may hold its transcription by surfaces only.
    bodies = list(children(tei, "text")) or [
        surface for doc in children(tei, "sourceDoc") for surface in children(doc, *_SURFACES)
    ]
    for body in bodies:
        text.read(body)
    own = attribute(tei, "id")
    language = _language(tei, header)
    written, edtf = _date(tei, header)
    is_letter = first(header, "correspDesc") is not None
    kind = "debates" if text.speeches else "letters" if is_letter else ""
    record = SourceRecord(
        source_id=source.id if of == 1 else f"{source.id}#{own or number}",
        corpus=corpus_hint(source.corpus, kind=kind),
        text=text.text,
        location=source.at(line=tei.sourceline if of > 1 else None),
        title=_title(header, language) or source.title,
        date_written=written or ("" if edtf else source.parts.date),
        date_edtf=edtf,
        language=language,
        pages=tuple(text.pages),
        meta={"file": source.path.name} | _description(tei, header),
    )
    return record, text


def _speeches(record: SourceRecord, text: TeiText) -> Iterator[SourceRecord]:
    """One record a speech; what stands between two (times, interruptions) goes with the next."""
    whole, start = record.text, 0
    for number, speech in enumerate(text.speeches, 1):
        end = len(whole) if number == len(text.speeches) else speech.end
        lead = len(whole[start:end]) - len(whole[start:end].lstrip())
        begin = start + lead
        pages = [page for page in record.pages if begin < page.start < end]
        here = [page for page in record.pages if page.start <= begin]
        if here:
            pages.insert(0, replace(here[-1], start=begin))
        yield replace(
            record,
            source_id=f"{record.source_id}#u{number}",
            text=whole[begin:end],
            title=f"{record.title}, {speech.who or 'speech'} ({number})",
            pages=tuple(SourcePage(p.start - begin, p.index, p.label, p.image) for p in pages),
            meta=dict(record.meta) | ({"speaker": speech.who} if speech.who else {}),
        )
        start = end


def _date(tei: Element, header: Element) -> tuple[str, str]:
    """(written form, EDTF) of the source's date; the first place that gives one."""
    for element in _date_places(tei, header):
        edtf = _normalised(element)
        written = plain_text(element)
        if edtf or written:
            return written or edtf, edtf
    return _dates_of_letters(tei)


def _dates_of_letters(tei: Element) -> tuple[str, str]:
    """The dateline of a letter; of several letters in one text the first and the last."""
    lines = [e for text in children(tei, "text") for e in descendants(text, "dateline")]
    dated = [(plain_text(e), _normalised(e), _letter(e)) for e in lines if plain_text(e)]
    if not dated:
        return "", ""
    (first, begin, one), (last, end, other) = dated[0], dated[-1]
    if one is other:
        return first, begin
    return f"{first} … {last}", f"{begin}/{end}" if begin and begin <= end else ""


def _letter(dateline: Element) -> Element:
    """The division that a dateline belongs to."""
    return next((e for e in dateline.iterancestors() if local(e) in _DIVISIONS), None)


def _date_places(tei: Element, header: Element) -> Iterator[Element]:
    for action in descendants(header, "correspAction"):
        if attribute(action, "type") in ("sent", "written", ""):
            yield from descendants(action, "date")
    for place in ("settingDesc", "creation"):
        holder = first(header, place)
        if holder is not None:
            yield from descendants(holder, "date")
    yield from descendants(header, "docDate", "origDate")
    for source in descendants(header, "sourceDesc"):
        for holder in descendants(source, "bibl", "biblStruct", "biblFull", "recording"):
            above = {local(parent) for parent in holder.iterancestors()}
            if not above & {"additional", "history", "msContents", "note"}:
                yield from descendants(holder, "date")
    for text in children(tei, "text"):
        yield from descendants(text, "docDate")


def _normalised(element: Element) -> str:
    """EDTF from the attributes of a date: `when`, or a range of `from` and `to`."""
    holder = element
    if local(element) in ("dateline", "docDate") and not _dated(element):
        holder = next(descendants(element, "date"), element)
    for name in ("when-iso", "when", "value"):
        if value := attribute(holder, name):
            return value.strip()
    for begin, end in (("from", "to"), ("from-iso", "to-iso"), ("notBefore", "notAfter")):
        one, two = attribute(holder, begin), attribute(holder, end)
        if one or two:
            return one if one == two else f"{one or '..'}/{two or '..'}"
    return ""


def _dated(element: Element) -> bool:
    return any(attribute(element, name) for name in ("when", "when-iso", "from", "notBefore"))


def _title(header: Element, language: str) -> str:
    statement = first(header, "titleStmt")
    titles = list(children(statement, "title")) if statement is not None else []
    titles = [title for title in titles if plain_text(title)]
    if not titles:
        return ""

    def rank(title: Element) -> tuple[bool, bool]:
        lang = normalise_language(attribute(title, "lang"))
        return (bool(lang) and lang != language, attribute(title, "type") in ("sub", "desc"))

    return plain_text(min(titles, key=rank))


def _language(tei: Element, header: Element) -> str:
    for text in children(tei, "text"):
        if code := normalise_language(attribute(text, "lang")):
            return code
    named: list[tuple[float, str]] = []
    for element in descendants(header, "language"):
        usage = attribute(element, "usage").rstrip("%")
        share = float(usage) if usage.replace(".", "", 1).isdigit() else 0.0
        named.append((share, normalise_language(attribute(element, "ident"))))
    if len(named) == 1 or (named and max(named)[0] > 0):
        return max(named)[1]
    return normalise_language(attribute(tei, "lang"))


def _description(tei: Element, header: Element) -> dict[str, str]:
    statement = first(header, "titleStmt")
    author = next(children(statement, "author"), None) if statement is not None else None
    found = {
        "author": _person(author) or _person(first(header, "sourceDesc", "author")),
        "repository": plain_text(first(header, "msIdentifier", "repository")),
        "collection": plain_text(first(header, "msIdentifier", "collection")),
        "shelfmark": plain_text(first(header, "msIdentifier", "idno")),
        "edition licence": plain_text(first(header, "availability", "licence"))[:200],
    }
    for action in descendants(header, "correspAction"):
        role = {"sent": "sender", "received": "recipient"}.get(attribute(action, "type"))
        people = map(_name, descendants(action, "persName", "orgName"))
        if role and (named := "; ".join(filter(None, people))):
            found[role] = named
    speakers = dict.fromkeys(
        who for u in descendants(tei, "u") if (who := attribute(u, "who").lstrip("#"))
    )
    if speakers:
        found["speakers"] = ", ".join(list(speakers)[:_SPEAKERS])
    return {key: value for key, value in found.items() if value}


def _person(element: Element | None) -> str:
    """A person's name without the identifiers beside it."""
    name = first(element, "persName") if element is not None else None
    return _name(name if name is not None else element)


def _name(element: Element | None) -> str:
    """A name whose parts are marked up, as a catalogue orders them; else its text."""
    if element is None or (element.text or "").strip():
        return plain_text(element)
    parts = [(local(child), text) for child in element if (text := plain_text(child))]
    if len(parts) < 2 or not {kind for kind, _ in parts} <= _NAME_PARTS:
        return plain_text(element)
    kinds, texts = zip(*parts, strict=True)
    if kinds[0] == "surname" and "surname" not in kinds[1:]:
        return f"{texts[0]}, {' '.join(texts[1:])}"
    return " ".join(texts)


def _scans(tei: Element, header: Element) -> dict[str, str]:
    """Links to scans by what `pb/@facs` says: ids of surfaces and graphics, declared prefixes."""
    scans: dict[str, str] = {}
    for graphic in descendants(tei, "graphic", "media"):
        url = attribute(graphic, "url")
        if not url.startswith(("http://", "https://")):
            continue
        for element in (graphic, graphic.getparent()):
            if element is not None and (name := attribute(element, "id")):
                scans.setdefault(name, url)
    prefixes = {
        attribute(p, "ident"): attribute(p, "replacementPattern")
        for p in descendants(header, "prefixDef")
    }
    for element in descendants(tei, "pb"):
        facs = attribute(element, "facs")
        prefix, colon, rest = facs.partition(":")
        if colon and (pattern := prefixes.get(prefix, "")).startswith("http"):
            scans[facs.lstrip("#")] = pattern.replace("$1", rest)
    return scans


READER = Reader(name="tei", title="TEI", suffixes=(".xml", ".tei"), sniff=sniff, read=read)
