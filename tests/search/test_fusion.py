import math

import pytest

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.search.fusion import fuse, reciprocal_rank_fusion

A, B, C = (DocumentKey("town", name) for name in "abc")


def ranking(channel: ChannelName, *hits: tuple[DocumentKey, tuple[int, ...]]) -> Ranking:
    return Ranking(
        channel,
        "query",
        Scope(),
        tuple(Hit(key, rank, 1.0 / rank, chunks) for rank, (key, chunks) in enumerate(hits, 1)),
    )


def test_plain_rankings_follow_the_formula():
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["c", "a"]])
    assert dict(fused) == pytest.approx(
        {"a": 1 / (60 + 1) + 1 / (60 + 2), "b": 1 / (60 + 2), "c": 1 / (60 + 3) + 1 / (60 + 1)}
    )
    assert [item for item, _ in fused] == ["a", "c", "b"]


def test_weights_and_k_follow_the_formula():
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b"]], weights=[2.0, 0.5], k=10))
    assert fused == pytest.approx({"a": 2 / (10 + 1), "b": 2 / (10 + 2) + 0.5 / (10 + 1)})


def test_equal_scores_keep_the_order_in_which_they_were_met():
    assert [i for i, _ in reciprocal_rank_fusion([["x"], ["y"], ["z"]])] == ["x", "y", "z"]


def test_a_weight_of_zero_adds_nothing():
    assert reciprocal_rank_fusion([["a"], ["b"]], weights=[1, 0]) == [("a", 1 / 61)]


def test_as_many_weights_as_rankings():
    with pytest.raises(ValueError, match="2 rankings need as many weights"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


def test_no_rankings_give_nothing():
    assert reciprocal_rank_fusion([]) == []
    assert fuse([]) == ()


def test_hits_carry_their_rank_in_each_channel():
    hits = fuse([ranking("bm25", (A, (1,)), (B, (5,))), ranking("dense", (B, (5,)), (C, (9,)))])
    assert [h.key for h in hits] == [B, A, C]
    assert [h.rank for h in hits] == [1, 2, 3]
    assert hits[0].score == pytest.approx(1 / (60 + 2) + 1 / (60 + 1))
    assert dict(hits[0].channels) == {"bm25": 2, "dense": 1}
    assert dict(hits[1].channels) == {"bm25": 1}


def test_channel_weights_and_limit():
    rankings = [ranking("bm25", (A, (1,))), ranking("dense", (B, (5,)))]
    (only,) = fuse(rankings, weights={"dense": 3.0}, limit=1)
    assert only.key == B
    assert only.score == pytest.approx(3 / 61)


def test_a_silenced_channel_neither_moves_nor_adds():
    hits = fuse(
        [ranking("bm25", (A, (1,))), ranking("fuzzy", (B, (2,)), (A, (1,)))], {"fuzzy": 0.0}
    )
    assert [h.key for h in hits] == [A]
    assert dict(hits[0].channels) == {"bm25": 1}


def test_the_passage_that_most_channels_put_first_stands_first():
    (hit,) = fuse(
        [
            ranking("bm25", (A, (7, 8))),
            ranking("dense", (A, (8, 9))),
            ranking("fuzzy", (A, (8,))),
        ]
    )
    assert hit.chunk_ids == (8, 7, 9)
    assert hit.chunk_id == 8


def test_forms_are_kept_once_in_order():
    rankings = [
        Ranking("fuzzy", "q", Scope(), (Hit(A, 1, 1.0, (1,), ("Goblct", "Gobiet")),)),
        Ranking("exact", "q", Scope(), (Hit(A, 1, 1.0, (1,), ("Gobiet",)),)),
    ]
    assert fuse(rankings)[0].forms == ("Goblct", "Gobiet")


def test_scores_never_exceed_the_bound_of_all_channels_at_rank_one():
    hits = fuse([ranking("bm25", (A, (1,))), ranking("dense", (A, (1,)))])
    assert math.isclose(hits[0].score, 2 / 61)
