"""Pages of blocks of lines, as OCR formats give them, put together to one text.

Lines end with a line break, blocks with an empty line, but where a word goes on into the next block
or page only a line break stands: so the indexed layer joins the word, and the shown text keeps both
lines. Where something stands between the halves of a word (a footnote, a running title), it is
moved out of between them, on its own page: no line is lost, and the word can be found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trace_core.ingest.records import SourcePage

SIGNS = "-¬⸗=\u00ad\u2010\u2011"
"""Signs that end a line inside a word."""

SOFT = "\u00ad"
"""Added where a format says that a word goes on and no sign stands: invisible, but it joins."""


@dataclass
class Line:
    """A line. `opens` is the whole word that its end is the first half of, `closes` the whole word
    that its beginning is the second half of; "" where the format tells of none. `sure` is the sum
    of the confidences (0 to 1) of its `rated` words. `ids` are its own id and those of its words.
    """

    text: str
    opens: str = ""
    closes: str = ""
    sure: float = 0.0
    rated: int = 0
    ids: tuple[str, ...] = ()

    def rate(self, value: float) -> None:
        """Count the confidence of one word; one that is no number says nothing."""
        if math.isnan(value):
            return
        self.sure += min(max(value, 0.0), 1.0)
        self.rated += 1


@dataclass
class Block:
    """A block of lines with its id and those of the blocks around it."""

    id: str
    lines: list[Line] = field(default_factory=list)
    around: tuple[str, ...] = ()


@dataclass
class PageLayout:
    """A page: blocks in reading order, what it is called; `index` where it is not its place.

    `sure` is the confidence of the whole page (0 to 1) where the format gives one.
    """

    blocks: list[Block] = field(default_factory=list)
    label: str = ""
    image: str = ""
    language: str = ""
    index: int | None = None
    sure: float | None = None

    @property
    def lines(self) -> list[Line]:
        """All lines with their blocks left aside."""
        return [line for block in self.blocks for line in block.lines]

    @property
    def confidence(self) -> float | None:
        """Mean word confidence, else that of the page, None where the format gives none."""
        words = _mean(self.lines)
        return self.sure if words is None and self.lines else words


@dataclass(frozen=True, slots=True)
class Composed:
    """A text with the places of its pages and its mean word confidence."""

    text: str
    pages: tuple[SourcePage, ...]
    quality: float | None


@dataclass
class _Placed:
    """A line with the numbers of its page and block."""

    line: Line
    page: int
    block: int


def compose(pages: Sequence[PageLayout]) -> Composed:
    """The text of pages; page n of the result has index n."""
    placed = reunite(
        [
            _Placed(line, number, at)
            for number, page in enumerate(pages)
            for at, block in enumerate(page.blocks)
            for line in block.lines
        ]
    )
    parts: list[str] = []
    starts: list[int | None] = [None] * len(pages)
    length = 0
    for at, item in enumerate(placed):
        if at:
            separator = _separator(placed[at - 1], item)
            parts.append(separator)
            length += len(separator)
        if starts[item.page] is None:
            starts[item.page] = length
        parts.append(item.line.text)
        length += len(item.line.text)
    return Composed("".join(parts), _pages(pages, starts, length), _quality(pages))


def reunite(placed: list[_Placed]) -> list[_Placed]:
    """Lines with whatever separates the two halves of a word moved out of between them.

    What stands between on the page of the first half goes before that half's block, what stands on
    the page of the second half goes behind that half's line.
    """
    at = 0
    while at < len(placed):
        word = placed[at].line.opens
        partner = _partner(placed, at, word) if word else None
        if partner is not None and partner > at + 1:
            between = placed[at + 1 : partner]
            # Where lines already read would have to be moved across pages, nothing is moved.
            first, second = placed[at], placed[partner]
            before = [item for item in between if item.page == first.page != second.page]
            behind = [item for item in between if item not in before]
            start = at
            if before:
                while start and _same_block(placed[start - 1], first):
                    start -= 1
            placed[start : partner + 1] = [*before, *placed[start : at + 1], second, *behind]
            at += len(before)
        at += 1
    return placed


_REACH = 60


def _partner(placed: list[_Placed], at: int, word: str) -> int | None:
    for candidate in range(at + 1, min(at + 1 + _REACH, len(placed))):
        if placed[candidate].line.closes == word:
            # A half that has its own first half right before it belongs to that one.
            owned = candidate > at + 1 and placed[candidate - 1].line.opens == word
            return None if owned else candidate
    return None


def _same_block(one: _Placed, other: _Placed) -> bool:
    return (one.page, one.block) == (other.page, other.block)


def _separator(before: _Placed, after: _Placed) -> str:
    if _same_block(before, after):
        return "\n"
    goes_on = bool(before.line.opens) and before.line.opens == after.line.closes
    text = before.line.text.rstrip()
    hyphenated = text[-1:] in SIGNS and text[-2:-1].isalpha() and after.line.text[:1].islower()
    return "\n" if goes_on or hyphenated else "\n\n"


def _pages(
    pages: Sequence[PageLayout], starts: list[int | None], length: int
) -> tuple[SourcePage, ...]:
    # A page without text begins where the next one with text does.
    found: list[SourcePage] = []
    following = length
    for number in range(len(pages) - 1, -1, -1):
        start = starts[number]
        following = following if start is None else start
        page = pages[number]
        index = number if page.index is None else page.index
        found.append(SourcePage(following, index, page.label, page.image, page.confidence))
    if found and found[-1].start:
        last = found[-1]
        found[-1] = SourcePage(0, last.index, last.label, last.image, last.confidence)
    return tuple(reversed(found))


def _quality(pages: Sequence[PageLayout]) -> float | None:
    """Mean word confidence, else that of the pages, each weighing as much as it has words."""
    words = _mean(line for page in pages for line in page.lines)
    if words is not None:
        return words
    rated = [
        (page.sure, sum(len(line.text.split()) for line in page.lines))
        for page in pages
        if page.sure is not None
    ]
    total = sum(weight for _, weight in rated)
    return sum(sure * weight for sure, weight in rated) / total if total else None


def _mean(lines: Iterable[Line]) -> float | None:
    sure, rated = 0.0, 0
    for line in lines:
        sure += line.sure
        rated += line.rated
    return sure / rated if rated else None
