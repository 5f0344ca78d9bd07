"""Counterfactual trajectories: what a run would have found without one document at one step.

In: a finished run, the reviewed documents to take away, and a way to replay. Out: for each
document the difference that its absence made, beside what it is worth alone. The definitions are
those of *Bridge Evidence* (arXiv 2607.15253), fitted to a program that finds sources and writes
no answer:

- the intervention deletes a document from the list of the search that first brought it, keeps
  everything before, and replays everything after;
- quality = |gold among the accepted| / |gold|; without gold, the share of the documents that the
  undisturbed run accepted;
- next-query quality = nDCG@10 of the first search after that step, against the same documents;
- effort = the number of searches of the run;
- CTU = n(quality before - after) + n(next query before - after) + n(effort after - before), where
  n is min-max over the sample. The undisturbed run is part of every sample, as three differences
  of zero; what these come to is the "no effect" value against which a document is classified. A
  difference that is the same in the whole sample tells nothing and counts 0;
- SRU = what the document is worth alone: its share of the gold (or of the accepted), else 0.

One model, and one that may answer otherwise when asked again: the replay without any deletion,
asked anew, stands beside the numbers and shows that noise.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.events import Draft, Event, SearchDone
from trace_core.domain.state import RunState
from trace_core.evaluation.measures import ranked_measures
from trace_core.evaluation.replay import kept_drafts, whole_stages

Quadrant = Literal["useful", "redundant", "bridge", "useless"]

QUADRANTS: tuple[Quadrant, ...] = ("useful", "redundant", "bridge", "useless")

PAPER_QUADRANTS: dict[Quadrant, float] = {
    "useful": 0.011,
    "redundant": 0.022,
    "bridge": 0.357,
    "useless": 0.610,
}
"""The shares that the paper reports (23,322 observations; its "no effect" value was 1.4)."""

LIMITS = (
    "One model and one archive; a model may answer otherwise at any repetition, which the "
    "undisturbed replay shows; the share of bridges grows with the number of searches by "
    "construction; decisions that people made after the run are not replayed."
)


@dataclass(frozen=True, slots=True)
class Intervention:
    """A document taken from the list of one search."""

    key: DocumentKey
    search: str
    sub_question: str


def interventions(state: RunState) -> list[Intervention]:
    """Every reviewed document, at the search that first brought it, in order."""
    judged = {record.decision.key for record in state.decisions if record.decision.reviewed}
    found: dict[DocumentKey, Intervention] = {}
    for search in state.searches.values():
        for candidate in search.candidates:
            if candidate.key in judged and candidate.key not in found:
                found[candidate.key] = Intervention(
                    candidate.key, search.search, search.sub_question
                )
    return list(found.values())


def until(events: Sequence[Event], search: str) -> list[Draft]:
    """The events up to the end of the stage of this search. Raises BadInput."""
    return kept_drafts(events[: _end_of(events, search)])


def without(events: Sequence[Event], what: Intervention) -> list[Draft]:
    """The same, with the document gone from that search's list and from what came of it there."""
    kept: list[Draft] = []
    gone: set[int] = set()
    for draft in until(events, what.search):
        payload = draft.payload
        if isinstance(payload, SearchDone) and payload.search == what.search:
            gone = {c.chunk for c in payload.candidates if c.key == what.key}
            draft = Draft(draft.actor, _deleted(payload, what.key))
        elif gone and _about(payload) in gone:
            continue
        kept.append(draft)
    return kept


def _end_of(events: Sequence[Event], search: str) -> int:
    for place, event in enumerate(events):
        if event.type == SearchDone.type and event.data["search"] == search:
            return next(end for end in whole_stages(events) if end > place)
    raise BadInput(f"The run has no search {search!r}.")


def _about(payload: object) -> int | None:
    """The chunk that a decision or a moved hold is about."""
    chunk = getattr(getattr(payload, "decision", payload), "chunk", None)
    return chunk if isinstance(chunk, int) else None


def _deleted(done: SearchDone, key: DocumentKey) -> SearchDone:
    left = tuple(c for c in done.candidates if c.key != key)
    name = str(key)
    return done.model_copy(
        update={
            "candidates": left,
            "returned": max(0, done.returned - 1),
            "rankings": {
                channel: tuple(i for i in ids if i != name)
                for channel, ids in done.rankings.items()
            },
            "effective": done.effective and any(not c.widened for c in left),
        }
    )


# --- one trajectory ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """What counts of a trajectory after a step: quality, next query, effort, and what it found."""

    quality: float
    next_query: float
    searches: int
    accepted: frozenset[DocumentKey]
    query: str = ""


