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

from pydantic import ValidationError

from trace_core.assistant.loose import Reply, by_id, from_json, squashed
from trace_core.domain.characters import all_whole

Shape = TypeVar("Shape", bound=Reply)

_THINKING = r"think|thinking|thought|reasoning|reflection"
_THOUGHT_END = re.compile(rf"^.*</\s*(?:{_THINKING})\s*>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(rf"<\s*(?:{_THINKING})\s*>.*$", re.DOTALL | re.IGNORECASE)
_CODE_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_QUOTED_ERRORS = 3
_MOST_STARTS = 500
_DEEPEST = 200
_MOST_WRAPPINGS = 2
_ID = re.compile(r"^\W*[a-z]{0,2}\d{1,18}\W*$", re.IGNORECASE)

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


def find_json(reply: str, shape: type[Reply], *, cut_off: bool = False) -> dict[str, Any]:
    """The JSON object that the reply holds for this shape. Raises Unreadable."""
    if len(reply) > LONGEST:
        raise Unreadable(f"The reply has {len(reply):,} characters; answer much more briefly.")
    text = clean(reply)
    if not text:
        raise Unreadable("The reply is empty.")
    values = list(_whole_values(text))
    whole = [part for value in values if (part := _found_in(value, shape)) is not None]
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
    if lines := _entries_in_lines(values, body, shape):
        return _as_object(lines, shape)
    value = _found_in(_repair(body), shape)
    if value is None:
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


def _found_in(value: Any, shape: type[Reply], depth: int = 0) -> Any:
    """The part of a value that has the shape, None where there is none.

    Around it may stand a list of one, the one field of an object that holds it, or a string of
    JSON; entries may stand under their ids.
    """
    value = from_json(value)
    if _fits(value, shape):
        return value
    if _is_by_id(value, shape):
        return by_id(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if depth == _MOST_WRAPPINGS:
        return None
    found = [part for v in inside if (part := _found_in(v, shape, depth + 1)) is not None]
    return found[0] if len(found) == 1 else None


def _fits(value: Any, shape: type[Reply]) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_entry(entry, shape) for entry in value)
    return isinstance(value, dict) and shape.knows(value)


def _is_entry(value: Any, shape: type[Reply]) -> bool:
    """Whether a value is an entry of the list that the shape asks for."""
    if not (shape.list_field and isinstance(value, dict)):
        return False
    return bool({squashed(key) for key in value} & set(map(squashed, shape.entry_keys)))


def _entries_in_lines(values: list[Any], body: str, shape: type[Reply]) -> list[Any]:
    """The entries of a reply that gives them one after another, in no list; else none.

    It must begin with one: what stands inside a broken list may lack those beside it.
    """
    entries = [value for value in values if _is_entry(value, shape)]
    alone = shape.parts_count and len(entries) > 1 and _whole_at_start(body) == entries[0]
    return entries if alone else []


def _whole_at_start(body: str) -> Any:
    try:
        return json.JSONDecoder(strict=False).raw_decode(body)[0]
    except (ValueError, RecursionError):
        return None


def _is_by_id(value: Any, shape: type[Reply]) -> bool:
    if not (shape.list_field and value and isinstance(value, dict)):
        return False
    return all(_ID.match(key) and isinstance(entry, dict) for key, entry in value.items())


def _as_object(value: Any, shape: type[Reply]) -> dict[str, Any]:
    if isinstance(value, list):
        return {shape.list_field: value}
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


def _complete_entries(body: str, shape: type[Reply]) -> str:
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
