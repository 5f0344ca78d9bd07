"""The same text twice: exact, near, and never by chance."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.ingest.duplicates import (
    DuplicateFinder,
    DuplicateGroup,
    Marks,
    band_keys,
    find_duplicates,
    marks,
    similarity,
)


def text(seed: int, size: int = 300) -> list[str]:
    chance = random.Random(seed)
    return [f"mot{chance.randint(0, 3000)}" for _ in range(size)]


def misread(found: list[str], rate: float, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [word + "x" if chance.random() < rate else word for word in found]


def jaccard(one: list[str], other: list[str]) -> float:
    pairs = [{tuple(found[i : i + 2]) for i in range(len(found) - 1)} for found in (one, other)]
    return len(pairs[0] & pairs[1]) / len(pairs[0] | pairs[1])


def test_the_same_words_are_an_exact_duplicate_whatever_their_dress() -> None:
    first = "L'été, à Nîmes : le Ver-\nhältniß."
    second = "l'ete a NIMES le Verhältniss"
    assert marks(first) == marks(second)
    assert find_duplicates([("a", first), ("b", second), ("c", "autre")]) == [
        DuplicateGroup("exact", ("a", "b"))
    ]


def test_another_reading_of_the_text_is_a_near_duplicate() -> None:
    documents = [(f"{seed}", " ".join(text(seed))) for seed in range(40)]
    documents.append(("reread", " ".join(misread(text(7), 0.05, 1))))
    documents.append(("copy", documents[7][1].upper()))
    assert find_duplicates(documents) == [DuplicateGroup("near", ("7", "reread", "copy"))]


def test_texts_that_share_a_passage_only_are_no_duplicates() -> None:
    shared = text(1, 100)
    one, other = shared + text(2, 200), shared + text(3, 200)
    assert find_duplicates([("a", " ".join(one)), ("b", " ".join(other))]) == []


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.05, 0.1, 0.3])
def test_similarity_estimates_the_share_of_common_pairs(rate: float) -> None:
    one = text(5, 400)
    other = misread(one, rate, 2)
    estimated = similarity(marks(" ".join(one)).signature, marks(" ".join(other)).signature)
    # 128 samples: the standard error is at most 0.044; three of them are allowed
    assert estimated == pytest.approx(jaccard(one, other), abs=0.13)


def test_near_documents_share_a_band_and_strangers_do_not() -> None:
    one, other = text(5), misread(text(5), 0.05, 1)
    keys = [set(band_keys(marks(" ".join(found)).signature)) for found in (one, other, text(6))]
    assert keys[0] & keys[1]
    assert not keys[0] & keys[2]
    assert all(-(2**63) <= key < 2**63 for key in keys[0])


def test_short_and_empty_texts_are_only_ever_exact_duplicates() -> None:
    assert marks("") == marks(" … ") == Marks(b"", b"")
    assert marks("court texte").signature == b""
    assert find_duplicates([("a", ""), ("b", ""), ("c", "Oui."), ("d", "oui"), ("e", "ouis")]) == [
        DuplicateGroup("exact", ("c", "d"))
    ]


def test_a_thousand_copies_are_one_group() -> None:
    base = text(9)
    documents = [(str(i), " ".join(misread(base, 0.02, i))) for i in range(1000)]
    groups = find_duplicates(documents)
    assert [(group.kind, len(group.keys)) for group in groups] == [("near", 1000)]


def test_marks_are_the_same_on_every_machine() -> None:
    found = marks(" ".join(f"mot{i}" for i in range(50)))
    assert len(found.fingerprint) == 16
    assert len(found.signature) == 256
    assert found.fingerprint.hex() == "e22006f863c213c942250436d664d2b2"
    assert np.frombuffer(found.signature, "<u2")[:4].tolist() == [7715, 56167, 9303, 27086]


@given(st.lists(st.sampled_from(["", "a", "b b", "c c c"]), max_size=12))
def test_exact_groups_are_the_classes_of_equal_texts(texts: list[str]) -> None:
    groups = find_duplicates((str(i), text) for i, text in enumerate(texts))
    expected = [
        tuple(str(i) for i, other in enumerate(texts) if other == text)
        for text in dict.fromkeys(texts)
        if text and texts.count(text) > 1
    ]
    assert [group.keys for group in groups] == expected
    assert all(group.kind == "exact" for group in groups)


def test_groups_may_be_asked_for_again_after_more_documents() -> None:
    finder: DuplicateFinder[str] = DuplicateFinder()
    finder.add("a", marks("un"))
    assert finder.groups() == []
    finder.add("b", marks("un"))
    assert finder.groups() == finder.groups() == [DuplicateGroup("exact", ("a", "b"))]
