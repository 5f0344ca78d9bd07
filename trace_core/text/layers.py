"""Three layers of a text: as read, as shown, as indexed, with the way from each to the other.

*Raw* is kept as it was read. *Shown* is the same text made safe for a page and a file: control
characters out, one kind of line end. *Indexed* is what is searched (see ``folding``). A hit in
the indexed layer is always highlighted in the shown one, and can be traced to the raw one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from trace_core.text.folding import (
    FOLD_TABLE,
    JOINS,
    MARKS,
    keeps_hyphen,
    may_join,
    spaced_blanks,
    without,
)
from trace_core.text.offsets import Edit, Offsets

#: What a page, a database or a Word file cannot hold; line ends of all kinds.
_UNSAFE = re.compile(
    "\r\n?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
_UNSAFE_LATIN = bytes(code for code in range(256) if _UNSAFE.match(chr(code)))
_LINE_ENDS = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
_NONE = Offsets()


@dataclass(frozen=True)
class LayeredText:
    """A text in its three layers; the spans of one can be asked for in the others."""

    raw: str
    shown: str
    indexed: str
    raw_offsets: Offsets
    #: The steps from the shown to the indexed layer, in the order in which they were taken.
    steps: tuple[Offsets, ...]

    def to_shown(self, start: int, end: int) -> tuple[int, int]:
        """The span of the shown layer that a span of the indexed layer stands for."""
        for step in reversed(self.steps):
            start, end = step.to_source(start, end)
        return start, end

    def to_indexed(self, start: int, end: int) -> tuple[int, int]:
        """The span of the indexed layer that a span of the shown layer became."""
        for step in self.steps:
            start, end = step.to_made(start, end)
        return start, end

    def to_raw(self, start: int, end: int) -> tuple[int, int]:
        """The span of the raw layer that a span of the shown layer stands for."""
        return self.raw_offsets.to_source(start, end)

    def from_raw(self, start: int, end: int) -> tuple[int, int]:
        """The span of the shown layer that a span of the raw layer became."""
        return self.raw_offsets.to_made(start, end)


def show(raw: str) -> tuple[str, Offsets]:
    """The shown layer of a text, and where its places lie in the raw one."""
    if _is_safe(raw):
        return raw, _NONE
    edits = []
    for match in _UNSAFE.finditer(raw):
        safe = _safe(match)
        if len(safe) != len(match[0]):
            edits.append(Edit(match.start(), match.end(), len(safe)))
    return _UNSAFE.sub(_safe, raw), Offsets.of(edits)


def _is_safe(raw: str) -> bool:
    try:
        encoded = raw.encode("latin-1")
    except UnicodeEncodeError:
        return _UNSAFE.search(raw) is None
    return len(encoded.translate(None, _UNSAFE_LATIN)) == len(encoded)


def _safe(match: re.Match[str]) -> str:
    char = match[0][0]
    if char in _LINE_ENDS:
        return "\n"
    return "\ufffd" if "\ud800" <= char <= "\udfff" else ""


def layer(raw: str) -> LayeredText:
    """A text as read, in its three layers."""
    shown, raw_offsets = show(raw)
    text, steps = shown, []
    for step in (_normalised, _unmarked, _joined, _closed_up, _folded):
        text, offsets = step(text)
        if offsets.made_starts:
            steps.append(offsets)
    return LayeredText(raw, shown, text, raw_offsets, tuple(steps))


def _normalised(text: str) -> tuple[str, Offsets]:
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text, _NONE
    edits = []
    for match in _composable().finditer(text):
        composed = unicodedata.normalize("NFC", match[0])
        if len(composed) != len(match[0]):
            edits.append(Edit(match.start(), match.end(), len(composed)))
    return unicodedata.normalize("NFC", text), Offsets.of(edits)


@cache
def _composable() -> re.Pattern[str]:
    """A character with those after it that may merge with it, or one that NFC rewrites."""
    joining, rewritten = [], []
    for code in (*range(0x80, 0xD800), *range(0xF900, 0x1E950), *range(0x2F800, 0x2FA20)):
        char = chr(code)
        if unicodedata.combining(char) or _merges(char):
            joining.append(char)
        elif not unicodedata.is_normalized("NFC", char):
            rewritten.append(char)
    follow, alone = _char_class(joining), _char_class(rewritten)
    return re.compile(f".{follow}+|{alone}", re.DOTALL)


def _merges(char: str) -> bool:
    """Whether a starter can merge with the character before it: vowel jamo and a few signs."""
    return 0x1161 <= ord(char) <= 0x1175 or 0x11A8 <= ord(char) <= 0x11C2 or char in _SECOND_HALVES


#: Starters that are the second half of a canonical composition (Unicode, NFC_QC=Maybe).
_SECOND_HALVES = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e"
    "\u1b35\U000110ba\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af"
    "\U00011930"
)


def _char_class(chars: list[str]) -> str:
    return "[" + "".join(map(re.escape, chars)) + "]"


def _unmarked(text: str) -> tuple[str, Offsets]:
    if text.isascii() or MARKS.search(text) is None:
        return text, _NONE
    edits = []
    for match in MARKS.finditer(text):
        start = match.start()
        # A mark belongs to the letter before it: a span that takes the one takes the other.
        edits.append(Edit(start - 1, match.end(), 1) if start else Edit(0, match.end(), 0))
    return MARKS.sub("", text), Offsets.of(edits)


def _joined(text: str) -> tuple[str, Offsets]:
    if not may_join(text):
        return text, _NONE
    gone = [match.span() for match in JOINS.finditer(text) if not keeps_hyphen(match)]
    return _cut(text, gone), Offsets.of(Edit(start, end, 0) for start, end in gone)


def _cut(text: str, gone: list[tuple[int, int]]) -> str:
    kept, place = [], 0
    for start, end in gone:
        kept.append(text[place:start])
        place = end
    kept.append(text[place:])
    return "".join(kept)


def _closed_up(text: str) -> tuple[str, Offsets]:
    blanks = spaced_blanks(text)
    if not blanks:
        return text, _NONE
    return without(text, blanks), Offsets.of(Edit(place, place + 1, 0) for place in blanks)


def _folded(text: str) -> tuple[str, Offsets]:
    if text.isascii():
        return text.lower(), _NONE
    return text.translate(FOLD_TABLE), Offsets.of(_spelt_out(text))


def _spelt_out(text: str) -> Iterator[Edit]:
    long = [char for char in set(text) if len(FOLD_TABLE[ord(char)]) != 1]
    if long:
        for match in re.finditer(_char_class(long), text):
            yield Edit(match.start(), match.end(), len(FOLD_TABLE[ord(match[0])]))
