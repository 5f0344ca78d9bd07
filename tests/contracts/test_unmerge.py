"""A merge taken back: the former sub-corpus as it was, and no key that leads elsewhere."""

from __future__ import annotations

import pytest

from tests.contracts.building import drain, new
from tests.contracts.test_upkeep import MERGE, key, listed, merged
from trace_core.domain.corpus import Scope, SubCorpus
from trace_core.domain.errors import BadInput, NotFound
from trace_core.ports import Deed, Part, Stores

BACK = Deed("unmerge", "gaz", "Zoé", "deux journaux", "2026-01-04T00:00:00+00:00")
GAZ = SubCorpus(
    "gaz",
    "La Gazette",
    ("Gaz.", "Le Héraut"),
    "newspaper",
    "fr",
    "Hebdomadaire.",
    True,
    {"archive": "AM"},
)
HERALD = SubCorpus("herald", "Le Héraut", ("Herald",), "newspaper", local_only=True)


def corpora(stores: Stores) -> list[SubCorpus]:
    return stores.documents.corpora()


def two(stores: Stores) -> None:
    """Two described sub-corpora with an id in common; one document is withdrawn."""
    for corpus in (GAZ, HERALD):
        stores.documents.put_corpus(corpus)
    stores.documents.add([new("same", "Un héraut."), new("h", "Encore un.")])
    stores.documents.add([new("same", "Une gazette.", "gaz"), new("old", "Le pout.", "gaz")])
    stores.documents.add([new("old", "Le pont.", "gaz"), new("gone", "Parti.", "gaz")])
    stores.documents.withdraw([key("gone", "gaz")])
    drain(stores)


def everything(stores: Stores) -> list[str]:
    heads = stores.documents.browse(Scope(), withdrawn=True)
    return [f"{head.key}{' (withdrawn)' if head.withdrawn else ''}" for head in heads]


def test_all_is_as_it_was(stores: Stores) -> None:
    two(stores)
    before, stood = corpora(stores), everything(stores)
    stores.upkeep.merge("gaz", "herald", MERGE)
    (one,) = corpora(stores)
    assert one.aliases == ("Herald", "La Gazette", "Gaz.")
    drain(stores)
    tickets = stores.queue.pending_count("vectors")
    assert stores.upkeep.returning("gaz") == 3
    generation = stores.generation()
    assert stores.upkeep.unmerge("gaz", BACK) == GAZ
    assert stores.generation() > generation
    assert corpora(stores) == before
    assert everything(stores) == stood
    assert stores.upkeep.former_corpora() == {}
    assert stores.upkeep.returning("gaz") == 0
    assert stores.upkeep.deeds() == [MERGE, BACK]
    assert stores.queue.pending_count("lexical") == 2
    assert stores.queue.pending_count("vectors") == tickets + 2
    drain(stores)
    found = stores.lexical.search("pont gazette héraut", Scope(("gaz",)), 5)
    assert {hit.key for hit in found} == {key("old", "gaz"), key("same", "gaz")}
    assert stores.lexical.search("gazette", Scope(("herald",)), 5) == []


def test_keys_that_were_used_meanwhile_lead_to_the_documents(stores: Stores) -> None:
    merged(stores)
    stores.upkeep.unmerge("gaz", BACK)
    meanwhile = {key("old"): key("old", "gaz"), key("same~gaz"): key("same", "gaz")}
    assert stores.upkeep.present([*meanwhile, key("same"), key("old", "gaz")]) == meanwhile
    assert stores.upkeep.former([key("old", "gaz"), key("h")]) == {key("old", "gaz"): (key("old"),)}
    first = stores.documents.document(key("old"), 1)
    assert (first.key, first.text) == (key("old"), "Le pout.")
    assert stores.documents.document(key("same~gaz")).text == "Une gazette."
    assert stores.documents.document(key("same")).text == "Un héraut."
    assert stores.upkeep.set_withdrawn(Part(keys=(key("old"),)), BACK, withdrawn=True) == 1
    assert listed(stores) == ["gaz/same", "herald/h", "herald/same"]


