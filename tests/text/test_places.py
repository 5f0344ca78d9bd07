"""Words found in place: the same as by going through all tokens."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from trace_core.text.layers import layer
from trace_core.text.places import flat, places
from trace_core.text.tokens import iter_tokens

_TEXTS = st.text(st.sampled_from("abé_-\n ¬\xad'.1ßÉ"), max_size=40)


@given(_TEXTS, st.integers(1, 3), st.integers(0, 8))
def test_places_are_those_of_the_tokens(text: str, size: int, start: int) -> None:
    indexed = layer(text).indexed
    tokens = list(iter_tokens(indexed))
    wanted = tuple(token.text for token in tokens[start : start + size])
    if not wanted:
        return
    expected, end = [], 0
    for i in range(len(tokens) - len(wanted) + 1):
        stretch = tokens[i : i + len(wanted)]
        if tuple(token.text for token in stretch) == wanted and stretch[0].start >= end:
            end = stretch[-1].end
            expected.append((stretch[0].start, end))
    assert list(places(indexed, wanted)) == expected


@given(_TEXTS)
def test_a_flat_layer_has_every_character_in_its_place(text: str) -> None:
    found = flat(text)
    if found is not None:
        layered = layer(text)
        assert found == layered.indexed
        for token in iter_tokens(found):
            assert layered.to_shown(token.start, token.end) == (token.start, token.end)


def test_parts_of_words_are_no_places() -> None:
    assert list(places("le pont, les ponts, un pont-levis", ["pont"])) == [(3, 7), (23, 27)]
    assert list(islice(places("de la de la scie", ["la", "scie"]), 1)) == [(9, 16)]


def test_accents_keep_their_places_and_broken_words_do_not() -> None:
    assert flat("L'Été à Œuvre") is None
    assert flat("L'Été") == "l'ete"
    assert flat("assem-\nblée") is None
