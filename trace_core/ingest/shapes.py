"""The shapes of JSON records that are recognised by their fields.

A shape says whether a record is of its kind and turns it into a `SourceRecord`. The first that
fits converts; what fits none is read by a mapping of its fields (`from_cells`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.fields import as_text, clean, written_date, written_out, ymd
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Location, ReadOptions, SourcePage, SourceRecord

Row = Mapping[str, Any]


class Unusable(ValueError):
    """A record that cannot be taken; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Context:
    """What surrounds a record: its place, its file's own sub-corpus, the person's options.

    `prefix` goes before ids that are only known to be unique inside their file.
    """

    location: Location
    corpus: str
    options: ReadOptions
    ordinal: int
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of record: fields that must be there, and how they are turned."""

    name: str
    needs: frozenset[str]
    convert: Callable[[Row, Context], SourceRecord]

    def fits(self, row: Row) -> bool:
        """Whether all fields that mark the shape are there."""
        return self.needs <= row.keys()


def convert(row: Row, context: Context) -> SourceRecord:
    """An object of a known shape as a record. Raises Unusable."""
    for shape in SHAPES:
        if shape.fits(row):
            return shape.convert(row, context)
    raise Unusable("the record has no known shape")


def shape_name(row: Row) -> str:
    """The name of the shape that a row has ("general" where no known one fits)."""
    return next((shape.name for shape in SHAPES if shape.fits(row)), "general")


def _text_original(row: Row, context: Context) -> SourceRecord:
    language = normalise_language(as_text(row.get("language")))
    corpus = clean(row["corpus"]) or context.corpus
    known = ("doc_id", "corpus", "date", "title", "language", "text_original")
    return SourceRecord(
        source_id=_id(row["doc_id"]),
        corpus=corpus_hint(corpus, language=language),
        text=as_text(row["text_original"]),
        location=context.location,
        title=clean(row.get("title")),
        date_written=as_text(row.get("date")).strip(),
        language=language,
        meta=_rest(row, known),
    )


def _historiqa(row: Row, context: Context) -> SourceRecord:
    known = ("collection", "id", "document", "year", "month", "day", "language", "title")
    chamber = clean(row.get("chamber"))
    corpus = clean(row["collection"]) or context.corpus
    language = normalise_language(as_text(row.get("language")))
    date = ymd(row.get("year"), row.get("month"), row.get("day"))
    return SourceRecord(
        source_id=_id(row["id"]),
        corpus=corpus_hint(
            corpus, kind="debates" if chamber else "", language=language, note=chamber
        ),
        text=as_text(row["document"]),
        location=context.location,
        title=clean(row.get("title")),
        date_written=date,
        date_edtf=date,
        language=language,
        meta=_rest(row, known),
    )


_IMPRESSO_ID = re.compile(
    r"(?P<corpus>.+?)-(?P<date>\d{4}-\d{2}-\d{2})-(?P<edition>[a-z]+)-[ip]\d+"
)


def _rebuilt(row: Row, context: Context) -> SourceRecord:
    source_id = _id(row["id"])
    language = normalise_language(as_text(row.get("lg")))
    text = as_text(row.get("ft"))
    known = ("id", "d", "lg", "t", "ft", "ppreb", "lb", "pb", "rb", "pp", "ts", "cc", "olr", "s")
    return SourceRecord(
        source_id=source_id,
        corpus=corpus_hint(_impresso_corpus(source_id, context), language=language),
        text=_line_breaks(text, row.get("lb"), row.get("pb")),
        location=context.location,
        title=clean(row.get("t")),
        date_written=clean(row.get("d")),
        date_edtf=clean(row.get("d")),
        language=language,
        pages=_rebuilt_pages(row, text),
        meta=_rest(row, known),
    )


def _line_breaks(text: str, lines: object, paragraphs: object) -> str:
    """The text with its line breaks put back where a blank stands: no character moves."""
    offsets = {at for breaks in (lines, paragraphs) if isinstance(breaks, list) for at in breaks}
    characters = list(text)
    for at in offsets:
        # The offset names the first character of a line; the blank before it is the break.
        if isinstance(at, int) and 0 < at < len(characters):
            if characters[at - 1] == " ":
                characters[at - 1] = "\n"
            elif characters[at] == " ":
                characters[at] = "\n"
    return "".join(characters)


def _rebuilt_pages(row: Row, text: str) -> tuple[SourcePage, ...]:
    pages = []
    numbers = row.get("pp") if isinstance(row.get("pp"), list) else []
    for page in row.get("ppreb") or []:
        tokens = page.get("t") or []
        start = min((token.get("s", 0) for token in tokens), default=0)
        pages.append((page.get("n"), min(start, len(text))))
    if not pages:
        pages = [(number, 0) for number in numbers or []]
    image = clean(row.get("iiif_link"))
    pages = [(n, start) for n, start in pages if isinstance(n, int)]
    pages.sort(key=lambda item: item[1])
    if pages:
        pages[0] = (pages[0][0], 0)
    return tuple(SourcePage(start, n - 1, str(n), image) for n, start in pages)


def _canonical_page(row: Row, context: Context) -> SourceRecord:
    source_id = _id(row["id"])
    match = _IMPRESSO_ID.fullmatch(source_id)
    lines: list[str] = []
    for region in row["r"] or []:
        for paragraph in region.get("p") or []:
            for line in paragraph.get("l") or []:
                lines.append(_token_line(line.get("t") or []))
            lines.append("")
    number = re.search(r"(\d+)$", source_id)
    index = int(number[1]) - 1 if number else 0
    image = clean(row.get("iiif_img_base_uri") or row.get("iiif"))
    date = match["date"] if match else ""
    return SourceRecord(
        source_id=source_id,
        corpus=corpus_hint(_impresso_corpus(source_id, context)),
        text="\n".join(lines).strip("\n"),
        location=context.location,
        date_written=date,
        date_edtf=date,
        pages=(SourcePage(0, index, str(index + 1), image),),
        meta=_rest(row, ("id", "r", "cc", "cdt", "ts")),
    )


def _tropy_item(row: Row, context: Context) -> SourceRecord:
    """An item of Tropy's JSON-LD: each photo a page, its notes and transcriptions the text."""
    parts: list[str] = []
    pages: list[SourcePage] = []
    length = 0
    languages: list[str] = []
    photos = [photo for photo in row["photo"] or [] if isinstance(photo, dict)]
    for number, photo in enumerate(photos):
        texts = []
        for note in _tropy_notes(photo):
            texts.append(_json_ld(note.get("text")).strip())
            languages.append(as_text(note.get("language")))
        text = "\n\n".join(filter(None, texts))
        if text and parts:
            text = f"\n\n{text}"
        lead = len(text) - len(text.lstrip("\n"))
        pages.append(SourcePage(length + lead if number else 0, number))
        parts.append(text)
        length += len(text)
    known = ("photo", "template", "title", "@type")
    meta = {key: _json_ld(value) for key, value in row.items() if key not in known}
    return SourceRecord(
        source_id=clean(meta.get("identifier")) or f"{context.prefix}{context.ordinal}",
        corpus=corpus_hint(context.corpus),
        text="".join(parts),
        location=context.location,
        title=clean(_json_ld(row.get("title"))),
        date_written=meta.get("date", "").strip(),
        language=next(filter(None, map(normalise_language, languages)), ""),
        pages=tuple(pages),
        meta=_rest(meta, ()),
    )


