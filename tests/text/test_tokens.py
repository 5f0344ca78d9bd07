"""Tokens of scripts with and without blanks between the words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.text.places import places
from trace_core.text.tokens import iter_tokens, one_token, words, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L'Été 1887_bis", ["l", "ete", "1887", "bis"]),
        ("Москва, 1887", ["москва", "1887"]),
        ("北京政府。1911年", ["北", "京", "政", "府", "1911", "年"]),
        ("東京タワー・ABC新聞", ["東", "京", "タ", "ワ", "ー", "abc", "新", "聞"]),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_word_is_found_inside_a_sentence_without_blanks() -> None:
    assert list(places("在北京政府", words("北京"))) == [(1, 3)]
    assert list(places("pékin北京", words("北京"))) == [(5, 7)]


@given(st.text(st.sampled_from("ab1 _.北京タ・ー"), max_size=20))
def test_two_neighbours_are_one_token_where_the_tokens_say_so(text: str) -> None:
    inside = {place for token in iter_tokens(text) for place in range(token.start + 1, token.end)}
    for place in range(1, len(text)):
        assert one_token(text[place - 1], text[place]) == (place in inside)
    assert words_of(text) == [token.text for token in iter_tokens(text)]
