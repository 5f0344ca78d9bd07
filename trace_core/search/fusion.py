"""Reciprocal rank fusion: several channels' rankings in, one ranking of documents out.

Comes in: one `Ranking` a channel, each over documents, and a weight a channel. Goes out: fused
hits, best first, each with its rank in every channel that found it, its passages and the written
forms that matched. What is recorded: the rankings themselves (by the caller), so that the fused
order can be derived again from them.

The formula is Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and
individual Rank Learning Methods* (SIGIR 2009): score(d) = sum over channels of w / (k + rank),
rank from 1, k = 60; their formula has all weights at 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import FusedHit, Ranking

K = TypeVar("K", bound=Hashable)

RRF_K = 60.0
"""The constant of the paper."""


def _rrf(ranked: Iterable[tuple[K, int, float]], k: float) -> dict[K, float]:
    """Sum weight / (k + rank) over (item, rank, weight)."""
    scores: dict[K, float] = {}
    for item, rank, weight in ranked:
        scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return scores


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[K]],
    weights: Sequence[float] | None = None,
    k: float = RRF_K,
) -> list[tuple[K, float]]:
    """Fuse plain rankings (items best first) to (item, score), best first.

    Without weights every ranking counts 1. Items with equal scores stand in the order in which
    they were first met, so that the result is the same on every machine.
    """
    given = [1.0] * len(rankings) if weights is None else list(weights)
    if len(given) != len(rankings):
        raise ValueError(f"{len(rankings)} rankings need as many weights, not {len(given)}")
    scores = _rrf(
        (
            (item, rank, weight)
            for ranking, weight in zip(rankings, given, strict=True)
            if weight > 0
            for rank, item in enumerate(ranking, start=1)
        ),
        k,
    )
    return sorted(scores.items(), key=lambda pair: -pair[1])


def fuse(
    rankings: Sequence[Ranking],
    weights: Mapping[str, float] = MappingProxyType({}),
    k: float = RRF_K,
    limit: int | None = None,
) -> tuple[FusedHit, ...]:
    """Fuse channels' rankings into hits, best first, at most `limit`.

    A channel that `weights` does not name counts 1; a channel of weight 0 neither moves nor
    adds a document. A hit's chunks are those of its channels, the chunk that most and best
    channels put first standing first.
    """
    used = [r for r in rankings if weights.get(r.channel, 1.0) > 0]
    scores = _rrf(
        ((hit.key, hit.rank, weights.get(r.channel, 1.0)) for r in used for hit in r.hits), k
    )
    order = sorted(scores, key=lambda key: -scores[key])[:limit]
    found = _found_by(used, set(order))
    return tuple(
        FusedHit(
            key=key,
            rank=rank,
            score=scores[key],
            chunk_ids=_passages(found[key], weights, k),
            channels=MappingProxyType({r.channel: r.hits[i].rank for r, i in found[key]}),
            forms=_forms(found[key]),
        )
        for rank, key in enumerate(order, start=1)
    )


_Places = list[tuple[Ranking, int]]


def _found_by(rankings: Iterable[Ranking], keys: set[DocumentKey]) -> dict[DocumentKey, _Places]:
    """For each document the rankings that hold it, with its index in their hits."""
    found: dict[DocumentKey, _Places] = {key: [] for key in keys}
    for ranking in rankings:
        for index, hit in enumerate(ranking.hits):
            if hit.key in found:
                found[hit.key].append((ranking, index))
    return found


def _passages(places: _Places, weights: Mapping[str, float], k: float) -> tuple[int, ...]:
    """The document's chunks by fusion of its channels' own orders of them."""
    scores = _rrf(
        (
            (chunk, ranking.hits[index].rank + place, weights.get(ranking.channel, 1.0))
            for ranking, index in places
            for place, chunk in enumerate(ranking.hits[index].chunk_ids)
        ),
        k,
    )
    return tuple(sorted(scores, key=lambda chunk: -scores[chunk]))


def _forms(places: _Places) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for r, index in places for form in r.hits[index].forms))
