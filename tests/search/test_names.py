import pytest

from trace_core.search.names import Name, find_names


def texts(question: str, **more) -> list[str]:
    return [name.text for name in find_names(question, **more)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Que répond M. Aubert à Jules Marchand ?", ["Aubert", "Jules Marchand"]),
        ("Quel avis Mme de Staël donne-t-elle ?", ["de Staël"]),
        ("Le discours de Dupont de la Roche fut-il lu ?", ["Dupont de la Roche"]),
        ("Selon l'École Normale, qui vient de Lyon ?", ["École Normale", "Lyon"]),
        ("Le 12 mai, Lundi ou Mardi, à Nantes", ["Nantes"]),
        (
            "Did Sir John Macleod sign the Treaty of Ghent on May 12?",
            ["John Macleod", "Treaty of Ghent"],
        ),
        ("What did the bishop of York say?", ["York"]),
        ("Wie antwortete Graf von Moltke?", ["von Moltke"]),
        ("Comment Napoléon III et Louis XVI voyagent-ils ?", ["Napoléon III", "Louis XVI"]),
        ("Qui est J. B. Renaud ?", ["J. B. Renaud"]),
        ("Comment la récolte fut-elle vendue ?", []),
        ("", []),
    ],
)
def test_capitalised_sequences(question, expected):
    assert texts(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Que veut dire « eau de vie » ici ?",
        'Que veut dire "eau de vie" ?',
        "Que dit 'eau de vie' ?",
    ],
)
def test_quoted_phrases_are_names_of_their_own_kind(question):
    assert find_names(question) == (Name("eau de vie", ("eau", "de", "vie"), "quoted"),)


def test_an_elision_is_no_quotation():
    assert texts("Pourquoi l'impôt sur l'alcool d'été monte-t-il ?") == []


def test_particles_and_titles_are_not_among_the_words():
    (name,) = find_names("Que veut M. Dugué de la Fontaine ?")
    assert name.words == ("dugue", "fontaine")


def test_a_lone_capital_at_the_start_is_uncertain():
    (name,) = find_names("Aubert a-t-il démissionné ?")
    assert (name.text, name.certain) == ("Aubert", False)


def test_the_same_name_inside_the_sentence_makes_it_certain():
    (name,) = find_names("Aubert a-t-il parlé ? Le maire nomme Aubert.")
    assert name.certain


def test_an_order_is_no_name():
    assert texts("Comparez les deux récits. Décrivez la fête. Compare both.") == []


def test_a_lone_german_noun_is_uncertain_and_a_titled_one_is_not():
    names = find_names("Was sagte Herr Windhorst über die Zölle und den Hafen?")
    assert {n.text: n.certain for n in names} == {
        "Windhorst": True,
        "Zölle": False,
        "Hafen": False,
    }


def test_sub_corpora_are_left_out_with_or_without_their_article():
    left_out = ["L'Écho", "La Vigie"]
    assert texts("Que disent L’Écho et la Vigie de M. Aubert ?", leave_out=left_out) == ["Aubert"]


def test_a_possessive_ends_a_name():
    assert texts("Was it Gladstone's Bill that failed?") == ["Gladstone", "Bill"]


def test_each_name_stands_once_in_order():
    assert texts("Entre Lyon et Nantes, que dit-on de Lyon ?") == ["Lyon", "Nantes"]
