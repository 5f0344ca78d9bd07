from __future__ import annotations

from pages.components.html import clean, marked, md, shortened

EVIL = "<script>alert(1)</script> $x$ *bold* :smile: & \x08 [a](b)"


def test_a_mark_keeps_every_character_escaped() -> None:
    assert marked("a <b> c", ([(2, 5)], "")) == "a <mark>&lt;b&gt;</mark> c"


def test_overlapping_spans_are_one_mark() -> None:
    assert marked("abcdef", ([(1, 3), (2, 5)], "")) == "a<mark>bcde</mark>f"


def test_the_first_layer_wins_where_two_overlap() -> None:
    assert marked("abcdef", ([(1, 3)], ""), ([(2, 5)], "tr-name")) == (
        'a<mark>bc</mark><mark class="tr-name">de</mark>f'
    )


def test_spans_beyond_the_text_are_cut() -> None:
    assert marked("abc", ([(-5, 1), (2, 99), (7, 9)], "")) == "<mark>a</mark>b<mark>c</mark>"


def test_nothing_from_a_document_becomes_markup() -> None:
    shown = marked(EVIL, ([(0, 8)], ""))
    assert "<script" not in shown
    assert "\x08" not in shown
    assert clean('"') == "&quot;"


def test_markdown_and_streamlit_extensions_are_escaped() -> None:
    assert md("$x$ *b* :smile: [a](b) <i>") == (r"\$x\$ \*b\* \:smile\: \[a\]\(b\) \<i\>")


def test_shortened_cuts_at_a_word() -> None:
    assert shortened("one two  three", 9) == "one two …"
    assert shortened("one two", 9) == "one two"
