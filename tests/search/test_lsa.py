import json

import numpy as np
import pytest

from trace_core.domain.errors import BadInput, EmbedderUnavailable
from trace_core.ports import Artifact
from trace_core.search.lsa import LatentIndex, LsaSettings, fold_words

TOPICS = (
    "Le conseil municipal vote le pavage de la rue du Port et le budget de la voirie.",
    "La récolte de blé souffre de la gelée, les laboureurs et les meuniers se plaignent.",
    "Le vapeur arrive au port avec sa cargaison de sucre, les douaniers ouvrent les ballots.",
)
TEXTS = [f"{TOPICS[i % 3]} Note {i} du registre." for i in range(60)]
SMALL = LsaSettings(dimensions=8)


@pytest.fixture(scope="module")
def index() -> LatentIndex:
    return LatentIndex.fit(TEXTS, SMALL)


def test_words_are_folded_and_joined_over_line_ends():
    assert fold_words("Le Con-\nseil de L'ŒUVRE, fêté en 1887 : la diſette¬\ns") == (
        ["le", "conseil", "de", "l", "oeuvre", "fete", "en", "1887", "la", "disettes"]
    )
    assert fold_words("e\u0301te\u0301") == fold_words("été") == ["ete"]
    assert fold_words("porte-drapeau") == ["porte", "drapeau"]


def test_vectors_have_unit_length_and_their_topic_is_nearest(index):
    vectors = index.embed_passages(TOPICS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, index.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    nearest = vectors @ index.embed_query("le budget du conseil pour les rues")
    assert int(nearest.argmax()) == 0


def test_a_misread_word_still_finds_its_topic(index):
    nearest = index.embed_passages(TOPICS) @ index.embed_query("laboureuis mcunicrs gelee")
    assert int(nearest.argmax()) == 1


def test_query_and_passage_of_the_same_text_have_the_same_vector(index):
    passage = index.embed_passages([TOPICS[1]])[0]
    assert index.embed_query(TOPICS[1]) == pytest.approx(passage, abs=1e-5)


def test_text_without_known_features_gives_zeros(index):
    assert not index.embed_query("").any()
    assert not index.embed_query("北京 — ???").any()
    assert not index.embed_passages(["", "…"]).any()
    assert index.embed_passages([]).shape == (0, index.dimensions)


def test_training_twice_gives_the_same_version_and_vectors(index):
    again = LatentIndex.fit(iter(TEXTS), SMALL)
    assert again.version == index.version
    assert np.array_equal(again.embed_passages(TOPICS), index.embed_passages(TOPICS))


def test_other_texts_give_another_version(index):
    assert LatentIndex.fit([*TEXTS, "Un mot nouveau, deux mots."], SMALL).version != index.version


def test_training_keeps_at_most_the_sample():
    words = LsaSettings(dimensions=4, sample=5, min_chunks=1)
    index = LatentIndex.fit((f"mot{i:03d}" for i in range(100)), words)
    known = sum(index.embed_query(f"mot{i:03d}").any() for i in range(100))
    assert len(index._words) == 5
    assert known >= 5


def test_dimensions_never_exceed_what_the_archive_holds():
    index = LatentIndex.fit(["un seul texte court", "un autre texte"])
    assert 1 <= index.dimensions <= 2
    assert index.embed_query("texte").any()


def test_no_text_is_refused_with_what_to_do():
    with pytest.raises(BadInput, match="import first"):
        LatentIndex.fit(["", " — "])


def test_vocabularies_are_bounded_by_frequency():
    settings = LsaSettings(dimensions=4, words=3, grams=5, min_chunks=1)
    index = LatentIndex.fit(["alpha beta gamma", "alpha beta", "alpha delta", "alpha"], settings)
    assert set(index._words) == {"alpha", "beta", "delta"}
    assert len(index._grams) == 5


def test_a_kept_index_comes_back_whole(index):
    artifact = index.artifact()
    back = LatentIndex.from_artifact(artifact)
    assert back.version == index.version == artifact.version
    assert np.array_equal(back.embed_query("sucre"), index.embed_query("sucre"))
    assert all(array.dtype != object for array in artifact.arrays.values())
    assert json.loads(artifact.meta)["format"]


def test_a_changed_byte_is_noticed(index):
    artifact = index.artifact()
    codes = np.array(artifact.arrays["codes"])
    codes[0, 0] ^= 1
    torn = Artifact(artifact.version, {**artifact.arrays, "codes": codes}, artifact.meta)
    with pytest.raises(EmbedderUnavailable, match="reindex"):
        LatentIndex.from_artifact(torn)


@pytest.mark.parametrize("meta", ["", "{}", '{"format": "lsa-0"}'])
def test_a_foreign_artifact_is_refused(index, meta):
    artifact = index.artifact()
    with pytest.raises(EmbedderUnavailable, match="reindex"):
        LatentIndex.from_artifact(Artifact(artifact.version, artifact.arrays, meta))


def test_a_query_needs_no_scientific_library(index):
    import subprocess
    import sys

    code = (
        "import sys; import trace_core.search.lsa as m; "
        "assert not {'sklearn', 'scipy'} & set(sys.modules), 'heavy import'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
