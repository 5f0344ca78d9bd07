"""The options of an import as a report keeps them, and back, so that it can be gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from trace_core.ingest.records import ReadOptions

_MAPPING = "mapping"
_TRUE = "True"


def as_text(options: ReadOptions) -> dict[str, str]:
    """What was said, by name; each column of the mapping stands by itself (`mapping.text`)."""
    defaults, said = ReadOptions(), {}
    for option in fields(options):
        value = getattr(options, option.name)
        if option.name == _MAPPING:
            said.update({f"{_MAPPING}.{field}": column for field, column in value.items()})
        elif value != getattr(defaults, option.name):
            said[option.name] = str(value)
    return said


def from_text(said: Mapping[str, str]) -> ReadOptions:
    """The options again. Names that this version of the program does not know are left out."""
    known = {option.name for option in fields(ReadOptions)}
    mapping = dict(_columns(said.get(_MAPPING, "")))
    given: dict[str, Any] = {}
    for name, text in said.items():
        if name.startswith(f"{_MAPPING}."):
            mapping[name.partition(".")[2]] = text
        elif name in known and name != _MAPPING:
            given[name] = _value(name, text)
    return ReadOptions(mapping=mapping, **given)


def _value(name: str, text: str) -> Any:
    if name in ("day_first", "articles", "speeches"):
        return text == _TRUE
    if name in ("metadata", "scans"):
        return Path(text)
    return int(text) if name == "unpacked_bytes" else text


def _columns(text: str) -> list[tuple[str, str]]:
    """The mapping as earlier versions of the program wrote it: `text=body, date=day`."""
    parts = [part.partition("=") for part in text.split(", ") if "=" in part]
    return [(field, column) for field, _, column in parts]
