"""JSON lines, and JSON files that hold one array or one object of records.

Every line is judged by itself: records of several shapes may stand in one file, blank lines are
nothing, a broken line is a problem with its number.
"""

from __future__ import annotations

import json
import lzma
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.fields import flat_cells, has_own, known_names, propose_mapping
from trace_core.ingest.jsontext import BrokenJson, json_lines, json_members
from trace_core.ingest.readers.archive_rows import is_own_row, own_record
from trace_core.ingest.records import Item, Location, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.shapes import Context, Unusable, convert, from_cells, shape_name
from trace_core.ingest.source import Source
from trace_core.ingest.tables import no_text_column, table_corpus, table_prefix

_WRAPPERS = "documents records items data rows results docs entries articles @graph".split()
_FILE_NAME = re.compile(r"\w\.[A-Za-z][A-Za-z0-9]{1,4}$")
_SURE = 0.7
_SAMPLE = 50


def sniff(source: Source) -> float:
    """How surely the file is JSON: it begins with a bracket and its name or first line agrees."""
    text = _head(source)
    if not text.startswith(("{", "[")):
        # A first line may be broken; the name and a later line then speak for the format.
        named = source.suffix in READER.suffixes
        return 0.6 if named and any(line.startswith("{") for line in text.splitlines()) else 0.0
    if source.suffix in READER.suffixes:
        return _SURE
    first = text.splitlines()[0] if text else ""
    return 0.6 if isinstance(_parsed(first), (dict, list)) else 0.2


def read(source: Source, options: ReadOptions) -> Iterator[Item]:
    """The records of a JSON file."""
    keys, mapping = _mapping(source, options)
    if keys and "text" not in mapping:
        yield no_text_column(source, keys)
    for ordinal, (location, value, remark) in enumerate(_values(source, options), 1):
        if isinstance(value, BrokenJson):
            yield Problem(location, str(value))
            continue
        if not isinstance(value, dict):
            yield Problem(location, f"there is no record here but {_kind(value)}")
            continue
        if remark:
            yield Problem(location, remark, "suspicious")
        context = Context(location, table_corpus(source), options, ordinal, table_prefix(source))
        yield _item(value, mapping, context)


def _item(value: dict[str, Any], mapping: Mapping[str, str], context: Context) -> Item:
    try:
        if is_own_row(value):
            return own_record(value, context.location)
        if not context.options.mapping and shape_name(value) != "general":
            return convert(value, context)
        return from_cells(flat_cells(value), mapping, context)
    except Unusable as error:
        return Problem(context.location, str(error))
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        return Problem(context.location, f"the record's fields have unexpected values ({error})")


def _mapping(source: Source, options: ReadOptions) -> tuple[list[str], dict[str, str]]:
    """(keys, which of them holds what) of the first records that have no known shape.

    Raises BadInput for a wish that names a field that none of them has.
    """
    rows = [
        flat_cells(record)
        for record in first_records(source, options, _SAMPLE)
        if options.mapping or (shape_name(record) == "general" and not is_own_row(record))
    ]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return keys, propose_mapping(keys, rows, options.mapping)


def first_records(source: Source, options: ReadOptions, limit: int) -> list[dict[str, Any]]:
    """The first readable objects of the file, for a preview."""
    found: list[dict[str, Any]] = []
    try:
        for _, value, _ in _values(source, options):
            if isinstance(value, dict):
                found.append(value)
            if len(found) >= limit:
                break
    except (ValueError, EOFError, OSError, lzma.LZMAError, zlib.error):
        # Where the file breaks off is said when it is read.
        return found
    return found


def _values(source: Source, options: ReadOptions) -> Iterator[tuple[Location, Any, str]]:
    head = _head(source)
    if head.startswith("[") and not _is_lines(head):
        for line, value in json_members(source, options.encoding):
            yield source.at(line=line), value, ""
        return
    if head.startswith("{") and not _is_lines(head):
        yield from _whole(source, options)
        return
    yield from _lines(source, options)


