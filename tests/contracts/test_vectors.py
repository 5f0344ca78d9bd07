from __future__ import annotations

import numpy as np
import pytest

from tests.contracts.building import entry
from trace_core.domain.corpus import Scope
from trace_core.domain.dates import from_iso
from trace_core.ports import IndexEntry, Stores, Vectors

D = 8


def unit(*places: int) -> Vectors:
    """A unit vector with equal shares at some places."""
    vector = np.zeros(D, np.float32)
    vector[list(places)] = 1.0
    return vector / np.linalg.norm(vector)


def put(stores: Stores, *pairs: tuple[IndexEntry, Vectors]) -> None:
    stores.vectors.add([one for one, _ in pairs], np.stack([vector for _, vector in pairs]))


def test_nearest_first_with_the_cosine(stores: Stores) -> None:
    same, half, none = entry("a"), entry("b"), entry("c")
    put(stores, (none, unit(5)), (half, unit(0, 1)), (same, unit(0)))
    found = stores.vectors.search(3 * unit(0), Scope(), 3)
    assert [hit.chunk_id for hit in found] == [same.chunk.id, half.chunk.id, none.chunk.id]
    assert [hit.score for hit in found] == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-6)
    assert found[0].key == same.chunk.key
    assert len(stores.vectors.search(unit(0), Scope(), 1)) == 1


def test_empty_index_and_empty_query(stores: Stores) -> None:
    assert (stores.vectors.count(), stores.vectors.ids()) == (0, set())
    assert stores.vectors.search(unit(0), Scope(), 3) == []
    put(stores, (entry("a"), unit(0)))
    assert stores.vectors.search(np.zeros(D, np.float32), Scope(), 3) == []
    assert stores.vectors.search(unit(0), Scope(), 0) == []


def test_a_chunk_without_content_is_kept_but_never_found(stores: Stores) -> None:
    empty, full = entry(""), entry("x")
    put(stores, (empty, np.zeros(D, np.float32)), (full, unit(1)))
    assert stores.vectors.ids() == {empty.chunk.id, full.chunk.id}
    found = stores.vectors.search(unit(0), Scope(), 5)
    assert [hit.chunk_id for hit in found] == [full.chunk.id]


def test_adding_again_replaces(stores: Stores) -> None:
    one, other = entry("a"), entry("b")
    put(stores, (one, unit(0)), (other, unit(1)), (one, unit(2)))
    put(stores, (one, unit(3)))
    assert (stores.vectors.count(), stores.vectors.ids()) == (2, {one.chunk.id, other.chunk.id})
    assert stores.vectors.search(unit(3), Scope(), 1)[0].chunk_id == one.chunk.id
    assert stores.vectors.search(unit(3), Scope(), 1)[0].score == pytest.approx(1.0)


def test_removed_and_cleared(stores: Stores) -> None:
    entries = [entry("a") for _ in range(5)]
    put(stores, *((one, unit(n)) for n, one in enumerate(entries)))
    stores.vectors.remove([entries[0].chunk.id, entries[3].chunk.id, 10**9])
    stores.vectors.optimize()
    assert stores.vectors.ids() == {entries[n].chunk.id for n in (1, 2, 4)}
    stores.vectors.clear(4)
    assert stores.vectors.count() == 0
    four = np.eye(4, dtype=np.float32)[:1]
    stores.vectors.add(entries[:1], four)
    assert [hit.chunk_id for hit in stores.vectors.search(four[0], Scope(), 5)] == [
        entries[0].chunk.id
    ]


def test_the_scope_filters_before_the_cut(stores: Stores) -> None:
    march = from_iso("1883-03")
    put(
        stores,
        (entry("x", "early", day="1492-10-12"), unit(0)),
        (entry("x", "march", day="1883"), unit(0, 1)),
        (entry("x", "late", day="1999-01-01"), unit(0, 2)),
        (entry("x", "undated", day=None), unit(0, 3)),
        (entry("x", "gazette", "o'brien"), unit(4)),
    )
    cases = [
        (Scope(("o'brien",)), ["gazette"]),
        (Scope(("' OR 1=1 --",)), []),
        (Scope(earliest=march.earliest, latest=march.latest), ["march", "gazette"]),
        (Scope(latest=march.latest), ["early", "march", "gazette"]),
        (
            Scope(("herald",), march.earliest, march.latest, include_undated=True),
            ["march", "undated"],
        ),
    ]
    for scope, expected in cases:
        found = [hit.key.source_id for hit in stores.vectors.search(unit(0), scope, 10)]
        assert sorted(found) == sorted(expected)
        assert len(stores.vectors.search(unit(0), scope, 1)) == min(1, len(expected))
