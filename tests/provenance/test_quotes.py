import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.provenance.quotes import check_quote, check_reason, honest_reason, quotes_in

TEXT = (
    "M. Goblet, président du con-\nseil, a remis hier ſa démiſſion ; l'œuvre du cabinet\n"
    "n'eſt pas ﬁnie. Alsace-\nLorraine, peut-être. Les 1,200 voix !"
)


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("président du conseil", "président du con-\nseil"),
        ("PRESIDENT DU CON-\nSEIL", "président du con-\nseil"),
        ("a remis hier sa demission", "a remis hier ſa démiſſion"),
        ("l’oeuvre du cabinet n’est pas finie", "l'œuvre du cabinet\nn'eſt pas ﬁnie"),
        ("Alsace-Lorraine", "Alsace-\nLorraine"),
        ("peut-être", "peut-être"),
        ("démission… pas finie", "démiſſion […] pas ﬁnie"),
        ("Les 1,200 voix", "Les 1,200 voix"),
        ("hier sa de\u0301mission", "hier ſa démiſſion"),
    ],
)
def test_a_faithful_quote_is_found_and_given_as_stored(quote, stored):
    check = check_quote(quote, TEXT)
    assert check.verified
    assert check.text == stored
    assert " […] ".join(TEXT[a:b] for a, b in check.spans) == stored


@pytest.mark.parametrize(
    "quote",
    [
        "président de la République",
        "remis demain sa démission",
        "onseil",
        "fin",
        "finie… démission",
        "Les 1,300 voix",
        "",
        "«…»",
        "!",
    ],
)
def test_an_invented_or_cut_quote_is_not_found(quote):
    assert not check_quote(quote, TEXT).verified
    assert check_quote(quote, TEXT).text == ""


def test_accents_written_as_two_characters_stay_inside_the_span():
    text = "un e\u0301te\u0301 chaud"
    assert check_quote("été", text).text == "e\u0301te\u0301"


def test_scripts_without_spaces_are_found_inside_a_line():
    assert check_quote("京都", "昨日京都に着いた").text == "京都"
    assert check_quote("שלום", "אמר שלום לכולם").text == "שלום"


@pytest.mark.parametrize(
    ("reason", "inside"),
    [
        ("dit « la crise » et “rien”", ["la crise", "rien"]),
        ("sagt „die Krise“ und »nichts«", ["die Krise", "nichts"]),
        ('says "the crisis" twice', ["the crisis"]),
        ("sagt ‚ja‘ nicht", ["ja"]),
        ("he said ‘it’s over’ then", ["it’s over"]),
        ("l'homme d'État n'a rien dit", []),
        ("l’homme d’État n’a rien dit", []),
        ("says 'the end' twice", ["the end"]),
        ("an open “quote", []),
        ('12" and nothing', []),
        ("“” empty", []),
    ],
)
def test_quotations_are_found_in_reasons(reason, inside):
    assert [text for _, _, text in quotes_in(reason)] == inside


def test_an_unverified_quotation_loses_its_marks_and_is_said():
    reason = "Says «sa démission» and «la guerre»."
    checks = check_reason(reason, TEXT)
    assert [c.check.verified for c in checks] == [True, False]
    shown = honest_reason(reason, checks, "not in the passage")
    assert shown == "Says «sa démission» and la guerre [not in the passage]."


@given(st.text(min_size=1, max_size=60), st.text(max_size=30), st.text(max_size=30))
def test_whole_words_of_a_text_are_always_found_in_it(middle, before, after):
    text = f"{before} {middle} {after}"
    check = check_quote(middle.replace("…", " ").replace("...", " "), text)
    if check.verified:
        assert all(0 <= a < b <= len(text) for a, b in check.spans)
    else:
        special = any(m in middle for m in ("…", "...", "-", "=", "¬", "‐", "‑", "⸗", "\u00ad"))
        assert special or not any(c.isalnum() for c in middle) or _merges(before, middle, after)


def _merges(before: str, middle: str, after: str) -> bool:
    joiners = "-‐‑¬⸗=\u00ad"
    ends = before.rstrip()[-1:], after.lstrip()[:1], middle.strip()[-1:], middle.strip()[:1]
    return any(e and e in joiners for e in ends)


@given(st.text(max_size=80))
def test_no_reason_breaks_the_search_for_quotations(reason):
    for start, end, inside in quotes_in(reason):
        assert inside in reason[start:end]
    assert isinstance(honest_reason(reason, check_reason(reason, "x"), "m"), str)
