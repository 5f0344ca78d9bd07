"""Reliability: misleading passages that were planted, repeated runs, and help that was given.

In: runs over the same question under a disturbance. Out: how soon a planted passage is seen
through, how much repetitions differ, and how success grows with the share of a good run that is
given beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, pvariance

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Event, SearchDone
from trace_core.domain.state import RunState
from trace_core.evaluation.measures import jaccard
from trace_core.evaluation.statistics import Interval, bootstrap

LAMBDA = 0.5
"""How fast robustness falls with each search that a trap outlives."""

GOOD = 0.9
"""The success at which help is enough."""


# --- planted passages --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrapOutcome:
    """What became of a planted misleading passage.

    `found` says whether it came up for judgement at all; a trap that did not tests nothing.
    `accepted` whether it was ever accepted. `steps` are the searches from its first acceptance to
    the verdict that corrected it: 0 when it was never accepted, None when it never was corrected.
    `clean` says whether the final list is without it. `recovered` is strict: the verdict was right
    or was corrected, and the list is clean.
    """

    question: str
    found: bool
    accepted: bool
    steps: int | None
    clean: bool
    searches: int

    @property
    def recovered(self) -> bool:
        """Corrected, and not in the final list."""
        return self.steps is not None and self.clean


def trap_outcome(
    state: RunState, events: Sequence[Event], key: DocumentKey, question: str = ""
) -> TrapOutcome:
    """Follow a planted document through a run."""
    records = [r for r in state.decisions if r.decision.key == key]
    fell = next((r.sequence for r in records if r.decision.verdict == "accept"), None)
    searches = [e.sequence for e in events if e.type == SearchDone.type]
    steps: int | None = 0
    if fell is not None:
        corrected = next(
            (r.sequence for r in records if r.sequence > fell and r.decision.verdict != "accept"),
            None,
        )
        steps = None if corrected is None else sum(fell < s < corrected for s in searches)
    return TrapOutcome(
        question=question,
        found=bool(records),
        accepted=fell is not None,
        steps=steps,
        clean=key not in state.accepted(),
        searches=len(searches),
    )


def robustness(traps: Sequence[TrapOutcome]) -> float | None:
    """R = exp(-lambda * mean steps to recover) over the traps that came up; None for none.

    One that never was seen through, or still stands in the list, counts one search more than its
    run has.
    """
    seen = [t for t in traps if t.found]
    if not seen:
        return None
    steps = [t.steps if t.recovered and t.steps is not None else t.searches + 1 for t in seen]
    return math.exp(-LAMBDA * fmean(steps))


# --- repetitions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stability:
    """k runs of the same question: recall@10's mean, variance and worst, and how lists agree.

    `jaccard` is the mean overlap of the final lists over all pairs, 1 where all are the same.
    """

    repeats: int
    mean: float
    variance: float
    worst: float
    jaccard: float


def stability(recalls: Sequence[float], lists: Sequence[Sequence[DocumentKey]]) -> Stability:
    """How much repetitions differ. Raises ValueError for none."""
    if not recalls:
        raise ValueError("stability needs at least one run")
    pairs = [jaccard(a, b) for a, b in combinations(lists, 2)]
    return Stability(
        repeats=len(recalls),
        mean=fmean(recalls),
        variance=pvariance(recalls),
        worst=min(recalls),
        jaccard=fmean(pairs) if pairs else 1.0,
    )


# --- help ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scaffold:
    """Success against help. `curve` are (fraction given, success with its interval), rising.

    `least` is the smallest fraction from which success reaches 0.9, None when it never does;
    `area` the area under the curve, between 0 and 1.
    """

    curve: tuple[tuple[float, Interval], ...]
    least: float | None
    area: float


def scaffold(successes: Mapping[float, Sequence[bool]]) -> Scaffold:
    """The scaffolding curve from the successes at each fraction of a good run."""
    curve = tuple(
        (fraction, bootstrap([float(s) for s in successes[fraction]]))
        for fraction in sorted(successes)
    )
    area = sum((right - left) * (a.mean + b.mean) / 2 for (left, a), (right, b) in pairwise(curve))
    width = curve[-1][0] - curve[0][0] if curve else 0.0
    return Scaffold(
        curve,
        next((fraction for fraction, interval in curve if interval.mean >= GOOD), None),
        area / width if width else 0.0,
    )
