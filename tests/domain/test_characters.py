"""Halves of characters are joined or replaced, wherever they stand, before they reach an event."""

from __future__ import annotations

from trace_core.domain.characters import all_whole, whole
from trace_core.domain.events import GENESIS, Draft, RunStopped, check_chain, seal
from trace_core.domain.evidence import ENGINE


def test_a_pair_is_joined_and_a_lone_half_is_replaced() -> None:
    assert whole("a\ud83d\ude00b") == "a😀b"
    assert whole("a\ud800b\udc00") == "a\ufffdb\ufffd"
    text = "Été, ﬁn, 😀"
    assert whole(text) is text


def test_nested_data_is_whole() -> None:
    found = all_whole({"a\ud800": ["\udc00", ("x", 1, None)], "b": {"c": "\ud83d\ude00"}})
    assert found == {"a\ufffd": ["\ufffd", ("x", 1, None)], "b": {"c": "😀"}}


def test_an_event_holds_no_half_and_its_chain_stands() -> None:
    event = seal("r", 1, GENESIS, Draft(ENGINE, RunStopped(reason="half \ud800 done")), "t")
    assert event.payload == RunStopped(reason="half \ufffd done")
    assert check_chain([event]) == 1
