"""The measures of a ranking and of an accepted set, each a small function with its formula.

Rankings are sequences of document keys, best first; gold is a set of keys. Where `ir-measures`
has the measure the values are equal to its own (the tests compare them).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

CUTOFFS = (3, 5, 10, 20)


def recall_at(ranking: Sequence[K], gold: Collection[K], k: int) -> float:
    """|gold in the first k| / |gold|; 0 without gold."""
    return len(set(ranking[:k]) & set(gold)) / len(set(gold)) if gold else 0.0


def precision_at(ranking: Sequence[K], gold: Collection[K], k: int) -> float:
    """|gold in the first k| / k, whether or not the ranking is that long (as trec_eval does)."""
    return len(set(ranking[:k]) & set(gold)) / k


def reciprocal_rank_first(ranking: Sequence[K], gold: Collection[K]) -> float:
    """1 / rank of the first gold document; 0 when none is ranked."""
    wanted = set(gold)
    return next((1.0 / n for n, key in enumerate(ranking, start=1) if key in wanted), 0.0)


def reciprocal_rank_all(ranking: Sequence[K], gold: Collection[K]) -> float:
    """Mean of 1 / rank over all gold documents, 0 for one that is not ranked."""
    if not gold:
        return 0.0
    place = {key: n for n, key in reversed(list(enumerate(ranking, start=1)))}
    return sum(1.0 / place[key] for key in set(gold) if key in place) / len(set(gold))


def ndcg_at(ranking: Sequence[K], gold: Collection[K], k: int) -> float:
    """Discounted cumulative gain over that of the best order, gains of 1 (Järvelin 2002).

    DCG@k = sum over ranks i <= k of gain_i / log2(i + 1).
    """
    wanted = set(gold)
    gained = sum(
        1.0 / math.log2(i + 1) for i, key in enumerate(ranking[:k], start=1) if key in wanted
    )
    ideal = sum(1.0 / math.log2(i + 1) for i in range(1, min(k, len(wanted)) + 1))
    return gained / ideal if ideal else 0.0


@dataclass(frozen=True, slots=True)
class SetScore:
    """Precision and recall of an accepted set whatever its order, and its size."""

    precision: float
    recall: float
    accepted: int


def accepted_set(accepted: Collection[K], gold: Collection[K]) -> SetScore:
    """Precision = |accepted gold| / |accepted| (0 for nothing accepted), recall likewise."""
    found = len(set(accepted) & set(gold))
    size = len(set(accepted))
    return SetScore(found / size if size else 0.0, found / len(set(gold)) if gold else 0.0, size)


def all_measures(
    ranking: Sequence[K], gold: Collection[K], accepted: Collection[K] | None = None
) -> dict[str, float]:
    """Every measure of one question by name. The accepted set only where a strategy has one."""
    found = {f"recall@{k}": recall_at(ranking, gold, k) for k in CUTOFFS}
    found |= {f"precision@{k}": precision_at(ranking, gold, k) for k in CUTOFFS}
    found["ndcg@10"] = ndcg_at(ranking, gold, 10)
    found["mrr_first_gold"] = reciprocal_rank_first(ranking, gold)
    found["mrr_all_gold"] = reciprocal_rank_all(ranking, gold)
    if accepted is not None:
        score = accepted_set(accepted, gold)
        found["accepted_precision"] = score.precision
        found["accepted_recall"] = score.recall
        found["accepted"] = float(score.accepted)
    return found


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every measure over questions; a measure that a question lacks is left out."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        name: sum(values) / len(values)
        for name in names
        if (values := [row[name] for row in rows if name in row])
    }
