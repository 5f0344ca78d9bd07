"""Misses: each gold document that is not in the first k falls into exactly one cause.

In: the state of a run and its gold. Out: the causes of the method's paper: never retrieved;
retrieved, never reviewed; rejected; held, not promoted; accepted, below k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.state import DecisionRecord, RunState

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

    `decision` is that decision's id in the run, "" where there is none; `run` is "" for a plain
    search. `would` says, for what no search of a run brought, at which rank each channel has
    the document when the question itself is its query.
    """

    question: str
    run: str
    key: DocumentKey
    cause: Cause
    detail: str = ""
    decision: str = ""
    would: Mapping[str, int] = field(default_factory=dict)


def missed(
    gold: Iterable[DocumentKey], ranking: Sequence[DocumentKey], k: int = 10
) -> list[DocumentKey]:
    """The gold documents that are not in the first k of the ranking, each once."""
    first = set(ranking[:k])
    return [key for key in dict.fromkeys(gold) if key not in first]


def misses(
    state: RunState | None,
    question: str,
    gold: Iterable[DocumentKey],
    ranking: Sequence[DocumentKey],
    k: int = 10,
) -> list[Miss]:
    """The gold documents that are not in the first k of the ranking, each with its one cause.

    Without a run (a plain search, or a run that could not begin) a document is below k or never
    retrieved.
    """
    return [_miss(state, question, key, list(ranking)) for key in missed(gold, ranking, k)]


def _miss(
    state: RunState | None, question: str, key: DocumentKey, ranking: list[DocumentKey]
) -> Miss:
    run = state.run if state else ""
    if key in ranking:
        return Miss(question, run, key, "below_k", f"rank {ranking.index(key) + 1}")
    if state is None:
        return Miss(question, run, key, "never_retrieved")
    found = _last_decision(state, key)
    if found is not None:
        cause, record = found
        return Miss(question, run, key, cause, record.decision.reason, record.id)
    if _retrieved(state, key):
        detail = "a search found it; it never came up for judgement"
        return Miss(question, run, key, "not_reviewed", detail)
    return Miss(question, run, key, "never_retrieved")


def _last_decision(state: RunState, key: DocumentKey) -> tuple[Cause, DecisionRecord] | None:
    """The standing verdict that is nearest to acceptance, and the cause that it stands for.

    A document that one sub-question holds and another rejects was held. One that is accepted but
    does not stand in the ranking was accepted after it was made: it is below every k.
    """
    standing = [
        record
        for sub in state.subs.values()
        for record in sub.verdicts.values()
        if record.decision.key == key
    ]
    groups: dict[Cause, list[DecisionRecord]] = {
        "below_k": [r for r in standing if r.decision.verdict == "accept"],
        "held": [r for r in standing if r.decision.verdict == "hold" and r.decision.reviewed],
        "not_reviewed": [
            r for r in standing if r.decision.verdict == "hold" and not r.decision.reviewed
        ],
        "rejected": [r for r in standing if r.decision.verdict == "reject"],
    }
    for cause, records in groups.items():
        if records:
            return cause, max(records, key=lambda r: r.sequence)
    return None


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
