"""Channel and planner analysis: who finds what alone, and what becomes of the plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import Event, PlanProposed, PlanRefused
from trace_core.domain.state import RunState
from trace_core.evaluation.measures import recall_at

TOP = 20


def jaccard(a: Sequence[DocumentKey], b: Sequence[DocumentKey], top: int = TOP) -> float:
    """|A and B| / |A or B| of the first documents; 1 for two empty lists."""
    first, second = set(a[:top]), set(b[:top])
    union = first | second
    return len(first & second) / len(union) if union else 1.0


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """Over all questions: overlap of each pair, gold that one channel alone finds, fusion's gain.

    `alone` counts gold documents in the first 20 of one channel and of no other. `gain` is the
    fused recall@20 less that of the best single channel.
    """

    overlap: Mapping[tuple[str, str], float]
    alone: Mapping[str, int]
    recall: Mapping[str, float]
    gain: float


def analyse_channels(
    rankings: Sequence[Mapping[str, Sequence[DocumentKey]]],
    gold: Sequence[Sequence[DocumentKey]],
    fused: str = "fused",
) -> ChannelReport:
    """One mapping channel -> ranking a question, and its gold."""
    names = [n for n in dict.fromkeys(n for r in rankings for n in r) if n != fused]
    overlap = {
        (a, b): _mean([jaccard(r.get(a, ()), r.get(b, ())) for r in rankings])
        for a, b in combinations(names, 2)
    }
    alone = dict.fromkeys(names, 0)
    for ranking, wanted in zip(rankings, gold, strict=True):
        for key in set(wanted):
            finders = [n for n in names if key in list(ranking.get(n, ()))[:TOP]]
            if len(finders) == 1:
                alone[finders[0]] += 1
    recall = {
        name: _mean(
            [recall_at(r.get(name, ()), g, TOP) for r, g in zip(rankings, gold, strict=True)]
        )
        for name in (*names, fused)
        if any(name in r for r in rankings)
    }
    best = max((recall[n] for n in names), default=0.0)
    return ChannelReport(overlap, alone, recall, recall.get(fused, 0.0) - best)


@dataclass(frozen=True, slots=True)
class PlannerReport:
    """Over all runs: sub-questions a plan, collapses, how often a collapsed question failed.

    A collapse is a plan refused for it, or a plan of one sub-question where the gold lies in
    several sub-corpora. A question fails when not all its gold is in the first 10.
    `coverage` is the share of gold sub-corpora that some sub-question aims at.
    """

    runs: int
    sub_questions: float
    collapses: int
    asked_again: int
    failure_rate_collapsed: float
    failure_rate_others: float
    coverage: float


def analyse_planner(
    runs: Sequence[tuple[RunState, Sequence[Event], Sequence[DocumentKey], float]],
) -> PlannerReport:
    """(state, events, gold, recall@10) of each run."""
    sizes, covered, again = [], [], 0
    failed: dict[bool, list[bool]] = {True: [], False: []}
    collapses = 0
    for state, events, gold, recall in runs:
        payloads = [e.payload for e in events if e.type in ("plan_refused", "plan_proposed")]
        refused = [p for p in payloads if isinstance(p, PlanRefused) and p.cause == "collapse"]
        plan = [p for p in payloads if isinstance(p, PlanProposed)]
        targets = {q.target for q in state.plan}
        wanted = {key.corpus for key in gold}
        collapsed = bool(refused) or bool(
            plan and len(plan[-1].sub_questions) == 1 and len(wanted) > 1
        )
        collapses += collapsed
        again += bool(refused)
        sizes.append(float(len(state.plan)))
        covered.append(1.0 if "" in targets else len(wanted & targets) / max(1, len(wanted)))
        failed[collapsed].append(recall < 1.0)
    return PlannerReport(
        runs=len(runs),
        sub_questions=_mean(sizes),
        collapses=collapses,
        asked_again=again,
        failure_rate_collapsed=_mean([float(f) for f in failed[True]]),
        failure_rate_others=_mean([float(f) for f in failed[False]]),
        coverage=_mean(covered),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
