import pytest

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.hits import ChannelName, Hit, Ranking
from trace_core.search.strength import relative_strengths


def ranking(channel: ChannelName, corpus: str, **scores: float) -> Ranking:
    order = sorted(scores, key=lambda name: -scores[name])
    hits = tuple(
        Hit(DocumentKey(corpus, name), rank, scores[name], (rank,))
        for rank, name in enumerate(order, 1)
    )
    return Ranking(channel, "query", Scope((corpus,)), hits)


A, B, C = DocumentKey("x", "a"), DocumentKey("x", "b"), DocumentKey("y", "c")


def test_scores_are_stretched_over_all_sub_corpora_together():
    found = relative_strengths(
        [[ranking("bm25", "x", a=9.0, b=3.0)], [ranking("bm25", "y", c=5.0)]]
    )
    assert found == pytest.approx({A: 1.0, B: 0.0, C: (5 - 3) / (9 - 3)})


def test_channels_are_averaged_and_an_absent_document_counts_nothing():
    found = relative_strengths(
        [[ranking("bm25", "x", a=9.0, b=3.0), ranking("dense", "x", b=0.8)],
         [ranking("dense", "y", c=0.4)]]
    )  # fmt: skip
    assert found == pytest.approx({A: (1 + 0) / 2, B: (0 + 1) / 2, C: (0 + 0) / 2})


def test_weights_follow_the_channels():
    group = [ranking("bm25", "x", a=2.0, b=1.0), ranking("dense", "x", b=2.0, a=1.0)]
    assert relative_strengths([group], {"bm25": 3.0}) == pytest.approx({A: 3 / 4, B: 1 / 4})
    assert relative_strengths([group], {"bm25": 0.0}) == pytest.approx({B: 1.0, A: 0.0})


def test_a_channel_without_hits_takes_no_part():
    group = [ranking("bm25", "x", a=2.0, b=1.0), ranking("fuzzy", "x")]
    assert relative_strengths([group]) == pytest.approx({A: 1.0, B: 0.0})


def test_equal_scores_are_all_best():
    assert relative_strengths([[ranking("bm25", "x", a=2.0, b=2.0)]]) == {A: 1.0, B: 1.0}


def test_nothing_found_gives_nothing():
    assert relative_strengths([]) == {}
    assert relative_strengths([[ranking("bm25", "x")]]) == {}