def test_what_came_since_stays_where_it_was_said_to_belong(stores: Stores) -> None:
    merged(stores)
    stores.documents.add(
        [
            new("late", "Tard."),
            new("h", "Gazette aussi.", "gaz"),
            new("old", "Le pont neuf.", "gaz"),
        ]
    )
    assert stores.upkeep.returning("gaz") == 4
    stores.upkeep.unmerge("gaz", BACK)
    assert everything(stores) == [
        "gaz/gone (withdrawn)",
        "gaz/h",
        "gaz/old",
        "gaz/same",
        "herald/h",
        "herald/late",
        "herald/same",
    ]
    assert stores.documents.document(key("h", "gaz")).text == "Gazette aussi."
    assert stores.documents.versions(key("old", "gaz")) == [1, 2, 3]


def test_what_the_other_one_gets_since_is_no_version_of_what_moved(stores: Stores) -> None:
    merged(stores)
    batch = [new("old", "Le vieux héraut."), new("same~gaz", "Une gazette.", title="same")]
    stored = stores.documents.add(batch)
    assert [(str(one.key), one.outcome) for one in stored] == [
        ("herald/old~herald", "new"),
        # The same in every field is the same: an exported archive that comes again.
        ("herald/same~gaz", "unchanged"),
    ]
    assert [one.outcome for one in stores.documents.add(batch)] == ["unchanged"] * 2
    stores.upkeep.unmerge("gaz", BACK)
    assert stores.documents.document(key("old", "gaz")).text == "Le pont."
    assert stores.documents.document(key("old~herald")).text == "Le vieux héraut."
    assert stores.documents.add(batch[:1])[0].outcome == "unchanged"


def test_an_import_after_it_takes_no_key_that_another_document_had(stores: Stores) -> None:
    merged(stores)
    stores.upkeep.unmerge("gaz", BACK)
    batch = [new("old", "Le vieux héraut."), new("old", "Le pont.", "gaz"), new("n", "Neuf.")]
    stored = stores.documents.add(batch)
    assert [(str(one.key), one.outcome) for one in stored] == [
        ("herald/old~herald", "new"),
        ("gaz/old", "unchanged"),
        ("herald/n", "new"),
    ]
    assert [one.outcome for one in stores.documents.add(batch)] == ["unchanged"] * 3
    assert stores.documents.document(key("old")).text == "Le pont."
    (again,) = stores.documents.add([new("old", "Le vieux héraut corrigé.", source=b"1")])
    assert (str(again.key), again.outcome) == ("herald/old~herald", "changed")
    assert stores.documents.sources([key("old")])[key("old")].key == key("old~herald")


def test_a_source_is_not_mistaken_for_the_one_that_had_its_key(stores: Stores) -> None:
    for corpus in ("gaz", "herald"):
        stores.documents.put_corpus(SubCorpus(corpus, corpus))
    stores.documents.add([new("x", "Un.", "gaz", source=b"1")])
    stores.upkeep.merge("gaz", "herald", MERGE)
    assert stores.documents.sources([key("x", "gaz")])[key("x", "gaz")].key == key("x")
    stores.upkeep.unmerge("gaz", BACK)
    assert list(stores.documents.sources([key("x"), key("x", "gaz")])) == [key("x", "gaz")]


def test_to_and_fro(stores: Stores) -> None:
    merged(stores)
    under = listed(stores)
    for _ in range(2):
        stores.upkeep.unmerge("gaz", BACK)
        apart = listed(stores)
        stores.upkeep.merge("gaz", "herald", MERGE)
        assert listed(stores) == under
    stores.upkeep.unmerge("gaz", BACK)
    assert listed(stores) == apart
    stores.upkeep.merge("herald", "gaz", MERGE)
    # The gazette's own documents keep the ids that they have there.
    assert listed(stores) == ["gaz/h", "gaz/old", "gaz/same", "gaz/same~herald"]
    assert stores.documents.document(key("same")).text == "Un héraut."
    assert stores.documents.document(key("same~gaz")).text == "Une gazette."
    stores.upkeep.unmerge("herald", BACK)
    assert listed(stores) == apart


