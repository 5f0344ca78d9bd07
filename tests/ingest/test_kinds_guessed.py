"""The kind of a sub-corpus that nobody described, from general words alone."""

import pytest

from trace_core.ingest.corpora import as_sub_corpus, corpus_hint, guess_kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Vossische Zeitung", "newspaper"),
        ("Landeszeitung", "newspaper"),
        ("the-evening-times", "newspaper"),
        ("Le Moniteur de l'Est", "newspaper"),
        ("Gazette de Leyde", "newspaper"),
        ("senat_1887", "debates"),
        ("Sénat", "debates"),
        ("Chambre des députés", "debates"),
        ("Verhandlungen des Landtags", "debates"),
        ("Lettres de Voltaire", "letters"),
        ("procès-verbaux du conseil", "minutes"),
        ("Sammlung 12", ""),
        ("", ""),
    ],
)
def test_general_words_tell_the_kind(text: str, kind: str) -> None:
    assert guess_kind(text.replace("_", " ")) == kind


def test_a_name_tells_the_kind_where_the_id_does_not() -> None:
    assert as_sub_corpus(corpus_hint("x12", name="Kölnische Zeitung")).kind == "newspaper"
    assert as_sub_corpus(corpus_hint("x12", name="Kölnische Zeitung", kind="books")).kind == "books"
    assert as_sub_corpus(corpus_hint("x12")).kind == "other"
