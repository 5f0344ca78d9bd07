"""Every missed gold document has exactly one cause, whatever befell it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.building import Fate, key, run_of
from trace_core.domain.state import current_ranking
from trace_core.evaluation.misses import CAUSES, PAPER_SHARES, misses, shares

FATES = st.builds(
    Fate,
    document=st.integers(1, 9),
    verdict=st.sampled_from(["accept", "hold", "reject", None]),
    reviewed=st.booleans(),
    candidate=st.booleans(),
)
SUBS = st.lists(st.lists(FATES, max_size=6, unique_by=lambda f: f.document), min_size=1, max_size=3)


@given(SUBS, st.sets(st.integers(1, 12), max_size=8), st.integers(1, 5))
def test_the_misses_add_up(subs: list[list[Fate]], gold: set[int], k: int) -> None:
    state = run_of(*subs)
    ranking = [line.key for line in current_ranking(state)]
    wanted = [key(n) for n in gold]
    found = misses(state, "q", wanted, ranking, k)
    assert sorted(m.key for m in found) == sorted(set(wanted) - set(ranking[:k]))
    assert {m.cause for m in found} <= set(CAUSES)
    counted = sum(shares(found).values())
    assert counted == pytest.approx(1.0 if found else 0.0)


@given(st.lists(st.integers(1, 9), unique=True), st.sets(st.integers(1, 12)), st.integers(1, 5))
def test_the_misses_of_a_plain_search_add_up(ranked: list[int], gold: set[int], k: int) -> None:
    ranking = [key(n) for n in ranked]
    found = misses(None, "q", [key(n) for n in gold], ranking, k)
    assert len(found) == len({key(n) for n in gold} - set(ranking[:k]))
    assert all((m.cause == "below_k") == (m.key in ranking) for m in found)


@pytest.mark.parametrize(
    ("fates", "cause"),
    [
        ([Fate(2)], "not_reviewed"),
        ([Fate(1, "hold", reviewed=False)], "not_reviewed"),
        ([Fate(1, "reject")], "rejected"),
        ([Fate(1, "hold")], "held"),
        ([Fate(1, candidate=False)], "not_reviewed"),
        ([], "never_retrieved"),
    ],
)
def test_a_cause(fates: list[Fate], cause: str) -> None:
    gold = key(2) if fates == [Fate(2)] else key(1)
    (miss,) = misses(run_of(fates), "q", [gold], [])
    assert miss.cause == cause


def test_the_verdict_nearest_to_acceptance_counts_and_gives_its_reason() -> None:
    state = run_of([Fate(1, "reject")], [Fate(1, "hold")])
    (miss,) = misses(state, "q", [key(1)], [])
    assert (miss.cause, miss.detail) == ("held", "hold of d1")
    assert miss.decision == state.sub("q2").verdicts[1].id


def test_what_is_accepted_beyond_k_says_its_rank() -> None:
    state = run_of([Fate(n, "accept") for n in (1, 2, 3)])
    ranking = [line.key for line in current_ranking(state)]
    (miss,) = misses(state, "q", [key(1), key(3)], ranking, k=2)
    assert (miss.key, miss.cause, miss.detail) == (key(3), "below_k", "rank 3")


def test_the_papers_shares_are_all_of_them() -> None:
    assert sum(PAPER_SHARES.values()) == pytest.approx(1.0)
