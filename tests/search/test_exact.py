"""The exact channel: the string itself, counted in the text, looked for until enough have it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.contracts.building import drain, new
from trace_core.domain.corpus import Scope
from trace_core.search.exact import ExactChannel


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[ExactChannel]:
    """Many short texts with the words apart, a few long ones with the string itself."""
    with Workspace.create(tmp_path / "archive") as stores:
        long = "Une longue chronique de la ville et de ses ponts. " * 6
        texts = {f"apart{n}": "Le pont neuf." for n in range(40)}
        texts |= {f"whole{n}": f"{long} Le pont-neuf." for n in range(5)}
        texts["often"] = f"{long} Pont-Neuf, pont-neuf, PONT-NEUF."
        stores.documents.add([new(name, text) for name, text in texts.items()])
        drain(stores)
        yield ExactChannel(stores.lexical, stores.documents)


def test_what_the_index_proposes_in_vain_does_not_end_the_search(channel: ExactChannel) -> None:
    found = channel.search("pont-neuf", Scope(), 6)
    assert found.hits[0].key.source_id == "often"
    assert {hit.key.source_id[:5] for hit in found.hits} == {"often", "whole"}
    assert len(found.hits) == 6
    assert [hit.score for hit in found.hits] == [3.0] + 5 * [1.0]


def test_fewer_than_asked_for_when_no_more_hold_it(channel: ExactChannel) -> None:
    assert len(channel.search("pont-neuf", Scope(), 30).hits) == 6
    assert len(channel.search("pont neuf", Scope(), 3).hits) == 3
    assert channel.search("neuf-pont", Scope(), 3).hits == ()


@pytest.mark.parametrize("query", ["", " ", "\n"])
def test_nothing_to_look_for(channel: ExactChannel, query: str) -> None:
    assert channel.search(query, Scope(), 3).skipped


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("l'état d'âme", True),
        ("l’état d‘âme", True),
        ('"état d\'âme"', True),
        ("« l'état »", True),
        ("'état d'âme'", True),
        ("dit-il - oui", True),
        ("dit-il – oui", True),
        ("état dame", False),
    ],
)
def test_signs_of_another_form_are_the_same(tmp_path: Path, query: str, found: bool) -> None:
    with Workspace.create(tmp_path / "archive") as stores:
        stores.documents.add([new("a", "C’est « l’état d’âme », dit-il — oui, l`a dit.")])
        drain(stores)
        channel = ExactChannel(stores.lexical, stores.documents)
        assert bool(channel.search(query, Scope(), 3).hits) == found
        assert channel.search('"', Scope(), 3).hits == ()


def test_a_word_of_a_script_without_blanks(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "archive") as stores:
        stores.documents.add([new("a", "武昌起義爆發。北京政府震驚。"), new("b", "京北")])
        drain(stores)
        channel = ExactChannel(stores.lexical, stores.documents)
        assert [hit.key.source_id for hit in channel.search("北京", Scope(), 3).hits] == ["a"]
