"""Survey: one question put to several sub-corpora at once, and their candidates weighed together.

In: a question, the sub-corpora to ask, the channels. Out: for each sub-corpus its fused
candidates in the order of their weight, and how strongly the evidence lies there. Every
sub-corpus is searched apart (its scope before the cut), so a small one keeps its share beside a
large one; the weight then says which of them has to do with the question:

    score = routed strength + coupling weight * what a neighbour lends

where the routed strength is the relative strength (`strength`) times the route's weight
(`routing`), stretched to the full range in a sub-corpus that the question names, and the
neighbour is a good document of another sub-corpus of nearly the same day (`coupling`). Days that
the question names make documents near them stronger; a year does so only a little. What moved a
score beside the channels stands in the hit's `boosts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from trace_core.domain.corpus import DocumentHead, DocumentKey, Scope, SubCorpus
from trace_core.domain.dates import HistoricalDate
from trace_core.domain.evidence import Neighbour
from trace_core.domain.hits import FusedHit, Ranking
from trace_core.search.coupling import Dated, Gain, couple
from trace_core.search.fusion import fuse
from trace_core.search.routing import Route, RouteWeights, route
from trace_core.search.strength import relative_strengths
from trace_core.settings import SearchSettings

_OFF_DATE = 0.5
"""What is left of the strength of a document far from every day that the question names."""

Heads = Mapping[DocumentKey, DocumentHead]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked where: `dates` are those read in the question."""

    question: str
    corpora: tuple[SubCorpus, ...]
    scope: Scope
    dates: tuple[HistoricalDate, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """Each sub-corpus's candidates, best first, with the rankings that they come from.

    `evidence` says how strongly each sub-corpus is among the first of all; it is empty when
    nothing was found.
    """

    routes: Mapping[str, Route]
    hits: Mapping[str, tuple[FusedHit, ...]]
    rankings: Mapping[str, tuple[Ranking, ...]]
    evidence: Mapping[str, float]


_MASS_AT = 10


def survey(
    inquiry: Inquiry,
    search: Callable[[Scope], tuple[Ranking, ...]],
    heads: Callable[[Sequence[DocumentKey]], Heads],
    settings: SearchSettings,
) -> Survey:
    """Ask each sub-corpus through `search` (given its scope) and weigh what comes back."""
    rankings = {
        corpus.id: search(replace(inquiry.scope, corpora=(corpus.id,)))
        for corpus in inquiry.corpora
    }
    weights = channel_weights(settings)
    routes = {r.corpus: r for r in _routes(inquiry, settings)}
    strengths = relative_strengths(
        rankings.values(), weights | {"date": date_weight(inquiry.dates, settings)}
    )
    known = heads(list(strengths))
    near = _near_dates(strengths, inquiry, known, settings)
    routed = _routed(near, routes)
    gains = _gains(routed, known, settings)
    hits = _standing(
        {
            corpus: _weighed(
                fuse(group, weights, settings.rrf_k),
                strengths,
                routed,
                gains,
                settings.coupling_weight,
            )
            for corpus, group in rankings.items()
        }
    )
    return Survey(
        MappingProxyType(routes),
        MappingProxyType(hits),
        MappingProxyType(rankings),
        MappingProxyType(_evidence(hits)),
    )


def channel_weights(settings: SearchSettings) -> dict[str, float]:
    """The weight of every channel in a fusion."""
    return {
        "bm25": settings.weight_bm25,
        "dense": settings.weight_dense,
        "date": settings.weight_date,
        "exact": settings.weight_exact,
        "fuzzy": settings.weight_fuzzy,
    }


def _routes(inquiry: Inquiry, settings: SearchSettings) -> tuple[Route, ...]:
    weights = RouteWeights(kind=settings.route_kind, other=settings.route_other)
    if not settings.routing:
        weights = RouteWeights(1.0, 1.0, 1.0)
    return route(inquiry.question, inquiry.corpora, weights)


def date_weight(dates: Sequence[HistoricalDate], settings: SearchSettings) -> float:
    """The date channel's weight: full for a day, next to nothing for a year.

    It falls with the length of the shortest span named, once that is longer than the window.
    """
    if not dates:
        return 0.0
    shortest = min(date.latest - date.earliest + 1 for date in dates)
    return settings.weight_date * min(1.0, (2 * settings.date_window + 1) / shortest)


def _near_dates(
    strengths: Mapping[DocumentKey, float],
    inquiry: Inquiry,
    heads: Heads,
    settings: SearchSettings,
) -> dict[DocumentKey, float]:
    """Strengths, less for documents far from every day named; an undated one loses half of it."""
    if not inquiry.dates:
        return dict(strengths)
    result = {}
    for key, strength in strengths.items():
        date = heads[key].date if key in heads else None
        if date is None:
            closeness = 0.5
        else:
            days = min(named.days_between(date) for named in inquiry.dates)
            closeness = math.exp(-settings.date_decay * days) if days else 1.0
        result[key] = strength * (_OFF_DATE + (1.0 - _OFF_DATE) * closeness)
    return result


def _routed(
    strengths: Mapping[DocumentKey, float], routes: Mapping[str, Route]
) -> dict[DocumentKey, float]:
    best: dict[str, float] = {}
    for key, strength in strengths.items():
        best[key.corpus] = max(strength, best.get(key.corpus, 0.0))
    return {
        key: strength
        * routes[key.corpus].weight
        / (best[key.corpus] if routes[key.corpus].named and best[key.corpus] > 0 else 1.0)
        for key, strength in strengths.items()
    }


def _gains(
    routed: Mapping[DocumentKey, float], heads: Heads, settings: SearchSettings
) -> dict[DocumentKey, Gain]:
    if not settings.coupling:
        return {}
    dated = []
    for key, strength in routed.items():
        date = heads[key].date if key in heads else None
        dated.append(
            Dated(key, strength, date.earliest, date.latest) if date else Dated(key, strength)
        )
    return couple(dated, settings.coupling_window, settings.coupling_decay)


def _weighed(
    hits: Sequence[FusedHit],
    strengths: Mapping[DocumentKey, float],
    routed: Mapping[DocumentKey, float],
    gains: Mapping[DocumentKey, Gain],
    coupling: float,
) -> tuple[FusedHit, ...]:
    weighed = []
    for hit in hits:
        boosts = {}
        neighbour = None
        moved = routed.get(hit.key, 0.0) - strengths.get(hit.key, 0.0)
        if moved:
            boosts["route"] = moved
        if gain := gains.get(hit.key):
            boosts["neighbour"] = coupling * gain.amount
            neighbour = Neighbour(
                corpus=gain.neighbour.corpus, source_id=gain.neighbour.source_id, days=gain.days
            )
        score = strengths.get(hit.key, 0.0) + sum(boosts.values())
        boosted = replace(hit, score=score, boosts=MappingProxyType(boosts), neighbour=neighbour)
        weighed.append(boosted)
    weighed.sort(key=lambda hit: -hit.score)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(weighed, start=1))


def _standing(hits: Mapping[str, Sequence[FusedHit]]) -> dict[str, tuple[FusedHit, ...]]:
    """The hits with their place among those of all sub-corpora."""
    ordered = sorted((hit for group in hits.values() for hit in group), key=lambda hit: -hit.score)
    place = {hit.key: n for n, hit in enumerate(ordered, start=1)}
    return {
        corpus: tuple(replace(hit, standing=place[hit.key]) for hit in group)
        for corpus, group in hits.items()
    }


def _evidence(hits: Mapping[str, Sequence[FusedHit]]) -> dict[str, float]:
    """How far each sub-corpus's documents rise above the first that is not among the first ten."""
    ordered = sorted((hit for group in hits.values() for hit in group), key=lambda hit: -hit.score)
    floor = ordered[_MASS_AT].score if len(ordered) > _MASS_AT else 0.0
    mass: dict[str, float] = {}
    for hit in ordered[:_MASS_AT]:
        mass[hit.key.corpus] = mass.get(hit.key.corpus, 0.0) + hit.score - floor
    return mass
