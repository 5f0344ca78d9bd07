from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.building import new
from trace_core.domain.corpus import DocumentKey, Page, Scope, SubCorpus
from trace_core.domain.dates import from_iso
from trace_core.domain.errors import BadInput, NotFound
from trace_core.ports import Stores

KEY = DocumentKey("herald", "d1")


def test_a_document_comes_back_as_it_went_in(stores: Stores) -> None:
    pages = (Page(0, 0, "iv", "scan1.jpg"), Page(4, 1))
    given_one = new("d1", "Le pont.", raw="Le  pont.\r\n", meta={"cote": "B 12"}, pages=pages)
    stores.documents.add([given_one])
    found = stores.documents.document(KEY)
    assert (found.text, found.raw, found.title) == ("Le pont.", "Le  pont.\r\n", "d1")
    assert (found.date, found.pages, dict(found.meta)) == (
        from_iso("1883-03-02"),
        pages,
        {"cote": "B 12"},
    )
    assert (found.version, found.language, found.withdrawn) == (1, "fr", False)


def test_the_same_again_is_unchanged(stores: Stores) -> None:
    first = stores.documents.add([new("d1", "Le pont.")])
    generation = stores.generation()
    again = stores.documents.add([new("d1", "Le pont.")])
    assert (first[0].outcome, again[0].outcome) == ("new", "unchanged")
    assert again[0].chunk_ids == first[0].chunk_ids
    assert stores.generation() == generation
    assert stores.queue.pending_count("lexical") == 1


@pytest.mark.parametrize(
    "changed",
    [
        new("d1", "Le pont tombe."),
        new("d1", "Le pont.", raw="Le pont. "),
        new("d1", "Le pont.", title="autre"),
        new("d1", "Le pont.", day="1883-03-03"),
        new("d1", "Le pont.", meta={"cote": "B 12"}),
        new("d1", "Le pont.", pages=(Page(0, 0),)),
    ],
)
def test_any_change_makes_a_version_and_keeps_the_old_one(stores: Stores, changed: object) -> None:
    first = stores.documents.add([new("d1", "Le pont.")])[0]
    second = stores.documents.add([changed])[0]  # type: ignore[list-item]
    assert (second.outcome, second.version) == ("changed", 2)
    assert stores.documents.versions(KEY) == [1, 2]
    assert stores.documents.document(KEY, 1).text == "Le pont."
    old = stores.documents.chunks(first.chunk_ids)[first.chunk_ids[0]]
    assert (old.text, old.current, old.version) == ("Le pont.", False, 1)
    assert not set(first.chunk_ids) & set(second.chunk_ids)


def test_another_cut_replaces_the_chunks_alone(stores: Stores) -> None:
    first = stores.documents.add([new("d1", "Le pont tombe.")])[0]
    second = stores.documents.add([new("d1", "Le pont tombe.", cuts=[8])])[0]
    assert (second.outcome, second.version, len(second.chunk_ids)) == ("unchanged", 1, 2)
    assert [c.text for c in stores.documents.chunks_of(KEY)] == ["Le pont ", "tombe."]
    assert not stores.documents.chunks(first.chunk_ids)[first.chunk_ids[0]].current
    assert stores.documents.stats()[0].chunks == 2


def test_two_sub_corpora_may_use_the_same_id(stores: Stores) -> None:
    stores.documents.add([new("18830302", "Le pont.", "herald"), new("18830302", "L'eau.", "gaz")])
    assert stores.documents.document(DocumentKey("gaz", "18830302")).text == "L'eau."
    assert stores.documents.document(DocumentKey("herald", "18830302")).text == "Le pont."


def test_a_document_twice_in_a_batch(stores: Stores) -> None:
    stored = stores.documents.add([new("d1", "un"), new("d1", "deux"), new("d1", "deux")])
    assert [s.outcome for s in stored] == ["new", "changed", "unchanged"]
    assert [s.version for s in stored] == [1, 2, 2]
    assert stores.documents.document(KEY).text == "deux"


def test_what_does_not_exist(stores: Stores) -> None:
    with pytest.raises(NotFound):
        stores.documents.document(KEY)
    stores.documents.add([new("d1", "un")])
    with pytest.raises(NotFound):
        stores.documents.document(KEY, 2)
    absent = DocumentKey("herald", "nobody")
    assert stores.documents.versions(absent) == []
    assert stores.documents.heads([KEY, absent]).keys() == {KEY}
    assert stores.documents.chunks([1, 999]).keys() == {1}
    assert stores.documents.chunks_of(absent) == []


def test_sub_corpora_are_described_and_sorted(stores: Stores) -> None:
    stores.documents.put_corpus(SubCorpus("z", "Annales", aliases=("les Annales",), kind="diary"))
    stores.documents.add([new("d1", "Le pont.", "herald")])
    edited = SubCorpus("herald", "Le Héraut", language="fr", citation={"archive": "AM"})
    stores.documents.put_corpus(edited)
    assert [c.name for c in stores.documents.corpora()] == ["Annales", "Le Héraut"]
    assert stores.documents.corpora()[1] == edited
    assert stores.documents.document(KEY).text == "Le pont."


