from __future__ import annotations

import pytest

from tests.contracts.building import drain, new
from trace_core.domain.corpus import DocumentKey, Scope, SubCorpus
from trace_core.domain.errors import NotFound
from trace_core.domain.merging import FormerCorpus
from trace_core.ports import Deed, Moved, Part, Stores

OUT = Deed("withdraw", "x", "Zoé", "illisible", "2026-01-01T00:00:00+00:00", {"documents": "1"})
BACK = Deed("restore", "x", "Zoé", "relu", "2026-01-02T00:00:00+00:00")
MERGE = Deed("merge", "gaz", "Max", "un seul journal", "2026-01-03T00:00:00+00:00")


def key(source_id: str, corpus: str = "herald") -> DocumentKey:
    return DocumentKey(corpus, source_id)


def listed(stores: Stores, scope: Scope | None = None) -> list[str]:
    return [str(head.key) for head in stores.documents.browse(scope or Scope())]


def test_documents_go_and_come_back_with_a_record(stores: Stores) -> None:
    stores.documents.add([new("d1", "Le pont."), new("d2", "L'eau.")])
    drain(stores)
    part = Part(keys=(key("d1"), key("nobody")))
    assert stores.upkeep.size(part) == (1, 0)
    generation = stores.generation()
    assert stores.upkeep.set_withdrawn(part, OUT, withdrawn=True) == 1
    assert stores.generation() > generation
    assert stores.upkeep.set_withdrawn(part, OUT, withdrawn=True) == 0
    assert stores.upkeep.size(part) == (1, 1)
    assert listed(stores) == ["herald/d2"]
    assert stores.documents.count(Scope()) == (1, 0)
    assert stores.documents.count(Scope(), withdrawn=True) == (2, 0)
    drain(stores)
    assert stores.lexical.count() == 1
    assert stores.documents.document(key("d1")).text == "Le pont."
    assert stores.upkeep.set_withdrawn(part, BACK, withdrawn=False) == 1
    drain(stores)
    assert stores.lexical.count() == 2
    assert stores.upkeep.deeds() == [OUT, BACK]
    assert dict(stores.upkeep.deeds()[0].details) == {"documents": "1"}


def test_a_whole_sub_corpus(stores: Stores) -> None:
    stores.documents.add([new("d1", "un"), new("d2", "deux"), new("d1", "trois", "gaz")])
    assert stores.upkeep.set_withdrawn(Part(corpus="herald"), OUT, withdrawn=True) == 2
    assert listed(stores) == ["gaz/d1"]


def test_an_import_takes_what_it_brought_first(stores: Stores) -> None:
    for report in ("r1", "r2"):
        stores.reports.save(report, "{}")
    stores.documents.add([new("d1", "un", report="r1"), new("d2", "deux", report="r1")])
    stores.documents.add([new("d1", "un et demi", report="r2"), new("d3", "trois", report="r2")])
    stores.documents.add([new("d2", "deux", report="r2"), new("d4", "quatre")])
    assert stores.upkeep.size(Part(report="r2")) == (1, 0)
    assert stores.upkeep.changed_by("r2") == 1
    assert stores.upkeep.set_withdrawn(Part(report="r2"), OUT, withdrawn=True) == 1
    assert listed(stores) == ["herald/d1", "herald/d2", "herald/d4"]
    assert stores.upkeep.size(Part(report="r1")) == (2, 0)
    assert stores.upkeep.size(Part(report="nobody")) == (0, 0)


def merged(stores: Stores) -> list[Moved]:
    """gaz goes into herald; one id is taken there, one document is withdrawn, one has versions."""
    stores.documents.put_corpus(SubCorpus("gaz", "La Gazette", language="fr"))
    stores.documents.put_corpus(SubCorpus("herald", "Le Héraut"))
    stores.documents.add([new("same", "Un héraut."), new("h", "Encore un.")])
    stores.documents.add([new("same", "Une gazette.", "gaz"), new("old", "Le pout.", "gaz")])
    stores.documents.add([new("old", "Le pont.", "gaz"), new("gone", "Parti.", "gaz")])
    stores.documents.withdraw([key("gone", "gaz")])
    drain(stores)
    return stores.upkeep.merge("gaz", "herald", MERGE)


def test_a_merge_moves_all_and_loses_no_id(stores: Stores) -> None:
    renamed = merged(stores)
    assert renamed == [Moved(key("same", "gaz"), key("same~gaz"))]
    assert listed(stores) == ["herald/h", "herald/old", "herald/same", "herald/same~gaz"]
    (left,) = stores.documents.corpora()
    assert (left.id, left.aliases) == ("herald", ("La Gazette",))
    gaz = SubCorpus("gaz", "La Gazette", language="fr")
    assert stores.upkeep.former_corpora() == {
        "gaz": FormerCorpus("gaz", "La Gazette", "herald", "herald", gaz, ("La Gazette",))
    }
    assert [(s.corpus, s.documents, s.withdrawn) for s in stores.documents.stats()] == [
        ("herald", 4, 1)
    ]
    assert stores.upkeep.deeds() == [MERGE]


