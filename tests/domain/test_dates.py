"""Historical dates as values: the day count, the ISO form, comparison."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.domain.dates import (
    OPEN_EARLIEST,
    OPEN_LATEST,
    HistoricalDate,
    NoSuchDate,
    civil_day,
    day_ordinal,
    from_iso,
    iso_day,
)


@given(st.dates())
def test_ordinals_agree_with_the_standard_library(day: dt.date) -> None:
    assert day_ordinal(day.year, day.month, day.day) == day.toordinal()
    assert iso_day(day.toordinal()) == day.isoformat()


@given(st.integers(OPEN_EARLIEST, OPEN_LATEST))
def test_a_day_and_its_ordinal_are_one_to_one(ordinal: int) -> None:
    assert day_ordinal(*civil_day(ordinal)) == ordinal


def test_the_count_goes_on_below_the_common_era() -> None:
    assert day_ordinal(1, 1, 1) == 1
    assert day_ordinal(0, 12, 31) == 0
    assert day_ordinal(0, 2, 29) == day_ordinal(0, 3, 1) - 1
    assert iso_day(day_ordinal(-476, 5, 12)) == "-0476-05-12"


@pytest.mark.parametrize(("year", "month", "day"), [(1887, 2, 29), (1887, 13, 1), (1887, 4, 31)])
def test_days_that_never_were_are_refused(year: int, month: int, day: int) -> None:
    with pytest.raises(NoSuchDate, match="no"):
        day_ordinal(year, month, day)


@pytest.mark.parametrize(
    ("text", "edtf", "first", "last"),
    [
        ("1887-05-12", "1887-05-12", "1887-05-12", "1887-05-12"),
        ("1888-02", "1888-02", "1888-02-01", "1888-02-29"),
        ("1887", "1887", "1887-01-01", "1887-12-31"),
        ("-0476", "-0476", "-0476-01-01", "-0476-12-31"),
        ("1887-05/1888", "1887-05/1888", "1887-05-01", "1888-12-31"),
        ("/1888", "../1888", "-9999-01-01", "1888-12-31"),
        ("1887/..", "1887/..", "1887-01-01", "9999-12-31"),
    ],
)
def test_iso_dates_are_read(text: str, edtf: str, first: str, last: str) -> None:
    date = from_iso(text)
    assert (date.edtf, iso_day(date.earliest), iso_day(date.latest)) == (edtf, first, last)
    assert date.display == text
    assert date.is_open == (".." in edtf)


@pytest.mark.parametrize("text", ["", "NA", "12/05/1887", "1887-5-1", "1887-00", "..", "../.."])
def test_what_is_not_iso_is_refused(text: str) -> None:
    with pytest.raises(NoSuchDate, match=r"date|month"):
        from_iso(text)


def test_overlap_and_distance_in_days() -> None:
    may, day = from_iso("1887-05"), from_iso("1887-06-03")
    assert may.days_between(day) == day.days_between(may) == 3
    assert may.days_between(from_iso("1887-05-30")) == 0
    assert may.overlaps(day_ordinal(1887, 5, 31), day.latest)
    assert not may.overlaps(day.earliest, day.latest)
    assert day.is_day
    assert not may.is_day


def test_a_date_cannot_end_before_it_begins() -> None:
    with pytest.raises(NoSuchDate, match="ends before"):
        HistoricalDate("x", "1888/1887", 10, 9)
