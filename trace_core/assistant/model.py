"""The assistant by model: the seven tasks, asked of one language model on behalf of one run."""

from __future__ import annotations

from collections.abc import Sequence

from trace_core.assistant import (
    model_brief,
    model_plan,
    model_review,
    model_step,
    model_variants,
)
from trace_core.assistant.asking import Asker
from trace_core.assistant.tasks import (
    ArchiveContext,
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
from trace_core.domain.question import AssistantName, Briefing
from trace_core.settings import Settings


class ModelAssistant:
    """Does the seven tasks by the model that `asker` asks on behalf of one run.

    Every task raises ModelUnavailable, ModelMisconfigured, BudgetSpent or StopRequested, with
    the calls made in `error.calls`; an unreadable reply is an outcome without a value.
    """

    def __init__(self, asker: Asker, settings: Settings) -> None:
        self._asker, self._settings = asker, settings

    @property
    def kind(self) -> AssistantName:
        """By model."""
        return "model"

    @property
    def actor(self) -> Actor:
        """The model, for the record."""
        return self._asker.actor

    @property
    def local(self) -> bool:
        """Whether the model runs on this machine."""
        return self._asker.local

    def plan(self, task: PlanTask) -> Outcome[PlanResult]:
        """Sub-questions that together mean what the question means."""
        return self._asker.ask(model_plan.plan(task, self._settings))

    def next_action(self, task: StepTask) -> Outcome[StepResult]:
        """The next search of the loop, or `finish`; asked once."""
        return self._asker.ask(model_step.step(task, self._settings, self._hidden(task.archive)))

    def review(self, task: ReviewTask) -> Outcome[ReviewResult]:
        """Verdicts on the pending chunks; no call when none of them may be shown."""
        hidden = self._hidden(task.archive)
        ask = model_review.review(task, self._settings, hidden)
        if not ask.items:
            problems = model_review.kept_here_problem(len(task.candidates))
            return Outcome(ReviewResult((), problems=problems), self.actor)
        return self._asker.ask(ask)

    def reevaluate(self, task: ReevaluateTask) -> Outcome[ReevaluateResult]:
        """Promotions of held chunks; no call when none of them may be shown."""
        hidden = self._hidden(task.archive)
        ask = model_review.reevaluate(task, self._settings, hidden)
        if not ask.items:
            problems = model_review.kept_here_problem(len(task.held))
            return Outcome(ReevaluateResult((), problems=problems), self.actor)
        return self._asker.ask(ask)

    def brief(self, task: BriefTask) -> Outcome[Briefing]:
        """What the next sub-questions should know."""
        return self._asker.ask(model_brief.brief(task, self._settings, self._hidden(task.archive)))

    def replan(self, task: ReplanTask) -> Outcome[PlanResult]:
        """What remains to be asked."""
        return self._asker.ask(model_plan.replan(task, self._settings))

    def order(self, task: OrderTask) -> Outcome[OrderResult]:
        """The group, best first; no call when fewer than two documents may be shown."""
        ask = model_brief.order(task, self._settings, self._hidden(task.archive))
        if ask.items < 2:
            return Outcome(OrderResult(tuple(d.key for d in task.documents)), self.actor)
        return self._asker.ask(ask)

    def variants(self, query: str, languages: Sequence[str]) -> Outcome[tuple[str, ...]]:
        """Other forms of a query, for a person to choose from; no task of a run."""
        return self._asker.ask(model_variants.variants(query, languages, self._settings))

    def _hidden(self, archive: ArchiveContext) -> frozenset[str]:
        """Sub-corpora of which this model may see nothing."""
        return frozenset() if self.local else archive.local_only
