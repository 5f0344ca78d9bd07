"""A name's forms: proposed from the archive, chosen by a person, searched as chosen."""

import pytest

from tests.contracts.building import drain, new
from tests.contracts.memory import MemoryStores
from trace_core.domain.corpus import Scope
from trace_core.search.form_deriver import FormsDeriver, KeptForms
from trace_core.search.forms import FormIndex
from trace_core.search.fuzzy import FuzzyChannel
from trace_core.search.variants import joined, variants

TEXTS = {
    "exact": "Graf Thalheim kam an.",
    "old": "Graf Talheim kam an.",
    "misread": "Graf Thalhcim kam an.",
    "split": "Graf Thal heim kam an.",
    "spaced": "Graf T h a l h e i m kam an.",
    "other": "Graf Falkenstein blieb.",
}


@pytest.fixture
def stores() -> MemoryStores:
    stores = MemoryStores()
    stores.documents.add([new(name, text) for name, text in TEXTS.items()])
    drain(stores)
    FormsDeriver().build(stores.lexical, stores.artifacts)
    return stores


def forms_of(stores: MemoryStores) -> FormIndex:
    forms = KeptForms(stores.artifacts)()
    assert forms is not None
    return forms


def test_forms_come_with_their_kind_and_how_often_they_stand_there(stores: MemoryStores) -> None:
    found = {v.form: v for v in variants("Thalheim", forms_of(stores), stores.lexical.count())}
    assert next(iter(found)) == "thalheim"
    assert (found["thalheim"].passages, found["thalheim"].kind) == (2, "exact")
    assert found["talheim"].kind == "spelling"
    assert found["thalhcim"].kind == "misread"
    assert found["thal heim"].kind == "split"
    assert "falkenstein" not in found


def test_of_a_longer_name_one_word_is_varied(stores: MemoryStores) -> None:
    found = [v.form for v in variants("Graf Thalheim", forms_of(stores), stores.lexical.count())]
    assert found[0] == "graf thalheim"
    assert "graf talheim" in found


def test_a_chosen_form_is_searched_as_it_stands_and_no_other(stores: MemoryStores) -> None:
    channel = FuzzyChannel(stores.lexical, stores.documents, KeptForms(stores.artifacts))
    ranking = channel.search(joined("Thalheim", ["Talheim", " thal  heim ", ""]), Scope(), 10)
    found = {hit.key.source_id: hit.forms for hit in ranking.hits}
    assert found.keys() == {"exact", "spaced", "old", "split"}
    assert found["old"] == ("Talheim",)
    assert found["split"] == ("Thal heim",)
    assert found["exact"] == ()
    assert "talheim" in ranking.note


def test_nothing_chosen_is_the_query_itself() -> None:
    assert joined("Thalheim", []) == "Thalheim"