def test_the_old_key_still_finds_the_document(stores: Stores) -> None:
    stores.documents.add([new("old", "Le pout.", "gaz")])
    (chunk,) = stores.documents.chunks_of(key("old", "gaz"))
    merged(stores)
    old, now = key("old", "gaz"), key("old")
    assert stores.documents.versions(old) == stores.documents.versions(now) == [1, 2]
    first = stores.documents.document(old, 1)
    assert (first.key, first.text) == (old, "Le pout.")
    assert stores.documents.document(now).text == "Le pont."
    same = key("same", "gaz")
    heads = stores.documents.heads([old, now, same, key("same")])
    assert [head.key for head in heads.values()] == list(heads)
    assert heads.keys() == {old, now, same, key("same")}
    assert stores.documents.document(same).text == "Une gazette."
    assert stores.documents.document(key("same")).text == "Un héraut."
    found = stores.documents.chunks([chunk.id])[chunk.id]
    assert (found.key, found.text, found.version) == (now, "Le pout.", 1)
    assert [c.text for c in stores.documents.chunks_of(old)] == ["Le pont."]
    assert stores.upkeep.present([old, same, now]) == {old: now, same: key("same~gaz")}
    assert stores.upkeep.former([now, key("h")]) == {now: (old,)}


def test_the_search_finds_the_moved_under_the_new_key(stores: Stores) -> None:
    merged(stores)
    assert stores.queue.pending_count("lexical") == 2
    drain(stores)
    found = stores.lexical.search("pont gazette", Scope(("herald",)), 5)
    assert {hit.key for hit in found} == {key("old"), key("same~gaz")}
    assert stores.lexical.search("gazette", Scope(("gaz",)), 5) == []
    assert stores.lexical.search("parti", Scope(), 5) == []


def test_lists_understand_the_former_name(stores: Stores) -> None:
    merged(stores)
    assert listed(stores, Scope(("gaz",))) == listed(stores, Scope(("herald",)))
    assert stores.documents.count(Scope(("gaz",))) == (4, 0)


def test_what_comes_again_goes_where_its_like_went(stores: Stores) -> None:
    merged(stores)
    again = [
        new("same", "Une gazette.", "gaz"),
        new("old", "Le pont neuf.", "gaz"),
        new("h", "Autre chose.", "gaz"),
        new("fresh", "Nouveau.", "gaz"),
        new("h", "Encore un."),
    ]
    stored = stores.documents.add(again)
    assert [(str(s.key), s.outcome) for s in stored] == [
        ("herald/same~gaz", "unchanged"),
        ("herald/old", "changed"),
        ("herald/h~gaz", "new"),
        ("herald/fresh", "new"),
        ("herald/h", "unchanged"),
    ]
    assert [s.outcome for s in stores.documents.add(again)] == ["unchanged"] * 5
    stores.documents.put_corpus(SubCorpus("gaz", "again"))
    assert [c.id for c in stores.documents.corpora()] == ["herald"]


def test_merges_in_a_row(stores: Stores) -> None:
    merged(stores)
    stores.documents.put_corpus(SubCorpus("press", "La presse"))
    stores.upkeep.merge("herald", "press", MERGE)
    assert stores.documents.document(key("same", "gaz")).text == "Une gazette."
    assert stores.documents.document(key("same~gaz")).text == "Une gazette."
    assert {f.id: f.into for f in stores.upkeep.former_corpora().values()} == {
        "gaz": "press",
        "herald": "press",
    }
    assert stores.documents.count(Scope(("gaz",))) == (4, 0)
    now = stores.upkeep.present([key("same", "gaz")])
    assert now == {key("same", "gaz"): key("same~gaz", "press")}
    former = stores.upkeep.former(now.values())
    assert former == {key("same~gaz", "press"): (key("same", "gaz"), key("same~gaz"))}


def test_withdrawn_by_an_old_key(stores: Stores) -> None:
    merged(stores)
    assert stores.upkeep.set_withdrawn(Part(keys=(key("old", "gaz"),)), OUT, withdrawn=True) == 1
    assert "herald/old" not in listed(stores)
    stores.documents.withdraw([key("old", "gaz")], withdrawn=False)
    assert "herald/old" in listed(stores)


def test_twins_by_an_old_key(stores: Stores) -> None:
    merged(stores)
    numbers = [one.number for one in stores.twins.unmarked()]
    stores.twins.put_groups([("near", numbers[:3])])
    (group,) = stores.twins.groups()
    assert key("same~gaz") in group.keys
    assert stores.twins.twins([key("same", "gaz")]) == {key("same", "gaz"): group}


def test_a_merge_with_nothing(stores: Stores) -> None:
    merged(stores)
    with pytest.raises(NotFound):
        stores.upkeep.merge("nobody", "herald", MERGE)
    with pytest.raises(NotFound):
        stores.upkeep.merge("herald", "gaz", MERGE)
    assert stores.upkeep.deeds() == [MERGE]


def test_a_description_and_its_record(stores: Stores) -> None:
    stores.documents.add([new("d1", "un")])
    deed = Deed("describe", "herald", "Zoé", "", "2026", {"name": "herald → Le Héraut"})
    named = SubCorpus("herald", "Le Héraut")
    stores.upkeep.describe(named, deed)
    stores.upkeep.describe(named, deed)
    assert stores.documents.corpora() == [named]
    assert stores.upkeep.deeds() == [deed]
