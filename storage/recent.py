"""The chunks read last, so that a run which looks at the same passages again reads them once.

A document's text lies in one piece: to read a passage of a long debate is to read the debate. What
is kept holds for one generation of the archive and is dropped with it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from trace_core.domain.corpus import Chunk

KEPT = 2_048
"""Chunks; of the usual length about 12 MB."""


class RecentChunks:
    """The last chunks read, by id; safe to share between threads."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._generation = -1
        self._chunks: OrderedDict[int, Chunk] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, generation: int, ids: Iterable[int]) -> dict[int, Chunk]:
        """Those of these chunks that are known in this generation."""
        with self._lock:
            if generation != self._generation:
                return {}
            found = {chunk: self._chunks[chunk] for chunk in ids if chunk in self._chunks}
            for chunk in found:
                self._chunks.move_to_end(chunk)
            return found

    def put(self, generation: int, chunks: Mapping[int, Chunk]) -> None:
        """Keep chunks read in this generation; what was kept in an older one goes."""
        with self._lock:
            if generation < self._generation:
                return
            if generation > self._generation:
                self._chunks.clear()
                self._generation = generation
            self._chunks.update(chunks)
            while len(self._chunks) > self._most:
                self._chunks.popitem(last=False)
