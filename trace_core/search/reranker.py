"""An optional cross-encoder that reads query and passage together and reorders the first hits.

In: a fused list and the texts of its passages. Out: the same documents, the first of them in the
order of the model's scores. A document's score is that of the better of its two best passages.
The model comes from sentence-transformers, from a folder or the local cache of its hub.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol
from urllib.parse import urlsplit

from trace_core.domain.errors import TraceError
from trace_core.domain.hits import FusedHit

PASSAGES = 2
"""Passages of a document that are read."""

_BATCH = 16
_HUB_SECONDS = 5.0
_LONGEST = 160


class RerankerUnavailable(TraceError):
    """The cross-encoder that the settings name cannot be loaded."""


class Reranker(Protocol):
    """Judges how well passages answer a query. `name` is the model's, for the record."""

    name: str

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """One score a passage, higher is better. Raises RerankerUnavailable."""


class CrossEncoderReranker:
    """A sentence-transformers cross-encoder; loaded when it is first asked. Thread-safe."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._model: Any = None
        self._lock = threading.Lock()

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        """The model's own scores. Raises RerankerUnavailable with what to do."""
        if not passages:
            return []
        with self._lock:
            if self._model is None:
                self._model = _load(self.name)
            pairs = [(query, passage) for passage in passages]
            found = self._model.predict(pairs, batch_size=_BATCH, show_progress_bar=False)
        return [float(score) for score in found]


def check_reranker(name: str) -> None:
    """Raise RerankerUnavailable when the cross-encoder cannot be had; a matter of a second.

    Its libraries take seconds to import and minutes to give up a hub that does not answer, so
    files and network are looked at first.
    """
    folder = Path(name).expanduser()
    if folder.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1:
        if not (folder / "config.json").is_file():
            raise RerankerUnavailable(
                f"There is no model folder {name} (with a config.json); name an existing one in "
                "the setting search.reranker, or leave that empty."
            )
        return
    if _cached(name):
        return
    if os.environ.get("TRACE_ALLOW_DOWNLOAD", "") != "1":
        raise _not_here(name)
    if not _hub_answers():
        raise RerankerUnavailable(
            f"The reranker {name!r} is not on this machine and the hub cannot be reached; connect "
            "to the network, name a folder with its files, or empty the setting search.reranker."
        )


def _not_here(name: str) -> RerankerUnavailable:
    return RerankerUnavailable(
        f"The reranker {name!r} is not on this machine; name a folder with its files, set "
        "TRACE_ALLOW_DOWNLOAD=1 to let it be fetched once, or empty the setting "
        "search.reranker."
    )


def _cached(name: str) -> bool:
    """Whether the hub's cache on this machine holds the model."""
    try:
        from huggingface_hub import try_to_load_from_cache

        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except (ImportError, ValueError):
        return False


def _hub_answers() -> bool:
    """Whether the hub can be connected to; taken for granted behind a proxy."""
    proxies = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    if any(os.environ.get(name) for name in proxies):
        return True
    hub = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co")
    port = hub.port or (80 if hub.scheme == "http" else 443)
    try:
        socket.create_connection((hub.hostname or "", port), _HUB_SECONDS).close()
    except OSError:
        return False
    return True


def _load(name: str) -> Any:
    check_reranker(name)
    # A busy-waiting OpenMP pool makes single queries tens of times slower on a shared machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    folder = Path(name).expanduser()
    try:
        from sentence_transformers import CrossEncoder

        return CrossEncoder(
            str(folder) if folder.exists() else name,
            device="cpu" if os.environ.get("TRACE_DEVICE", "cpu") == "cpu" else None,
            local_files_only=os.environ.get("TRACE_ALLOW_DOWNLOAD", "") != "1",
        )
    except ImportError as error:
        raise RerankerUnavailable(
            "A reranker needs the package sentence-transformers; install it, or empty the setting "
            "search.reranker."
        ) from error
    except (OSError, ValueError, RuntimeError) as error:
        if not folder.exists():
            raise _not_here(name) from error
        raise RerankerUnavailable(
            f"The model in {name} cannot be loaded as a cross-encoder ({_first_line(error)}); name "
            "another folder in the setting search.reranker, or leave that empty."
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:_LONGEST]


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
