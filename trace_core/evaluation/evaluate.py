"""The driver: every question by every strategy, resumable, concurrent, with a hash of it all.

In: a question set, strategies, what is kept of earlier answers. Out: one result a question and
strategy, and means with intervals over all, by question type and by pair of sub-corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Protocol

from trace_core.domain.errors import TraceError
from trace_core.evaluation.kept import hash_of
from trace_core.evaluation.measures import all_measures, means
from trace_core.evaluation.questions import Question, QuestionSet
from trace_core.evaluation.statistics import Difference, Interval, bootstrap, paired
from trace_core.evaluation.strategies import Answer, Cost, Strategy

PAIRED_BY = "recall@10"
"""The measure by which strategies are compared unless told."""


@dataclass(frozen=True, slots=True)
class Result:
    """One question by one strategy. The measures count what was ranked, failure or not."""

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
    """All results of one evaluation, and what they depend on.

    `complete` is False when it was stopped: a strategy then has results for some questions only.
    """

    name: str
    conditions: Mapping[str, Any]
    results: Mapping[str, tuple[Result, ...]]
    flaws: tuple[tuple[str, str], ...] = ()
    complete: bool = True

    @property
    def hash(self) -> str:
        """SHA-256 over all that the numbers depend on, as 64 hex digits."""
        return hash_of({**self.conditions, "strategies": list(self.results)})

    def summary(self, strategy: str) -> Summary:
        """A strategy over all questions."""
        return summarise(self.results[strategy])

    def by(self, strategy: str, group: Callable[[Question], str]) -> dict[str, Summary]:
        """A strategy's summaries by a property of the questions."""
        groups: dict[str, list[Result]] = {}
        for result in self.results[strategy]:
            groups.setdefault(group(result.question), []).append(result)
        return {name: summarise(groups[name]) for name in sorted(groups)}

    def compare(self, a: str, b: str, measure: str = PAIRED_BY) -> Difference:
        """How much better strategy a is than b over the questions that both answered."""
        of_a = {r.question.id: r.measures.get(measure, 0.0) for r in self.results[a]}
        of_b = {r.question.id: r.measures.get(measure, 0.0) for r in self.results[b]}
        both = [i for i in of_a if i in of_b]
        return paired([of_a[i] for i in both], [of_b[i] for i in both])


@dataclass(slots=True)
class Progress:
    """How far an evaluation is. `kept` counts answers from before, which `cost` leaves out."""

    done: int = 0
    total: int = 0
    kept: int = 0
    strategy: str = ""
    cost: Cost = field(default_factory=Cost)


class Answers(Protocol):
    """Where the answers of one strategy are kept."""

    def load(self, question: Question) -> Answer | None:
        """The kept answer, if any."""

    def save(self, question: Question, answer: Answer) -> None:
        """Keep an answer."""


@dataclass(frozen=True, slots=True)
class Driving:
    """How an evaluation is driven.

    `kept` gives the place of a strategy's answers, None to keep nothing. `told` is called after
    each answer; `stopped` is asked before each question.
    """

    workers: int = 1
    kept: Callable[[str], Answers | None] = lambda _strategy: None
    told: Callable[[Progress], None] = lambda _progress: None
    stopped: Callable[[], bool] = lambda: False


_ALONE = Driving()


def evaluate(
    questions: QuestionSet,
    strategies: Sequence[Strategy],
    conditions: Mapping[str, Any],
    driving: Driving = _ALONE,
) -> Evaluation:
    """Answer every question by every strategy.

    `conditions` is all that the numbers depend on besides the strategies' names (archive,
    settings, prompts, model, versions). A question whose run fails is a result with a failure;
    it is asked again the next time.
    """
    progress = Progress(total=len(questions.questions) * len(strategies))
    results: dict[str, tuple[Result, ...]] = {}
    for strategy in strategies:
        progress.strategy = strategy.name
        answers = _answers(questions, strategy, progress, driving)
        results[strategy.name] = tuple(
            Result(q, a, all_measures(a.ranking, q.gold, a.accepted))
            for q in questions.questions
            if (a := answers.get(q.id)) is not None
        )
    flaws = tuple((flaw.question, flaw.reason) for flaw in questions.flaws)
    complete = progress.done == progress.total
    return Evaluation(questions.name, dict(conditions), results, flaws, complete)


def _answers(
    questions: QuestionSet, strategy: Strategy, progress: Progress, driving: Driving
) -> dict[str, Answer]:
    store = driving.kept(strategy.name)
    answers = {q.id: a for q in questions.questions if store is not None and (a := store.load(q))}
    progress.kept += len(answers)
    progress.done += len(answers)
    driving.told(progress)
    waiting = [q for q in questions.questions if q.id not in answers]
    open_: dict[Future[Answer], Question] = {}
    with ThreadPoolExecutor(max_workers=max(1, driving.workers)) as pool:
        # Only as many are handed out as there are workers, so that a stop leaves none behind.
        while open_ or (waiting and not driving.stopped()):
            while waiting and len(open_) < max(1, driving.workers) and not driving.stopped():
                question = waiting.pop(0)
                open_[pool.submit(_answer, strategy, question)] = question
            for future in wait(open_, return_when=FIRST_COMPLETED).done:
                question, answer = open_.pop(future), future.result()
                answers[question.id] = answer
                if store is not None:
                    store.save(question, answer)
                progress.done += 1
                progress.cost += answer.cost
                driving.told(progress)
    return answers


def _answer(strategy: Strategy, question: Question) -> Answer:
    try:
        return strategy.answer(question)
    except TraceError as error:
        return Answer((), failure=str(error))


def summarise(results: Sequence[Result]) -> Summary:
    """Means and 95 % intervals over questions, and the whole cost."""
    rows = [r.measures for r in results]
    averages = means(rows)
    return Summary(
        n=len(results),
        means=averages,
        intervals={
            name: bootstrap([row[name] for row in rows if name in row]) for name in averages
        },
        failures=sum(bool(r.answer.failure) for r in results),
        cost=sum((r.answer.cost for r in results), Cost()),
    )
