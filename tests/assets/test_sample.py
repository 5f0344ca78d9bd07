"""The sample archive: made again it is the same, and it holds what its README promises."""

from __future__ import annotations

import importlib.util
import json
import sys
import unicodedata
from collections import Counter
from datetime import date
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "assets" / "sample"


def load_script() -> ModuleType:
    """Import make_sample.py, which lies among the assets and not in a package."""
    spec = importlib.util.spec_from_file_location("make_sample", SAMPLE / "make_sample.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


make_sample = load_script()


def read_jsonl(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLE / name).read_text("utf-8").splitlines()]


DOCUMENTS = read_jsonl("documents.jsonl")
QUESTIONS = read_jsonl("questions.jsonl")
CORPORA = json.loads((SAMPLE / "corpora.json").read_text("utf-8"))
CLEAN = {
    (document.corpus, document.doc_id): document
    for corpus in CORPORA
    for document in make_sample.read_clean(SAMPLE / "clean" / f"{corpus['id']}.txt")
}


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["corpus"], row["doc_id"]


def body(text: str) -> str:
    """The text without its heading, which may be set wide and would count word by word."""
    heading, _, rest = text.partition("\n\n")
    return rest if heading.isupper() else text


def words(text: str) -> list[str]:
    """The words of a page, those parted at a line's end joined again where the mark was seen."""
    return text.replace("¬\n", "").replace("-\n", "").split()


def share_changed(clean: str, damaged: str) -> float:
    """1 - (clean words that stand unchanged and in order in the damaged text) / (clean words)."""
    # A compound broken at its own hyphen loses it above: leave hyphens out on both sides.
    before = words(body(clean).replace("-", ""))
    after = [word.replace("-", "") for word in words(body(damaged))]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return 1 - sum(block.size for block in matcher.get_matching_blocks()) / len(before)


def terms(text: str) -> set[str]:
    """Folded words of five letters or more, and numbers: enough to speak of one matter."""
    folded = unicodedata.normalize("NFD", text.lower())
    letters = "".join(c for c in folded if not unicodedata.combining(c))
    parted = "".join(c if c.isalnum() else " " for c in letters)
    ordinary = {"comment", "chacun", "quelle", "quels", "selon", "entre", "autre"}
    return {w for w in parted.split() if len(w) >= 5 or w.isdigit()} - ordinary


def test_made_again_it_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make_sample.main(["--out", str(tmp_path)]) == 0
    for name in ("documents.jsonl", "questions.jsonl"):
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), (
            f"{name} is not what make_sample.py makes: run it and commit the result"
        )
    assert "61 documents, 12 questions" in capsys.readouterr().out


def test_another_seed_makes_other_damage() -> None:
    other = make_sample.make_documents(SAMPLE / "clean", SAMPLE / "corpora.json", 1)
    same = sum(
        a["text_original"] == b["text_original"] for a, b in zip(DOCUMENTS, other, strict=True)
    )
    assert same < len(DOCUMENTS) / 4


def test_counts_and_identity() -> None:
    assert Counter(row["corpus"] for row in DOCUMENTS) == {
        "conseil": 15,
        "courrier": 16,
        "tocsin": 15,
        "lettres": 15,
    }
    assert len({key(row) for row in DOCUMENTS}) == len(DOCUMENTS) == len(CLEAN)
    papers = [{i for c, i in CLEAN if c == paper} for paper in ("courrier", "tocsin")]
    assert papers[0] & papers[1] == {
        "18821008",
        "18830218",
        "18840727",
        "18860411",
        "18870717",
        "18871211",
    }


def test_shape_of_the_documents() -> None:
    for row in DOCUMENTS:
        assert list(row) == ["doc_id", "corpus", "date", "title", "language", "text_original"]
        assert row["language"] == "fr"
        assert row["title"].strip() and row["text_original"].strip()


def test_every_sub_corpus_is_described_and_marked_as_invented() -> None:
    assert [corpus["id"] for corpus in CORPORA] == ["conseil", "courrier", "tocsin", "lettres"]
    for corpus in CORPORA:
        assert corpus["invented"] is True
        assert corpus["description"].startswith("Fonds inventé.")
        assert corpus["kind"] in make_sample.WIDTHS
        assert corpus["name"] and corpus["aliases"] and corpus["language"] == "fr"
    assert "invented" in (SAMPLE / "README.md").read_text("utf-8")


