"""Intervals and tests whose answer is known beforehand."""

from __future__ import annotations

import pytest

from trace_core.evaluation.statistics import bootstrap, paired


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [0.0, 1.0] * 50
    interval = bootstrap(values)
    # The standard error of 100 fair coins is 0.05: 95 % lie within 1.96 of them.
    assert interval.mean == 0.5
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.02)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.02)
    assert bootstrap(values) == interval


def test_equal_values_have_no_width_and_none_have_no_mean() -> None:
    assert bootstrap([0.25] * 7) == bootstrap([0.25])
    assert (bootstrap([]).mean, bootstrap([]).high) == (0.0, 0.0)


def test_no_difference_is_no_evidence() -> None:
    found = paired([0.1, 0.5, 0.9], [0.1, 0.5, 0.9])
    assert (found.mean, found.p) == (0.0, 1.0)


def test_eight_questions_better_by_the_same_amount() -> None:
    found = paired([0.6] * 8, [0.5] * 8)
    # Only all plus or all minus is as far from zero: 2 of 2^8 flips.
    assert found.mean == pytest.approx(0.1)
    assert found.p == pytest.approx(2 / 2**8, abs=0.004)


def test_one_question_proves_nothing() -> None:
    assert paired([1.0], [0.0]).p == 1.0


def test_lists_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one value a question"):
        paired([1.0], [])
