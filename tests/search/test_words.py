import pytest

from trace_core.search.words import content_query, language_of, worth_marking
from trace_core.text.folding import fold as folded
from trace_core.text.tokens import words as folded_words


def test_folding_drops_case_accents_and_ligatures():
    assert folded("L'ŒUVRE fêtée, Straße, diſette") == "l'oeuvre fetee, strasse, disette"
    assert folded_words("Saint-Étienne, 1887 !") == ["saint", "etienne", "1887"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Comment le maire décrit-il la fête du village ?", "fr"),
        ("How does the mayor describe the fair of the village?", "en"),
        ("Wie beschreibt der Bürgermeister das Fest im Dorf?", "de"),
        ("Come descrive il sindaco la festa del paese?", "it"),
        ("Bismarck 1887", ""),
        ("", ""),
    ],
)
def test_language_by_function_words(text, code):
    assert language_of(text) == code


def test_what_is_left_can_tell_passages_apart():
    question = "Comment La Vigie de Vaubrenne raconte-t-elle l'inondation de l'Yrelle ?"
    assert content_query(question, ["La Vigie de Vaubrenne"]) == "raconte inondation Yrelle"


def test_grammar_goes_in_italian_too():
    question = "Che cosa si legge dell'esercito di Radetzky nelle lettere?"
    assert content_query(question) == "legge esercito Radetzky lettere"


def test_dropped_phrases_match_whole_words_whatever_apostrophe_they_have():
    assert content_query("Que dit L’Écho du port ? L'Échoppe", ["L'Écho"]) == "dit port Échoppe"


def test_the_longest_phrase_goes_first():
    assert content_query("die Neue Zeitung und das Amt", ["Zeitung", "Neue Zeitung"]) == "Amt"


def test_summer_and_gold_stay():
    assert content_query("la récolte de l'été et le prix de l'or") == "récolte été prix or"


def test_no_word_goes_where_the_language_is_unknown():
    assert content_query("war Paris") == "war Paris"


def test_a_query_of_grammar_alone_stays_whole():
    assert content_query("être ou ne pas être, le la les") == "être ou ne pas être, le la les"


@pytest.mark.parametrize(
    ("terms", "language", "marked"),
    [
        (["pont", "des", "que", "arts"], "fr", ["pont", "arts"]),
        (["pont", "des", "arts"], "fr-FR", ["pont", "arts"]),
        (["que", "des"], "fr", ["que", "des"]),
        (["pont", "des", "arts"], "", ["pont", "des", "arts"]),
        (["que", "dit", "des", "ponts"], "de", ["dit", "ponts"]),  # a French question, German text
        (["été"], "fr", ["été"]),
        ([], "fr", []),
    ],
)
def test_function_words_are_marked_only_where_there_is_nothing_else(
    terms: list[str], language: str, marked: list[str]
) -> None:
    assert worth_marking(terms, language) == marked
