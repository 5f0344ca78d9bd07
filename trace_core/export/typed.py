"""Values from JSON that nobody vouches for: made only where every field has its type.

A dataclass is read from an object with its fields by name, a named tuple from a list; a field of
the class that has a default may be missing. No value is turned into another type, since what is
written again from it must be what was read.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Reader = Callable[[Any], Any]


def as_type(kind: type[T], value: object) -> T:
    """The value as this dataclass. Raises ValueError that names the field."""
    wanted: Any = kind
    made: T = _reader(wanted)(value)
    return made


@lru_cache(maxsize=256)
def _reader(kind: Any) -> Reader:
    """The function that reads one type; put together once for each."""
    if dataclasses.is_dataclass(kind):
        return _fields(kind)
    if isinstance(kind, type) and hasattr(kind, "_fields"):
        return _named(kind)
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda value: _sure(value, holds=isinstance(value, str) and value in inside)
    if origin in (Union, types.UnionType):
        (real,) = (k for k in inside if k is not types.NoneType)
        read = _reader(real)
        return lambda value: None if value is None else read(value)
    if origin is tuple:
        each = _reader(inside[0])
        return lambda value: tuple(each(v) for v in _sure(value, holds=isinstance(value, list)))
    if origin in (Mapping, dict):
        each = _reader(inside[1])
        return lambda value: {
            k: each(v) for k, v in _sure(value, holds=isinstance(value, dict)).items()
        }
    allowed = (int, float) if kind is float else (kind,)
    return lambda value: _sure(value, holds=type(value) in allowed)


def _sure(value: Any, *, holds: bool) -> Any:
    if not holds:
        raise ValueError(f"it has {str(value)[:40]!r} where something else belongs")
    return value


def _fields(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    readers = {f.name: _reader(hints[f.name]) for f in dataclasses.fields(kind)}

    def read(value: Any) -> Any:
        given = _sure(value, holds=isinstance(value, dict))
        made = {}
        for name, found in given.items():
            if name not in readers:
                raise ValueError(f"it has a field {name[:40]!r} that does not belong there")
            try:
                made[name] = readers[name](found)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        try:
            return kind(**made)
        except TypeError as error:
            raise ValueError(str(error)) from None

    return read


def _named(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    readers = [_reader(hints[name]) for name in kind._fields]

    def read(value: Any) -> Any:
        given = _sure(value, holds=isinstance(value, list) and len(value) == len(readers))
        return kind(*(one(v) for one, v in zip(readers, given, strict=True)))

    return read
