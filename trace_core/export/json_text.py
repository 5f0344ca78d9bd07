"""JSON laid out for people and for `diff`: an element a line, down to the second level.

Python's own indented layout is written by slow code; a line of its own for each element of the
outer two levels needs only the fast encoder, once an element.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": ")).encode
_SORTED = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "), sort_keys=True).encode
_LEVELS = 2


def laid_out(value: object, *, sort: bool = False) -> str:
    """A value as JSON, with its line end; the characters stay as they are, halves included."""
    return _text(value, 0, sort=sort) + "\n"


def _text(value: object, level: int, *, sort: bool) -> str:
    encode = _SORTED if sort else _ENCODE
    if level == _LEVELS or not value:
        return encode(value)
    if isinstance(value, dict):
        items = sorted(value.items()) if sort else value.items()
        inside = (f"{encode(str(k))}: {_text(v, level + 1, sort=sort)}" for k, v in items)
        return _joined("{", inside, "}", level)
    if isinstance(value, list | tuple):
        return _joined("[", (_text(v, level + 1, sort=sort) for v in value), "]", level)
    return encode(value)


def _joined(start: str, items: Iterable[str], end: str, level: int) -> str:
    margin = "\n" + " " * level
    return start + margin + " " + f",{margin} ".join(items) + margin + end