def test_dates_parse_but_for_two() -> None:
    undated = [key(row) for row in DOCUMENTS if row["date"] == "s.d."]
    assert undated == [("tocsin", "supplement-complainte"), ("lettres", "L12")]
    for row in DOCUMENTS:
        if row["date"] == "s.d.":
            continue
        day = date.fromisoformat(row["date"])
        assert 1881 <= day.year <= 1889
        if row["corpus"] in ("courrier", "tocsin"):
            assert row["doc_id"] == f"{day:%Y%m%d}"
            # Monday is 0: the one appears on Thursdays, the other on Wednesdays, both on Sundays.
            assert day.weekday() in ((3, 6) if row["corpus"] == "courrier" else (2, 6))
        if row["corpus"] == "conseil":
            assert row["doc_id"] == f"PV-{day.isoformat()}"


def test_clean_texts_have_the_length_of_an_article() -> None:
    for document in CLEAN.values():
        assert 120 <= len(document.text.split()) <= 450, document.doc_id


BANDS = {"none": (0.0, 0.0), "light": (0.01, 0.09), "medium": (0.07, 0.22), "heavy": (0.18, 0.36)}


@pytest.mark.parametrize("row", DOCUMENTS, ids=lambda row: f"{row['corpus']}-{row['doc_id']}")
def test_damage_lies_within_its_band(row: dict[str, Any]) -> None:
    document = CLEAN[key(row)]
    low, high = BANDS[document.damage]
    assert low <= share_changed(document.text, row["text_original"]) <= high


def test_damage_as_a_whole_and_its_kinds() -> None:
    shares = [share_changed(CLEAN[key(row)].text, row["text_original"]) for row in DOCUMENTS]
    assert 0.08 <= sum(shares) / len(shares) <= 0.25
    text = "\n\n".join(row["text_original"] for row in DOCUMENTS)
    assert text.count("¬\n") > 50 and text.count("-\n") > 50
    assert "ſ" in text and "iM." in text
    wide = [row for row in DOCUMENTS if row["text_original"][1:6:2] == "   "]
    assert 5 <= len(wide) <= 40
    assert {document.damage for document in CLEAN.values()} == set(make_sample.LEVELS)


def test_lines_keep_to_their_column() -> None:
    widths = {corpus["id"]: make_sample.WIDTHS[corpus["kind"]] for corpus in CORPORA}
    for row in DOCUMENTS:
        for line in body(row["text_original"]).splitlines():
            assert len(line) <= widths[row["corpus"]], line


def test_questions_and_their_gold() -> None:
    assert len(QUESTIONS) == len({question["question_id"] for question in QUESTIONS}) == 12
    kinds = Counter(question["question_type"] for question in QUESTIONS)
    assert set(kinds) == {"comparative", "bridge", "generic", "single"}
    for question in QUESTIONS:
        gold = [key(place) for place in question["gold"]]
        assert gold and len(set(gold)) == len(gold)
        assert question["gold_ids"] == [doc_id for _, doc_id in gold]
        if question["question_type"] in ("comparative", "bridge"):
            assert len({corpus for corpus, _ in gold}) >= 2
        for place in gold:
            shared = terms(question["question"]) & terms(CLEAN[place].text)
            assert shared, (question["question_id"], place)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("municipalité", ["mu", "muni", "munici", "municipa"]),
        ("responsable", ["res", "respon", "responsa"]),
        ("pont", []),
        ("prie.", []),
        ("vendredi,", ["ven"]),
    ],
)
def test_words_are_parted_before_a_syllable(word: str, parts: list[str]) -> None:
    heads = [word[:point] for point in make_sample.break_points(word)]
    assert set(parts) <= set(heads)
    if not parts:
        assert heads == []
    for head, following in pairwise([*heads, word]):
        assert following.startswith(head)


def test_gold_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "questions.json"
    path.write_text(
        '[{"question_id": "q", "question_type": "single", "question": "?", "gold": ["x/1"]}]',
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match=r"q names documents that are not"):
        make_sample.make_questions(path, DOCUMENTS)


def test_an_unknown_damage_level_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "conseil.txt"
    path.write_text("@@ a | 1881-01-01 | ruined | Title\nText.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"unknown damage level 'ruined'"):
        make_sample.read_clean(path)
