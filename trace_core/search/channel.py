"""What every channel is, and the one way in which chunks become a ranking of documents.

In: an index's chunks, best first. Out: documents ranked by their best chunk (max over chunks).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.hits import ChannelName, ChunkScore, Hit, Ranking

_FIRST_FETCH = 3
_KEPT_CHUNKS = 3
_GROWTH = 4


class Channel(Protocol):
    """One way of searching. `search` never raises for a broken index: the ranking says so."""

    name: ChannelName

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        """The first `limit` documents for the query inside the scope."""


def rank_documents(chunks: Sequence[ChunkScore], limit: int) -> tuple[Hit, ...]:
    """Documents by the score of their best chunk, ranks from 1, at most `limit`.

    `chunks` come best first; a document's first chunk is therefore its best. The further chunks
    (three in all) are kept for the second passage that a reader wants to see.
    """
    found: dict[DocumentKey, tuple[float, list[int]]] = {}
    for chunk in chunks:
        entry = found.get(chunk.key)
        if entry is None:
            if len(found) < limit:
                found[chunk.key] = (chunk.score, [chunk.chunk_id])
        elif len(entry[1]) < _KEPT_CHUNKS:
            entry[1].append(chunk.chunk_id)
    return tuple(
        Hit(key, rank, score, tuple(ids))
        for rank, (key, (score, ids)) in enumerate(found.items(), start=1)
    )


Fetched = list[ChunkScore] | tuple[list[ChunkScore], int]
"""Chunks, best first; beside them how many the index proposed, where some were sorted out."""


def fetch_documents(fetch: Callable[[int], Fetched], limit: int) -> tuple[Hit, ...]:
    """Ask an index for chunks until `limit` documents are found or it has no more.

    `fetch(n)` returns what is left of the first n chunks. A long document may fill the first
    answer with its own chunks, so the number asked for grows until enough documents have come.
    """
    wanted = limit * _FIRST_FETCH
    while True:
        found = fetch(wanted)
        chunks, proposed = found if isinstance(found, tuple) else (found, len(found))
        hits = rank_documents(chunks, limit)
        if len(hits) >= limit or proposed < wanted:
            return hits
        wanted *= _GROWTH
