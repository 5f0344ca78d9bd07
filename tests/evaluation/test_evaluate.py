"""The driver: strategies by name, going on after a stop, several questions at once, hashes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput, NotFound, SearchFailed
from trace_core.evaluation.ablation import cumulative, leave_one_out
from trace_core.evaluation.channels import analyse_channels
from trace_core.evaluation.evaluate import Driving, evaluate
from trace_core.evaluation.questions import Question, QuestionSet, as_lines
from trace_core.evaluation.strategies import Answer, strategy
from trace_core.service import Service
from trace_core.service.evaluating import How

KEYS = [
    DocumentKey("council", "m1"),
    DocumentKey("letters", "l1"),
    DocumentKey("herald", "18830404"),
]
TEXTS = ["Qui parle du pont de la Scie ?", "Vernaudon avait-il raison ?", "Que font les fileuses ?"]
QUESTIONS = QuestionSet(
    "town",
    tuple(Question(str(n), t, (k,)) for n, (t, k) in enumerate(zip(TEXTS, KEYS, strict=True))),
)


class Meeting:
    """Answers every question right, once so many are asked at the same time."""

    name = "meeting"

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size, timeout=60)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def answer(self, question: Question) -> Answer:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.barrier.wait()
        with self.lock:
            self.now -= 1
        return Answer(question.gold)


@pytest.mark.parametrize("workers", [1, 3])
def test_as_many_questions_at_once_as_there_are_workers(workers: int) -> None:
    meeting = Meeting(workers)
    done = evaluate(QUESTIONS, [meeting], {}, Driving(workers))
    assert meeting.most == workers
    assert [r.question.id for r in done.results["meeting"]] == ["0", "1", "2"]
    assert done.summary("meeting").means["recall@3"] == 1.0
    assert done.complete


def test_a_stopped_evaluation_goes_on_where_it_was(town: Service) -> None:
    answered: list[int] = []
    how = How({}, told=lambda p: answered.append(p.done), stopped=lambda: answered[-1] >= 1)
    first = town.evaluate(QUESTIONS, ["trace-rules"], how)
    assert not first.complete
    assert len(first.results["trace-rules"]) == 1
    runs = town.runs(measuring=True)
    assert len(runs) == 1
    assert town.runs() == []
    kept: list[int] = []
    second = town.evaluate(QUESTIONS, ["trace-rules"], How({}, told=lambda p: kept.append(p.kept)))
    assert second.complete
    assert kept[-1] == 1
    assert len(town.runs(measuring=True)) == 3
    assert second.results["trace-rules"][0].answer.run == runs[0].id
    town.evaluate(QUESTIONS, ["trace-rules"], How({"rules": {"accept_documents": 3}}))
    assert len(town.runs(measuring=True)) == 6


def test_the_hash_follows_archive_settings_and_questions(town: Service, tmp_path: Path) -> None:
    def hash_with(how: How, questions: QuestionSet = QUESTIONS) -> str:
        return town.evaluate(questions, ["bm25"], how).hash

    before = hash_with(How({}))
    assert hash_with(How({}, fresh=True, workers=2)) == before
    assert hash_with(How({"search": {"rrf_k": 10.0}})) != before
    assert hash_with(How({}), QuestionSet("town", QUESTIONS.questions[:2])) != before
    archive = town.archive_hash()
    line = {"doc_id": "new", "corpus": "letters", "text_original": "Le pont neuf.", "date": "1884"}
    source = tmp_path / "more.jsonl"
    source.write_text(json.dumps(line) + "\n", encoding="utf-8")
    town.run_import(source)
    assert town.archive_hash() != archive
    assert hash_with(How({})) != before


@pytest.mark.parametrize(
    "name",
    ["bm25", "dense", "fuzzy", "exact", "date", "fused", "date-aware", "routed", "surveyed",
     "fused-dense", "routed-fuzzy", "trace-rules-coupling-dense"],
)  # fmt: skip
def test_a_strategy_by_its_name(name: str, shared_town: Service) -> None:
    made = strategy(name, shared_town)
    assert made.name == name
    answer = made.answer(QUESTIONS.questions[0])
    assert answer.failure == ""
    assert (answer.accepted is not None) == name.startswith("trace")
    assert len(set(answer.ranking)) == len(answer.ranking)


@pytest.mark.parametrize("name", ["", "bm26", "bm25-dense", "fused-warm_start", "trace-model-x"])
def test_an_unknown_strategy_is_refused_in_a_sentence(name: str, shared_town: Service) -> None:
    with pytest.raises(BadInput):
        strategy(name, shared_town)


def test_the_papers_path_adds_one_component_after_another() -> None:
    assert [s.strategy for s in cumulative("trace-model")] == [
        "trace-model-decompose-memory-replan-warm_start-holds-second_pass",
        "trace-model-memory-replan-warm_start-holds-second_pass",
        "trace-model-warm_start-holds-second_pass",
        "trace-model-holds-second_pass",
        "trace-model",
    ]
    assert leave_one_out("trace-model")[2].strategy == "trace-model-memory-replan"
    with pytest.raises(BadInput):
        cumulative("bm25")


def test_channels_by_hand() -> None:
    a, b, c = KEYS
    found = analyse_channels(
        [{"bm25": [a, b], "dense": [b], "fused": [b, a]}, {"bm25": [], "dense": [c], "fused": [c]}],
        [[a], [c]],
    )
    assert found.overlap == {("bm25", "dense"): (1 / 2 + 0 / 1) / 2}
    assert found.alone == {"bm25": 1, "dense": 1}
    assert found.recall == {"bm25": 1 / 2, "dense": 1 / 2, "fused": 1.0}
    assert found.gain == 1.0 - 1 / 2


def test_what_no_search_brought_says_at_which_rank_each_channel_has_it(town: Service) -> None:
    text = "Que dit le conseil du pont ?"
    how = How({"search": {"warm_start_depth": 1}, "loop": {"max_sub_questions": 1}})
    one = town.evaluate(
        QuestionSet("one", (Question("0", text, (KEYS[0],)),)), ["trace-rules"], how
    )
    (asked,) = town.state(one.results["trace-rules"][0].answer.run).plan
    gold = KEYS[1] if asked.target != "letters" else KEYS[2]
    questions = QuestionSet("one", (Question("0", text, (gold,)),))
    done = town.evaluate(questions, ["trace-rules"], how)
    (miss,) = town.misses(done.results["trace-rules"])
    assert miss.cause == "never_retrieved"
    for name in ("bm25", "dense"):
        ranking = [hit.key for hit in town.ranking(text, name, 50, {}).hits]
        assert miss.would.get(name) == (ranking.index(gold) + 1 if gold in ranking else None)
    report = town.evaluation_report(done)
    assert report["strategies"]["trace-rules"]["misses"]["count"] == 1
    assert report["strategies"]["trace-rules"]["planner"]["runs"] == 1


def test_a_run_whose_channel_broke_is_a_failure_and_asked_again(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[object]:
        raise SearchFailed("The lexical index is broken.")

    with monkeypatch.context() as patch:
        patch.setattr(town.stores.lexical, "search", broken)
        done = town.evaluate(QUESTIONS, ["bm25", "trace-rules"], How({}))
    assert [done.summary(name).failures for name in done.results] == [3, 3]
    report = town.evaluation_report(done)["strategies"]["trace-rules"]
    assert all("is broken" in reason for reason in report["failure_reasons"].values())
    again = town.evaluate(QUESTIONS, ["bm25", "trace-rules"], How({}))
    assert [again.summary(name).failures for name in again.results] == [0, 0]
    assert again.summary("bm25").means["recall@10"] == 1.0


def test_an_evaluation_in_the_background(town: Service, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(as_lines(QUESTIONS.questions), encoding="utf-8")
    job_id = town.start_evaluation(str(path), ["bm25", "fused"], How({}))
    town.wait_for_job(job_id, 60)
    (job,) = town.evaluation_jobs()
    assert (job.id, job.status, job.progress.done) == (job_id, "finished", 6)
    report = town.load_report(job_id)
    assert report["source"] == str(path)
    assert "channels" in report
    assert [name for name, _ in town.evaluation_reports()] == [job_id]
    with pytest.raises(NotFound):
        town.load_report("none")
    with pytest.raises(NotFound):
        town.stop_job("none")
    with pytest.raises(BadInput):
        town.start_evaluation(str(path), ["bm26"], How({}))