def _lines(source: Source, options: ReadOptions) -> Iterator[tuple[Location, Any, str]]:
    for line, value, remark in json_lines(source, options.encoding):
        yield from _held_records(source.at(line=line), value, remark)


def _held_records(place: Location, value: Any, remark: str) -> Iterator[tuple[Location, Any, str]]:
    """The value, or the records that it holds in a list, where it has no id and no text itself."""
    own = not isinstance(value, dict) or has_own("id", value) or has_own("text", value)
    key = "" if own else next((k for k in _WRAPPERS if isinstance(value.get(k), list)), "")
    if not key or not all(isinstance(row, dict) for row in value[key]):
        yield from _named_records(place, value, remark)
    elif not value[key]:
        yield place, BrokenJson(f"the list {key!r} is empty"), ""
    else:
        for number, row in enumerate(value[key], 1):
            yield replace(place, record=f"{key} {number}"), row, remark


def _named_records(place: Location, value: Any, remark: str) -> Iterator[tuple[Location, Any, str]]:
    """The value, or the records that it holds by their names."""
    if isinstance(value, dict) and _by_name(value):
        for name, row in value.items():
            yield replace(place, record=str(name)), {"id": name, **row}, remark
    else:
        yield place, value, remark


def _by_name(value: dict[str, Any]) -> bool:
    """Whether an object holds records by their ids or file names: all of them objects, each with
    a text, or named as files are, or described by the same fields."""
    rows = list(value.values())
    if not rows or not all(isinstance(row, dict) and row for row in rows):
        return False
    if all(map(_FILE_NAME.search, value)):
        return True
    alike = known_names(list(rows[0])) > 0 and all(row.keys() == rows[0].keys() for row in rows)
    return len(rows) > 1 and (alike or all("text" in row for row in rows))


def _whole(source: Source, options: ReadOptions) -> Iterator[tuple[Location, Any, str]]:
    """The file as one object: the list of records inside it, or itself."""
    data = source.read_all()
    text = data.decode(find_encoding(data, options.encoding, whole=True).name, errors="replace")
    value = _parsed(text)
    if value is None:
        # Not one object either: line by line the person learns which lines are broken.
        yield from _lines(source, options)
        return
    if isinstance(value, dict):
        for key in _WRAPPERS:
            rows = value.get(key)
            if isinstance(rows, list) and rows and isinstance(rows[0], dict):
                for number, row in enumerate(rows, 1):
                    yield source.at(record=f"{key} {number}"), row, ""
                return
    yield from _held_records(source.at(line=1), value, "")


def _is_lines(head: str) -> bool:
    """Whether the file holds one value a line: the first or the second line is complete."""
    lines = [line for line in head.splitlines() if line.strip()][:3]
    if len(lines) == 1:
        # One line, perhaps longer than the head: an object is a record, an array a list of them.
        return head.startswith("{")
    return any(isinstance(_parsed(line), dict) for line in lines) or (
        head.startswith("{")
        and len(lines[0]) > 2
        and '":' in lines[0].replace('" :', '":')
        and lines[0].count('":') > 1
    )


def _head(source: Source) -> str:
    head = source.head
    text = head.decode(find_encoding(head).name, errors="replace")
    return text.lstrip("\ufeff \t\r\n")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff").strip(), strict=False)
    except (ValueError, RecursionError):
        return None


def _kind(value: object) -> str:
    names = {
        list: "a list",
        str: "a text",
        int: "a number",
        float: "a number",
        bool: "a truth value",
    }
    return names.get(type(value), "nothing")


READER = Reader(
    name="jsonl",
    title="JSON lines or JSON records",
    suffixes=(".jsonl", ".json", ".ndjson", ".jsonlines"),
    sniff=sniff,
    read=read,
    single=False,
)
