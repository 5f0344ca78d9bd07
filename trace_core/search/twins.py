"""The same text once in a result: its best place stands for all, and names the others.

In: hits, best first, and the store's groups. Out: hits with ranks from 1, each group once, its
other documents under its best hit. Nothing is lost: a twin that was not found is named too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import FusedHit, FusedRanking
from trace_core.ports import TwinStore


def grouped(hits: Sequence[FusedHit], store: TwinStore, limit: int) -> tuple[FusedHit, ...]:
    """At most `limit` hits, each group of twins once. A hit keeps its score and its channels."""
    groups = store.twins(hit.key for hit in hits)
    kept: list[FusedHit] = []
    shown: set[DocumentKey] = set()
    for hit in hits:
        if hit.key in shown:
            continue
        if len(kept) == limit:
            break
        members = groups[hit.key].keys if hit.key in groups else (hit.key,)
        shown.update(members)
        others = tuple(key for key in members if key != hit.key)
        kept.append(replace(hit, rank=len(kept) + 1, twins=others))
    return tuple(kept)


def grouped_search(
    search: Callable[[int], FusedRanking], store: TwinStore, limit: int
) -> FusedRanking:
    """Search deeper until `limit` hits that are no twins of one another are found."""
    wanted = limit
    while True:
        ranking = search(wanted)
        hits = grouped(ranking.hits, store, limit)
        if len(hits) == limit or len(ranking.hits) < wanted:
            return replace(ranking, hits=hits)
        wanted *= 2
