"""Misses: each gold document that is not in the first k falls into exactly one cause.

In: the events of a run and its gold. Out: the causes of the method's paper: never retrieved;
retrieved, never reviewed; rejected; held, not promoted; accepted, below k. For one that was never
retrieved, a search for the question tells at which rank each channel would have had it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.state import RunState

Cause = Literal["never_retrieved", "not_reviewed", "rejected", "held", "below_k"]

CAUSES: tuple[Cause, ...] = ("never_retrieved", "not_reviewed", "rejected", "held", "below_k")

PAPER_SHARES: dict[Cause, float] = {
    "never_retrieved": 0.365,
    "not_reviewed": 0.0,
    "rejected": 0.368,
    "held": 0.093,
    "below_k": 0.174,
}
"""The shares that the method's paper reports, for comparison."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A missed gold document. `detail` is the reason of its last decision, or where it stood.

    `decision` is that decision's id in the run, "" where there is none.
    """

    question: str
    run: str
    key: DocumentKey
    cause: Cause
    detail: str = ""
    decision: str = ""


def misses(
    state: RunState,
    question: str,
    gold: Iterable[DocumentKey],
    ranking: Sequence[DocumentKey],
    k: int = 10,
) -> list[Miss]:
    """The gold documents that are not in the first k of the ranking, each with its cause."""
    first = set(ranking[:k])
    return [_miss(state, question, key, ranking) for key in dict.fromkeys(gold) if key not in first]


def _miss(state: RunState, question: str, key: DocumentKey, ranking: Sequence[DocumentKey]) -> Miss:
    def miss(cause: Cause, detail: str = "", decision: str = "") -> Miss:
        return Miss(question, state.run, key, cause, detail, decision)

    if key in ranking:
        return miss("below_k", f"rank {list(ranking).index(key) + 1}")
    standing = [
        record
        for sub in state.subs.values()
        for record in sub.verdicts.values()
        if record.decision.key == key
    ]
    # The verdict nearest to acceptance decides: a document that one sub-question holds and
    # another rejects was held.
    held = [r for r in standing if r.decision.verdict == "hold"]
    unreviewed = [r for r in held if not r.decision.reviewed]
    rejected = [r for r in standing if r.decision.verdict == "reject"]
    for cause, records in (
        ("held", [r for r in held if r.decision.reviewed]),
        ("not_reviewed", unreviewed),
        ("rejected", rejected),
    ):
        if records:
            last = max(records, key=lambda r: r.sequence)
            return miss(cause, last.decision.reason, last.id)  # type: ignore[arg-type]
    if _retrieved(state, key):
        return miss("not_reviewed", "a search found it; it never came up for judgement")
    return miss("never_retrieved")


def _retrieved(state: RunState, key: DocumentKey) -> bool:
    name = str(key)
    return any(
        any(candidate.key == key for candidate in search.candidates)
        or any(name in ids for ids in search.rankings.values())
        for search in state.searches.values()
    )


def shares(found: Sequence[Miss]) -> dict[Cause, float]:
    """The share of each cause among the misses; all 0 where nothing was missed."""
    counts = Counter(miss.cause for miss in found)
    return {cause: counts[cause] / len(found) if found else 0.0 for cause in CAUSES}
