"""Where a place in one text layer lies in the layer that it was made from.

A layer is made from the one below by a few replacements; between them the text is the same, only
shifted. So the mapping is a short list of replacements, not one number a character.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Edit(NamedTuple):
    """A stretch of the source layer, and how many characters stand for it in the made layer."""

    start: int
    end: int
    length: int


@dataclass(frozen=True)
class Offsets:
    """The way from a made layer to its source and back; both ends of a span are mapped outwards.

    A span that touches a replaced stretch maps to the whole stretch, never to a part of it.
    """

    #: Bounds of each replaced stretch, in the source and in the made layer, in order.
    source_starts: list[int] = field(default_factory=list)
    source_ends: list[int] = field(default_factory=list)
    made_starts: list[int] = field(default_factory=list)
    made_ends: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> Offsets:
        """The mapping of replacements given in the order of the source, none inside another."""
        offsets = cls()
        shift = 0
        for start, end, length in edits:
            offsets.source_starts.append(start)
            offsets.source_ends.append(end)
            offsets.made_starts.append(start + shift)
            offsets.made_ends.append(start + shift + length)
            shift += length - (end - start)
        return offsets

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """The span of the source from which a span of the made layer came."""
        return _span(self.made_starts, self.made_ends, self.source_starts, self.source_ends)(
            start, end
        )

    def to_made(self, start: int, end: int) -> tuple[int, int]:
        """The span of the made layer that a span of the source became; it may be empty."""
        return _span(self.source_starts, self.source_ends, self.made_starts, self.made_ends)(
            start, end
        )


@dataclass(frozen=True, slots=True)
class _span:
    starts: list[int]
    ends: list[int]
    other_starts: list[int]
    other_ends: list[int]

    def __call__(self, start: int, end: int) -> tuple[int, int]:
        if end <= start:
            place = self._begin(start)
            return place, place
        return self._begin(start), self._finish(end)

    def _begin(self, place: int) -> int:
        """The first place: at an empty stretch, after what was left out there."""
        at = bisect_right(self.starts, place) - 1
        if at < 0:
            return place
        if place < self.ends[at]:
            return self.other_starts[at]
        return self.other_ends[at] + place - self.ends[at]

    def _finish(self, place: int) -> int:
        """The place after the last character: before what was left out right after it."""
        at = bisect_left(self.starts, place) - 1
        if at < 0:
            return place
        if place <= self.ends[at]:
            return self.other_ends[at]
        return self.other_ends[at] + place - self.ends[at]
