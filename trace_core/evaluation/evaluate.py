"""The driver: every question by every strategy, resumable, concurrent, with a hash of it all.

In: a question set, strategies, a folder for what is done already (or none). Out: one result a
question and strategy, and means with intervals over all, by question type and by pair of
sub-corpora. What is kept on disk is keyed by everything that matters, so that a second run asks
only what has not been answered under the very same conditions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import TraceError
from trace_core.evaluation.measures import all_measures, means
from trace_core.evaluation.questions import Question, QuestionSet
from trace_core.evaluation.statistics import Difference, Interval, bootstrap, paired
from trace_core.evaluation.strategies import Answer, Cost, Strategy

_PAIRED_BY = "recall@10"


@dataclass(frozen=True, slots=True)
class Result:
    """One question by one strategy. `failure` is a sentence; the measures count what was ranked."""

    question: Question
    answer: Answer
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Summary:
    """A strategy over a set of questions."""

    n: int
    means: Mapping[str, float]
    intervals: Mapping[str, Interval]
    failures: int
    cost: Cost


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All results of one evaluation, and what they depend on."""

    name: str
    conditions: Mapping[str, Any]
    results: Mapping[str, tuple[Result, ...]]
    flaws: tuple[tuple[str, str], ...] = ()

    @property
    def hash(self) -> str:
        """SHA-256 over all that the numbers depend on, as 64 hex digits."""
        return _hash(self.conditions)

    def summary(self, strategy: str, only: Callable[[Question], bool] | None = None) -> Summary:
        """A strategy over all questions, or those that `only` keeps."""
        results = [r for r in self.results[strategy] if only is None or only(r.question)]
        return summarise(results)

    def by(self, strategy: str, group: Callable[[Question], str]) -> dict[str, Summary]:
        """A strategy's summaries by a property of the questions."""
        groups: dict[str, list[Result]] = {}
        for result in self.results[strategy]:
            groups.setdefault(group(result.question), []).append(result)
        return {name: summarise(groups[name]) for name in sorted(groups)}

    def compare(self, a: str, b: str, measure: str = _PAIRED_BY) -> Difference:
        """How much better strategy a is than b over the questions that both answered."""
        of_a = {r.question.id: r.measures.get(measure, 0.0) for r in self.results[a]}
        of_b = {r.question.id: r.measures.get(measure, 0.0) for r in self.results[b]}
        both = [i for i in of_a if i in of_b]
        return paired([of_a[i] for i in both], [of_b[i] for i in both])


@dataclass(slots=True)
class Progress:
    """How far an evaluation is."""

    done: int = 0
    total: int = 0
    kept: int = 0
    cost: Cost = field(default_factory=Cost)


def evaluate(
    questions: QuestionSet,
    strategies: Sequence[Strategy],
    conditions: Mapping[str, Any],
    *,
    keep: Path | None = None,
    workers: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Evaluation:
    """Answer every question by every strategy.

    `conditions` is all that the numbers depend on besides the strategies' names (archive,
    settings, prompts, model, versions). A question whose run fails is a result with a failure;
    it is asked again the next time.
    """
    told = progress or (lambda _: None)
    state = Progress(total=len(questions.questions) * len(strategies))
    results: dict[str, tuple[Result, ...]] = {}
    for strategy in strategies:
        store = _Store(keep, strategy.name, conditions)
        answers = {q.id: a for q in questions.questions if (a := store.load(q)) is not None}
        state.kept += len(answers)
        state.done += len(answers)
        told(state)
        missing = [q for q in questions.questions if q.id not in answers]
        with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
            futures = {pool.submit(_answer, strategy, q): q for q in missing}
            for future in as_completed(futures):
                question, answer = futures[future], future.result()
                answers[question.id] = answer
                store.save(question, answer)
                state.done += 1
                state.cost = _added(state.cost, answer.cost)
                told(state)
        results[strategy.name] = tuple(
            Result(q, answers[q.id], _measured(q, answers[q.id])) for q in questions.questions
        )
    flaws = tuple((flaw.question, flaw.reason) for flaw in questions.flaws)
    return Evaluation(questions.name, dict(conditions), results, flaws)


def summarise(results: Sequence[Result]) -> Summary:
    """Means and 95 % intervals over questions, and the whole cost."""
    rows = [r.measures for r in results]
    cost = Cost()
    for result in results:
        cost = _added(cost, result.answer.cost)
    averages = means(rows)
    return Summary(
        n=len(results),
        means=averages,
        intervals={
            name: bootstrap([row[name] for row in rows if name in row]) for name in averages
        },
        failures=sum(bool(r.answer.failure) for r in results),
        cost=cost,
    )


def _answer(strategy: Strategy, question: Question) -> Answer:
    try:
        return strategy.answer(question)
    except TraceError as error:
        return Answer((), failure=str(error))


def _measured(question: Question, answer: Answer) -> dict[str, float]:
    return all_measures(answer.ranking, question.gold, answer.accepted)


def _added(a: Cost, b: Cost) -> Cost:
    money = None if a.money is None or b.money is None else a.money + b.money
    return Cost(
        a.calls + b.calls,
        a.tokens_in + b.tokens_in,
        a.tokens_out + b.tokens_out,
        a.seconds + b.seconds,
        money,
    )


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class _Store:
    """Answers on disk, one line each, under the hash of strategy and conditions."""

    def __init__(self, folder: Path | None, strategy: str, conditions: Mapping[str, Any]) -> None:
        self._path: Path | None = None
        self._known: dict[str, Answer] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            key = _hash({"strategy": strategy, **conditions})
            self._path = folder / f"{strategy}-{key[:16]}.jsonl"
            self._read()

    def load(self, question: Question) -> Answer | None:
        """The kept answer to this very text and gold, if any."""
        return self._known.get(_hash(asdict(question)))

    def save(self, question: Question, answer: Answer) -> None:
        """Keep an answer; a failed one is not kept, so that it is asked again."""
        if self._path is None or answer.failure:
            return
        line = json.dumps({"question": _hash(asdict(question)), **asdict(answer)}, default=list)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _read(self) -> None:
        if self._path is None or not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # the line that was being written when the power failed
            self._known[entry["question"]] = Answer(
                ranking=tuple(DocumentKey(*key) for key in entry["ranking"]),
                accepted=(
                    None
                    if entry["accepted"] is None
                    else tuple(DocumentKey(*key) for key in entry["accepted"])
                ),
                run=entry["run"],
                cost=Cost(**entry["cost"]),
            )
