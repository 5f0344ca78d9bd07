"""Question sets of every format, bound to the small town, with everything that may be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput, NotFound
from trace_core.evaluation.questions import Question, QuestionSet, as_lines, load_questions
from trace_core.service import Service
from trace_core.service.evaluating import How


@pytest.fixture
def read(shared_town: Service, tmp_path: Path) -> Any:
    def load(*entries: dict[str, Any] | str) -> QuestionSet:
        path = tmp_path / "questions.jsonl"
        lines = [e if isinstance(e, str) else json.dumps(e) for e in entries]
        path.write_text("\n".join(lines), encoding="utf-8")
        return load_questions(path, shared_town.stores.documents)

    return load


def keys(*names: str) -> tuple[DocumentKey, ...]:
    return tuple(DocumentKey(*name.split("/")) for name in names)


def test_the_same_id_in_two_newspapers_is_told_apart_by_its_source(read: Any) -> None:
    found = read(
        {
            "question_id": "c1",
            "question_type": "MH - Comparative",
            "question": "Le Courrier et Le Héraut, que disent-ils du pont ?",
            "gold_ids": ["18830303", "18830303"],
            "id_1": "18830303",
            "source_1": "le courrier",
            "id_2": "18830303",
            "source_2": "LE HERAUT",
        }
    )
    (question,) = found.questions
    assert question.gold == keys("courier/18830303", "herald/18830303")
    assert (question.kind, question.pair) == ("MH - Comparative", "courier + herald")
    assert found.flaws == ()


def test_the_authors_format_has_ids_alone_and_may_be_ambiguous(read: Any) -> None:
    found = read(
        {"question_id": "a", "question_type": "bridge", "question": "A?", "gold_ids": ["m1"]},
        {
            "question_id": "b",
            "question_type": "",
            "question": "B?",
            "gold_ids": ["18830303", "letters/l1"],
        },
    )
    assert [q.gold for q in found.questions] == [keys("council/m1"), keys("letters/l1")]
    (flaw,) = found.flaws
    assert flaw.question == "b"
    assert "courier, herald" in flaw.reason


def test_our_own_format_comes_back_as_it_was_written(read: Any) -> None:
    question = Question("q 1", "Où est « le pont » ?", keys("council/m1", "letters/l3"), "own")
    assert read(as_lines([question])).questions == (question,)


@pytest.mark.parametrize("name", ["qrels/test.tsv", "pont.qrels"])
def test_a_beir_or_trec_folder(name: str, shared_town: Service, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    if name.endswith(".tsv"):
        rows = "query-id\tcorpus-id\tscore\n7\tm1\t1\n7\tm2\t0\n7\tl1\t2\n"
    else:
        rows = "7 0 m1 1\n7 0 m2 0\n7 0 l1 2\n"
    (tmp_path / name).write_text(rows, encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"_id": "7", "text": "Le pont ?"}\n')
    (question,) = load_questions(tmp_path, shared_town.stores.documents).questions
    assert (question.id, question.gold) == ("7", keys("council/m1", "letters/l1"))


def test_queries_of_trec_as_a_table(shared_town: Service, tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("7\tLe pont ?\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("7 0 m1 1\n", encoding="utf-8")
    assert load_questions(tmp_path, shared_town.stores.documents).questions[0].text == "Le pont ?"


def entry(name: str, question: str, *gold: str) -> dict[str, Any]:
    return {"question_id": name, "question": question, "gold_ids": list(gold)}


@pytest.mark.parametrize(
    ("flawed", "word"),
    [
        (entry("x", "B?", "nowhere"), "not in the archive"),
        (entry("x", "a  ?", "m1"), "same question as ok"),
        (entry("ok", "B?", "m1"), "same id"),
        (entry("x", "B?"), "No gold document is given"),
        ({"question_id": "x", "question": "B?", "id_1": "m1", "source_1": "Le Temps"}, "Le Temps"),
    ],
)
def test_what_does_not_fit_is_told_and_left_out(
    read: Any, flawed: dict[str, Any], word: str
) -> None:
    found = read(entry("ok", "A ?", "m1"), flawed)
    assert [q.id for q in found.questions] == ["ok"]
    assert any(word in flaw.reason for flaw in found.flaws)


def test_a_question_keeps_the_gold_that_is_there(read: Any) -> None:
    found = read(entry("x", "A?", "m1", "nowhere"))
    assert found.questions[0].gold == keys("council/m1")
    assert len(found.flaws) == 1


def test_gold_without_any_text_is_told(town: Service, tmp_path: Path) -> None:
    line = {"doc_id": "void", "corpus": "council", "text_original": " ", "date": "1883-01-01"}
    source = tmp_path / "void.jsonl"
    source.write_text(json.dumps(line) + "\n", encoding="utf-8")
    town.run_import(source)
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(entry("x", "A?", "void", "m1")), encoding="utf-8")
    found = load_questions(path, town.stores.documents)
    assert [flaw.question for flaw in found.flaws] == ["x"]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{not json", "is not JSON"),
        ("[1]", "no JSON object"),
        ('{"id": 1, "gold_ids": ["m1"]}', "no field `question`"),
        ('{"question": "A?"}', "no gold"),
        ('{"question": "A?", "gold": ["m1"]}', "`corpus`"),
        ('{"question": "A?", "gold_ids": ["nowhere"]}', "import its documents"),
        ("", "holds no question"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(read: Any, line: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        read(line)


def test_a_path_that_is_not_there(shared_town: Service, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no question set"):
        load_questions(tmp_path / "none.jsonl", shared_town.stores.documents)
    with pytest.raises(BadInput, match="no BEIR folder"):
        load_questions(tmp_path, shared_town.stores.documents)


@pytest.mark.parametrize("own", [True, False])
def test_gold_of_a_merged_sub_corpus_is_looked_for_where_it_lies_now(
    town: Service, tmp_path: Path, own: bool
) -> None:
    run = town.ask("Que dit-on du pont de la Scie ?")
    saved = town.save_question(run, keys("herald/18830303", "council/m1"))
    path = tmp_path / "questions.jsonl"
    path.write_text(as_lines([saved]), encoding="utf-8")
    town.merge_corpora("herald", "courier", "one paper under two names")
    asked = town.questions("own" if own else path)
    (question,) = asked.questions
    (moved,) = [key for key in question.gold if key.corpus == "courier"]
    text = town.stores.documents.document(moved).text
    assert "Le pont de la Scie tombera" in text  # and not the Courier's own of the same id
    done = town.evaluate(asked, ["bm25"], How({}))
    assert done.summary("bm25").means["recall@10"] == 1.0
    assert set(town.answers_to(question.text)) == set(question.gold)


def test_people_save_their_own_questions(town: Service, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No question has been saved"):
        town.questions("own")
    run = town.ask("Qui a prédit la chute du pont ?")
    town.save_question(run, keys("council/m1"), "Ada")
    town.save_question(run, keys("council/m1", "herald/18830303"), "Bea")
    (question,) = town.questions("own").questions
    assert question.text == "Qui a prédit la chute du pont ?"
    assert question.gold == keys("council/m1", "herald/18830303")
    kept = [json.loads(body) for _, body in town.stores.shelf.list("question")]
    assert [entry["author"] for entry in kept] == ["Ada", "Bea"]
    path = tmp_path / "own.jsonl"
    path.write_text(as_lines([question]), encoding="utf-8")
    assert town.questions(path).questions == (question,)
    with pytest.raises(BadInput, match="at least one document"):
        town.save_question(run, ())
    with pytest.raises(NotFound):
        town.save_question(run, keys("council/none"))
