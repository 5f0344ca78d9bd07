from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.building import entry
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.dates import from_iso
from trace_core.domain.hits import ChunkScore
from trace_core.ports import Stores, WeightedTerm


def ids(found: list[ChunkScore]) -> list[int]:
    return [hit.chunk_id for hit in found]


def test_found_by_a_word_best_first(stores: Stores) -> None:
    twice = entry("Le pont, le pont!", "a")
    once = entry("Un pont et beaucoup d'autres choses dont on parle ici", "b")
    other = entry("La rivière", "c")
    stores.lexical.add([once, other, twice])
    found = stores.lexical.search("pont", Scope(), 10)
    assert ids(found) == [twice.chunk.id, once.chunk.id]
    assert found[0].key == DocumentKey("herald", "a")
    assert found[0].score > found[1].score > 0
    assert ids(stores.lexical.search("pont", Scope(), 1)) == [twice.chunk.id]
    assert stores.lexical.search("pont", Scope(), 0) == []
    assert stores.lexical.search("absent", Scope(), 10) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("L'Assemblée nationale", "ASSEMBLEE"),
        ("l'assem-\nblée nationale", "assemblée"),
        ("le bœuf", "boeuf"),
        ("la paſſion", "passion"),
        ("e\u0301te\u0301 1887", "été"),
        ("Straße", "strasse"),
    ],
)
def test_the_indexed_layer_is_searched(stores: Stores, text: str, query: str) -> None:
    one = entry(text)
    stores.lexical.add([one])
    assert ids(stores.lexical.search(query, Scope(), 5)) == [one.chunk.id]


def test_adding_again_replaces(stores: Stores) -> None:
    one = entry("Le pont")
    stores.lexical.add([one, one])
    stores.lexical.add([entry("La digue", chunk_id=one.chunk.id)])
    assert stores.lexical.count() == 1
    assert stores.lexical.ids() == {one.chunk.id}
    assert stores.lexical.search("pont", Scope(), 5) == []
    assert ids(stores.lexical.search("digue", Scope(), 5)) == [one.chunk.id]


def test_removed_and_cleared(stores: Stores) -> None:
    entries = [entry("Le pont", f"d{n}") for n in range(4)]
    stores.lexical.add(entries)
    stores.lexical.remove([entries[0].chunk.id, 987_654])
    stores.lexical.optimize()
    assert stores.lexical.ids() == {one.chunk.id for one in entries[1:]}
    stores.lexical.clear()
    assert (stores.lexical.count(), stores.lexical.ids()) == (0, set())
    assert stores.lexical.search("pont", Scope(), 5) == []
    stores.lexical.add(entries[:1])
    assert len(stores.lexical.search("pont", Scope(), 5)) == 1


def scope_cases() -> list[tuple[Scope, set[str]]]:
    march = from_iso("1883-03")
    return [
        (Scope(), {"early", "march", "late", "undated", "gazette"}),
        (Scope(("gazette",)), {"gazette"}),
        (Scope(("gazette", "nothing")), {"gazette"}),
        (Scope(earliest=march.earliest, latest=march.latest), {"march", "gazette"}),
        (Scope(earliest=march.earliest), {"march", "late", "gazette"}),
        (Scope(latest=march.latest), {"early", "march", "gazette"}),
        (
            Scope(("herald",), march.earliest, march.latest, include_undated=True),
            {"march", "undated"},
        ),
        (Scope(("o'brien' OR 1=1",)), set()),
    ]


@pytest.mark.parametrize("case", range(8))
def test_the_scope_filters_before_the_cut(stores: Stores, case: int) -> None:
    scope, expected = scope_cases()[case]
    stores.lexical.add(
        [
            entry("pont", "early", day="1492-10-12"),
            entry("pont", "march", day="1883"),
            entry("pont", "late", day="1999-01-01"),
            entry("pont", "undated", day=None),
            entry("pont et autre chose encore, bien plus loin dans le texte", "gazette", "gazette"),
        ]
    )
    hits = stores.lexical.search("pont", scope, 10)
    assert {hit.key.source_id for hit in hits} == expected
    assert len(stores.lexical.search("pont", scope, 1)) == min(1, len(expected))
    plain = {hit.chunk_id: hit.score for hit in stores.lexical.search("pont", Scope(), 10)}
    assert all(hit.score == pytest.approx(plain[hit.chunk_id], rel=1e-5) for hit in hits)
    for found in (
        stores.lexical.search_terms([WeightedTerm("pont")], scope, 10),
        stores.lexical.search_phrase("pont", scope, 10),
        stores.lexical.search_best([[WeightedTerm("pont", 2.0)]], [], scope, 10),
    ):
        assert {hit.key.source_id for hit in found} == expected


