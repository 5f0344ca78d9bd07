"""The archive at a glance: how the OCR quality of a sub-corpus is spread."""

from __future__ import annotations

import pytest

from trace_core.ports import Spread
from trace_core.service.overview import QualityOf, qualities


def test_mean_and_percentiles_over_counted_hundredths() -> None:
    counted = (("a", 50, 1), ("a", 80, 2), ("a", 90, 1), ("b", 70, 3))
    first, second = qualities(Spread((), counted))
    assert first.mean == pytest.approx((0.5 + 2 * 0.8 + 0.9) / 4)
    assert (first.documents, first.lowest, first.low, first.median, first.high) == (
        4,
        0.5,
        0.5,
        0.8,
        0.8,
    )
    assert second == QualityOf("b", 3, pytest.approx(0.7), 0.7, 0.7, 0.7, 0.7)


def test_nothing_rated() -> None:
    assert qualities(Spread((), ())) == []
