"""A vocabulary teaches which letters its print confuses."""

import math
from collections import Counter

import numpy as np
import pytest

from trace_core.search import confusions
from trace_core.search.confusions import ConfusionModel, learn, model, observed
from trace_core.search.glyphs import LETTERS, code, encode, similar


def test_a_rare_form_beside_a_frequent_one_is_a_confusion() -> None:
    forms = [("minister", 40), ("minifter", 1), ("kammer", 40), ("kanimer", 1)]
    assert observed(forms) == Counter({("s", "f"): 1, ("m", "ni"): 1})


def test_letters_at_the_end_of_a_word_are_inflection() -> None:
    assert observed([("senator", 40), ("senators", 1), ("senatoren", 1)]) == Counter()


def test_two_frequent_forms_are_two_words() -> None:
    assert observed([("handlung", 40), ("wandlung", 30)]) == Counter()


def test_a_form_between_two_frequent_ones_teaches_nothing() -> None:
    assert observed([("hausfest", 40), ("haupfest", 40), ("haulfest", 1)]) == Counter()


def test_the_cost_falls_with_the_logarithm_of_the_lift() -> None:
    letters = {"a": 59, "b": 29, "x": 9}
    seen = {("b", "x"): 10}
    total = 97 + 3 + 1
    expected = 10 * (30 / total) * (10 / total)
    cost = 1 - confusions._RATE * math.log((10 + 1) / (expected + 1))
    learned = model(seen, letters)
    assert learned.substitute[code("b"), code("x")] == pytest.approx(cost, abs=1e-6)
    assert learned.substitute[code("x"), code("b")] > learned.substitute[code("b"), code("x")]


def test_common_knowledge_stands_where_nothing_was_seen() -> None:
    bare = learn([])
    assert ("s", "f") in similar() and ("m", "rn") in similar()
    assert bare.substitute[code("s"), code("f")] < bare.substitute[code("s"), code("m")]
    assert bare.substitute[code("l"), code("1")] < 1.0
    row = LETTERS * code("r") + code("n")
    assert bare.split[row, code("m")] < 1.0 < bare.split[LETTERS * code("r") + code("q"), code("m")]
    assert bare.pairs == 0


def test_the_archive_corrects_common_knowledge() -> None:
    words = ["landrat", "kanzlei", "wandern", "brander", "handeln", "tandems", "randvoll"]
    learned = learn([(w, 60) for w in words] + [(w.replace("n", "q", 1), 1) for w in words])
    assert learned.pairs == 7
    assert learned.substitute[code("n"), code("q")] < 0.7 < learned.substitute[code("n"), code("z")]


def test_a_model_survives_its_arrays() -> None:
    learned = learn([("minister", 40), ("minifter", 1)])
    again = ConfusionModel.from_arrays(learned.arrays())
    for name, array in learned.arrays().items():
        assert np.array_equal(array, again.arrays()[name])


def test_every_byte_has_a_letter_code_but_the_boundary() -> None:
    codes = encode("aé9ж")
    assert codes.min() > 0 and codes.max() < LETTERS
    assert len(codes) == len("aé9ж".encode())
