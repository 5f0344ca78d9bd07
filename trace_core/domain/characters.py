"""Halves of characters (lone surrogates): sources hold some, models write some, JSON takes none."""

from __future__ import annotations

import re
from typing import Any

_HALVES = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """The text in whole characters: a pair of halves is joined, a lone half becomes U+FFFD."""
    if not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def all_whole(value: Any) -> Any:
    """The same for every string in nested data, names of fields included."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {all_whole(name): all_whole(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(all_whole(inner) for inner in value)
    return value
