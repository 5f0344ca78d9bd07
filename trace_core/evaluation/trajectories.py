"""Trajectory quality: not only what a run found, but how it went there.

In: finished runs with the gold of their questions. Out: a profile first (success by gold, what
successes cost, searches that brought nothing, reasons whose quoted words really stand in the
passage), and only beside it the composite of *TRACE* for deep research (arXiv 2602.21230):

- U = success * E^0.5 * C^0.5, a failed run counts 0;
- E = (1 + g ln T) / (1 + ln sum_t p_t) with T searches of cost 1 each. In the paper g is a gain
  towards the gold text by embedding; here it needs no gold: the share of searches that led to a
  newly accepted document. p_t = 1 + alpha * overlap of this search's documents with the last's
  (Jaccard, in place of the paper's cosine) where neither brought a gain, else 1;
- C = 0.5 G + 0.5 R: G the share of quoting reasons whose quoted words stand in the passage, R the
  robustness where misleading passages were planted; without these, C = G.

Averages over all runs (failures as zero) and over successes alone are both given, by name.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from statistics import fmean

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import SearchDone
from trace_core.domain.state import DecisionRecord, RunState, current_ranking
from trace_core.evaluation.measures import jaccard, ranked_measures
from trace_core.provenance.quotes import check_quote, check_reason

ALPHA = 1.0
"""The weight of repeating oneself in the efficiency."""


@dataclass(frozen=True, slots=True)
class Support:
    """Accepting reasons: all, those that quote, those whose every quotation is in the passage."""

    reasons: int = 0
    quoting: int = 0
    supported: int = 0

    @property
    def grounding(self) -> float | None:
        """supported / quoting, None where no reason quotes anything."""
        return self.supported / self.quoting if self.quoting else None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One run in numbers. `efficiency` is between 0 and 1; a run without a search has 0.

    `seconds` are the model's, `elapsed` those from the first event of the record to the last.
    """

    run: str
    question: str
    recall: float
    success: bool
    calls: int
    tokens: int
    seconds: float
    elapsed: float
    searches: int
    nothing_new: int
    no_gain: int
    efficiency: float
    support: Support
    ranking: tuple[DocumentKey, ...]


def trajectory(
    state: RunState,
    gold: Collection[DocumentKey],
    texts: Mapping[int, str],
    *,
    question: str = "",
    least: float = 1.0,
) -> Trajectory:
    """A run as a trajectory. It succeeds when recall@10 reaches `least` and the run has finished.

    `texts` are the accepted passages by chunk.
    """
    ranking = tuple(line.key for line in current_ranking(state))
    recall = ranked_measures(ranking, gold)["recall@10"]
    searches = list(state.searches.values())
    gains = gains_of(state)
    totals = state.totals
    return Trajectory(
        run=state.run,
        question=question,
        recall=recall,
        success=state.status == "finished" and recall >= least,
        calls=totals.calls,
        tokens=totals.tokens_in + totals.tokens_out,
        seconds=totals.seconds,
        elapsed=_elapsed(state),
        searches=len(searches),
        nothing_new=sum(not s.fresh for s in searches),
        no_gain=sum(not gains[s.search] for s in searches),
        efficiency=efficiency(searches, gains),
        support=support(state, texts),
        ranking=ranking,
    )


def _elapsed(state: RunState) -> float:
    if not state.created:
        return 0.0
    begin, end = datetime.fromisoformat(state.created), datetime.fromisoformat(state.updated)
    return (end - begin).total_seconds()


def gains_of(state: RunState) -> dict[str, int]:
    """For each search the documents that it was the first to bring to acceptance."""
    gains = dict.fromkeys(state.searches, 0)
    known: set[DocumentKey] = set()
    for record in state.decisions:
        decision = record.decision
        if decision.verdict == "accept" and decision.key not in known:
            known.add(decision.key)
            if decision.search in gains:
                gains[decision.search] += 1
    return gains


def efficiency(searches: Sequence[SearchDone], gains: Mapping[str, int]) -> float:
    """E of the module's head; 1 for a run in which every search brought something."""
    count = len(searches)
    if not count:
        return 0.0
    gainful = [bool(gains.get(s.search)) for s in searches]
    cost = 1.0
    for place in range(1, count):
        idle = not gainful[place] and not gainful[place - 1]
        cost += 1.0 + (ALPHA * _overlap(searches[place - 1], searches[place]) if idle else 0.0)
    share = sum(gainful) / count
    return (1.0 + share * math.log(count)) / (1.0 + math.log(cost))


