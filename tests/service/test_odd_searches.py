"""Searches that no one should write and everyone does: answered, or refused in a sentence."""

from __future__ import annotations

import pytest

from trace_core.domain.corpus import Scope
from trace_core.domain.errors import BadInput
from trace_core.domain.question import ScopeSpec
from trace_core.service import Service

WAYS = ("fused", "bm25", "dense", "date", "exact", "fuzzy")


@pytest.mark.parametrize("query", ["", "  \n", "?!…", "«»", "*", "🌉", "\u200b", "|", " | | "])
def test_no_word_at_all_is_refused(town: Service, query: str) -> None:
    with pytest.raises(BadInput, match=r"^Write at least one word or figure to search for\.$"):
        town.search(query)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "query",
    [
        '"pont de la',
        "pont AND (scie OR",
        "folded:pont",
        "pon* ?ont",
        "'; DROP TABLE chunk; --",
        "جسر المدينة",
        "🌉 pont \x07\x00",
        "12 mars 1883",
        "pont |",
        "| pont",
        "-pont",
        "l'",
    ],
)
def test_no_sign_breaks_a_search(town: Service, query: str, way: str) -> None:
    view = town.search(query, way)
    assert not view.failures
    assert all(hit.channels for hit in view.hits)


@pytest.mark.parametrize("way", ["fused", "date", "fuzzy"])
@pytest.mark.parametrize(
    "query",
    [
        "pont " * 10_000,
        " ".join(f"mot{n} x{n % 7}y" for n in range(5_000)),
        "12 mars 1883 " * 2_000,
        "x" * 100_000,
        "pont" * 10_000,
    ],
)
def test_a_pasted_page_is_searched_for(town: Service, query: str, way: str) -> None:
    """What is pasted is cut, not refused; how the cost grows is in `benchmarks.growth`."""
    assert not town.search(query, way).failures


@pytest.mark.parametrize("limit", [0, -1, -(10**9)])
def test_a_limit_below_one_is_refused(town: Service, limit: int) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        town.search("pont", limit=limit)


@pytest.mark.parametrize("way", WAYS)
def test_a_huge_limit_gives_all_there_are(town: Service, way: str) -> None:
    assert len(town.search("pont 1883", way, limit=10**30).hits) <= 12


def test_unknown_channels_and_corpora_are_named(town: Service) -> None:
    with pytest.raises(BadInput, match="no channel 'sonar'"):
        town.search("pont", "sonar")
    with pytest.raises(BadInput, match="no sub-corpus 'atlantis'; the archive has council"):
        town.search("pont", scope=Scope(("council", "atlantis")))


def test_a_scope_in_which_nothing_lies_finds_nothing(town: Service) -> None:
    empty = Scope(earliest=700_000, latest=700_001, include_undated=False)
    for way in WAYS:
        view = town.search("pont le 12 mars 1883", way, empty)
        assert view.hits == () and not view.failures


def test_days_in_the_wrong_order_are_refused(town: Service) -> None:
    with pytest.raises(BadInput, match="later than the last one"):
        town.search("pont", scope=Scope(earliest=700_001, latest=700_000))
    with pytest.raises(BadInput, match="later than the last one"):
        town.ask("Que sait-on du pont ?", scope=ScopeSpec(date_from="1890", date_to="1880"))
    assert town.runs() == []
