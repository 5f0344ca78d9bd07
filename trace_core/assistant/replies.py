"""From a model's reply to a checked value, or to one sentence that says why not.

In: the reply as it came. Out: a pydantic shape. On the way: byte-order marks, thinking tags
(with or without the opening one), code fences and prose around the JSON are dropped; broken JSON
is repaired; a bare list is taken for the list that was asked for. What was cut off in the middle
is not guessed at: of verdicts the complete ones are kept, and anything else is unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import AliasChoices, BaseModel, ValidationError

from trace_core.domain.characters import all_whole

Shape = TypeVar("Shape", bound=BaseModel)

_THINKING = r"think|thinking|thought|reasoning|reflection"
_THOUGHT_END = re.compile(rf"^.*</\s*(?:{_THINKING})\s*>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(rf"<\s*(?:{_THINKING})\s*>.*$", re.DOTALL | re.IGNORECASE)
_CODE_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_QUOTED_ERRORS = 3
_MOST_STARTS = 500
_DEEPEST = 200

LONGEST = 200_000
"""Characters; ten times what the longest prompt asks for. A longer reply is not looked into."""


class Unreadable(ValueError):
    """A reply that gives no value; its text is the sentence to quote back to the model."""


def clean(reply: str) -> str:
    """The reply without byte-order marks and without thinking.

    Everything up to the last closing tag goes; so does a thought that was never closed.
    """
    text = reply.replace("\ufeff", "").replace("\0", "")
    text = _THOUGHT_END.sub("", text, count=1)
    return _THOUGHT_START.sub("", text).strip()


def read(reply: str, shape: type[Shape], *, cut_off: bool = False) -> Shape:
    """The reply as a value of `shape`. Raises Unreadable.

    `cut_off` says that the server stopped the reply at its token limit.
    """
    try:
        data = all_whole(find_json(reply, shape, cut_off=cut_off))
    except RecursionError:
        raise Unreadable("The reply's JSON is nested too deeply.") from None
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        raise Unreadable(_sentence(error)) from None


def find_json(reply: str, shape: type[BaseModel], *, cut_off: bool = False) -> dict[str, Any]:
    """The JSON object that the reply holds for this shape. Raises Unreadable."""
    if len(reply) > LONGEST:
        raise Unreadable(f"The reply has {len(reply):,} characters; answer much more briefly.")
    text = clean(reply)
    if not text:
        raise Unreadable("The reply is empty.")
    whole = [value for value in _whole_values(text) if _fits(value, shape)]
    if whole:
        return _as_object(whole[-1], shape)
    fenced = _CODE_FENCE.search(text)
    start = _first_bracket(fenced.group(1) if fenced else text)
    if start is None:
        raise Unreadable("The reply holds no JSON object.")
    body = (fenced.group(1) if fenced else text)[start:]
    if _depth(body) > _DEEPEST:
        raise Unreadable("The reply's JSON is nested too deeply.")
    if cut_off or _is_cut(body):
        body = _complete_entries(body, shape)
    value = _repair(body)
    if not _fits(value, shape):
        names = ", ".join(shape.model_fields)
        raise Unreadable(f"The reply holds no JSON object with {names}.")
    return _as_object(value, shape)


# --- finding -------------------------------------------------------------------------------------


def _whole_values(text: str) -> Iterator[Any]:
    """Every valid JSON object or list that stands in the text, outermost, in order."""
    decoder = json.JSONDecoder(strict=False)
    position = broken = 0
    while (start := _first_bracket(text, position)) is not None and broken < _MOST_STARTS:
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            broken += 1
            continue
        yield value


def _first_bracket(text: str, position: int = 0) -> int | None:
    found = re.compile(r"[{\[]").search(text, position)
    return found.start() if found else None


def _names(shape: type[BaseModel]) -> list[str]:
    """The names under which the shape's fields may stand in a reply."""
    names: list[str] = []
    for name, field in shape.model_fields.items():
        names.append(name)
        if isinstance(field.validation_alias, AliasChoices):
            names += [alias for alias in field.validation_alias.choices if isinstance(alias, str)]
    return list(dict.fromkeys(names))


def _list_name(shape: type[BaseModel]) -> str | None:
    """The field that a bare list stands for, None where the shape has none."""
    name = getattr(shape, "list_field", "")
    return name if isinstance(name, str) and name else None


def _fits(value: Any, shape: type[BaseModel]) -> bool:
    if isinstance(value, list):
        keys: frozenset[str] = getattr(shape, "entry_keys", frozenset())
        entries = [isinstance(entry, dict) and bool(entry.keys() & keys) for entry in value]
        return _list_name(shape) is not None and bool(entries) and all(entries)
    return isinstance(value, dict) and bool(value.keys() & set(_names(shape)))


def _as_object(value: Any, shape: type[BaseModel]) -> dict[str, Any]:
    if isinstance(value, list):
        return {str(_list_name(shape)): value}
    result: dict[str, Any] = value
    return result


# --- mending -------------------------------------------------------------------------------------


def _repair(body: str) -> Any:
    import json_repair

    try:
        return json_repair.loads(body, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        raise Unreadable("The reply's JSON is broken beyond repair.") from error


def _is_cut(body: str) -> bool:
    """Whether brackets stay open, counted with and without regard to quotation marks.

    Both counts are needed: unescaped quotation marks mislead the first, brackets inside strings
    the second.
    """
    stack_open = _entry_ends(body)[1]
    raw_open = any(body.count(a) > body.count(b) for a, b in ("{}", "[]"))
    return stack_open and raw_open


def _depth(body: str) -> int:
    """How many brackets are open at the most, whatever stands in quotation marks."""
    deepest = depth = 0
    for character in body:
        if character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest


def _complete_entries(body: str, shape: type[BaseModel]) -> str:
    """The reply's list up to its last complete entry, closed. Raises Unreadable without one."""
    ends, still_open = _entry_ends(body)
    if not still_open:
        return body
    if not getattr(shape, "parts_count", False) or not ends:
        raise Unreadable("The reply was cut off before its end; answer more briefly.")
    position, closers = ends[-1]
    return body[:position] + closers


def _entry_ends(body: str) -> tuple[list[tuple[int, str]], bool]:
    """Where entries of the outermost list end, each with what would close the rest; open at end."""
    stack: list[str] = []
    ends: list[tuple[int, str]] = []
    in_string = escaped = False
    for index, character in enumerate(body):
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            stack.append("}" if character == "{" else "]")
        elif character in "}]" and stack:
            stack.pop()
            if character == "}" and stack and stack[-1] == "]" and stack.count("]") == 1:
                ends.append((index + 1, "".join(reversed(stack))))
            if not stack:
                return ends, False
    return ends, bool(stack)


def _sentence(error: ValidationError) -> str:
    parts = []
    for item in error.errors()[:_QUOTED_ERRORS]:
        where = ".".join(str(part) for part in item["loc"]) or "the reply"
        parts.append(f"{where}: {item['msg']}")
    return f"The reply does not have the form asked for ({'; '.join(parts)})."
