"""Hits in the shown text: folded, stemmed, across line ends, as sequences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trace_core.text.folding import fold
from trace_core.text.highlight import query_terms, spans
from trace_core.text.stem import stem
from trace_core.text.tokens import words


def marked(text: str, query: str, language: str = "") -> list[str]:
    return [text[start:end] for start, end in spans(text, query_terms(query), language)]


def test_words_are_found_whatever_their_case_and_accents() -> None:
    assert marked("L'ÉTÉ, l'ete ; l'été.", "été") == ["ÉTÉ", "ete", "été"]
    assert marked("Die Straße, die ſtrasse", "strasse") == ["Straße", "ſtrasse"]


def test_words_are_found_across_line_ends() -> None:
    assert marked("das Ver¬\nhältniß ver-\nlängert", "Verhältniß") == ["Ver¬\nhältniß"]


def test_words_of_one_stem_are_found_in_their_language() -> None:
    assert marked("Les assemblées", "assemblée", "fr") == ["assemblées"]
    assert marked("Les assemblées", "assemblée") == []
    assert marked("ministers spoke", "minister", "en") == ["ministers"]
    assert marked("Die Häuser", "Hauses", "de") == ["Häuser"]


def test_a_term_of_several_words_is_found_as_a_sequence_only() -> None:
    text = "M. de Lesseps ; Lesseps de"
    assert [text[a:b] for a, b in spans(text, ["de Lesseps"])] == ["de Lesseps"]


def test_overlapping_hits_are_one() -> None:
    text = "général Boulanger, Boulanger"
    assert [text[a:b] for a, b in spans(text, ["général boulanger", "boulanger"])] == [
        "général Boulanger",
        "Boulanger",
    ]


def test_nothing_to_look_for_finds_nothing() -> None:
    assert spans("un texte", []) == []
    assert spans("un texte", ["…"]) == []


def test_short_words_are_left_out_unless_they_are_all_there_is() -> None:
    assert query_terms("Que dit-on de M. Goblet en 87 ?") == ["que", "dit", "goblet", "87"]
    assert query_terms("le la") == ["le", "la"]


def test_the_stems_are_those_of_the_index() -> None:
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    analyzer = builder.filter(tantivy.Filter.stemmer("french")).build()
    text = fold("Les assemblées nationales élisaient leurs députés révolutionnaires")
    assert [stem(word, "fr") for word in words(text)] == analyzer.analyze(text)
    assert stem("senatus", "la") == "senatus"


@given(st.text(max_size=60), st.lists(st.text(max_size=6), max_size=4))
def test_spans_lie_in_the_text_in_order_and_apart(text: str, terms: list[str]) -> None:
    before = -1
    for start, end in spans(text, terms, "fr"):
        assert before <= start < end <= len(text)
        before = end
