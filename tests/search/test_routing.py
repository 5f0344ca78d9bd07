import pytest

from trace_core.domain.corpus import SubCorpus
from trace_core.search.routing import RouteWeights, named_corpora, names_of, route

TIMES = SubCorpus("times_1870", "Le Temps", ("Temps",), "newspaper", "fr")
WATCH = SubCorpus("vigie", "La Vigie de Vaubrenne", (), "newspaper", "fr")
ECHO = SubCorpus("echo-v1", "L'Écho", (), "newspaper", "fr")
DEBATES = SubCorpus("deb", "Les Débats", (), "debates", "fr")
LETTERS = SubCorpus("letters", "Fonds Aubert", (), "letters", "fr")
ALL = (TIMES, WATCH, ECHO, DEBATES, LETTERS)


def weights(question: str) -> dict[str, float]:
    return {r.corpus: r.weight for r in route(question, ALL)}


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Que disent L’Écho et Le Temps ?", ["echo-v1", "times_1870"]),
        ("L'avis du Temps et de l'Echo", ["times_1870", "echo-v1"]),
        ("Combien de temps faut-il à l'écho ?", []),
        ("Les débats furent-ils longs ?", []),
        ("Que lit-on dans Les Débats ?", ["deb"]),
        ("Que rapporte la Vigie ?", ["vigie"]),
        ("Que rapporte la vigie du port ?", []),
        ("Comment La Vigie de Vaubrenne raconte-t-elle la crue ?", ["vigie"]),
        ("dans le temps et les débats", ["times_1870", "deb"]),
        ("documents de echo-v1", ["echo-v1"]),
        ("Was steht im Fonds Aubert?", ["letters"]),
        ("", []),
    ],
)
def test_names_aliases_and_ids(question, named):
    assert named_corpora(question, ALL) == named


def test_a_longer_name_hides_the_shorter_inside_it():
    longer = SubCorpus("ne", "Le Nouveau Temps")
    assert named_corpora("Que dit Le Nouveau Temps ?", [TIMES, longer]) == ["ne"]


def test_named_ones_count_fully_and_the_rest_least():
    assert weights("Que dit L'Écho de la crue ?") == {
        "echo-v1": 1.0,
        "times_1870": 0.4,
        "vigie": 0.4,
        "deb": 0.4,
        "letters": 0.4,
    }


@pytest.mark.parametrize(
    "question",
    [
        "Comment les deux journaux racontent-ils la crue ?",
        "Que dit la presse ?",
        "How do both newspapers tell it?",
        "Wie berichten die Zeitungen darüber?",
        "Was steht in den Blättern?",
        "Che cosa scrivono i giornali?",
        "Come ne parla la stampa?",
    ],
)
def test_a_kind_points_at_all_of_that_kind(question):
    found = weights(question)
    assert {c for c, w in found.items() if w == 0.7} == {"times_1870", "vigie", "echo-v1"}
    assert found["deb"] == found["letters"] == 0.4


@pytest.mark.parametrize(
    ("question", "corpus"),
    [
        ("Que répond-il à la Chambre ?", "deb"),
        ("Was sagte er im Landtag?", "deb"),
        ("What was said in the sitting?", "deb"),
        ("Que dit sa correspondance ?", "letters"),
        ("Was steht in den Briefen?", "letters"),
        ("Aus den Sitzungen des Landtags?", "deb"),
        ("Was sagte er im Reichstage?", "deb"),
        ("Che cosa disse alla Camera?", "deb"),
        ("Che cosa si legge nelle lettere?", "letters"),
    ],
)
def test_kinds_in_four_languages(question, corpus):
    assert [c for c, w in weights(question).items() if w == 0.7] == [corpus]


def test_two_kinds_may_be_meant_at_once():
    found = weights("Que dit-il à la Chambre, et comment la presse répond-elle ?")
    assert found["deb"] == found["echo-v1"] == 0.7
    assert found["letters"] == 0.4


def test_a_named_one_of_a_kind_takes_the_kind_for_itself():
    found = weights("Que dit L'Écho, seul de tous les journaux, de la séance ?")
    assert found["echo-v1"] == 1.0
    assert found["times_1870"] == 0.4
    assert found["deb"] == 0.7


def test_the_longest_phrase_decides_the_kind():
    diary = SubCorpus("d", "Carnets", kind="diary")
    found = {r.corpus: r.weight for r in route("Que note son journal intime ?", [ECHO, diary])}
    assert found == {"echo-v1": 0.4, "d": 0.7}


def test_the_historians_own_kind_is_known_by_its_name():
    maps = SubCorpus("m", "Atlas", kind="map")
    found = {r.corpus: r.weight for r in route("Which maps show the river?", [ECHO, maps])}
    assert found == {"echo-v1": 0.4, "m": 0.7}


def test_a_question_that_points_nowhere_weighs_all_alike():
    assert set(weights("Pourquoi la récolte fut-elle mauvaise ?").values()) == {1.0}


def test_a_treaty_is_no_book():
    book = SubCorpus("b", "Ouvrages", kind="books")
    found = {r.corpus: r.weight for r in route("Que change le traité de paix ?", [ECHO, book])}
    assert found == {"echo-v1": 1.0, "b": 1.0}


def test_a_short_name_behind_an_italian_preposition():
    papers = [SubCorpus("c", "Corriere della Valle"), SubCorpus("g", "Gazzetta di Monte")]
    found = {r.corpus: r.named for r in route("Che cosa si legge sul Corriere?", papers)}
    assert found == {"c": True, "g": False}


def test_articles_of_a_law_are_no_press():
    assert set(weights("Que change l'article 49 de la loi ?").values()) == {1.0}


def test_reasons_are_said_and_weights_can_be_set():
    first, *_ = route("Que dit Le Temps ?", ALL, RouteWeights(named=0.9))
    assert first.named
    assert first.weight == 0.9
    assert first.reason == "the question names Le Temps"


def test_everything_a_sub_corpus_may_be_called():
    assert names_of([TIMES]) == ["Le Temps", "Temps", "times_1870"]
