"""What channels earn from the archive: full weight when they see what others see, less when not."""

from collections.abc import Mapping
from typing import cast

import pytest

from trace_core.domain.corpus import Chunk, DocumentKey, Scope
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.ports import CorpusStats, DocumentStore
from trace_core.search.weights import (
    Probe,
    as_artifact,
    earn,
    from_artifact,
    measured_with,
    probes,
)


def key(name: str) -> DocumentKey:
    return DocumentKey("c", name)


class Fixed:
    """Answers each query with the documents that the test says."""

    def __init__(
        self, name: ChannelName, answers: Mapping[str, str], failing: bool = False
    ) -> None:
        self.name, self._answers, self._failing = name, answers, failing

    def search(self, query: str, scope: Scope, limit: int) -> Ranking:
        if self._failing:
            return Ranking(self.name, query, scope, failure="Broken.")
        hits = (Hit(key(d), n, 1.0, (n,)) for n, d in enumerate(self._answers[query], start=1))
        return Ranking(self.name, query, scope, tuple(hits)[:limit])


ASKED = [Probe("one", key("a")), Probe("two", key("b"))]
GOOD = {"one": "acde", "two": "bfgh"}
BLIND = {"one": "xyz", "two": "uvw"}


def test_channels_that_agree_count_in_full() -> None:
    found = earn([Fixed("bm25", GOOD), Fixed("dense", GOOD), Fixed("fuzzy", GOOD)], ASKED)
    assert {name: e.factor for name, e in found.items()} == {"bm25": 1, "dense": 1, "fuzzy": 1}
    assert found["bm25"].agreement == found["bm25"].coverage == 1.0


def test_a_channel_that_sees_nothing_counts_nothing_and_harms_no_other() -> None:
    found = earn([Fixed("bm25", GOOD), Fixed("dense", BLIND), Fixed("fuzzy", GOOD)], ASKED)
    assert found["dense"].factor == 0.0
    assert found["bm25"].factor == found["fuzzy"].factor == 1.0


def test_a_channel_that_half_sees_counts_in_part() -> None:
    half = {"one": "acde", "two": "uvw"}
    found = earn([Fixed("bm25", GOOD), Fixed("dense", half), Fixed("fuzzy", GOOD)], ASKED)
    assert 0.0 < found["dense"].factor < 1.0


@pytest.mark.parametrize("failing", [True, False])
def test_two_channels_cannot_outvote_each_other(failing: bool) -> None:
    channels = [Fixed("bm25", GOOD), Fixed("dense", BLIND), Fixed("fuzzy", GOOD, failing=True)]
    assert earn(channels if failing else channels[:2], ASKED) == {}
    assert earn([Fixed("bm25", GOOD)] * 3, []) == {}


class Records:
    """As much of a document store as probes read."""

    def __init__(self, chunks: int) -> None:
        text = " ".join(f"parole{n} de la" for n in range(40))
        self._chunks = [Chunk(2 * n + 7, key(str(n)), 1, 0, 0, 1, text) for n in range(chunks)]

    def stats(self) -> list[CorpusStats]:
        return [CorpusStats("c", 1, len(self._chunks), 0, 0, 0, None, None)]

    def all_chunks(self, after: int = 0, limit: int = 1000) -> list[Chunk]:
        return [c for c in self._chunks if c.id > after][:limit]


def test_probes_are_words_of_passages_and_the_same_each_time() -> None:
    records = cast(DocumentStore, Records(400))
    found = probes(records, 10)
    assert len(found) == 10 and found == probes(records, 10)
    assert all(len(p.query.split()) == 8 and "la" not in p.query.split() for p in found)
    assert len({p.key for p in found}) == 10
    assert probes(cast(DocumentStore, Records(20))) == []


def test_what_is_kept_comes_back_and_foreign_things_do_not() -> None:
    found = earn([Fixed("bm25", GOOD), Fixed("dense", BLIND), Fixed("fuzzy", GOOD)], ASKED)
    kept = as_artifact(found, "lsa-7")
    assert from_artifact(kept) == found
    assert measured_with(kept) == "lsa-7"
    assert from_artifact(None) == {} and measured_with(None) == ""
