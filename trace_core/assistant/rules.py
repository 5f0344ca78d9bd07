"""The assistant without a model: the method's seven tasks by rules.

In: the same tasks that a model gets. Out: the same answers, with reasons that say no more than
what was seen (ranks, names, days). The plan has one sub-question for each sub-corpus that the
question names or points at and for each that holds much of the best evidence. A passage is
accepted by its place among the candidates of all sub-questions; what is in doubt is held, since
the historian judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from trace_core.assistant.rules_review import judge, promotion, sought, telling_first
from trace_core.assistant.tasks import (
    AcceptedItem,
    BriefTask,
    OrderResult,
    OrderTask,
    Outcome,
    PlanResult,
    PlanTask,
    ReevaluateResult,
    ReevaluateTask,
    ReplanTask,
    ReviewResult,
    ReviewTask,
    StepResult,
    StepTask,
)
from trace_core.domain.evidence import Actor
from trace_core.domain.question import Action, Briefing, SubQuestion
from trace_core.search.names import find_names
from trace_core.search.routing import Route, names_of, route
from trace_core.settings import Settings

RULES = "rules-1"
"""The rule set's version: changes when the same run could be judged differently."""

_MOST_DATES = 8


class RulesAssistant:
    """Does the seven tasks by rules. It needs no model, no network and no time to speak of."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def kind(self) -> Literal["rules", "model"]:
        """By what the tasks are done."""
        return "rules"

    @property
    def actor(self) -> Actor:
        """Who decides, for the record."""
        return Actor(kind="rules", name=RULES)

    @property
    def local(self) -> bool:
        """Nothing leaves this machine."""
        return True

    def plan(self, task: PlanTask) -> Outcome[PlanResult]:
        """One sub-question a sub-corpus that the question points at or that evidence speaks for."""
        corpora = [view.corpus for view in task.archive.corpora]
        names = find_names(task.question, leave_out=names_of(corpora))
        entities = tuple(name.text for name in names)
        dates = _dates_in(task.question)
        chosen = _targets(task, self._settings.rules.least_evidence)
        questions = tuple(
            SubQuestion(
                id="", text=task.question, target=target, entities=entities, dates=dates, why=why
            )
            for target, why in chosen
        )
        if not questions:
            why = "nothing was found that speaks for one sub-corpus"
            whole = SubQuestion(id="", text=task.question, entities=entities, dates=dates, why=why)
            questions = (whole,)
        return Outcome(PlanResult(questions, "This plan is made by rules."), self.actor)

    def next_action(self, task: StepTask) -> Outcome[StepResult]:
        """Rules search once, in the warm start, and then finish."""
        thought = f"{len(task.accepted)} accepted; rules make no further search"
        return Outcome(StepResult(Action(name="finish", thought=thought)), self.actor)

    def review(self, task: ReviewTask) -> Outcome[ReviewResult]:
        """A verdict on every chunk, from ranks, names and days."""
        corpora = [view.corpus for view in task.archive.corpora]
        asked = sought(task.question, task.sub_question.dates, names_of(corpora))
        words = telling_first(asked.words, (item.text for item in task.candidates))
        asked = replace(asked, words=words)
        judgements = tuple(judge(item, asked, self._settings) for item in task.candidates)
        return Outcome(ReviewResult(judgements), self.actor)

    def reevaluate(self, task: ReevaluateTask) -> Outcome[ReevaluateResult]:
        """Promote a held chunk that an accepted document of another sub-corpus speaks for."""
        corpora = [view.corpus for view in task.archive.corpora]
        names = find_names(task.question, leave_out=names_of(corpora))
        found = [
            promotion(held.item, names, task.accepted, self._settings)
            for held in task.held
            if held.reviewed
        ]
        return Outcome(ReevaluateResult(tuple(p for p in found if p is not None)), self.actor)

    def brief(self, task: BriefTask) -> Outcome[Briefing]:
        """What was accepted, in numbers and days; no summary of what the texts say."""
        corpus = task.archive.find(task.sub_question.target)
        where = corpus.name if corpus else "the archive"
        briefing = Briefing(
            summary=f"Of {where}: {len(task.accepted)} accepted, {len(task.held)} held.",
            dates=_accepted_dates(task.accepted),
            entities=task.sub_question.entities,
            gaps=(task.gap,) if task.gap else (),
        )
        return Outcome(briefing, self.actor)

    def replan(self, task: ReplanTask) -> Outcome[PlanResult]:
        """The plan stays as it is."""
        return Outcome(PlanResult(task.remaining), self.actor)

    def order(self, task: OrderTask) -> Outcome[OrderResult]:
        """The order in which the searches put the documents stays as it is."""
        return Outcome(OrderResult(tuple(item.key for item in task.documents)), self.actor)


def _targets(task: PlanTask, least_evidence: float) -> list[tuple[str, str]]:
    """(sub-corpus, why) of the sub-questions: named ones first, then by evidence."""
    routes = route(task.question, [view.corpus for view in task.archive.corpora])
    total = sum(task.hits_by_corpus.values())
    share = {
        view.corpus.id: task.hits_by_corpus.get(view.corpus.id, 0.0) / total if total else 0.0
        for view in task.archive.corpora
    }
    pointed = _pointed(routes)
    wanted = [
        r
        for r in routes
        if r.named
        or (r.corpus in pointed and share[r.corpus] > 0)
        or share[r.corpus] >= least_evidence
    ]
    wanted.sort(key=lambda r: (not r.named, -share[r.corpus]))
    return [(r.corpus, _why(r, share[r.corpus])) for r in wanted[: task.max_sub_questions]]


def _pointed(routes: Sequence[Route]) -> set[str]:
    """The sub-corpora that a question points at, by name or kind: those above the least weight."""
    least = min((r.weight for r in routes), default=0.0)
    return {r.corpus for r in routes if r.weight > least}


def _why(chosen: Route, share: float) -> str:
    return f"{chosen.reason}; {share:.0%} of the best evidence"


def _dates_in(question: str) -> tuple[str, ...]:
    from trace_core.ingest.dates import find_dates

    return tuple(dict.fromkeys(mention.date.edtf for mention in find_dates(question)))


def _accepted_dates(accepted: Sequence[AcceptedItem]) -> tuple[str, ...]:
    days = dict.fromkeys(item.date for item in accepted if item.date != "undated")
    return tuple(sorted(list(days)[:_MOST_DATES]))
