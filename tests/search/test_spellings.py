"""Old and new spellings of a word."""

import pytest

from trace_core.search.spellings import spellings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("anglois", "anglais"),
        ("etoient", "etaient"),
        ("enfans", "enfants"),
        ("momens", "moments"),
        ("theil", "teil"),
        ("thal", "tal"),
        ("partey", "partei"),
        ("baiern", "bayern"),
        ("regiren", "regieren"),
        ("commission", "kommission"),
        ("canzlei", "kanzlei"),
        ("organise", "organize"),
        ("honour", "honor"),
        ("publick", "public"),
    ],
)
def test_old_and_new_lead_to_each_other(old: str, new: str) -> None:
    assert new in spellings(old)
    assert old in spellings(new)


@pytest.mark.parametrize(
    ("one", "other"), [("mois", "mais"), ("soit", "sait"), ("plans", "plants")]
)
def test_short_words_keep_their_endings(one: str, other: str) -> None:
    assert other not in spellings(one)


def test_a_word_is_no_other_spelling_of_itself() -> None:
    for word in ("theater", "paris", "a", "", "cc"):
        found = spellings(word)
        assert word not in found
        assert len(found) == len(set(found))
