"""Above the limit vectors are searched through an inverted file, and nearly nothing is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from storage.vectors import LanceIndex
from tests.contracts.building import entry
from trace_core.domain.corpus import Scope
from trace_core.domain.dates import from_iso
from trace_core.ports import Vectors

ROWS, DIMENSIONS = 12_000, 48


def archive(seed: int) -> Vectors:
    """Unit vectors with a falling spectrum, as latent semantic indexes have them."""
    chance = np.random.default_rng(seed)
    spread = chance.normal(size=(ROWS, DIMENSIONS)) / np.sqrt(np.arange(1, DIMENSIONS + 1))
    matrix = spread.astype(np.float32)
    unit: Vectors = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit


def test_recall_of_the_inverted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.vectors._PARTITION_ROWS", 200)  # as many partitions as 120,000
    matrix = archive(1)
    days = ("1880-01-01", "1890-01-01")
    rows = [
        entry("x", f"d{n}", "ab"[n % 97 == 0], day=days[n % 2], chunk_id=n) for n in range(ROWS)
    ]
    index = LanceIndex(tmp_path / "vectors", exact_below=lambda: 10_000)
    for begin in range(0, ROWS, 4000):
        index.add(rows[begin : begin + 4000], matrix[begin : begin + 4000])
    queries = [matrix[n] + 0.02 * matrix[n + 1] for n in range(0, 4000, 100)]
    best = [set(np.argsort(-(matrix @ query))[:20].tolist()) for query in queries]
    assert [{h.chunk_id for h in index.search(q, Scope(), 20)} for q in queries] == best
    index.optimize()
    kept = list((tmp_path / "vectors" / "chunks.lance" / "_indices").iterdir())
    assert len(kept) == 4  # sub-corpora, both ends of the dates, vectors: each once
    found = [{hit.chunk_id for hit in index.search(query, Scope(), 20)} for query in queries]
    recall = np.mean([len(a & b) / 20 for a, b in zip(best, found, strict=True)])
    assert recall >= 0.95
    check_filters(index, matrix, queries[0])
    index.remove(range(0, ROWS, 2))
    index.add([entry("x", "new", chunk_id=ROWS)], matrix[:1])
    assert index.count() == ROWS // 2 + 1
    assert index.search(matrix[0], Scope(), 1)[0].chunk_id == ROWS
    index.optimize()
    assert index.search(matrix[0], Scope(), 1)[0].chunk_id == ROWS


def check_filters(index: LanceIndex, matrix: Vectors, query: Vectors) -> None:
    """A narrow scope is searched exactly, a wide one nearly so."""
    score = matrix @ query
    narrow = [n for n in np.argsort(-score).tolist() if n % 97 == 0][:20]
    assert [hit.chunk_id for hit in index.search(query, Scope(("b",)), 20)] == narrow
    day = from_iso("1890-01-01")
    odd = {n for n in np.argsort(-score).tolist()[:60] if n % 2}
    wide = index.search(query, Scope(earliest=day.earliest, latest=day.latest), 20)
    assert len(wide) == 20
    assert len({hit.chunk_id for hit in wide} & odd) >= 18
