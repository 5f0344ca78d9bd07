"""Bridge entities: which names in accepted passages are worth searching for next.

In: the texts of accepted and of rejected passages. Out: the names in them, weighted by how well
they tell the accepted from the rejected. A passage can be worthless as an answer and still name
what makes the next search succeed.

The weight is the observed entity relevance of *Bridge Evidence* (arXiv 2607.15253): the
relevance weight of Robertson and Sparck Jones (1976) with its usual smoothing, damped for names
seen only once or twice. With R accepted among N passages, p = (df_acc + a) / (R + 2a) and
q = (df_rej + a) / (N - R + 2a), the weight is (1 - exp(-df / tau)) * (logit p - logit q), where
a = 0.5 and tau = 5. In that study names with a positive weight entered the next query four times
as often as the others; nothing more is claimed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trace_core.search.names import Name, find_names


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """`alpha` smooths the shares; `tau` is how many passages a name needs to count in full."""

    alpha: float = 0.5
    tau: float = 5.0


@dataclass(frozen=True, slots=True)
class BridgeEntity:
    """A name with its weight, and in how many accepted and rejected passages it stands."""

    name: str
    weight: float
    accepted: int
    rejected: int


def entity_weight(
    accepted: tuple[int, int], rejected: tuple[int, int], settings: BridgeSettings | None = None
) -> float:
    """The weight of a name that stands in `accepted[0]` of `accepted[1]` accepted passages.

    `rejected` counts alike. Zero where the name stands in none.
    """
    given = settings or BridgeSettings()
    in_accepted, all_accepted = accepted
    in_rejected, all_rejected = rejected
    share = (in_accepted + given.alpha) / (all_accepted + 2 * given.alpha)
    other = (in_rejected + given.alpha) / (all_rejected + 2 * given.alpha)
    damping = 1.0 - math.exp(-(in_accepted + in_rejected) / given.tau)
    return damping * (_logit(share) - _logit(other))


def _logit(p: float) -> float:
    return math.log(p / (1.0 - p))


@lru_cache(maxsize=2_048)
def _certain_names(text: str) -> tuple[Name, ...]:
    # Each step of a loop looks at the passages of all steps before it once more.
    return tuple(n for n in find_names(text) if n.certain and n.kind == "name")


def bridge_entities(
    accepted: Sequence[str],
    rejected: Sequence[str],
    settings: BridgeSettings | None = None,
    names: Callable[[str], Iterable[Name]] = _certain_names,
) -> tuple[BridgeEntity, ...]:
    """The names in accepted passages, heaviest first; equal ones in alphabetical order.

    A name counts once a passage, whatever its spelling there (case, accents, titles aside); it
    is given in its most frequent spelling.
    """
    spellings: dict[tuple[str, ...], Counter[str]] = {}
    in_accepted = _document_counts(accepted, names, spellings)
    in_rejected = _document_counts(rejected, names, {})
    found = [
        BridgeEntity(
            name=_usual(spellings[words]),
            weight=entity_weight(
                (count, len(accepted)), (in_rejected[words], len(rejected)), settings
            ),
            accepted=count,
            rejected=in_rejected[words],
        )
        for words, count in in_accepted.items()
    ]
    return tuple(sorted(found, key=lambda entity: (-entity.weight, entity.name)))


def _usual(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda text: (-spellings[text], text))


def _document_counts(
    texts: Sequence[str],
    names: Callable[[str], Iterable[Name]],
    spellings: dict[tuple[str, ...], Counter[str]],
) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        here = list(names(text))
        counts.update({name.words for name in here})
        for name in here:
            spellings.setdefault(name.words, Counter())[name.text] += 1
    return counts
