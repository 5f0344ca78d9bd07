"""Vectors in memory answer as the table itself does, and follow every change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from storage.vectors import LanceIndex
from tests.contracts.building import entry
from trace_core.domain.corpus import Scope
from trace_core.ports import Vectors

ROWS, DIMENSIONS = 400, 12
FIRST, LAST = 687_000, 687_900  # ordinals about 1881 to 1884


def filled(folder: Path) -> Vectors:
    """A table of vectors that are no unit vectors, some rows empty, a third of them undated."""
    chance = np.random.default_rng(2)
    matrix = (5 * chance.normal(size=(ROWS, DIMENSIONS))).astype(np.float32)
    matrix[::50] = 0.0
    days = (None, "1882-01-31", "1883-06-15")
    rows = [entry("x", f"d{n}", "abc"[n * n % 3], day=days[n % 3], chunk_id=n) for n in range(ROWS)]
    index = LanceIndex(folder)
    index.add(rows[:150], matrix[:150])
    index.add(rows[150:], matrix[150:])
    return matrix


SCOPES = (
    Scope(),
    Scope(("a",)),
    Scope(("b", "nowhere")),
    Scope(("nowhere",)),
    Scope(earliest=FIRST),
    Scope(latest=LAST, include_undated=False),
    Scope(("a", "b"), FIRST, LAST),
)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("limit", [1, 7, 10 * ROWS])
def test_the_same_as_the_table(tmp_path: Path, scope: Scope, limit: int) -> None:
    filled(tmp_path / "vectors")
    table = LanceIndex(tmp_path / "vectors", exact_below=lambda: 0)
    memory = LanceIndex(tmp_path / "vectors", exact_below=lambda: 10 * ROWS)
    query = np.random.default_rng(8).normal(size=DIMENSIONS).astype(np.float32)
    asked = [index.search(query, scope, limit) for index in (memory, table)]
    assert [h.chunk_id for h in asked[0]] == [h.chunk_id for h in asked[1]]
    assert [h.key for h in asked[0]] == [h.key for h in asked[1]]
    assert [h.score for h in asked[0]] == pytest.approx([h.score for h in asked[1]], abs=1e-5)


def test_what_another_process_wrote_is_found(tmp_path: Path) -> None:
    matrix = filled(tmp_path / "vectors")
    reader, writer = LanceIndex(tmp_path / "vectors"), LanceIndex(tmp_path / "vectors")
    assert reader.search(matrix[7], Scope(), 1)[0].chunk_id == 7
    writer.remove([7])
    assert reader.search(matrix[7], Scope(), 1)[0].chunk_id != 7
    writer.add([entry("x", "new", chunk_id=ROWS)], matrix[7:8])
    assert reader.search(matrix[7], Scope(), 1)[0].chunk_id == ROWS
    writer.optimize()
    assert reader.search(matrix[7], Scope(), 1)[0].chunk_id == ROWS
    writer.clear(DIMENSIONS)
    assert reader.search(matrix[7], Scope(), 1) == []
