"""The optional cross-encoder: order, passages, and what is said where there is none."""

from collections.abc import Sequence

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.hits import FusedHit
from trace_core.search.reranker import CrossEncoderReranker, RerankerUnavailable, rerank


class ByLength:
    """Prefers long passages."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, query: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        return [float(len(passage)) for passage in passages]


TEXTS = {1: "a", 2: "aaaa", 3: "aaaaaaaa", 4: "aa", 5: "aaa", 6: "aaaaaaaaaaaa"}


def hits() -> list[FusedHit]:
    passages = [(1, 2, 3), (4,), (5,), (6,)]
    return [
        FusedHit(DocumentKey("c", str(n)), n, 1.0 / n, ids)
        for n, ids in enumerate(passages, start=1)
    ]


def texts(numbers: Sequence[int]) -> dict[int, str]:
    return {n: TEXTS[n] for n in numbers if n != 4}


def test_the_first_hits_are_reordered_by_their_two_best_passages() -> None:
    model = ByLength()
    found = rerank("q", hits(), texts, model, 3)
    assert [hit.key.source_id for hit in found] == ["1", "3", "2", "4"]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
    assert found[0].chunk_ids == (2, 1, 3)
    assert found[0].boosts["reranker"] == 4.0
    assert found[0].score == 1.0
    assert "aaaaaaaa" not in model.read  # a third passage is not read


def test_without_passages_the_order_stays() -> None:
    found = rerank("q", hits(), lambda _: {}, ByLength(), 4)
    assert [hit.key.source_id for hit in found] == ["1", "2", "3", "4"]


def test_a_model_that_is_not_there_is_said_with_what_to_do() -> None:
    with pytest.raises(RerankerUnavailable, match=r"search\.reranker"):
        CrossEncoderReranker("/nowhere/model").scores("q", ["text"])
    assert CrossEncoderReranker("/nowhere/model").scores("q", []) == []
