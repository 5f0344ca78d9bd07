"""How commands speak: a table or plain lines for people, one JSON value for machines."""

from __future__ import annotations

import errno
import io
import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

_MOST_WIDTH = 60


def speak_safely(*streams: TextIO) -> None:
    """Let no sign that a terminal or a file name cannot bear break a command's answer."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def sentence_of(error: OSError) -> str:
    """An error of the operating system as one sentence that says what to do."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"The disk is full{where}; make room, then run the same command again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"There is no permission for this{where}; give yourself access or choose another."
    return f"{error.strerror or error}{where}; check the path and run the same command again."


def counted(number: int, noun: str, verb: str = "") -> str:
    """A number with its noun, and with "is" or "are" where a person reads on: 1 run, 2,000 runs."""
    words = [f"{number:,}", noun if number == 1 else f"{noun}s"]
    if verb:
        words += ["is" if number == 1 else "are", verb]
    return " ".join(words)


def write_json(value: Any) -> None:
    """Standard output then holds this JSON alone."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def write_line(text: str = "") -> None:
    """A line for a person."""
    print(text)


def warn(text: str) -> None:
    """A line for a person that must not mix with the output."""
    print(text, file=sys.stderr)


def write_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table; long cells are cut with an ellipsis on a terminal, never in a file."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [
        min(_MOST_WIDTH, max([len(heading), *(len(row[i]) for row in cells)]))
        for i, heading in enumerate(headings)
    ]
    for line in [list(headings), *cells]:
        print(
            "  ".join(_fit(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _fit(cell: str, width: int, stream: TextIO = sys.stdout) -> str:
    if len(cell) <= width or not stream.isatty():
        return cell.ljust(width)
    return cell[: width - 1] + "…"