def test_a_merge_gives_no_key_that_another_document_had(stores: Stores) -> None:
    merged(stores)
    stores.upkeep.unmerge("gaz", BACK)
    stores.documents.add([new("old", "Du tocsin.", "tocsin"), new("mine", "Aussi.", "tocsin")])
    assert stores.upkeep.taken("tocsin", "herald") == 1
    assert stores.upkeep.taken("gaz", "herald") == 1
    stores.upkeep.merge("tocsin", "herald", MERGE)
    assert "herald/old~tocsin" in listed(stores)
    assert stores.documents.document(key("old")).text == "Le pont."
    assert stores.documents.document(key("old", "tocsin")).text == "Du tocsin."


def test_merges_in_a_row_go_back_in_reverse(stores: Stores) -> None:
    merged(stores)
    stores.documents.put_corpus(SubCorpus("press", "La presse"))
    stores.upkeep.merge("herald", "press", MERGE)
    (press,) = corpora(stores)
    assert press.aliases == ("Le Héraut", "La Gazette")
    with pytest.raises(BadInput, match="give herald back first"):
        stores.upkeep.unmerge("gaz", BACK)
    stores.documents.add([new("late", "Tard.", "gaz"), new("h", "Encore.", "gaz")])
    assert stores.upkeep.returning("herald") == 7
    stores.upkeep.unmerge("herald", BACK)
    assert {f.id: f.into for f in stores.upkeep.former_corpora().values()} == {"gaz": "herald"}
    assert listed(stores) == [
        "herald/h",
        "herald/h~gaz",
        "herald/late",
        "herald/old",
        "herald/same",
        "herald/same~gaz",
    ]
    assert {c.id: c.aliases for c in corpora(stores)} == {"herald": ("La Gazette",), "press": ()}
    stores.upkeep.unmerge("gaz", BACK)
    assert listed(stores) == [
        "gaz/h",
        "gaz/late",
        "gaz/old",
        "gaz/same",
        "herald/h",
        "herald/same",
    ]
    for old in (key("old", "press"), key("old"), key("old", "gaz")):
        assert stores.documents.document(old).text == "Le pont."
    for old in (key("h~gaz", "press"), key("h~gaz")):
        assert stores.documents.document(old).text == "Encore."
    assert stores.documents.document(key("same", "press")).text == "Un héraut."
    assert [c.aliases for c in corpora(stores)] == [(), (), ()]


def test_two_in_one_in_any_order(stores: Stores) -> None:
    shared = ("La Gazette du soir",)
    stores.documents.put_corpus(SubCorpus("a", "A", shared))
    stores.documents.put_corpus(SubCorpus("b", "B", shared))
    stores.documents.put_corpus(SubCorpus("c", "C"))
    stores.documents.add([new("x", "Un.", "a"), new("x", "Deux.", "b"), new("x", "Trois.", "c")])
    stores.upkeep.merge("a", "c", MERGE)
    stores.upkeep.merge("b", "c", MERGE)
    stores.upkeep.unmerge("a", BACK)
    names = {c.id: c.aliases for c in corpora(stores)}
    assert names == {"a": shared, "c": ("La Gazette du soir", "B")}
    stores.upkeep.unmerge("b", BACK)
    assert {c.id: c.aliases for c in corpora(stores)} == {"a": shared, "b": shared, "c": ()}
    assert listed(stores) == ["a/x", "b/x", "c/x"]


def test_a_name_that_the_other_had_already_stays(stores: Stores) -> None:
    stores.documents.put_corpus(SubCorpus("gaz", "La Gazette"))
    stores.documents.put_corpus(SubCorpus("herald", "Le Héraut", ("La Gazette",)))
    stores.upkeep.merge("gaz", "herald", MERGE)
    stores.upkeep.unmerge("gaz", BACK)
    assert [c.aliases for c in corpora(stores)] == [(), ("La Gazette",)]


def test_what_was_not_merged(stores: Stores) -> None:
    merged(stores)
    with pytest.raises(NotFound, match="merged were gaz"):
        stores.upkeep.unmerge("herald", BACK)
    stores.upkeep.unmerge("gaz", BACK)
    with pytest.raises(NotFound, match="none was merged"):
        stores.upkeep.unmerge("gaz", BACK)
    assert stores.upkeep.deeds() == [MERGE, BACK]
