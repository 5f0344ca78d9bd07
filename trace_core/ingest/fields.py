"""Which column or key holds what: names that archives use, and values that speak for themselves."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trace_core.domain.errors import BadInput

FIELDS = ("id", "corpus", "title", "date", "text", "language", "page", "image")
"""The fields that a mapping may name."""

# Squeezed names (letters and digits only), best first.
_NAMES: dict[str, tuple[str, ...]] = {
    "id": (
        "docid",
        "documentid",
        "sourceid",
        "id",
        "identifier",
        "identifiant",
        "unitid",
        "uid",
        "itemid",
        "letter",
        "lettre",
        "brief",
        "cote",
        "coteArch",
        "signatur",
        "shelfmark",
        "callnumber",
        "filename",
        "file",
        "fichier",
        "key",
        "citekey",
        "nr",
        "no",
        "numero",
        "number",
        "url",
    ),
    "corpus": (
        "corpus",
        "subcorpus",
        "collection",
        "source",
        "newspaper",
        "newspapername",
        "newspapertitle",
        "journal",
        "zeitung",
    ),
    "title": (
        "title",
        "titre",
        "titel",
        "unittitle",
        "heading",
        "headline",
        "titolo",
        "название",
        "заглавие",
        "name",
        "nom",
        "label",
    ),
    "date": (
        "date",
        "datewritten",
        "dateiso",
        "datum",
        "dato",
        "дата",
        "day",
        "issued",
        "dateissued",
        "pubdate",
        "publicationdate",
        "unitdate",
        "dateentree",
        "jour",
        "data",
        "fecha",
        "year",
        "annee",
        "jahr",
        "anno",
        "fromdate",
    ),
    "text": (
        "text",
        "textoriginal",
        "fulltext",
        "texte",
        "volltext",
        "content",
        "contenu",
        "inhalt",
        "body",
        "document",
        "transcription",
        "transcript",
        "transkription",
        "testo",
        "texto",
        "tekst",
        "текст",
        "ocr",
        "ocrtext",
        "ft",
        "description",
        "desccontenu",
        "abstract",
        "scopecontent",
        "regest",
        "summary",
    ),
    "language": ("language", "lang", "langue", "sprache", "lg", "langcode", "languagelangcode"),
    "page": ("page", "folio", "seite", "pagenumber", "pageno"),
    "image": ("image", "iiif", "iiiflink", "scan", "facsimile", "thumbnail"),
}
_NAMES["id"] = tuple(name.casefold() for name in _NAMES["id"])
_SURE_TEXTS = frozenset(
    ("text", "textoriginal", "fulltext", "texte", "volltext", "transcription", "transcript", "ft")
)
"""Columns of these names hold the text even where it is short or missing."""

_YEARS = frozenset({"year", "annee", "jahr", "anno"})
_MONTHS = ("month", "mois", "monat", "mese")
_DAYS = ("day", "jour", "tag", "giorno")

_VOCABULARY = re.compile(r"^(?:[^:]*:\s*|(?:dc|dcterms)\.)|\[[^\]]*\]$", re.IGNORECASE)
_EMPTY_VALUES = frozenset({"", "na", "n/a", "null", "none", "nan", "-", "–", "—", "s.d.", "?"})
_TEXT_LENGTH = 60
_FEW_CORPORA = 8


def squeezed(name: str) -> str:
    """A column name without anything but letters and digits, accents taken off."""
    from trace_core.ingest.corpora import squeeze

    return squeeze(name)


def _by_squeezed(columns: Sequence[str]) -> dict[str, str]:
    """Columns by their squeezed names, and by these without the vocabulary that they are of:
    `Dublin Core:Title`, `dcterms:date` and `dc.title[en]` are also title and date."""
    whole = {squeezed(column): column for column in reversed(columns)}
    bare = {squeezed(_VOCABULARY.sub("", column)): column for column in reversed(columns)}
    return bare | whole


def known_names(names: Sequence[str]) -> int:
    """How many of these are names that columns of archives' tables are known to have."""
    known = {name for names in _NAMES.values() for name in names}
    return sum(not known.isdisjoint(_by_squeezed([name])) for name in names if name)


def has_own(field: str, names: Iterable[str]) -> bool:
    """Whether one of these names is known to name this field."""
    return any(squeezed(name) in _NAMES[field] for name in names)


def looks_like_header(names: Sequence[str]) -> bool:
    """Whether cells name columns: words, no plain numbers, and none twice unless some are known."""
    named = [name for name in names if name]
    wordy = all(len(name) <= 120 and not re.sub(r"[.,\-/ ]", "", name).isdigit() for name in named)
    return bool(named) and wordy and (len(set(named)) == len(named) or known_names(named) > 1)