def _tropy_notes(photo: Row) -> Iterator[Row]:
    """The notes and transcriptions of a photo and of the selections on it."""
    for key in ("note", "transcription", "selection"):
        held = photo.get(key) or []
        for one in held if isinstance(held, list) else [held]:
            if isinstance(one, dict):
                yield from _tropy_notes(one) if key == "selection" else (one,)


def _json_ld(value: object) -> str:
    """A JSON-LD value, perhaps with its language or type beside it, as text."""
    if isinstance(value, dict) and "@value" in value:
        return as_text(value["@value"])
    if isinstance(value, list):
        return "; ".join(map(_json_ld, value))
    return as_text(value)


def _issue(row: Row, context: Context) -> SourceRecord:
    del row, context
    raise Unusable("the record lists the articles of an issue and holds no text; import its pages")


def _token_line(tokens: list[Row]) -> str:
    """A line of tokens; a first half of a word without its sign gets a soft hyphen."""
    words = []
    for at, token in enumerate(tokens):
        word = as_text(token.get("tx"))
        last = at == len(tokens) - 1
        if token.get("hy") and last and word and word[-1] not in "-¬⸗=\u00ad":
            word += "\u00ad"
        words.append(word)
    return " ".join(words)


def _impresso_corpus(source_id: str, context: Context) -> str:
    match = _IMPRESSO_ID.fullmatch(source_id)
    return match["corpus"] if match else context.corpus


def from_cells(
    cells: Mapping[str, str], mapping: Mapping[str, str], context: Context
) -> SourceRecord:
    """A row of named cells as a record, by a mapping of fields to columns.

    Without a text column the row itself, written out line by line, is the text: an inventory is
    searched by what it says. Raises Unusable for an empty row.
    """
    if not any(clean(value) for value in cells.values()):
        raise Unusable("the row is empty")
    language = normalise_language(cells.get(mapping.get("language", ""), ""))
    named = clean(cells.get(mapping.get("corpus", "")))
    corpus = named or context.corpus
    source_id = clean(cells.get(mapping.get("id", ""))) or str(context.ordinal)
    if not named:
        source_id = context.prefix + source_id
    if "text" in mapping:
        text = cells[mapping["text"]] if clean(cells.get(mapping["text"])) else ""
    else:
        text = written_out(cells)
    used = tuple(mapping[field] for field in ("corpus", "title", "text") if field in mapping)
    title = clean(cells.get(mapping.get("title", "")))
    page, image = (
        clean(cells.get(mapping.get("page", ""))),
        clean(cells.get(mapping.get("image", ""))),
    )
    return SourceRecord(
        source_id=source_id,
        corpus=corpus_hint(corpus, language=language),
        text=text,
        location=context.location,
        title=title,
        date_written=written_date(cells, mapping.get("date", "")),
        language=language,
        pages=(SourcePage(0, 0, page, image),) if page or image else (),
        meta=_rest(cells, used),
    )


def _id(value: object) -> str:
    text = as_text(value).strip()
    if not text:
        raise Unusable("the record has no id")
    return text


def _rest(row: Row, known: tuple[str, ...]) -> dict[str, str]:
    return {
        str(key): text for key, value in row.items() if key not in known and (text := clean(value))
    }


SHAPES = (
    Shape("text_original", frozenset({"doc_id", "corpus", "text_original"}), _text_original),
    Shape("collection", frozenset({"collection", "id", "document", "year"}), _historiqa),
    Shape("rebuilt", frozenset({"id", "d", "tp"}), _rebuilt),
    Shape("Tropy item", frozenset({"@type", "photo"}), _tropy_item),
    Shape("canonical page", frozenset({"id", "r"}), _canonical_page),
    Shape("canonical issue", frozenset({"id", "i", "pp"}), _issue),
)
