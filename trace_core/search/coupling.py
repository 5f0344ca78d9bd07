"""Date coupling: a document gains from a good document of another sub-corpus of nearly its day.

In: candidates of several sub-corpora with a score and their span of days. Out: for each that has
such a neighbour, the gain and whom it owes it to. An event leaves its trace in several sources
at once, a debate in the next morning's papers; what two sub-corpora both answer well within a
few days is more likely to be meant than what only one does.

A neighbour lends score * exp(-decay * days), with the decay of the date channel; only the best
neighbour counts, so that a busy week does not outweigh a good document. An undated document
neither gains nor lends. Days are counted between the far ends of the two spans: a document dated
by its year alone is near to nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from trace_core.domain.corpus import DocumentKey


@dataclass(frozen=True, slots=True)
class Dated:
    """A candidate: its score (any scale, but one for all) and its days as ordinals, if dated."""

    key: DocumentKey
    score: float
    earliest: int | None = None
    latest: int | None = None


@dataclass(frozen=True, slots=True)
class Gain:
    """What a neighbour lends: its score after decay, who it is, and how many days away."""

    amount: float
    neighbour: DocumentKey
    days: int


def couple(
    candidates: Sequence[Dated], window: int = 7, decay: float = 0.15
) -> dict[DocumentKey, Gain]:
    """The gain of each candidate that has a neighbour in another sub-corpus within the window.

    Of two neighbours that lend the same, the one that stands first in `candidates` counts.
    """
    dated = sorted(
        (
            (c.earliest, place, c)
            for place, c in enumerate(candidates)
            if c.earliest is not None
            and c.latest is not None
            # Far ends more than the window apart already inside one document: near to nothing.
            and c.latest - c.earliest <= window
        ),
        key=lambda entry: entry[:2],
    )
    days = [earliest for earliest, _, _ in dated]
    gains: dict[DocumentKey, Gain] = {}
    for _, _, candidate in dated:
        low = bisect_left(days, _first(candidate) - window)
        high = bisect_right(days, _first(candidate) + window)
        near = sorted(dated[low:high], key=lambda entry: entry[1])
        gain = _best(candidate, [other for _, _, other in near], window, decay)
        if gain is not None:
            gains[candidate.key] = gain
    return gains


def _best(candidate: Dated, others: Sequence[Dated], window: int, decay: float) -> Gain | None:
    best: Gain | None = None
    for other in others:
        days = _apart(candidate, other)
        if other.key.corpus == candidate.key.corpus or days > window or other.score <= 0:
            continue
        amount = other.score * math.exp(-decay * days)
        if best is None or amount > best.amount:
            best = Gain(amount, other.key, days)
    return best


def _apart(one: Dated, other: Dated) -> int:
    """Days between the far ends of two spans: as far apart as the two can be."""
    return max(_last(one) - _first(other), _last(other) - _first(one))


def _first(dated: Dated) -> int:
    assert dated.earliest is not None
    return dated.earliest


def _last(dated: Dated) -> int:
    assert dated.latest is not None
    return dated.latest
