"""An optional cross-encoder that reads query and passage together and reorders the first hits.

In: a fused list and the texts of its passages. Out: the same documents, the first of them in the
order of the model's scores. A document's score is that of the better of its two best passages.
The model comes from sentence-transformers, from a folder or the local cache of its hub.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from trace_core.domain.errors import TraceError
from trace_core.domain.hits import FusedHit

PASSAGES = 2
"""Passages of a document that are read."""

_BATCH = 16


class RerankerUnavailable(TraceError):
    """The cross-encoder that the settings name cannot be loaded."""


class Reranker(Protocol):
    """Judges how well passages answer a query."""

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, higher is better. Raises RerankerUnavailable."""


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder; loaded when it is first asked. Thread-safe."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._model: Any = None
        self._lock = threading.Lock()

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """The model's own scores. Raises RerankerUnavailable with what to do."""
        if not passages:
            return []
        with self._lock:
            if self._model is None:
                self._model = _load(self._name)
            pairs = [(query, passage) for passage in passages]
            found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        return [float(score) for score in found]


def _load(name: str) -> Any:
    # A busy-waiting OpenMP pool makes single queries tens of times slower on a shared machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    folder = Path(name).expanduser()
    if not folder.exists() and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise RerankerUnavailable(
            f"There is no model folder {name}; name an existing one in the setting "
            "search.reranker, or leave that empty."
        )
    try:
        from sentence_transformers import CrossEncoder

        return CrossEncoder(
            str(folder) if folder.exists() else name,
            device="cpu" if os.environ.get("TRACE_DEVICE", "cpu") == "cpu" else None,
            local_files_only=os.environ.get("TRACE_ALLOW_DOWNLOAD", "") != "1",
        )
    except (OSError, ValueError, ImportError) as error:
        raise RerankerUnavailable(
            f"The reranker {name!r} is not on this machine; name a folder with its files, set "
            "TRACE_ALLOW_DOWNLOAD=1 to let it be fetched once, or empty the setting "
            "search.reranker."
        ) from error


def rerank(
    query: str,
    hits: Sequence[FusedHit],
    texts: Callable[[Sequence[int]], Mapping[int, str]],
    reranker: Reranker,
    depth: int,
) -> tuple[FusedHit, ...]:
    """The hits with the first `depth` in the reranker's order; ties stand as they stood.

    `texts` gives the passages' texts by chunk id. The score that a hit had stays; the reranker's
    stands among its boosts, and the passage that it preferred comes first.
    """
    first = hits[:depth]
    wanted = [(hit, number) for hit in first for number in hit.chunk_ids[:PASSAGES]]
    known = texts([number for _, number in wanted])
    pairs = [(hit, number) for hit, number in wanted if number in known]
    scores = reranker.scores(query, [known[number] for _, number in pairs])
    best: dict[int, tuple[float, int]] = {}
    for (hit, number), score in zip(pairs, scores, strict=True):
        if hit.rank not in best or score > best[hit.rank][0]:
            best[hit.rank] = (score, number)
    moved = [_moved(hit, *best[hit.rank]) for hit in first if hit.rank in best]
    moved.sort(key=lambda hit: -hit.boosts["reranker"])
    unread = [hit for hit in first if hit.rank not in best]
    ordered = [*moved, *unread, *hits[depth:]]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))


def _moved(hit: FusedHit, score: float, chunk: int) -> FusedHit:
    others = tuple(number for number in hit.chunk_ids if number != chunk)
    boosts = MappingProxyType({**hit.boosts, "reranker": score})
    return replace(hit, chunk_ids=(chunk, *others), boosts=boosts)
