"""OCR quality without a dictionary: clean text above damaged text, the more damage the lower."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.text.quality import LetterModel, QualityEstimator, estimate
from trace_core.text.tokens import words

_SYLLABLES = "ba ran ti mer lo su gen dé pre cor vin tal mo rie ches ant our eau lis ter".split()
_CONFUSIONS = {
    "e": "cé", "n": "u", "u": "n", "i": "l1|", "l": "1I", "s": "f5", "a": "uo", "o": "0",
    "t": "lf", "r": "i", "c": "eo", "m": "w", "d": "ck",
}  # fmt: skip


def archive(seed: int, size: int) -> list[str]:
    """Invented texts in an invented language whose words repeat as words do."""
    chance = random.Random(seed)
    vocabulary = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 4))) for _ in range(900)]
    weights = [1 / rank for rank in range(1, 901)]
    return [" ".join(chance.choices(vocabulary, weights, k=size)) + "." for _ in range(30)]


def damaged(text: str, rate: float, seed: int) -> str:
    chance = random.Random(seed)
    return "".join(
        chance.choice(_CONFUSIONS.get(char, "~^" + char)) if chance.random() < rate else char
        for char in text
    )


def estimator(texts: list[str]) -> QualityEstimator:
    counts = Counter(word for text in texts for word in words(text))
    letters = LetterModel.learn(counts)
    assert letters is not None
    return QualityEstimator(counts, letters)


@pytest.mark.parametrize("learned", [False, True])
def test_quality_falls_with_damage(learned: bool) -> None:
    texts = archive(1, 300)
    judge = estimator(texts) if learned else QualityEstimator()
    means = []
    for rate in (0.0, 0.03, 0.1, 0.2, 0.4):
        estimates = [judge.estimate(damaged(text, rate, i)) for i, text in enumerate(texts)]
        means.append(sum(value or 0.0 for value in estimates) / len(estimates))
    assert means == sorted(means, reverse=True)
    assert means[0] > 0.95
    assert means[0] - means[-1] > (0.5 if learned else 0.25)
    assert all(before - after > 0.02 for before, after in pairwise(means))


def test_every_damaged_text_stands_below_its_clean_self() -> None:
    texts = archive(2, 300)
    judge = estimator(texts)
    for seed, text in enumerate(texts):
        clean, broken = judge.estimate(text), judge.estimate(damaged(text, 0.1, seed))
        assert clean is not None
        assert broken is not None
        assert clean > broken


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (
            "Le 12 mai 1887, M. Goblet, d'accord avec le Sénat, MacMahon et McKinley, vota n° 7.",
            1.0,
            1.0,
        ),
        ("Die Häuser der Rechtsschutzversicherung, Nr. 5 (1888).", 0.9, 1.0),
        ("LOUIS XIV, roi de France ; l'an VII ; le 1er et le 2e", 1.0, 1.0),
        ("JJJ . JJJJJ L:ka| h'.x l8nd m^t iiii ~~^| aBcD", 0.0, 0.35),
    ],
)
def test_signs_inside_words_tell_without_any_archive(text: str, low: float, high: float) -> None:
    value = estimate(text)
    assert value is not None
    assert low <= value <= high


def test_letters_tell_once_the_archive_is_known() -> None:
    texts = archive(3, 300)
    counts = Counter(word for text in texts for word in words(text))
    letters = LetterModel.learn(counts)
    assert letters is not None
    usual = [letters.damage(word) for word, number in counts.items() if number >= 5]
    assert sum(usual) / len(usual) < 0.05
    assert letters.damage("ttlrnn") == 1.0


@pytest.mark.parametrize("text", ["", "  \n", "... ; -", "1887 12"])
def test_a_text_without_words_has_no_estimate(text: str) -> None:
    assert estimate(text) is None


def test_a_small_archive_teaches_nothing() -> None:
    assert LetterModel.learn({"mot": 9, "mots": 7}) is None


@given(st.text(max_size=200))
def test_any_text_has_an_estimate_between_0_and_1(text: str) -> None:
    value = estimate(text, known={"mot": 3})
    assert value is None or 0 <= value <= 1


def test_real_texts_fall_with_damage() -> None:
    shared = Path(os.environ.get("TRACE_SHARED", Path(__file__).parents[3] / "shared"))
    path = shared / "data/hipe/documents.jsonl"
    if not path.exists():
        pytest.skip(f"no shared data at {path}")
    with path.open(encoding="utf-8") as lines:
        texts = [
            json.loads(line)["text_original"] for line, _ in zip(lines, range(400), strict=False)
        ]
    judge = estimator(texts)
    means = []
    for rate in (0.0, 0.05, 0.2):
        found = [judge.estimate(damaged(text[:3000], rate, 1)) for text in texts[:60]]
        means.append(sum(value or 0.0 for value in found) / len(found))
    assert means[0] > 0.8
    assert means[0] - means[1] > 0.05
    assert means[1] - means[2] > 0.1
