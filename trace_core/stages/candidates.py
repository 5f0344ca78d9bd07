"""From a fused ranking to the candidates of a review, with every channel's rank kept."""

from __future__ import annotations

from collections.abc import Iterable

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import ChannelFailed, Draft
from trace_core.domain.evidence import Candidate, Found
from trace_core.domain.hits import FusedHit, FusedRanking
from trace_core.stages.context import Context, by_engine

_KEPT_IDS = 20


def candidates(
    search_id: str, hits: Iterable[FusedHit], ranking: FusedRanking, context: Context
) -> tuple[Candidate, ...]:
    """One candidate a hit: its best chunk, and how each channel found the document."""
    chosen = list(hits)
    chunks = context.documents.chunks(hit.chunk_id for hit in chosen)
    scores: dict[tuple[str, DocumentKey], float] = {
        (r.channel, hit.key): hit.score for r in ranking.rankings for hit in r.hits
    }
    made = []
    for hit in chosen:
        chunk = chunks.get(hit.chunk_id)
        if chunk is None:
            continue
        found = tuple(
            Found(
                search=search_id,
                channel=channel,
                query=ranking.query,
                rank=rank,
                score=scores.get((channel, hit.key), 0.0),
                corpora=ranking.scope.corpora,
            )
            for channel, rank in hit.channels.items()
        )
        made.append(
            Candidate(
                chunk=hit.chunk_id,
                corpus=hit.key.corpus,
                source_id=hit.key.source_id,
                version=chunk.version,
                position=hit.rank,
                score=hit.score,
                found=found,
                forms=hit.forms,
                boosts=dict(hit.boosts),
                neighbour=hit.neighbour,
                standing=hit.standing,
            )
        )
    return tuple(made)


def failures(search_id: str, ranking: FusedRanking) -> list[Draft]:
    """An event for each channel that broke."""
    return [
        by_engine(ChannelFailed(search=search_id, channel=channel, reason=reason))
        for channel, reason in ranking.failures
    ]


def first_ids(ranking: FusedRanking) -> dict[str, tuple[str, ...]]:
    """The first documents of each channel, for the record."""
    return {
        r.channel: tuple(str(hit.key) for hit in r.hits[:_KEPT_IDS])
        for r in ranking.rankings
        if r.hits
    }
