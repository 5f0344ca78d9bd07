from __future__ import annotations

from datetime import date

import pytest

from tests.contracts.building import drain, new
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.ports import IndexName, Stores

KEY = DocumentKey("herald", "d1")


@pytest.mark.parametrize("index", ["lexical", "vectors"])
def test_new_chunks_wait_for_both_indexes(stores: Stores, index: IndexName) -> None:
    stored = stores.documents.add([new("d1", "Le pont tombe.", cuts=[8]), new("d2", "", day=None)])
    adds, removes = stores.queue.pending(index, 10)
    assert [one.chunk.id for one, _ in adds] == list(stored[0].chunk_ids)
    assert [one.chunk.text for one, _ in adds] == ["Le pont ", "tombe."]
    assert adds[0][0].language == "fr"
    assert adds[0][0].earliest == adds[0][0].latest == date(1883, 3, 2).toordinal()
    assert removes == []
    assert stores.queue.pending_count(index) == 2


def test_the_language_of_the_sub_corpus_stands_in(stores: Stores) -> None:
    from dataclasses import replace

    stores.documents.put_corpus(SubCorpus("herald", "Herald", language="de"))
    one = new("d1", "Der Fluss.")
    stores.documents.add([replace(one, document=replace(one.document, language=""))])
    assert stores.queue.pending("lexical", 1)[0][0][0].language == "de"


def test_a_ticket_stays_until_it_is_done(stores: Stores) -> None:
    stores.documents.add([new("d1", "a"), new("d2", "b"), new("d3", "c")])
    adds, _ = stores.queue.pending("lexical", 2)
    assert stores.queue.pending("lexical", 2)[0] == adds
    stores.queue.done("lexical", [adds[1][1]])
    stores.queue.done("lexical", [adds[1][1], 9999])
    left, _ = stores.queue.pending("lexical", 10)
    assert [one.chunk.text for one, _ in left] == ["a", "c"]
    assert stores.queue.pending_count("vectors") == 3


def test_replaced_and_withdrawn_chunks_are_to_be_removed(stores: Stores) -> None:
    old = stores.documents.add([new("d1", "Le pont."), new("d2", "L'eau.")])
    drain(stores)
    newer = stores.documents.add([new("d1", "Le pont neuf.")])
    stores.documents.withdraw([DocumentKey("herald", "d2")])
    adds, removes = stores.queue.pending("lexical", 10)
    assert [one.chunk.id for one, _ in adds] == list(newer[0].chunk_ids)
    assert [chunk for chunk, _ in removes] == [*old[0].chunk_ids, *old[1].chunk_ids]
    drain(stores)
    assert stores.lexical.ids() == set(newer[0].chunk_ids)


def test_back_and_forth_before_indexing_ends_right(stores: Stores) -> None:
    stored = stores.documents.add([new("d1", "Le pont.")])
    for withdrawn in (True, False, True, False):
        stores.documents.withdraw([KEY], withdrawn=withdrawn)
    drain(stores)
    assert stores.lexical.ids() == set(stored[0].chunk_ids)
    stores.documents.withdraw([KEY])
    drain(stores)
    assert stores.lexical.count() == 0


def test_an_index_that_is_not_kept_is_owed_nothing(stores: Stores) -> None:
    stores.documents.add([new("d1", "a"), new("d2", "b")])
    stores.queue.clear("vectors")
    assert stores.queue.pending_count("vectors") == 0
    assert stores.queue.pending_count("lexical") == 2


def test_requeue_names_every_living_chunk_once(stores: Stores) -> None:
    stores.documents.add([new("d1", "a"), new("d2", "b"), new("d3", "c")])
    stores.documents.add([new("d1", "a2")])
    stores.documents.withdraw([DocumentKey("herald", "d3")])
    assert stores.queue.requeue_all("vectors") == 2
    adds, removes = stores.queue.pending("vectors", 10)
    assert sorted(one.chunk.text for one, _ in adds) == ["a2", "b"]
    assert removes == []
