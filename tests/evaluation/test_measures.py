"""Each measure on hand-made cases: the expected value is the formula, and ir-measures agrees."""

from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.evaluation.measures import (
    CUTOFFS,
    accepted_set,
    all_measures,
    means,
    ranked_measures,
    reciprocal_rank_all,
)

RANKING = ["a", "x", "b", "y", "z", "c", "w", "v", "u", "t", "s", "r"]


@pytest.mark.parametrize(
    ("gold", "name", "expected"),
    [
        ({"a", "b", "c", "none"}, "recall@3", 2 / 4),
        ({"a", "b", "c", "none"}, "recall@5", 2 / 4),
        ({"a", "b", "c", "none"}, "recall@10", 3 / 4),
        ({"r"}, "recall@10", 0 / 1),
        ({"r"}, "recall@20", 1 / 1),
        ({"a", "b", "c"}, "precision@3", 2 / 3),
        ({"a", "b", "c"}, "precision@20", 3 / 20),
        ({"b", "c"}, "mrr_first_gold", 1 / 3),
        ({"none"}, "mrr_first_gold", 0.0),
        ({"b", "c", "none"}, "mrr_all_gold", (1 / 3 + 1 / 6 + 0) / 3),
        (
            {"b", "c", "none"},
            "ndcg@10",
            (1 / math.log2(3 + 1) + 1 / math.log2(6 + 1))
            / (1 / math.log2(1 + 1) + 1 / math.log2(2 + 1) + 1 / math.log2(3 + 1)),
        ),
    ],
)
def test_a_measure_is_its_formula(gold: set[str], name: str, expected: float) -> None:
    assert all_measures(RANKING, gold)[name] == pytest.approx(expected)


def test_without_a_ranking_or_without_gold_everything_is_nothing() -> None:
    assert set(all_measures([], {"a"}, []).values()) == {0.0}
    assert set(all_measures(RANKING, [], []).values()) == {0.0}


def test_the_accepted_set_has_no_order() -> None:
    score = accepted_set(["x", "a", "b"], {"a", "b", "c", "d"})
    assert (score.precision, score.recall, score.accepted) == (2 / 3, 2 / 4, 3)
    assert accepted_set([], {"a"}).precision == 0.0


def test_only_a_run_has_an_accepted_set() -> None:
    assert "accepted" not in all_measures(["a"], {"a"})
    assert all_measures(["a"], {"a"}, ["a", "b"])["accepted_precision"] == 1 / 2


def test_a_document_ranked_twice_counts_once() -> None:
    assert ranked_measures(["a", "a", "b"], {"a", "b"})["recall@3"] == 1.0
    assert reciprocal_rank_all(["a", "a"], {"a"}) == 1.0


KEYS = st.sampled_from([f"d{n}" for n in range(30)])


@given(st.lists(KEYS, unique=True, max_size=25), st.sets(KEYS, min_size=1, max_size=6))
def test_every_shared_measure_is_that_of_ir_measures(ranking: list[str], gold: set[str]) -> None:
    qrels = {"q": dict.fromkeys(gold, 1)}
    run = {"q": {key: 1 / rank for rank, key in enumerate(ranking, start=1)}}
    ours = ranked_measures(ranking, gold)
    pairs = [(f"recall@{k}", ir_measures.R @ k) for k in CUTOFFS]
    pairs += [(f"precision@{k}", ir_measures.P @ k) for k in CUTOFFS]
    pairs += [("ndcg@10", ir_measures.nDCG @ 10), ("mrr_first_gold", ir_measures.RR)]
    theirs = ir_measures.calc_aggregate([m for _, m in pairs], qrels, run) if ranking else {}
    for name, measure in pairs:
        assert ours[name] == pytest.approx(theirs.get(measure, 0.0))


@given(st.lists(KEYS, unique=True, max_size=25), KEYS)
def test_with_one_gold_document_both_reciprocal_ranks_agree(ranking: list[str], key: str) -> None:
    found = all_measures(ranking, {key})
    assert found["mrr_all_gold"] == pytest.approx(found["mrr_first_gold"])


def test_means_leave_out_what_a_question_lacks() -> None:
    assert means([{"a": 1.0, "b": 1.0}, {"a": 0.0}]) == {"a": 0.5, "b": 1.0}
    assert means([]) == {}
