"""Which written forms of an archive may stand for a word, and which may not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.domain.errors import SearchFailed
from trace_core.ports import Artifact
from trace_core.search.alignment import alignment_costs
from trace_core.search.confusions import learn
from trace_core.search.forms import FormIndex, build, chunks_behind, distinctness, segmentations
from trace_core.search.glyphs import encode
from trace_core.search.grams import grams_of, postings

PLAIN = learn([])


def index_of(*forms: str, **counts: int) -> FormIndex:
    vocabulary = dict.fromkeys(forms, 1) | counts
    return FormIndex(build(vocabulary.items(), 100))


def cost(word: str, form: str) -> float:
    codes = encode(form)
    return float(alignment_costs(encode(word), codes[None, :], np.array([len(codes)]), PLAIN)[0])


def test_the_word_itself_costs_nothing() -> None:
    assert cost("verdun", "verdun") == 0.0


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("kammer", "karnmer", "kaxzmer"),  # m read as two letters
        ("hamburg", "hainburg", "haqzburg"),
        ("claude", "daude", "xaude"),  # two letters read as one
        ("senat", "senta", "smnot"),  # two letters swapped
        ("orleans", "orleanss", "orleanszuq"),  # an ending
        ("landes", "landeshauptstadt", "lqzdxs"),
        ("devonshire", "devon", "dexoq"),  # its ending missing
    ],
)
def test_a_likely_reading_costs_less_than_an_unlikely_one(word: str, near: str, far: str) -> None:
    assert 0 < cost(word, near) < cost(word, far)


def test_all_forms_at_once_cost_what_each_costs_alone() -> None:
    words = ["bremen", "brennen", "bremerhafen", "br", "xbremen"]
    width = max(map(len, words))
    rows = np.zeros((len(words), width), dtype=np.uint8)
    for i, word in enumerate(words):
        rows[i, : len(word)] = encode(word)
    together = alignment_costs(encode("bremen"), rows, np.array([len(w) for w in words]), PLAIN)
    assert together.tolist() == pytest.approx([cost("bremen", word) for word in words], abs=1e-5)


def test_forms_come_best_first_with_their_kind() -> None:
    forms = index_of("vernaudon", "uernaudon", "vernaudons", "zuvernaudon", "vern", "bauholz")
    found = {form.text: form for form in forms.expand("vernaudon", 0.45, 10)}
    assert next(iter(found)) == "vernaudon"
    assert {text: form.kind for text, form in found.items()} == {
        "vernaudon": "exact",
        "uernaudon": "misread",
        "vernaudons": "ending",
        "zuvernaudon": "compound",
    }
    similarities = [form.similarity for form in found.values()]
    assert similarities == sorted(similarities, reverse=True)
    assert "vern" not in found and "bauholz" not in found


def test_another_name_of_the_archive_is_less_similar_than_a_misprint() -> None:
    forms = index_of(rosen=50, rofen=1, bosen=60)
    found = {form.text: form.similarity for form in forms.expand("rosen", 0.0, 10)}
    assert found["rofen"] > 0.5 > found["bosen"]


def test_a_form_found_in_many_chunks_is_a_word_of_its_own() -> None:
    assert distinctness(1) == 1.0
    assert distinctness(32) == pytest.approx(32**-0.2)


def test_limits_hold() -> None:
    forms = index_of("metternich", "mettermch", "metternichs", "mettcrnich")
    assert len(forms.expand("metternich", 0.3, 2)) == 2
    assert all(form.similarity >= 0.8 for form in forms.expand("metternich", 0.8, 9))


def test_unknown_words_and_short_ones() -> None:
    forms = index_of("metternich", "de", "du")
    assert forms.expand("zzzzzz", 0.3, 9) == ()
    assert [form.text for form in forms.expand("de", 0.3, 9)] == ["de"]
    assert forms.chunks("unbekannt") == 0
    assert len(index_of()) == 0 and index_of().expand("wort", 0.3, 9) == ()


def test_a_word_is_cut_only_into_forms_of_the_archive() -> None:
    forms = index_of("lon", "don", "l", "lo")
    assert segmentations("london", forms) == [("lon", "don")]
    assert segmentations("lon", forms) == []


def test_an_index_survives_its_artifact_and_a_foreign_one_is_refused() -> None:
    artifact = build({"metternich": 3, "œuvre": 2}.items(), 40)
    forms = FormIndex(artifact)
    assert chunks_behind(artifact) == 40
    assert forms.chunks("metternich") == 3 and forms.chunks("œuvre") == 2
    assert [forms.form(i) for i in range(len(forms))] == ["metternich", "œuvre"]
    with pytest.raises(SearchFailed, match="reindex"):
        FormIndex(Artifact("other-1", {}, meta="{}"))
    torn = {**artifact.arrays, "ends": artifact.arrays["ends"][:1]}
    with pytest.raises(SearchFailed, match="reindex"):
        FormIndex(Artifact(artifact.version, torn, artifact.meta))


def test_the_version_follows_the_vocabulary() -> None:
    one, two = build([("a", 1)], 1), build([("a", 2)], 1)
    assert one.version != two.version == build([("a", 2)], 1).version


@settings(max_examples=40)
@given(st.lists(st.text("abcdeé", min_size=1, max_size=6), min_size=1, max_size=20, unique=True))
def test_every_trigram_of_every_form_is_posted_once_an_occurrence(forms: list[str]) -> None:
    encoded = sorted(form.encode() for form in forms)
    letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    ends = np.cumsum([len(form) for form in encoded], dtype=np.int64)
    starts, numbers = postings(letters, ends)
    wanted = sorted((int(g), i) for i, f in enumerate(encoded) for g in grams_of(f.decode()))
    posted = [
        (gram, int(number))
        for gram in sorted({g for g, _ in wanted})
        for number in numbers[starts[gram] : starts[gram + 1]]
    ]
    assert posted == wanted and len(numbers) == len(wanted)
