"""Dates inside running text: what is found, what is left alone, and in linear time."""

from __future__ import annotations

import random
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.ingest.dates import find_dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("entre le 20 et le 30 avril 1887 ?", ["1887-04-20/1887-04-30"]),
        ("Le 12 mai 1887, on vota ; le 13 mai, non.", ["1887-05-12", "1887-05-13"]),
        ("General Boulanger in May 1887?", ["1887-05"]),
        ("am 12. Mai 1887 über die Wahl", ["1887-05-12"]),
        ("zwischen dem 3. und dem 7. Mai 1887", ["1887-05-03/1887-05-07"]),
        ("le 11 frimaire an VII, puis l'an VII", ["1798-12-01", "1798-09-22/1799-09-22"]),
        ("On May 12, 1887 and June 3", ["1887-05-12", "1887-06-03"]),
        ("il fut élu en 1887, de 1887 à 1889", ["1887", "1887/1889"]),
        ("En 1887, que se passe-t-il le 12 mai ?", ["1887", "1887-05-12"]),
        ("en 1887?", ["1887"]),
        ("(1887?)", ["1887?"]),
        ("avant 1887", ["../1886"]),
        ("mercredi 18 mai 1887", ["1887-05-18"]),
        ("le 14 Mai 1887 à 1 heure", ["1887-05-14"]),
        ("XIXe siècle, im 19. Jahrhundert, the 1880s", ["1801/1900", "1801/1900", "188X"]),
        ("1887-05-12 et 13/05/1887", ["1887-05-12", "1887-05-13"]),
        ("nel XIX secolo e nel Settecento", ["1801/1900", "1701/1800"]),
        ("alla fine dell'Ottocento; novecento lire", ["1801/1900"]),
        ("477 BCE", ["-0476"]),
        ("le 12 7bre 1787", ["1787-09-12"]),
        ("1887 francs, n° 1887, art. 1887, 1887,50, 1 887 hommes", []),
        ("le 31 février 1887", []),
        ("le 12 mai", []),
        ("sept hommes ; mars attaque ; la mer ; may 12 people", []),
        ("12/05/1887", []),
    ],
)
def test_dates_of_a_sentence(text: str, expected: list[str]) -> None:
    assert [mention.date.edtf for mention in find_dates(text)] == expected


def test_a_default_year_completes_a_day() -> None:
    assert [m.date.edtf for m in find_dates("le 12 mai", default_year=1887)] == ["1887-05-12"]


def test_an_order_decides_numeric_dates() -> None:
    assert [m.date.edtf for m in find_dates("12/05/1887", order="dmy")] == ["1887-05-12"]


def test_places_are_those_of_the_text_even_when_it_is_decomposed() -> None:
    text = unicodedata.normalize("NFD", "Élu en décembre 1887, puis le 3 décembre 1887.")
    mentions = find_dates(text)
    assert [m.date.edtf for m in mentions] == ["1887-12", "1887-12-03"]
    assert all(text[m.start : m.end] == m.date.written for m in mentions)
    assert unicodedata.normalize("NFC", mentions[1].date.written) == "3 décembre 1887"


@given(st.text(max_size=200))
def test_mentions_are_in_order_and_apart(text: str) -> None:
    end = 0
    for mention in find_dates(text, default_year=1887):
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


def _junk(kind: str, size: int) -> str:
    chance = random.Random(7)
    if kind == "printable":
        return "".join(chance.choices(string.printable, k=size))
    if kind == "figures":
        return "".join(chance.choices("0123456789 /.-", k=size))
    return (kind * (size // len(kind) + 1))[:size]


@pytest.mark.parametrize(
    "kind", ["printable", "figures", "1-", "an  ", "vers ", "entre le 3 et le ", " ", "a", "mai "]
)
def test_a_date_behind_much_junk_is_found(kind: str) -> None:
    """A square cost would never end here; how the cost grows is in `benchmarks.growth`."""
    assert _last_date_behind(_junk(kind, 400_000)) == "1883-03-12"


@pytest.mark.slow
def test_a_date_behind_ten_megabytes_of_junk() -> None:
    assert _last_date_behind(_junk("printable", 10_000_000)) == "1883-03-12"


def _last_date_behind(junk: str) -> str:
    last = find_dates(junk + ".\n\nParis, 12 mars 1883.")[-1]
    assert last.start > len(junk)
    return last.date.edtf
