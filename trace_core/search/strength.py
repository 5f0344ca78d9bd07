"""Relative strength: how good a hit is beside all hits of its channel, whatever the sub-corpus.

In: the rankings of several channels, each asked in several sub-corpora apart. Out: one number
from 0 to 1 a document. Ranks cannot say this: the first of a sub-corpus that knows nothing of
the matter has rank 1 like any other. So each channel's scores are stretched over all its hits
from 0 (the last) to 1 (the best) and averaged over the channels by their weights: CombSUM of
min-max scores (Fox and Shaw 1994; Lee 1997), a document that a channel did not find counting 0
there. Scores of one channel must compare across sub-corpora.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import Ranking


def _stretched(scores: Mapping[DocumentKey, float]) -> dict[DocumentKey, float]:
    """From 0 at the lowest score to 1 at the highest; all 1 where they are equal."""
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def relative_strengths(
    rankings: Iterable[Sequence[Ranking]], weights: Mapping[str, float] = MappingProxyType({})
) -> dict[DocumentKey, float]:
    """Strength of every document found, in the order in which they were met.

    `rankings` holds one group of rankings a sub-corpus. A channel that `weights` does not name
    counts 1; one that found nothing anywhere takes no part in the average.
    """
    by_channel: dict[str, dict[DocumentKey, float]] = {}
    for group in rankings:
        for ranking in group:
            scores = by_channel.setdefault(ranking.channel, {})
            for hit in ranking.hits:
                scores[hit.key] = max(hit.score, scores.get(hit.key, hit.score))
    used = {
        channel: weights.get(channel, 1.0)
        for channel, scores in by_channel.items()
        if scores and weights.get(channel, 1.0) > 0
    }
    strengths: dict[DocumentKey, float] = {}
    for channel, weight in used.items():
        for key, value in _stretched(by_channel[channel]).items():
            strengths[key] = strengths.get(key, 0.0) + weight * value
    total = sum(used.values())
    return {key: strength / total for key, strength in strengths.items()}