def outcome(state: RunState, search: str, target: Collection[DocumentKey]) -> Outcome:
    """The outcome of a trajectory for the step that this search was."""
    accepted = frozenset(state.accepted())
    found = len(accepted & set(target)) / len(target) if target else 0.0
    ids = list(state.searches)
    after = ids[ids.index(search) + 1 :] if search in ids else []
    following = state.searches[after[0]] if after else None
    return Outcome(
        quality=found,
        next_query=_query_quality(following, target) if following else 0.0,
        searches=len(ids),
        accepted=accepted,
        query=following.action.query if following else "",
    )


def _query_quality(search: SearchDone, target: Collection[DocumentKey]) -> float:
    """nDCG@10 of what a search returned.

    A search of one channel is its own ranking; a fused one is the order of its candidates.
    """
    if len(search.rankings) == 1:
        ranking = [DocumentKey(*i.split("/", 1)) for i in next(iter(search.rankings.values()))]
    else:
        ranking = [c.key for c in sorted(search.candidates, key=lambda c: c.position)]
    return ranked_measures(ranking, target)["ndcg@10"]


# --- the sample --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Observation:
    """One document taken away: the three differences, its worth alone, and what was lost.

    `quality` and `next_query` are before minus after, `effort` after minus before: above zero the
    run was worse off without the document. `lost` are target documents that were accepted before
    and not after, `gained` the other way round. `problem` is a sentence when the replay did not
    come to its end.
    """

    what: Intervention
    quality: float
    next_query: float
    effort: int
    alone: float
    lost: tuple[DocumentKey, ...] = ()
    gained: tuple[DocumentKey, ...] = ()
    replies_recorded: int = 0
    replies_anew: int = 0
    problem: str = ""

    def with_effort(self, recorded: int, anew: int, problem: str) -> Observation:
        """The same with what the replay itself took, and why it did not come to its end."""
        return replace(self, replies_recorded=recorded, replies_anew=anew, problem=problem)


def observe(
    what: Intervention, before: Outcome, after: Outcome, target: Collection[DocumentKey]
) -> Observation:
    """Two outcomes as one observation."""
    wanted = frozenset(target)
    return Observation(
        what=what,
        quality=before.quality - after.quality,
        next_query=before.next_query - after.next_query,
        effort=after.searches - before.searches,
        alone=1.0 / len(wanted) if what.key in wanted else 0.0,
        lost=tuple(sorted((before.accepted - after.accepted) & wanted)),
        gained=tuple(sorted((after.accepted - before.accepted) & wanted)),
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """An observation in its sample: the utility of the trajectory, and the quadrant."""

    observation: Observation
    utility: float
    quadrant: Quadrant


@dataclass(frozen=True, slots=True)
class Sample:
    """All observations of a sample with what they come to.

    `no_effect` is the utility of three differences of zero. `spearman` is the rank correlation of
    worth alone and utility, None where it is not defined (fewer than two, or one of them constant).
    """

    judged: tuple[Judged, ...]
    no_effect: float
    shares: dict[Quadrant, float]
    spearman: float | None


def judge(observations: Sequence[Observation]) -> Sample:
    """Normalise over the sample, sum, classify and correlate."""
    rows = [(o.quality, o.next_query, float(o.effort)) for o in observations]
    scales = [(min(c), max(c)) for c in zip((0.0, 0.0, 0.0), *rows, strict=True)]
    null = _utility((0.0, 0.0, 0.0), scales)
    judged = []
    for observation, row in zip(observations, rows, strict=True):
        utility = _utility(row, scales)
        better = utility > null + 1e-12
        judged.append(
            Judged(
                observation, utility, _quadrant(worth_alone=observation.alone > 0, better=better)
            )
        )
    count = len(judged)
    return Sample(
        tuple(judged),
        null,
        {q: sum(j.quadrant == q for j in judged) / count if count else 0.0 for q in QUADRANTS},
        _spearman([j.observation.alone for j in judged], [j.utility for j in judged]),
    )


def _utility(row: Sequence[float], scales: Sequence[tuple[float, float]]) -> float:
    return sum(
        (value - low) / (high - low) if high > low else 0.0
        for value, (low, high) in zip(row, scales, strict=True)
    )


def _quadrant(*, worth_alone: bool, better: bool) -> Quadrant:
    if worth_alone:
        return "useful" if better else "redundant"
    return "bridge" if better else "useless"


def _spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    from scipy.stats import spearmanr

    value = float(spearmanr(a, b).statistic)
    return None if math.isnan(value) else value
