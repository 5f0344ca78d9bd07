"""Channel analysis: what each channel finds, what it finds alone, and what the fusion gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.measures import jaccard, ranked_measures

TOP = 20


@dataclass(frozen=True, slots=True)
class ChannelReport:
    """Over all questions: overlap of each pair, gold that one channel alone finds, fusion's gain.

    `overlap` is the mean Jaccard index of the first 20 documents of two channels. `alone` counts
    gold documents in the first 20 of one channel and of no other. `gain` is the fused recall@20
    less that of the best single channel.
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
        (a, b): _mean([jaccard(r.get(a, ())[:TOP], r.get(b, ())[:TOP]) for r in rankings])
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
            [
                ranked_measures(r.get(name, ()), g)[f"recall@{TOP}"]
                for r, g in zip(rankings, gold, strict=True)
            ]
        )
        for name in (*names, fused)
        if any(name in r for r in rankings)
    }
    best = max((recall[n] for n in names), default=0.0)
    return ChannelReport(overlap, alone, recall, recall.get(fused, 0.0) - best)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
