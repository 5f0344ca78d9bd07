"""Raw, shown, indexed: nothing is lost on the way up, every place is found on the way back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trace_core.text.folding import fold
from trace_core.text.layers import layer, show
from trace_core.text.tokens import tokens, words

#: Texts as archives give them: letters of several scripts, marks, hyphens, line ends, controls.
ARCHIVE_TEXT = st.text(
    st.one_of(
        st.sampled_from(
            list("a b cé ÉœßſﬁÆø-=¬⸗\xad\n\r \t\x00\x08\x0c\u0301\u0308oeU19.,'’Σσ\ue000İ")
        ),
        st.characters(),
        st.characters(codec="utf-8"),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "indexed"),
    [
        ("L'Été à Nîmes", "l'ete a nimes"),
        ("e\u0301te\u0301", "ete"),
        (
            "Œuvre, cœur, Æther, ſtraße, ﬁn, Łódź, Þing",
            "oeuvre, coeur, aether, strasse, fin, lodz, thing",
        ),
        ("unver-\nmeidlich", "unvermeidlich"),
        ("ver¬\nlängerten", "verlangerten"),
        ("ver¬ längerten", "verlangerten"),
        ("hält=\nniß", "haltniss"),
        ("hält⸗\n  niß", "haltniss"),
        ("hält-\n\nniß", "haltniss"),
        ("hält-\r\nniß", "haltniss"),
        ("so\xadft\xad\nly", "softly"),
        ("Saint\xad\nPaul", "saintpaul"),
        ("Alsace-\nLorraine", "alsace-\nlorraine"),
        ("1914-\n18", "1914-\n18"),
        ("le gouver-\n» nement", "le gouvernement"),
        ("le gouver¬\n«nement", "le gouvernement"),
        ("Alsace-\n» Lorraine", "alsace-\n» lorraine"),
        ("dit-il.\n» Oui", "dit-il.\n» oui"),
        ("Al¬\n« Quand", "al¬\n« quand"),
        ("Haus-\nund Hof", "haus-\nund hof"),
        ("Haus-\nundurchlässig", "hausundurchlassig"),
        ("porte-voix - et", "porte-voix - et"),
        ("a = \nb", "a = \nb"),
        ("\ue6a1 \ue8b7", "\ue6a1 \ue8b7"),
        ("ΟΔΟΣ", "οδοσ"),
        ("aus E n g l a n d, 3. Mai", "aus england, 3. mai"),
        ("L O N D O N", "london"),
        ("die M ö g l i ch k e i t e n da", "die moglichkeiten da"),
        ("zu P a r i s  und L y o n", "zu paris  und lyon"),
        ("A b c D e f g", "abcdefg"),
        ("P a r i s L y o n", "paris lyon"),
        ("von J. F. K. L. und a b c", "von j. f. k. l. und a b c"),
        ("il y a à 4 h", "il y a a 4 h"),
    ],
)
def test_what_the_index_holds(text: str, indexed: str) -> None:
    assert fold(text) == indexed


def test_a_letter_spaced_word_is_marked_as_it_stands() -> None:
    layered = layer("Aus E n g l a n b wird")
    token = tokens(layered.indexed)[1]
    assert token.text == "englanb"
    start, end = layered.to_shown(token.start, token.end)
    assert layered.shown[start:end] == "E n g l a n b"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x00b\x08c", "abc"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\x0cb\x0bc\x85d\u2028e", "a\nb\nc\nd\ne"),
        ("\ufeffa", "a"),
        ("a\ud800b", "a\ufffdb"),
        ("tab\tstays, é too", "tab\tstays, é too"),
    ],
)
def test_what_a_page_shows(raw: str, shown: str) -> None:
    layered = layer(raw)
    assert layered.raw == raw
    assert layered.shown == shown
    assert show(shown)[0] == shown


@given(ARCHIVE_TEXT)
@example("Σ\u0301Σ")
@example("e\u0301-\nx\u0302y")
@example("\u1100\u1161\u11a8 \u304b\u3099 \u0958")
def test_the_fast_fold_and_the_one_with_offsets_agree(raw: str) -> None:
    layered = layer(raw)
    assert fold(layered.shown) == layered.indexed
    assert layered.raw == raw


@given(ARCHIVE_TEXT)
def test_shown_places_lie_in_the_raw_text_in_order(raw: str) -> None:
    layered = layer(raw)
    before = 0
    for place in range(len(layered.shown)):
        start, end = layered.to_raw(place, place + 1)
        assert before <= start < end <= len(raw)
        assert show(raw[start:end])[0] == layered.shown[place]
        assert layered.from_raw(start, end) == (place, place + 1)
        before = end


@given(ARCHIVE_TEXT)
def test_indexed_places_lie_in_the_shown_text_in_order(raw: str) -> None:
    layered = layer(raw)
    before = 0
    for place in range(len(layered.indexed)):
        start, end = layered.to_shown(place, place + 1)
        assert before <= start < end <= len(layered.shown)
        back = layered.to_indexed(start, end)
        assert back[0] <= place < back[1] <= len(layered.indexed)
        before = start


@given(ARCHIVE_TEXT)
@example("ver¬\nla\u0308ngerten ﬁn")
@example("Ver-\nhält-\nniß")
def test_every_token_is_what_its_shown_characters_fold_to(raw: str) -> None:
    layered = layer(raw)
    for token in tokens(layered.indexed):
        start, end = layered.to_shown(token.start, token.end)
        assert token.text in fold(layered.shown[start:end])
        if token.text.isascii() and layered.shown.isascii():
            assert fold(layered.shown[start:end]) == token.text


@given(st.text(st.sampled_from(list("abÉœßſ -¬=\n\xad\u0301")), max_size=40))
def test_in_latin_text_a_token_is_exactly_its_shown_characters(raw: str) -> None:
    layered = layer(raw)
    for token in tokens(layered.indexed):
        start, end = layered.to_shown(token.start, token.end)
        assert fold(layered.shown[start:end]) == token.text


@given(st.text(st.characters(categories=("Lu", "Ll", "Nd", "Po", "Zs", "Pd")), max_size=60))
def test_tokens_are_those_of_tantivys_simple_tokenizer(text: str) -> None:
    tantivy = pytest.importorskip("tantivy")
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()
    indexed = fold(text)
    assert [token.text for token in tokens(indexed)] == analyzer.analyze(indexed)
    assert words(text) == analyzer.analyze(indexed)


@given(ARCHIVE_TEXT)
def test_folding_twice_changes_no_word(text: str) -> None:
    assert words(fold(text)) == words(text)


@pytest.mark.parametrize(
    "kind", ["-\n", "¬ ", "\xad", "a-\n\n", "é\u0301", " ", "œß", "-" + " " * 99]
)
def test_much_junk_is_layered_as_a_little_is(kind: str) -> None:
    """A square cost would never end here; how the cost grows is in `benchmarks.growth`."""
    times = 800_000 // len(kind)
    word = layer("Pont" + kind * times + "scie")
    assert word.raw == "Pont" + kind * times + "scie"
    assert word.indexed.startswith("pont") and word.indexed.endswith("scie")
    end = len(word.indexed)
    assert word.to_shown(end - 4, end) == (len(word.shown) - 4, len(word.shown))
