"""JSON lines, and JSON files that hold one array or one object of records.

Every line is judged by itself: records of several shapes may stand in one file, blank lines are
nothing, a broken line is a problem with its number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.fields import propose_mapping
from trace_core.ingest.jsontext import BrokenJson, json_lines, json_members
from trace_core.ingest.readers.archive_rows import is_own_row, own_record
from trace_core.ingest.records import Item, Problem, ReadOptions
from trace_core.ingest.registry import Reader
from trace_core.ingest.shapes import Context, Unusable, convert
from trace_core.ingest.source import Source
from trace_core.ingest.tables import table_corpus, table_prefix

_WRAPPERS = ("documents", "records", "items", "data", "rows", "results", "docs")
_SURE = 0.7
_CHECKED_ROWS = 50


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
    check_mapping(source, options)
    for line, value, remark in _values(source, options):
        location = source.at(line=line)
        if isinstance(value, BrokenJson):
            yield Problem(location, str(value))
            continue
        if not isinstance(value, dict):
            yield Problem(location, f"the line holds no record but {_kind(value)}")
            continue
        if remark:
            yield Problem(location, remark, "suspicious")
        if is_own_row(value):
            yield own_record(value, location)
            continue
        corpus, prefix = table_corpus(source), table_prefix(source)
        try:
            yield convert(value, Context(location, corpus, options, line, prefix))
        except Unusable as error:
            yield Problem(location, str(error))
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            yield Problem(location, f"the record's fields have unexpected values ({error})")


def check_mapping(source: Source, options: ReadOptions) -> None:
    """Refuse a mapping to keys that no record of the beginning has. Raises BadInput."""
    if not options.mapping:
        return
    keys: dict[str, None] = {}
    for count, (_, value, _) in enumerate(_values(source, options)):
        if isinstance(value, dict):
            keys.update(dict.fromkeys(map(str, value)))
        if count >= _CHECKED_ROWS:
            break
    propose_mapping(list(keys), [], options.mapping)


def first_records(source: Source, options: ReadOptions, limit: int) -> list[dict[str, Any]]:
    """The first readable objects of the file, for a preview."""
    found: list[dict[str, Any]] = []
    for _, value, _ in _values(source, options):
        if isinstance(value, dict):
            found.append(value)
        if len(found) >= limit:
            break
    return found


def _values(source: Source, options: ReadOptions) -> Iterator[tuple[int, Any, str]]:
    head = _head(source)
    if head.startswith("[") and not _is_lines(head):
        for number, value in json_members(source, options.encoding):
            yield number, value, ""
        return
    if head.startswith("{") and not _is_lines(head):
        yield from _whole(source, options)
        return
    yield from json_lines(source, options.encoding)


def _whole(source: Source, options: ReadOptions) -> Iterator[tuple[int, Any, str]]:
    """The file as one object: the list of records inside it, or itself."""
    data = source.read_all()
    text = data.decode(find_encoding(data, options.encoding, whole=True).name, errors="replace")
    value = _parsed(text)
    if value is None:
        # Not one object either: line by line the person learns which lines are broken.
        yield from json_lines(source, options.encoding)
        return
    if isinstance(value, dict):
        for key in _WRAPPERS:
            rows = value.get(key)
            if isinstance(rows, list) and rows and isinstance(rows[0], dict):
                for number, row in enumerate(rows, 1):
                    yield number, row, ""
                return
    yield 1, value, ""


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
