"""Chunks: whole sentences, whole words, nothing lost, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.domain.errors import BadInput
from trace_core.ingest.chunks import Span, sentences_of, split


def cut(text: str, max_words: int) -> list[str]:
    return [text[span.start : span.end] for span in split(text, max_words=max_words)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Un deux. Trois quatre. Cinq.", ["Un deux.", "Trois quatre.", "Cinq."]),
        ("Vu M. Goblet. Il parla.", ["Vu M. Goblet.", "Il parla."]),
        ("Mme. Adam et MM. Say. Oui.", ["Mme. Adam et MM. Say.", "Oui."]),
        ("Der Dr. Meyer kam. Ja.", ["Der Dr. Meyer kam.", "Ja."]),
        ("J.-B. Say vint. Oui.", ["J.-B. Say vint.", "Oui."]),
        ("Am 12. Mai kam er. Ja.", ["Am 12. Mai kam er.", "Ja."]),
        ("C'était en 1887. Le roi vint.", ["C'était en 1887.", "Le roi vint."]),
        ("Nr. 5 und no. 7 hier. Ja.", ["Nr. 5 und no. 7 hier.", "Ja."]),
        ("He said no. Then he left.", ["He said no.", "Then he left."]),
        ("Le roi... Il partit… Fin.", ["Le roi...", "Il partit…", "Fin."]),
        ("Le roi... parla encore. Fin.", ["Le roi... parla encore.", "Fin."]),
        ("« Est-ce vrai ? » Oui. Bien.", ["« Est-ce vrai ? »", "Oui.", "Bien."]),
        ("(Bravo !) Il sortit. Oui.", ["(Bravo !)", "Il sortit.", "Oui."]),
        (
            "Paris, etc., et Lyon, etc. et puis. Oui.",
            ["Paris, etc., et Lyon, etc. et puis.", "Oui."],
        ),
        ("TITRE\n\nLe texte va. Oui.", ["TITRE", "Le texte va.", "Oui."]),
        ("le ver-\n\nhältniß ist da. Ja.", ["le ver-\n\nhältniß ist da.", "Ja."]),
    ],
)
def test_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    assert [text[s.start : s.end] for s in sentences_of(text, 99)] == expected


def test_chunks_are_filled_with_whole_sentences() -> None:
    assert cut("Un deux trois. Quatre cinq. Six sept huit.", 5) == [
        "Un deux trois. Quatre cinq.",
        "Six sept huit.",
    ]


def test_a_sentence_that_is_too_long_is_cut_at_a_word() -> None:
    assert cut("un deux trois quatre cinq six sept", 3) == [
        "un deux trois",
        "quatre cinq six",
        "sept",
    ]


def test_an_overlap_repeats_whole_sentences() -> None:
    text = "Un aa. Deux bb. Trois cc. Quatre dd. Cinq ee."
    spans = split(text, max_words=6, overlap=0.4)
    assert [text[s.start : s.end] for s in spans] == [
        "Un aa. Deux bb. Trois cc.",
        "Trois cc. Quatre dd. Cinq ee.",
    ]


def test_a_chunk_knows_the_page_on_which_it_begins() -> None:
    text = "Un deux. Trois quatre. Cinq six."
    assert split(text, max_words=2, pages=(0, 9, 23)) == [
        Span(0, 8, 0, 2),
        Span(9, 22, 1, 2),
        Span(23, 32, 2, 2),
    ]
    assert split("Un.", max_words=2)[0].page is None
    assert split("  Un.", max_words=2, pages=(4,))[0].page == 0


def test_no_text_has_no_chunks() -> None:
    assert split("") == split(" \n ") == []


@pytest.mark.parametrize(("words", "overlap"), [(0, 0.0), (5, 0.6), (5, -0.1)])
def test_impossible_limits_are_refused(words: int, overlap: float) -> None:
    with pytest.raises(BadInput, match="give"):
        split("Un.", max_words=words, overlap=overlap)


ANY_TEXT = st.text(
    st.one_of(st.sampled_from(list("aB1 .?!…»«\n-M¬")), st.characters()), max_size=120
)


@given(ANY_TEXT, st.integers(1, 9))
def test_chunks_cover_all_words_once_in_order(text: str, max_words: int) -> None:
    spans = split(text, max_words=max_words)
    assert [word for s in spans for word in text[s.start : s.end].split()] == text.split()
    end = 0
    for span in spans:
        assert not text[end : span.start].strip()
        assert span.start < span.end
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        assert span.words == len(text[span.start : span.end].split())
        assert 1 <= span.words <= max_words
        end = span.end
    assert not text[end:].strip()


@given(ANY_TEXT, st.integers(1, 9), st.floats(0, 0.5))
def test_overlapping_chunks_lose_nothing_and_go_on(
    text: str, max_words: int, overlap: float
) -> None:
    spans = split(text, max_words=max_words, overlap=overlap)
    covered = 0
    for before, span in zip([None, *spans], spans, strict=False):
        assert len(text[span.start : span.end].split()) <= max_words
        assert not text[covered : span.start].strip()
        assert span.end > covered
        assert before is None or span.start > before.start
        covered = span.end
    assert not text[covered:].strip()


@pytest.mark.parametrize("kind", ["a", ". ", ")", "A.-", "\n", "Un mot. ", '" '])
def test_a_million_characters_of_one_kind_are_covered(kind: str) -> None:
    """A square cost would never end here; how the cost grows is in `benchmarks.growth`."""
    text = (kind * 1_000_000)[:1_000_000]
    spans = split(text)
    assert "".join("".join(text[span.start : span.end].split()) for span in spans) == "".join(
        text.split()
    )
    assert all(len(text[span.start : span.end].split()) <= 250 for span in spans)
