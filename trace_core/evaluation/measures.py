"""The measures of a ranking and of an accepted set.

Rankings are sequences of document keys, best first; gold is a set of keys. Recall, precision, nDCG
and the reciprocal rank of the first gold document come from `ir-measures` (over trec_eval), so
that they are the field's own; what it lacks stands here as a small function with its formula: the
reciprocal rank over *all* gold documents, and the accepted set, which has no order.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

CUTOFFS = (3, 5, 10, 20)

_QUERY = "q"


def ranked_measures(ranking: Sequence[K], gold: Collection[K]) -> dict[str, float]:
    """The measures that `ir-measures` has, each 0 without gold or without a ranking.

    - recall@k = |gold in the first k| / |gold|;
    - precision@k = |gold in the first k| / k, whether or not the ranking is that long;
    - ndcg@10 = DCG / DCG of the best order, DCG = sum over ranks i <= 10 of gain_i / log2(i + 1),
      gains of 1 (Järvelin and Kekäläinen 2002);
    - mrr_first_gold = 1 / rank of the first gold document.
    """
    import ir_measures

    names = {ir_measures.R @ k: f"recall@{k}" for k in CUTOFFS}
    names |= {ir_measures.P @ k: f"precision@{k}" for k in CUTOFFS}
    names |= {ir_measures.nDCG @ 10: "ndcg@10", ir_measures.RR: "mrr_first_gold"}
    found = dict.fromkeys(names.values(), 0.0)
    order = list(dict.fromkeys(ranking))
    if not gold or not order:
        return found
    # trec_eval orders by score and breaks ties by name: scores that fall keep the order given,
    # and names by number keep identities apart whatever characters the keys hold.
    number = {key: str(n) for n, key in enumerate(dict.fromkeys([*order, *gold]))}
    qrels = [ir_measures.Qrel(_QUERY, number[key], 1) for key in set(gold)]
    run = [
        ir_measures.ScoredDoc(_QUERY, number[key], float(len(order) - place))
        for place, key in enumerate(order)
    ]
    for metric in ir_measures.iter_calc(list(names), qrels, run):
        found[names[metric.measure]] = float(metric.value)
    return found


def jaccard(a: Iterable[K], b: Iterable[K]) -> float:
    """|A and B| / |A or B|; 1 for two empty sets."""
    first, second = set(a), set(b)
    return len(first & second) / len(first | second) if first or second else 1.0


def reciprocal_rank_all(ranking: Sequence[K], gold: Collection[K]) -> float:
    """Mean of 1 / rank over all gold documents, 0 for one that is not ranked."""
    if not gold:
        return 0.0
    place = {key: n for n, key in reversed(list(enumerate(ranking, start=1)))}
    return sum(1.0 / place[key] for key in set(gold) if key in place) / len(set(gold))


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
    found = ranked_measures(ranking, gold)
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
