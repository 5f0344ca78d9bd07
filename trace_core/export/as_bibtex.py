"""BibTeX: the documents of the list, archive fields named, nothing in them read as TeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from trace_core.export.clean import one_line
from trace_core.export.lines import Line, lines
from trace_core.export.options import Options
from trace_core.provenance.record import RunRecord

_TYPES = {"article-newspaper": "article", "book": "book", "pamphlet": "booklet"}
# Braces by name, not as \{ and \}: BibTeX counts those too, and a title may have one alone.
_ESCAPES = {
    "\\": r"{\textbackslash}",
    "{": r"{\ensuremath{\lbrace}}",
    "}": r"{\ensuremath{\rbrace}}",
    "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
}
_SPECIAL = re.compile("|".join(re.escape(c) for c in _ESCAPES))
# Between two signs that TeX would draw as one: -- '' `` << >> ,, ?` !`
_LIGATURE = re.compile(
    r"(?<=-)(?=-)|(?<=')(?=')|(?<=[`?!])(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=,)(?=,)"
)
_FIELDS = (
    ("journal", "container-title"), ("archive", "archive"), ("collection", "archive_collection"),
    ("location", "archive_location"), ("lccn", "call-number"), ("publisher", "publisher"),
    ("address", "publisher-place"), ("edition", "edition"), ("volume", "volume"),
    ("number", "issue"), ("pages", "page"), ("language", "language"),
)  # fmt: skip


def as_bibtex(record: RunRecord, options: Options) -> bytes:
    """One entry a document, in the order of the list.

    `date` holds the date in EDTF (as biblatex reads it) and `year` a plain year; the archive
    fields are repeated in words in `note`, which every tool keeps.
    """
    seen: dict[str, int] = {}
    entries = [_entry(line, _key(line, seen), record.accessed) for line in lines(record, options)]
    return ("\n".join(entries)).encode("utf-8")


def escaped(text: str) -> str:
    """A text on one line that TeX sets as it is, its braces balanced."""
    safe = _SPECIAL.sub(lambda match: _ESCAPES[match.group()], one_line(text))
    return _LIGATURE.sub("{}", safe)


def _address(url: str) -> str:
    """An address as styles set it verbatim: what TeX reads even there is percent-encoded."""
    for sign, instead in (("~", "%7E"), ("--", "-%2D"), ("''", "'%27")):
        url = url.replace(sign, instead)
    return re.sub(r"([%#&])", r"\\\1", url)


def _entry(line: Line, key: str, accessed: str) -> str:
    kind = _TYPES.get(line.item["type"], "misc")
    fields = [f"  {name} = {{{value}}}" for name, value in _fields(line, accessed) if value]
    return f"@{kind}{{{key},\n" + ",\n".join(fields) + "\n}\n"


def _fields(line: Line, accessed: str) -> Iterator[tuple[str, str]]:
    item, date = line.item, line.source.date if line.source else None
    yield "title", f"{{{escaped(item['title'])}}}"
    for author in item.get("author", ())[:1]:
        yield "author", f"{{{escaped(author['literal'])}}}"
    if date is not None:
        yield "date", escaped(date.edtf)
        match = re.match(r"\d{4}(?!\d)", date.edtf)
        yield "year", match.group() if match and "/" not in date.edtf else ""
    for name, variable in _FIELDS:
        yield name, escaped(str(item.get(variable, "")))
    yield "url", _address(str(item.get("URL", "")))
    yield "urldate", accessed if item.get("URL") else ""
    yield "keywords", escaped(", ".join(line.tags))
    yield "note", escaped(_note(line, accessed))
    reasons = "; ".join(p.reason for p in line.passages if p.reason)
    yield "annote", escaped(reasons)


def _note(line: Line, accessed: str) -> str:
    item, date = line.item, line.source.date if line.source else None
    named = (
        ("Archive", item.get("archive")),
        ("Collection", item.get("archive_collection")),
        ("Location", item.get("archive_location")),
        ("Call number", item.get("call-number")),
        ("Date as written", date.written if date and date.written != date.edtf else ""),
        ("Id", line.permanent_id),
        ("Accessed", "" if item.get("URL") else accessed),
    )
    return "; ".join(f"{label}: {value}" for label, value in named if value)


def _key(line: Line, seen: dict[str, int]) -> str:
    """A citation key of plain letters, unlike all others of the file."""
    plain = unicodedata.normalize("NFKD", f"{line.key.corpus}-{line.key.source_id}")
    base = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower() or "document"
    seen[base] = seen.get(base, 0) + 1
    return base if seen[base] == 1 else f"{base}-x{seen[base]}"
