"""Searches side by side: answers in order, one failure told, none left running."""

from __future__ import annotations

import threading

import pytest

from trace_core.domain.corpus import Scope
from trace_core.domain.hits import Ranking
from trace_core.search.side_by_side import Search, side_by_side


def answer(query: str) -> Search:
    return lambda: Ranking("bm25", query, Scope())


def test_answers_stand_in_the_order_asked() -> None:
    assert side_by_side([]) == ()
    found = side_by_side([answer(letter) for letter in "abcdefg"])
    assert [ranking.query for ranking in found] == list("abcdefg")


def test_two_searches_are_under_way_at_once() -> None:
    meeting = threading.Barrier(2, timeout=20)

    def meet() -> Ranking:
        meeting.wait()  # breaks unless the other one is here too
        return Ranking("bm25", "met", Scope())

    assert len(side_by_side([meet, meet])) == 2


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_failure_is_raised_when_all_have_ended(place: int) -> None:
    ended = threading.Event()

    def fail() -> Ranking:
        raise OSError("no disk")

    def slow() -> Ranking:
        ended.wait(0.05)
        ended.set()
        return Ranking("bm25", "slow", Scope())

    searches: list[Search] = [slow, slow]
    searches.insert(place, fail)
    with pytest.raises(OSError, match="no disk"):
        side_by_side(searches)
    assert ended.is_set()
