"""JSON values out of a file: one a line, or the members of one long array, never all at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.source import Source, text_stream

_BLOCK = 1 << 18
_SPACE = " \t\r\n\ufeff"
_BETWEEN = re.compile(r"[\s,\ufeff]*")


class BrokenJson(ValueError):
    """What is wrong with a line, in words that follow "the line"."""


def json_lines(source: Source, encoding: str = "") -> Iterator[tuple[int, Any, str]]:
    """(line number, value or BrokenJson, remark) for every line that is not blank.

    Lines are decoded one by one, so that one damaged line costs no other. A line that is not valid
    UTF-8 is read with the best guess and the remark says so. `encoding` overrides.
    """
    marked = find_encoding(source.head[:4], encoding).name
    with source.open() as stream:
        if marked.startswith(("utf-16", "utf-32")):
            for number, text in enumerate(text_stream(stream, marked), 1):
                if text.strip(_SPACE):
                    yield number, _value(text), ""
            return
        for number, line in enumerate(stream, 1):
            text, remark = _decoded(line, encoding)
            if text.strip(_SPACE):
                yield number, _value(text), remark


def json_members(source: Source, encoding: str = "") -> Iterator[tuple[int, Any]]:
    """(number from 1, member) of the array that the file holds; memory holds one member.

    Raises ValueError where the array breaks off or is not JSON; members before that were given.
    """
    decoder, number, wanted = json.JSONDecoder(strict=False), 0, _BLOCK
    with source.open() as stream:
        text = text_stream(stream, find_encoding(source.head, encoding).name)
        buffer = text.read(_BLOCK).lstrip(_SPACE)
        if not buffer.startswith("["):
            raise ValueError("is not a JSON array")
        at = 1
        while True:
            at = _after_space(buffer, at)
            if buffer.startswith("]", at):
                return
            value, end = _member(decoder, buffer, at)
            if end < len(buffer) and end > at:
                number, wanted, at = number + 1, _BLOCK, end
                yield number, value
                continue
            # The member may go on behind the buffer; reading twice as much each time keeps the
            # work linear in its length.
            more = text.read(wanted)
            if not more:
                raise ValueError(f"breaks off or is no JSON after member {number}")
            buffer, at, wanted = buffer[at:] + more, 0, wanted * 2


def _after_space(buffer: str, at: int) -> int:
    match = _BETWEEN.match(buffer, at)
    return match.end() if match else at


def _member(decoder: json.JSONDecoder, buffer: str, at: int) -> tuple[Any, int]:
    """A member and its end; the end is `at` where none could be read."""
    try:
        return decoder.raw_decode(buffer, at)
    except ValueError:
        return None, at


def _value(text: str) -> Any:
    try:
        return json.loads(text.strip(_SPACE), strict=False)
    except json.JSONDecodeError as error:
        return BrokenJson(f"the line is not JSON ({error.msg}, character {error.colno})")
    except ValueError as error:
        return BrokenJson(f"the line cannot be read ({error})")
    except RecursionError:
        return BrokenJson("the line is nested too deeply to be read")


def _decoded(line: bytes, encoding: str) -> tuple[str, str]:
    if encoding:
        return line.decode(encoding, errors="replace"), ""
    try:
        return line.decode("utf-8"), ""
    except UnicodeDecodeError:
        found = find_encoding(line, whole=True).name
        return line.decode(found, errors="replace"), f"the line is not UTF-8; read as {found}"
