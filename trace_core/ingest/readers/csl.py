"""CSL-JSON, as Zotero and others export it: one record an item, its fields written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trace_core.ingest.corpora import corpus_hint
from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.fields import as_text
from trace_core.ingest.jsontext import BrokenJson, json_members
from trace_core.ingest.languages import normalise_language
from trace_core.ingest.records import Item, Problem, ReadOptions, SourceRecord
from trace_core.ingest.registry import Reader
from trace_core.ingest.source import Source
from trace_core.ingest.tables import table_corpus

_TYPES = (
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia figure graphic "
    "hearing interview legal_case legislation manuscript map motion_picture musical_score pamphlet "
    "paper-conference patent performance periodical personal_communication post post-weblog "
    "regulation report review review-book software song speech standard thesis treaty webpage"
)
_PEOPLE = ("author", "editor", "translator", "recipient", "interviewer", "director")
_DATES = ("issued", "original-date", "event-date", "accessed", "submitted", "available-date")


def sniff(source: Source) -> float:
    """An array of objects with CSL's own types and fields."""
    head = source.head.decode(find_encoding(source.head).name, errors="ignore").lstrip(
        "\ufeff \r\n\t"
    )
    if not head.startswith("["):
        return 0.0
    marks = ('"date-parts"', '"container-title"', '"issued"', '"citation-key"', '"family"')
    typed = any(f'"{name}"' in head for name in _TYPES.split())
    return 0.9 if '"type"' in head and typed and any(mark in head for mark in marks) else 0.0


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The items as records without a running text: their fields are what is searched."""
    for number, (line, item) in enumerate(json_members(source, options.encoding), 1):
        place = source.at(line=line)
        if not isinstance(item, dict):
            reason = str(item) if isinstance(item, BrokenJson) else "the item is no record"
            yield Problem(place, reason)
            continue
        fields = csl_fields(item)
        yield SourceRecord(
            source_id=as_text(item.get("id")).strip() or str(number),
            corpus=corpus_hint(table_corpus(source)),
            text="\n".join(f"{key}: {value}" for key, value in fields.items()),
            location=place,
            title=fields.get("title", ""),
            date_written=fields.get("date", ""),
            date_edtf=csl_date(item.get("issued")),
            language=normalise_language(fields.get("language", "")),
            meta=fields,
        )


def csl_fields(item: Mapping[str, Any]) -> dict[str, str]:
    """The fields of an item as plain text: people as names, the date as EDTF or as written."""
    fields: dict[str, str] = {}
    for key, value in item.items():
        if key == "id" or key in _DATES:
            continue
        if key in _PEOPLE and isinstance(value, list):
            text = "; ".join(filter(None, map(_person, value)))
        else:
            text = as_text(value)
        if text.strip():
            fields[key] = text.strip()
    date = csl_date(item.get("issued")) or _written(item.get("issued"))
    return fields | ({"date": date} if date else {})


def _written(issued: Any) -> str:
    """A date that CSL gives in words; a season goes before its year."""
    if not isinstance(issued, dict):
        return ""
    if season := as_text(issued.get("season")).strip():
        year = csl_date({key: value for key, value in issued.items() if key != "season"})
        names = dict(zip("1234", ("spring", "summer", "autumn", "winter"), strict=True))
        return f"{names.get(season, season)} {year}".strip()
    return as_text(issued.get("literal") or issued.get("raw"))


def csl_date(value: Any) -> str:
    """EDTF from CSL's `date-parts` (numbers or strings) with `circa`; "" where there are none or
    a season says more."""
    if not isinstance(value, dict) or value.get("season"):
        return ""
    parts = value.get("date-parts")
    if not isinstance(parts, list):
        return ""
    days = [day for one in parts[:2] if isinstance(one, list) and (day := _day(one))]
    if not days:
        return ""
    circa = "~" if value.get("circa") else ""
    return "/".join(day + circa for day in days)


def _day(parts: list[Any]) -> str:
    numbers = []
    for part in parts[:3]:
        text = as_text(part).strip()
        if not text.lstrip("-").isdigit():
            break
        numbers.append(int(text))
    if not numbers:
        return ""
    year, *rest = numbers
    # CSL counts years before the common era without a year 0, EDTF with one.
    written = f"-{-year - 1:04d}" if year < 0 else f"{year:04d}"
    return "-".join([written, *(f"{number:02d}" for number in rest if number)])


def _person(value: Any) -> str:
    if not isinstance(value, dict):
        return as_text(value)
    names = (as_text(value.get("family")), as_text(value.get("given")))
    return ", ".join(filter(None, names)) or as_text(value.get("literal"))


READER = Reader(
    name="csl",
    title="CSL-JSON (Zotero)",
    suffixes=(".json",),
    sniff=sniff,
    read=read,
    single=False,
)
