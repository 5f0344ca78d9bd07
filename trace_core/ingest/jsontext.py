"""JSON values out of a file: one a line, or the members of one long array, never all at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from trace_core.ingest.encodings import find_encoding
from trace_core.ingest.source import Source, bounded_lines, text_stream

_BLOCK = 1 << 18
_LONGEST = 1 << 26  # characters of one member
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
            for number, text in enumerate(bounded_lines(text_stream(stream, marked)), 1):
                if text.strip(_SPACE):
                    yield number, _value(text), ""
            return
        for number, line in enumerate(bounded_lines(stream), 1):
            text, remark = _decoded(line, encoding)
            if text.strip(_SPACE):
                yield number, _value(text), remark


def json_members(source: Source, encoding: str = "") -> Iterator[tuple[int, Any]]:
    """(line on which it begins, member or BrokenJson) of the array that the file holds.

    Memory holds one member. Behind a broken one reading goes on at the next object with the same
    keys as those before. Raises ValueError for a file that is no array.
    """
    with source.open() as stream:
        text = text_stream(stream, find_encoding(source.head, encoding).name)
        members = _Members(text.read(_BLOCK).lstrip(_SPACE), text.read)
        yield from members.all()


class _Members:
    """A window on the text of an array, moved forward member by member."""

    def __init__(self, buffer: str, read: Callable[[int], str]) -> None:
        if not buffer.startswith("["):
            raise ValueError("is not a JSON array")
        self._decoder = json.JSONDecoder(strict=False)
        self._read = read
        self._buffer, self._at, self._line = buffer, 1, 1
        self._keys: frozenset[str] = frozenset()

    def all(self) -> Iterator[tuple[int, Any]]:
        """Every member, sound or broken, in order."""
        while True:
            self._advance(self._after_space())
            if self._at == len(self._buffer) and not self._more():
                yield self._line, BrokenJson("the array is not closed; the file breaks off")
                return
            if self._buffer.startswith("]", self._at):
                return
            line = self._line
            value, end, problem = self._member()
            if problem:
                yield line, BrokenJson(problem)
                if not self._resume():
                    return
                continue
            if isinstance(value, dict) and not self._keys:
                self._keys = frozenset(value)
            self._advance(end)
            yield line, value

    def _member(self) -> tuple[Any, int, str]:
        """(value, its end, "") or (None, _, what is wrong); reads on while it may be incomplete."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                # A number or the like may go on behind the buffer.
                if end < len(self._buffer) or not self._more():
                    return value, end, ""
                continue
            except json.JSONDecodeError as error:
                inside = error.msg.startswith("Unterminated string")
                broken = error.pos < len(self._buffer) - 16 and not inside
                too_long = len(self._buffer) - self._at > _LONGEST
                if broken or too_long or not self._more():
                    return None, self._at, f"the record is not JSON ({error.msg})"
            except RecursionError:
                return None, self._at, "the record is nested too deeply to be read"

    def _resume(self) -> bool:
        """Go to the next object that looks like those before; False where there is none."""
        place = self._at + 1
        while True:
            place = self._buffer.find("{", place)
            if place < 0:
                self._advance(len(self._buffer))
                if not self._more():
                    return False
                place = self._at
                continue
            self._advance(place)
            value, _, problem = self._member()
            if not problem and isinstance(value, dict) and self._alike(value):
                return True
            place = self._at + 1

    def _alike(self, value: dict[str, Any]) -> bool:
        shared = len(self._keys & value.keys())
        return shared >= 2 and shared * 2 >= min(len(self._keys), len(value))

    def _after_space(self) -> int:
        match = _BETWEEN.match(self._buffer, self._at)
        return match.end() if match else self._at

    def _advance(self, place: int) -> None:
        self._line += self._buffer.count("\n", self._at, place)
        self._at = place

    def _more(self) -> bool:
        """Read on; twice as much each time keeps the work linear in a member's length."""
        more = self._read(max(_BLOCK, len(self._buffer) - self._at))
        self._buffer, self._at = self._buffer[self._at :] + more, 0
        return bool(more)


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
        text = line.decode(found, errors="replace")
        if found == "utf-8":
            return text, f"{text.count(chr(0xFFFD))} characters of the line are not UTF-8"
        return text, f"the line is not UTF-8; read as {found}"