def checked_mapping(mapping: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    """A person's mapping with the columns as the file spells them. Raises BadInput."""
    result = {}
    by_squeezed = _by_squeezed(columns)
    for field, column in mapping.items():
        if field not in FIELDS:
            raise BadInput(
                f"There is no field {field!r} to map; the fields are {', '.join(FIELDS)}."
            )
        found = column if column in columns else by_squeezed.get(squeezed(column))
        if found is None:
            raise BadInput(
                f"There is no column {column!r} to take the {field} from; "
                f"the columns are {', '.join(columns)}."
            )
        result[field] = found
    return result


def propose_mapping(
    columns: Sequence[str], rows: Sequence[Mapping[str, str]], wish: Mapping[str, str]
) -> dict[str, str]:
    """Which column holds which field: the person's word, then names, then the values themselves.

    `rows` are the first rows. A column serves one field. A column named as a text counts as one
    only if its values are filled at all; an id column must not repeat a value.
    """
    mapping = checked_mapping(wish, columns)
    taken = set(mapping.values())
    for field in FIELDS:
        if field in mapping:
            continue
        column = _by_name(field, columns, rows, taken)
        if column is None and field == "text":
            column = _by_length(columns, rows, taken)
        if column is None and field == "date":
            column = _by_dates(columns, rows, taken)
        if column is not None:
            mapping[field] = column
            taken.add(column)
    return mapping


def _by_name(
    field: str, columns: Sequence[str], rows: Sequence[Mapping[str, str]], taken: set[str]
) -> str | None:
    by_squeezed = _by_squeezed(columns)
    for name in _NAMES[field]:
        column = by_squeezed.get(name)
        if column is not None and column not in taken and _fits(field, column, rows):
            return column
    return None


def _fits(field: str, column: str, rows: Sequence[Mapping[str, str]]) -> bool:
    values = [clean(row.get(column, "")) for row in rows]
    filled = [value for value in values if value]
    if not rows:
        return True
    if field == "id":
        return len(set(filled)) == len(rows)
    if field == "text" and not _SURE_TEXTS.isdisjoint(_by_squeezed([column])):
        return True
    if field == "text":
        return _mean_length(filled) >= (20 if filled else 1) and len(filled) * 5 >= len(rows)
    if field == "date" and all(re.fullmatch(r"\d{1,2}", value) for value in filled):
        return False  # the day or the month of a date in three columns
    if field == "corpus":
        # What differs in most rows (a reference to each item's source) names no sub-corpora.
        repeated = len(set(filled)) <= max(_FEW_CORPORA, len(rows) // 2)
        return len(filled) == len(rows) and repeated and _mean_length(filled) <= 80
    return bool(filled)


def _by_length(
    columns: Sequence[str], rows: Sequence[Mapping[str, str]], taken: set[str]
) -> str | None:
    best, length = None, float(_TEXT_LENGTH)
    for column in columns:
        if column in taken:
            continue
        filled = [value for row in rows if (value := clean(row.get(column, "")))]
        spaced = sum(" " in value for value in filled)
        mean = _mean_length(filled)
        if any(value.startswith(("[{", '{"')) for value in filled):
            continue  # fields inside fields are no running text
        if mean > length and len(filled) * 2 >= len(rows) and spaced * 2 > len(filled):
            best, length = column, mean
    return best


def _by_dates(
    columns: Sequence[str], rows: Sequence[Mapping[str, str]], taken: set[str]
) -> str | None:
    """A column of full dates in a table whose columns have no names."""
    for column in columns:
        if column in taken or not re.fullmatch(r"column \d+", column):
            continue
        filled = [value for row in rows if (value := clean(row.get(column, "")))]
        dates = sum(
            re.fullmatch(r"\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4}", v) is not None for v in filled
        )
        if dates * 10 >= len(rows) * 9 and dates:
            return column
    return None


def written_date(cells: Mapping[str, str], column: str) -> str:
    """The date that a row gives in a column, together with its month and day where it is a year."""
    written = as_text(cells.get(column, "")).strip()
    if squeezed(column) not in _YEARS:
        return written
    by_squeezed = {squeezed(name): name for name in cells}
    parts = [
        next((cells[by_squeezed[name]] for name in names if name in by_squeezed), "")
        for names in (_MONTHS, _DAYS)
    ]
    return ymd(written, *parts) if clean(parts[0]) and ymd(written, *parts) else written


def _mean_length(values: Sequence[str]) -> float:
    return sum(map(len, values)) / len(values) if values else 0.0


def clean(value: object) -> str:
    """A cell as text: "" for what stands for nothing (NA, null, a dash), entities resolved."""
    text = as_text(value).strip().strip("\u00a0")
    if text.casefold() in _EMPTY_VALUES:
        return ""
    return html.unescape(text) if re.search(r"&(#\d+|#x[0-9a-fA-F]+|\w{2,8});", text) else text


def as_text(value: object) -> str:
    """Any JSON or cell value as text: lists of texts joined as paragraphs, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        # Tables of older programs hold texts as bytes.
        return value.decode("utf-8") if _is_utf8(value) else value.decode("cp1252", "replace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def flat_cells(record: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a JSON record as cells: objects inside it opened (`metadata.title` as `title`,
    where the record has none itself), a list of parts with a text each joined to its `text`."""
    cells: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, dict) and value:
            for inner, field in value.items():
                name = str(inner)
                taken = name in record or name in cells
                cells[f"{key}.{name}" if taken else name] = as_text(field)
        else:
            parts = _parts(value)
            name = "text" if parts and "text" not in record and "text" not in cells else str(key)
            cells[name] = parts or as_text(value)
    return cells


def _parts(value: object) -> str:
    """The texts of a list of pages or paragraphs that are objects, "" for anything else."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return ""
    name = next((n for n in ("text", "content", "texte") if isinstance(value[0].get(n), str)), "")
    if not name or not all(isinstance(part, dict) for part in value):
        return ""
    return "\n\n".join(as_text(part.get(name)) for part in value)


def ymd(year: object, month: object, day: object) -> str:
    """Separate year, month and day as `YYYY-MM-DD`, as far as they are filled; "" without year."""
    parts = []
    for value, width in ((year, 4), (month, 2), (day, 2)):
        text = clean(value)
        if not re.fullmatch(r"\d{1,4}", text) or int(text) == 0:
            break
        parts.append(text.zfill(width))
    return "-".join(parts)


def written_out(row: Mapping[str, Any], skip: frozenset[str] = frozenset()) -> str:
    """A row as lines of `column: value`, for tables that describe and hold no running text."""
    lines = []
    for column, value in row.items():
        text = clean(value)
        if text and column not in skip:
            lines.append(f"{column}: {text}")
    return "\n".join(lines)
