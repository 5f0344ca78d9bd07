"""The OCR-tolerant channel, over stores in memory and over shared data."""

from pathlib import Path

import pytest

from tests.contracts.building import drain, new
from tests.contracts.memory import MemoryStores
from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed
from trace_core.domain.hits import Ranking
from trace_core.search.form_deriver import FORMS_ARTIFACT, FormsDeriver, KeptForms
from trace_core.search.fuzzy import FuzzyChannel
from trace_core.search.fuzzy_plan import FuzzyLimits

TEXTS = {
    "exact": "Der Abgeordnete Winterberg sprach in Neustadt.",
    "again": "Herr Winterberg schwieg. Winterberg ging.",
    "third": "Man hörte Winterberg nicht.",
    "misread": "Der Abgeordnete Wiuterbcrg sprach.",
    "broken": "Der Abgeordnete Winter-\nberg sprach.",
    "split": "Der Abgeordnete Winter berg sprach.",
    "run on": "Es lebe derWinterberg hoch.",
    "ending": "Die Rede Winterbergs.",
    "other": "Der Abgeordnete Hinterzarten sprach.",
    "joined": "Ein Schiff aus Newhaven kam an.",
    "apart": "Ein Schiff aus New Haven kam an.",
}


@pytest.fixture
def stores() -> MemoryStores:
    stores = MemoryStores()
    stores.documents.add([new(name, text) for name, text in TEXTS.items()])
    drain(stores)
    FormsDeriver().build(stores.lexical, stores.artifacts)
    return stores


def channel(stores: MemoryStores, least: float = 0.3) -> FuzzyChannel:
    forms = KeptForms(stores.artifacts)
    return FuzzyChannel(stores.lexical, stores.documents, forms, FuzzyLimits(least))


def forms_by_document(ranking: Ranking) -> dict[str, tuple[str, ...]]:
    return {hit.key.source_id: hit.forms for hit in ranking.hits}


def test_damaged_words_are_found_behind_whole_ones_and_shown_as_written(
    stores: MemoryStores,
) -> None:
    ranking = channel(stores).search("Winterberg", Scope(), 10)
    found = forms_by_document(ranking)
    assert list(found)[:4] and set(list(found)[:4]) == {"exact", "again", "third", "broken"}
    assert found["exact"] == () and found["broken"] == ()
    assert found["misread"] == ("Wiuterbcrg",)
    assert found["split"] == ("Winter berg",)
    assert found["run on"] == ("derWinterberg",)
    assert found["ending"] == ("Winterbergs",)
    assert [hit.rank for hit in ranking.hits] == list(range(1, len(ranking.hits) + 1))
    assert "wiuterbcrg" in ranking.note


def test_another_name_is_not_taken_for_it(stores: MemoryStores) -> None:
    assert "other" not in forms_by_document(channel(stores).search("Winterberg", Scope(), 10))


def test_a_doubtful_form_bears_a_question_mark(stores: MemoryStores) -> None:
    stores.documents.add([new("doubt", "Der Abgeordnete Wimterheeg sprach.")])
    drain(stores)
    FormsDeriver().build(stores.lexical, stores.artifacts)
    ranking = channel(stores).search("Winterberg", Scope(), 10)
    assert forms_by_document(ranking)["doubt"] == ("Wimterheeg?",)
    assert "less like it" in ranking.note and "wimterheeg" not in ranking.note
    strict = channel(stores, least=0.7).search("Winterberg", Scope(), 10)
    assert "doubt" not in forms_by_document(strict)


def test_the_beginning_of_a_word_is_a_doubtful_form_of_it(stores: MemoryStores) -> None:
    stores.documents.add(
        [new("half", "Im Winter sprach er."), new("cut", "Der Abgeordnete Winterber sprach.")]
    )
    drain(stores)
    FormsDeriver().build(stores.lexical, stores.artifacts)
    ranking = channel(stores).search("Winterberg", Scope(), 20)
    found = forms_by_document(ranking)
    assert found["cut"] == ("Winterber",)
    assert found["half"] == ("Winter?",)
    assert "winter," not in ranking.note


def test_two_words_written_as_one_and_one_as_two(stores: MemoryStores) -> None:
    found = forms_by_document(channel(stores).search("New Haven", Scope(), 5))
    assert list(found)[:2] == ["apart", "joined"]
    assert found["joined"] == ("Newhaven",)
    assert forms_by_document(channel(stores).search("Newhaven", Scope(), 5))["apart"] == (
        "New Haven",
    )


def test_a_name_written_small_counts_less() -> None:
    stores = MemoryStores()
    names = {f"d{i}": f"Rede von Stein im Haus {i}." for i in range(4)}
    stores.documents.add(
        [
            *(new(name, text) for name, text in names.items()),
            new("small", "ein steins im haus."),
            new("large", "ein Steinz im haus."),
        ]
    )
    drain(stores)
    FormsDeriver().build(stores.lexical, stores.artifacts)
    found = list(forms_by_document(channel(stores).search("Stein", Scope(), 9)))
    assert found.index("large") < found.index("small")


def test_the_scope_and_the_limit_hold(stores: MemoryStores) -> None:
    assert channel(stores).search("Winterberg", Scope(("elsewhere",)), 10).hits == ()
    assert len(channel(stores).search("Winterberg", Scope(), 2).hits) == 2


def test_without_words_it_is_skipped_and_without_an_index_it_fails(stores: MemoryStores) -> None:
    assert channel(stores).search("?! …", Scope(), 5).skipped
    bare = MemoryStores()
    assert "reindex" in channel(bare).search("Winterberg", Scope(), 5).failure


def test_a_broken_index_is_a_failure_and_never_an_empty_answer(
    stores: MemoryStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[object]:
        raise SearchFailed("The lexical index is broken; reindex.")

    monkeypatch.setattr(stores.lexical, "search_best", broken)
    ranking = channel(stores).search("Winterberg", Scope(), 5)
    assert ranking.failure == "The lexical index is broken; reindex." and ranking.hits == ()


def test_the_form_index_is_stale_when_the_archive_has_grown(stores: MemoryStores) -> None:
    deriver = FormsDeriver()
    assert deriver.name == FORMS_ARTIFACT
    assert not deriver.stale(stores.lexical, stores.artifacts)
    stores.documents.add([new(f"more {i}", "Neues.") for i in range(3)])
    drain(stores)
    assert deriver.stale(stores.lexical, stores.artifacts)
    assert deriver.stale(stores.lexical, MemoryStores().artifacts)


def test_a_very_long_query_is_cut_to_the_words_that_tell_most(stores: MemoryStores) -> None:
    query = " ".join(f"wort{i}" for i in range(400)) + " der Winterberg"
    ranking = channel(stores).search(query, Scope(), 5)
    assert not ranking.failure


@pytest.mark.slow
def test_names_in_damaged_newspapers_are_found(shared: Path, tmp_path: Path) -> None:
    from benchmarks.names import archive, measure, read_names, scopes

    folder = shared / "hipe"
    service = archive(folder, tmp_path / "archive")
    names = read_names(folder / "entities.jsonl", None)
    outcome = measure(service, names, scopes(folder / "documents.jsonl"), "fuzzy")
    assert sum(outcome.recall) / len(outcome.recall) >= 0.90
    assert sum(outcome.damaged) / len(outcome.damaged) >= 0.70