def _overlap(a: SearchDone, b: SearchDone) -> float:
    if b.repeated:
        return 1.0
    return jaccard(*(chain.from_iterable(search.rankings.values()) for search in (a, b)))


def support(state: RunState, texts: Mapping[int, str]) -> Support:
    """How many standing acceptances quote, and quote what is there."""
    records = [r for of in state.accepted().values() for r in of]
    checks = [_checked(r, texts) for r in records]
    return Support(
        reasons=len(records),
        quoting=sum(c is not None for c in checks),
        supported=sum(c is True for c in checks),
    )


def _checked(record: DecisionRecord, texts: Mapping[int, str]) -> bool | None:
    """Whether every quotation of a decision stands in its passage; None where it quotes nothing."""
    decision = record.decision
    text = texts.get(decision.chunk, "")
    checks = [quote.check.verified for quote in check_reason(decision.reason, text)]
    if decision.quote.strip():
        checks.append(check_quote(decision.quote, text).verified)
    return all(checks) if checks else None


# --- many runs ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Percentiles:
    """The median and the 95th percentile (nearest rank)."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a set of runs, then the composite with its parts.

    `cost` is that of the successful runs alone, empty when there is none. `nothing_new` and
    `no_gain` are shares of all searches. `utility_all` counts failures as zero over all runs,
    `utility_successes` is the mean over successes alone; both None where no grounding is known.
    """

    n: int
    successes: int
    success_rate: float
    recall: float
    cost: Mapping[str, Percentiles]
    nothing_new: float
    no_gain: float
    quoting: float
    supported: float | None
    efficiency: float
    grounding: float | None
    robustness: float | None
    utility_all: float | None
    utility_successes: float | None


def profile(runs: Sequence[Trajectory], robustness: float | None = None) -> Profile:
    """The profile of these runs; `robustness` where misleading passages were planted."""
    successes = [r for r in runs if r.success]
    searches = sum(r.searches for r in runs)
    quality = [_quality(r, robustness) for r in runs]
    utilities = [
        math.sqrt(r.efficiency * q) if r.success and q is not None else 0.0
        for r, q in zip(runs, quality, strict=True)
    ]
    known = bool(runs) and all(
        q is not None for r, q in zip(runs, quality, strict=True) if r.success
    )
    support_of_all = Support(
        sum(r.support.reasons for r in runs),
        sum(r.support.quoting for r in runs),
        sum(r.support.supported for r in runs),
    )
    return Profile(
        n=len(runs),
        successes=len(successes),
        success_rate=_share(len(successes), len(runs)),
        recall=fmean(r.recall for r in runs) if runs else 0.0,
        cost=_costs(successes),
        nothing_new=_share(sum(r.nothing_new for r in runs), searches),
        no_gain=_share(sum(r.no_gain for r in runs), searches),
        quoting=_share(support_of_all.quoting, support_of_all.reasons),
        supported=support_of_all.grounding,
        efficiency=fmean(r.efficiency for r in runs) if runs else 0.0,
        grounding=support_of_all.grounding,
        robustness=robustness,
        utility_all=fmean(utilities) if known else None,
        utility_successes=(
            fmean(u for u, r in zip(utilities, runs, strict=True) if r.success)
            if known and successes
            else None
        ),
    )


def _quality(run: Trajectory, robustness: float | None) -> float | None:
    grounding = run.support.grounding
    if grounding is None:
        return robustness
    return grounding if robustness is None else 0.5 * grounding + 0.5 * robustness


def _costs(runs: Sequence[Trajectory]) -> dict[str, Percentiles]:
    if not runs:
        return {}
    values: dict[str, list[float]] = {
        "calls": [r.calls for r in runs],
        "tokens": [r.tokens for r in runs],
        "model seconds": [r.seconds for r in runs],
        "seconds in all": [r.elapsed for r in runs],
        "searches": [r.searches for r in runs],
    }
    return {n: Percentiles(percentile(v, 0.5), percentile(v, 0.95)) for n, v in values.items()}


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
