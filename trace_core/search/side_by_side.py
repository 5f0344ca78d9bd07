"""Channels asked side by side: the indexes work outside the interpreter's lock, so they overlap.

In: searches of independent channels. Out: their rankings in the same order. A small shared pool
of threads serves all archives; the caller's own thread takes the last search, so that one search
alone costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

from trace_core.domain.hits import Ranking

_THREADS = 4

Search = Callable[[], Ranking]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="trace-search")


def side_by_side(searches: Sequence[Search]) -> tuple[Ranking, ...]:
    """The answers, in order. What a search raises is raised here, when all have ended."""
    if not searches:
        return ()
    others = [_pool().submit(search) for search in searches[:-1]]
    try:
        last = searches[-1]()
    finally:
        wait(others)
    return (*(other.result() for other in others), last)
