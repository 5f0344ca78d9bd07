"""Calls, leases, models, settings, reports, the shelf and notes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Artifact, CallRecord, Note, Stores

CALL = CallRecord(
    id="c1",
    run="r1",
    key="review:1",
    stage="review",
    model="m",
    prompt_hash="p",
    request='{"text": "é \\ud800"}',
    reply="lone \ud800 half",
    tokens_in=10,
    tokens_out=2,
    seconds=0.5,
    price=None,
    time="2026-01-01T00:00:00+00:00",
    meta={"attempt": "1"},
)


def test_a_call_is_found_by_run_and_key(stores: Stores) -> None:
    stores.calls.save(CALL)
    assert stores.calls.find("r1", "review:1") == CALL
    assert stores.calls.find("r2", "review:1") is None
    assert stores.calls.find("r1", "review:2") is None


def test_a_second_answer_is_refused_silently(stores: Stores) -> None:
    stores.calls.save(CALL)
    stores.calls.save(replace(CALL, id="c2", reply="other"))
    assert stores.calls.find("r1", "review:1") == CALL
    assert stores.calls.calls("r1") == [CALL]


def test_calls_in_order_of_time(stores: Stores) -> None:
    later = replace(CALL, id="c2", key="review:2", time="2026-01-02T00:00:00+00:00", price=0.01)
    stores.calls.save(later)
    stores.calls.save(CALL)
    stores.calls.save(replace(CALL, id="c3", run="r2"))
    assert stores.calls.calls("r1") == [CALL, later]


def test_one_worker_at_a_time(stores: Stores) -> None:
    one, other = stores.leases.worker(), stores.leases.worker()
    assert one != other
    assert stores.leases.acquire("r1", one)
    assert stores.leases.acquire("r1", one)
    assert not stores.leases.acquire("r1", other)
    stores.leases.release("r1", other)
    assert not stores.leases.acquire("r1", other)
    with stores.leases.beating("r1", one):
        stores.leases.beat("r1", one)
    assert (stores.leases.living("r1"), stores.leases.living("r2")) == (True, False)
    stores.leases.release("r1", one)
    assert not stores.leases.living("r1")
    assert stores.leases.acquire("r1", other)
    assert stores.leases.orphans() == []


def test_wishes_stand_until_replaced(stores: Stores) -> None:
    assert stores.leases.wish("r1") == ""
    stores.leases.request("r1", "pause")
    assert stores.leases.acquire("r1", stores.leases.worker())
    assert stores.leases.wish("r1") == "pause"
    stores.leases.request("r1", "stop")
    assert (stores.leases.wish("r1"), stores.leases.wish("r2")) == ("stop", "")
    stores.leases.request("r1", "")
    assert stores.leases.wish("r1") == ""


def test_a_model_is_replaced_whole(stores: Stores) -> None:
    assert stores.artifacts.load("lsa") is None
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    stores.artifacts.save("lsa", Artifact("v1", {"u": matrix, "idf": np.ones(3)}, '{"k": 2}'))
    stores.artifacts.save("lsa-2", Artifact("x", {"a": np.empty((0, 4))}))
    first = stores.artifacts.load("lsa")
    assert first is not None
    assert (first.version, first.meta, set(first.arrays)) == ("v1", '{"k": 2}', {"u", "idf"})
    np.testing.assert_array_equal(first.arrays["u"], matrix)
    stores.artifacts.save("lsa", Artifact("v2", {"u": matrix + 1}))
    second, other = stores.artifacts.load("lsa"), stores.artifacts.load("lsa-2")
    assert second is not None and other is not None
    assert (second.version, set(second.arrays)) == ("v2", {"u"})
    np.testing.assert_array_equal(first.arrays["u"], matrix)
    assert other.arrays["a"].shape == (0, 4)


def test_settings_are_replaced(stores: Stores) -> None:
    assert stores.settings.load() == {}
    stores.settings.save({"search": {"rrf_k": 30.0, "coupling": False}, "model": {"name": "é\"'"}})
    assert stores.settings.load() == {
        "search": {"rrf_k": 30.0, "coupling": False},
        "model": {"name": "é\"'"},
    }
    stores.settings.save({"index": {"chunk_words": 100}, "loop": {}})
    assert stores.settings.load() == {"index": {"chunk_words": 100}}


def test_reports_newest_first(stores: Stores) -> None:
    stores.reports.save("i1", '{"read": 1}')
    stores.reports.save("i2", '{"read": 2}')
    stores.reports.save("i1", '{"read": 9}')
    assert stores.reports.load("i1") == '{"read": 9}'
    assert stores.reports.load("i3") is None
    assert [name for name, _ in stores.reports.list()] == ["i2", "i1"]


def test_the_shelf_keeps_texts_by_kind_in_order(stores: Stores) -> None:
    stores.shelf.put("question", "q2", "{}")
    stores.shelf.put("question", "q1", '{"n": 1}')
    stores.shelf.put("answer", "q2", "[]")
    stores.shelf.put("question", "q2", '{"n": 2}')
    assert stores.shelf.list("question") == [("q2", '{"n": 2}'), ("q1", '{"n": 1}')]
    assert stores.shelf.get("answer", "q2") == "[]"
    assert stores.shelf.get("answer", "q1") is None
    assert stores.shelf.list("report") == []


def test_notes_of_documents(stores: Stores) -> None:
    key, other = DocumentKey("herald", "d1"), DocumentKey("gaz", "d1")
    first = Note("n1", "note", "Zoé", "2026-01-01T00:00:00+00:00", key, "à voir", chunk=3, run="r1")
    second = Note("n2", "star", "Max", "2026-01-02T00:00:00+00:00", other)
    third = Note("n3", "untag", "Zoé", "2026-01-03T00:00:00+00:00", key, "pont")
    for note in (first, second, third):
        stores.notes.add(note)
    assert stores.notes.notes() == [first, second, third]
    assert stores.notes.notes([key]) == [first, third]
    assert stores.notes.notes([]) == []