def test_stats_count_the_current_state(stores: Stores) -> None:
    stores.documents.add(
        [
            new("a", "un deux trois", cuts=[3], day="1880"),
            new("b", "quatre", day="1883-03-02"),
            new("c", "cinq six", day=None),
            new("d", "sept", day="1999"),
        ]
    )
    stores.documents.add([new("b", "quatre et demi", day="1883-03-02")])
    stores.documents.withdraw([DocumentKey("herald", "d")])
    stats = stores.documents.stats()[0]
    assert (stats.documents, stats.chunks, stats.words) == (3, 4, 8)
    assert (stats.undated, stats.withdrawn) == (1, 1)
    first, last = from_iso("1880-01-01").earliest, from_iso("1883-03-02").latest
    assert (stats.earliest, stats.latest) == (first, last)


def test_the_spread_counts_first_days_and_qualities(stores: Stores) -> None:
    stores.documents.add(
        [
            new("a", "un", day="1880", quality=0.804),
            new("b", "deux", day="1880-01-01", quality=0.796),
            new("c", "trois", "gaz", day="1883-03-02", quality=1.0),
            new("d", "quatre", day=None),
            new("open", "cinq", day="../1887", quality=0.3),
            new("gone", "six", day="1880", quality=0.8),
        ]
    )
    stores.documents.withdraw([DocumentKey("herald", "gone")])
    found = stores.documents.spread()
    first, march = from_iso("1880-01-01").earliest, from_iso("1883-03-02").earliest
    assert found.days == (("gaz", march, 1), ("herald", first, 2))
    assert found.qualities == (("gaz", 100, 1), ("herald", 30, 1), ("herald", 80, 2))


def scoped(stores: Stores, scope: Scope) -> list[str]:
    return [head.key.source_id for head in stores.documents.browse(scope)]


def test_scope_of_browse_and_count(stores: Stores) -> None:
    stores.documents.add(
        [
            new("month", "x", day="1883-03"),
            new("undated", "x", day=None),
            new("year", "x", day="1882"),
            new("late", "x", "gaz", day="1890-01-01"),
        ]
    )
    assert scoped(stores, Scope()) == ["late", "year", "month", "undated"]
    march = from_iso("1883-03-15")
    day = Scope(earliest=march.earliest, latest=march.latest)
    assert scoped(stores, day) == ["month"]
    assert stores.documents.count(day) == (1, 1)
    with_undated = Scope(earliest=march.earliest, latest=march.latest, include_undated=True)
    assert scoped(stores, with_undated) == ["month", "undated"]
    assert stores.documents.count(with_undated) == (2, 0)
    assert scoped(stores, Scope(("gaz",))) == ["late"]
    assert scoped(stores, Scope(earliest=march.earliest)) == ["late", "month"]
    assert scoped(stores, Scope(("herald",), latest=march.latest)) == ["year", "month"]
    assert stores.documents.count(Scope(("gaz",), latest=march.latest)) == (0, 0)
    assert [h.key.source_id for h in stores.documents.browse(Scope(), offset=1, limit=2)] == [
        "year",
        "month",
    ]


def test_withdrawn_documents_leave_the_lists_and_come_back(stores: Stores) -> None:
    stored = stores.documents.add([new("d1", "Le pont."), new("d2", "L'eau.")])
    concerned = stores.documents.withdraw([KEY, DocumentKey("herald", "nobody")])
    assert concerned == list(stored[0].chunk_ids)
    assert stores.documents.withdraw([KEY]) == []
    assert scoped(stores, Scope()) == ["d2"]
    assert stores.documents.count(Scope()) == (1, 0)
    assert [h.withdrawn for h in stores.documents.browse(Scope(), withdrawn=True)] == [True, False]
    assert stores.documents.document(KEY).withdrawn
    assert [c.key.source_id for c in stores.documents.all_chunks()] == ["d2"]
    assert stores.documents.add([new("d1", "Le pont neuf.")])[0].outcome == "changed"
    assert stores.documents.document(KEY).withdrawn
    stores.documents.withdraw([KEY], withdrawn=False)
    assert scoped(stores, Scope()) == ["d1", "d2"]


def test_all_chunks_in_pages(stores: Stores) -> None:
    stores.documents.add([new(f"d{n}", "un deux", cuts=[3]) for n in range(5)])
    first = stores.documents.all_chunks(limit=6)
    rest = stores.documents.all_chunks(after=first[-1].id, limit=6)
    ids = [c.id for c in (*first, *rest)]
    assert (len(first), len(rest)) == (6, 4)
    assert ids == sorted(set(ids))
    assert {c.text for c in rest} == {"un ", "deux"}


def test_a_bad_span_stores_nothing(stores: Stores) -> None:
    if stores.name == "memory":
        pytest.skip("the stores in memory trust their caller")
    bad = new("d2", "court")
    bad = type(bad)(bad.document, ((0, 99, None),))
    with pytest.raises(BadInput, match="d2"):
        stores.documents.add([new("d1", "un"), bad])
    assert stores.documents.count(Scope()) == (0, 0)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=st.text(st.characters(), max_size=200), raw=st.text(st.characters(), max_size=200))
def test_any_text_comes_back_whole(stores: Stores, text: str, raw: str) -> None:
    middle = len(text) // 2
    stores.documents.add([new("any", text, raw=raw, cuts=[middle] if middle else [], title=text)])
    found = stores.documents.document(DocumentKey("herald", "any"))
    assert (found.text, found.raw) == (text, raw)
    assert found.title == (text or "any")
    assert "".join(c.text for c in stores.documents.chunks_of(found.key)) == text
