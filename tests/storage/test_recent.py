"""What is read last is read once, and never outlives a change of the archive."""

from __future__ import annotations

from pathlib import Path

from storage.recent import RecentChunks
from storage.workspace import Workspace
from tests.conftest import open_town
from trace_core.domain.corpus import Chunk, DocumentKey
from trace_core.service import Service

A = Chunk(1, DocumentKey("paper", "a"), 1, 0, 0, 3, "one", None, True)
B = Chunk(2, DocumentKey("paper", "b"), 1, 0, 0, 3, "two", None, True)
C = Chunk(3, DocumentKey("paper", "c"), 1, 0, 0, 5, "three", None, True)


def test_chunks_are_known_in_their_own_generation_only() -> None:
    recent = RecentChunks()
    recent.put(4, {1: A})
    assert recent.get(4, [1, 2]) == {1: A}
    assert recent.get(5, [1]) == recent.get(3, [1]) == {}
    recent.put(5, {2: B})
    recent.put(4, {1: A})  # a reader of an older snapshot comes late
    assert recent.get(5, [1, 2]) == {2: B}


def test_the_chunk_that_was_not_read_for_longest_goes_first() -> None:
    recent = RecentChunks(most=2)
    recent.put(1, {1: A, 2: B})
    recent.get(1, [1])
    recent.put(1, {3: C})
    assert recent.get(1, [1, 2, 3]) == {1: A, 3: C}


def test_a_merge_is_seen_by_a_store_that_had_read_the_chunk(tmp_path: Path) -> None:
    town = open_town(tmp_path)
    key = DocumentKey("herald", "18830404")
    documents = town.stores.documents
    chunk = documents.chunks_of(key)[0].id
    assert documents.chunks([chunk])[chunk].key == key
    with Workspace.open(tmp_path / "workspace") as beside:
        Service(beside).merge_corpora("herald", "courier", "one paper")
    assert documents.chunks([chunk])[chunk].key == DocumentKey("courier", "18830404")
    town.close()
