import math

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.search.coupling import Dated, couple

DAY = 689_000


def item(corpus: str, name: str, score: float, day: int | None, length: int = 0) -> Dated:
    first = None if day is None else DAY + day
    return Dated(DocumentKey(corpus, name), score, first, None if first is None else first + length)


def test_a_neighbour_lends_its_score_after_decay():
    a, b = item("paper", "a", 0.9, 0), item("debates", "b", 0.5, 2)
    gains = couple([a, b], window=7, decay=0.15)
    assert gains[b.key].amount == pytest.approx(0.9 * math.exp(-0.15 * 2))
    assert gains[a.key].amount == pytest.approx(0.5 * math.exp(-0.15 * 2))
    assert (gains[b.key].neighbour, gains[b.key].days) == (a.key, 2)


def test_only_the_best_neighbour_counts():
    a = item("paper", "a", 0.2, 0)
    near, better = item("debates", "near", 0.3, 0), item("letters", "better", 0.8, 3)
    gain = couple([a, near, better])[a.key]
    assert gain.neighbour == better.key
    assert gain.amount == pytest.approx(max(0.3, 0.8 * math.exp(-0.15 * 3)))


def test_the_own_sub_corpus_lends_nothing():
    assert couple([item("paper", "a", 1.0, 0), item("paper", "b", 1.0, 0)]) == {}


@pytest.mark.parametrize(("days", "coupled"), [(3, True), (4, False), (-3, True), (-4, False)])
def test_the_window_is_inclusive_on_both_sides(days, coupled):
    gains = couple([item("x", "a", 1.0, 0), item("y", "b", 1.0, days)], window=3)
    assert (len(gains) == 2) is coupled


def test_undated_and_worthless_ones_lend_nothing():
    a = item("x", "a", 1.0, 0)
    assert couple([a, item("y", "b", 1.0, None)]) == {}
    assert a.key not in couple([a, item("y", "c", 0.0, 0)])


def test_a_document_dated_by_its_year_is_near_to_nothing():
    assert couple([item("x", "a", 1.0, 100), item("y", "b", 1.0, 0, length=364)]) == {}


def test_days_count_between_the_far_ends():
    week, day = item("x", "week", 1.0, 0, length=3), item("y", "day", 1.0, 1)
    assert couple([week, day])[day.key].days == max(3 - 1, 1 - 0)


def test_days_before_the_common_era_couple_too():
    a = Dated(DocumentKey("x", "a"), 1.0, -5, -5)
    b = Dated(DocumentKey("y", "b"), 1.0, -4, -4)
    assert couple([a, b])[a.key].days == 1


def test_no_candidates_no_gains():
    assert couple([]) == {}
