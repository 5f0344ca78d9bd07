from __future__ import annotations

from tests.contracts.building import new
from trace_core.domain.corpus import DocumentKey, Page, Scope
from trace_core.domain.dates import from_iso
from trace_core.ports import Quality, Stores


def key(source_id: str) -> DocumentKey:
    return DocumentKey("herald", source_id)


def ids(stores: Stores, scope: Scope) -> list[str]:
    return [head.key.source_id for head in stores.documents.browse(scope)]


def test_an_estimate_is_kept_without_a_new_version(stores: Stores) -> None:
    pages = (Page(0, 0, "i", "scan"), Page(9, 1, quality=0.1))
    stores.documents.add([new("d1", "Le pont. L'eau.", pages=pages, quality=0.5)])
    generation = stores.generation()
    (unrated,) = stores.documents.unrated("m1")
    assert (unrated.key, unrated.version, unrated.pages) == (key("d1"), 1, pages)
    assert unrated.text == "Le pont. L'eau."
    stores.documents.set_quality("m1", [Quality(key("d1"), 1, 0.75, (0.9, None))])
    document = stores.documents.document(key("d1"))
    assert (document.version, document.quality) == (1, 0.75)
    assert document.pages == (Page(0, 0, "i", "scan", 0.9), Page(9, 1))
    assert stores.documents.heads([key("d1")])[key("d1")].quality == 0.75
    assert stores.documents.unrated("m1") == []
    assert [one.key for one in stores.documents.unrated("m2")] == [key("d1")]
    assert stores.generation() > generation
    again = stores.documents.add([new("d1", "Le pont. L'eau.", pages=pages, quality=0.5)])
    assert again[0].outcome == "unchanged"
    assert stores.documents.document(key("d1")).quality == 0.75


def test_what_the_source_tells_is_never_estimated(stores: Stores) -> None:
    stores.documents.add([new("d1", "Le pont.", quality=0.5, rated=True), new("d2", "L'eau.")])
    assert [one.key for one in stores.documents.unrated("m1")] == [key("d2")]
    stores.documents.set_quality("m1", [Quality(key("d1"), 1, 0.9)])
    assert stores.documents.document(key("d1")).quality == 0.5


def test_an_estimate_of_an_older_text_is_dropped(stores: Stores) -> None:
    stores.documents.add([new("d1", "Le pout.", quality=0.5)])
    stores.documents.add([new("d1", "Le pont.", quality=0.6)])
    stores.documents.set_quality("m1", [Quality(key("d1"), 1, 0.9)])
    assert stores.documents.document(key("d1")).quality == 0.6
    assert stores.documents.document(key("d1"), 1).quality == 0.5
    assert len(stores.documents.unrated("m1")) == 1


def test_in_pages(stores: Stores) -> None:
    stores.documents.add([new(f"d{n}", "Le pont.") for n in range(5)])
    first = stores.documents.unrated("m1", limit=3)
    rest = stores.documents.unrated("m1", first[-1].number, 3)
    assert [one.key.source_id for one in (*first, *rest)] == [f"d{n}" for n in range(5)]


def test_the_least_quality_leaves_out_what_is_known_to_be_worse(stores: Stores) -> None:
    stores.documents.add(
        [
            new("good", "x", quality=0.9),
            new("bad", "x", quality=0.2),
            new("unknown", "x"),
            new("undated", "x", day=None, quality=0.1),
            new("undated and good", "x", day=None, quality=0.6),
        ]
    )
    assert len(ids(stores, Scope())) == 5
    assert ids(stores, Scope(min_quality=0.6)) == ["good", "unknown", "undated and good"]
    assert stores.documents.count(Scope(min_quality=0.6)) == (3, 0)
    day = from_iso("1883-03-02")
    scope = Scope(earliest=day.earliest, latest=day.latest, min_quality=0.6)
    assert ids(stores, scope) == ["good", "unknown"]
    assert stores.documents.count(scope) == (2, 1)
    assert ids(stores, Scope(min_quality=0.0)) == ids(stores, Scope())


def test_the_worst_read_come_first_on_wish(stores: Stores) -> None:
    stores.documents.add(
        [
            new("unknown", "x"),
            new("good", "x", quality=0.9),
            new("bad", "x", quality=0.2),
            new("bad too", "x", "gaz", quality=0.2),
            new("gone", "x", quality=0.1),
        ]
    )
    stores.documents.withdraw([key("gone")])
    worst = [head.key.source_id for head in stores.documents.browse(Scope(), worst_first=True)]
    assert worst == ["bad too", "bad", "good", "unknown"]
    page = stores.documents.browse(Scope(), offset=1, limit=1, worst_first=True, withdrawn=True)
    assert [head.key.source_id for head in page] == ["bad too"]