def test_weighted_terms(stores: Stores) -> None:
    bridge, river = entry("le pont", "a"), entry("la riviere", "b")
    stores.lexical.add([bridge, river, entry("rien", "c")])
    heavy = [WeightedTerm("pont", 0.1), WeightedTerm("riviere", 5.0), WeightedTerm("", 1.0)]
    assert ids(stores.lexical.search_terms(heavy, Scope(), 5)) == [river.chunk.id, bridge.chunk.id]
    assert stores.lexical.search_terms([], Scope(), 5) == []
    double = stores.lexical.search_terms([WeightedTerm("pont", 2.0)], Scope(), 5)[0].score
    single = stores.lexical.search_terms([WeightedTerm("pont")], Scope(), 5)[0].score
    assert double == pytest.approx(2 * single, rel=1e-5)


def test_a_term_with_a_blank_is_a_phrase(stores: Stores) -> None:
    split = entry("lon don bridge", "a")
    stores.lexical.add([split, entry("don lon bridge", "b")])
    found = stores.lexical.search_terms([WeightedTerm("lon don", 2.0)], Scope(), 5)
    assert ids(found) == [split.chunk.id]


def test_the_heaviest_term_of_each_group_counts(stores: Stores) -> None:
    both, one = entry("pont point crue", "a"), entry("point", "b")
    stores.lexical.add([both, one, entry("loin", "c")])
    groups = [
        [WeightedTerm("pont", 3.0), WeightedTerm("point", 2.0)],
        [WeightedTerm("crue", 1.0)],
    ]
    found = stores.lexical.search_best(groups, [], Scope(), 5)
    assert [(hit.chunk_id, hit.score) for hit in found] == [
        (both.chunk.id, pytest.approx(4.0)),
        (one.chunk.id, pytest.approx(2.0)),
    ]
    assert stores.lexical.search_best([], [WeightedTerm("loin")], Scope(), 5) == []


def test_phrases_keep_their_order(stores: Stores) -> None:
    right = entry("il prit la Bastille, dit-on", "a")
    wrong = entry("la Bastille, il prit", "b")
    stores.lexical.add([right, wrong])
    assert ids(stores.lexical.search_phrase("prit la bastille", Scope(), 5)) == [right.chunk.id]
    assert len(stores.lexical.search_phrase("Bastille", Scope(), 5)) == 2
    assert stores.lexical.search_phrase(" ,.- ", Scope(), 5) == []


def test_a_phrase_may_begin_and_end_inside_words(stores: Stores) -> None:
    one, whole = entry("le grandpont neufchâtel", "a"), entry("pont neuf", "b")
    stores.lexical.add([one, whole, entry("pont vieux", "c")])
    assert ids(stores.lexical.search_phrase("pont neuf", Scope(), 5)) == [
        whole.chunk.id,
        one.chunk.id,
    ]
    assert ids(stores.lexical.search_phrase("andpon", Scope(), 5)) == [one.chunk.id]


def test_vocabulary_counts_chunks(stores: Stores) -> None:
    stores.lexical.add([entry("Pont pont été"), entry("un pont")])
    assert sorted(stores.lexical.vocabulary()) == [("ete", 1), ("pont", 2), ("un", 1)]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "Paris: ville",
        "corpus:x",
        "a AND (b",
        "[1 TO",
        "é\u0301",
        "*",
        "\\",
        "'" * 9,
        "\0",
        "-",
    ],
)
def test_no_character_is_refused(stores: Stores, query: str) -> None:
    one = entry("Paris ville a b é")
    stores.lexical.add([one])
    found = stores.lexical.search(query, Scope(), 5)
    letters = any(char.isalnum() for char in query) and query != "[1 TO"
    expected = [one.chunk.id] if letters and query != "corpus:x" else []
    assert ids(found) == expected
    assert all(
        hit.chunk_id == one.chunk.id for hit in stores.lexical.search_phrase(query, Scope(), 5)
    )


@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(query=st.text(max_size=60))
def test_any_query_is_answered(stores: Stores, query: str) -> None:
    if stores.lexical.count() == 0:
        stores.lexical.add([entry("Paris ville")])
    for found in (
        stores.lexical.search(query, Scope(), 3),
        stores.lexical.search_phrase(query, Scope(), 3),
    ):
        assert len(found) <= 1
