"""Evaluations in the background: they go on when the page is closed, and are found again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trace_core.evaluation.evaluate import Progress
from trace_core.evaluation.questions import QuestionSet
from trace_core.evaluation.strategies import strategies
from trace_core.service.evaluating import REPORTS, How
from trace_core.service.jobs import Ended, Job
from trace_core.service.journeys import JourneyRoom


@dataclass(slots=True, kw_only=True)
class EvaluationJob(Job):
    """An evaluation at work. Its report is kept under its id when it has finished or was stopped.

    A job whose process died is gone, but its answers are kept: the same evaluation goes on.
    """

    questions: str
    strategies: tuple[str, ...]
    ablation: bool = False
    progress: Progress = field(default_factory=Progress)


class MeasuringRoom(JourneyRoom):
    """The part of the façade that measures in the background."""

    def start_evaluation(
        self, source: str, names: Sequence[str], how: How, *, ablation: bool = False
    ) -> str:
        """Measure strategies in the background; the job's id. Raises BadInput, NotFound."""
        questions = self.questions(source)
        strategies(names, self, how.changes)
        job = EvaluationJob(questions=source, strategies=tuple(names), ablation=ablation)
        return self._begin(job, lambda: self._measured(job, questions, how))

    def evaluation_jobs(self) -> list[EvaluationJob]:
        """Evaluations of this session of the program, newest first."""
        return self.jobs_of(EvaluationJob)

    def _measured(self, job: EvaluationJob, questions: QuestionSet, how: How) -> Ended:
        watched = replace(
            how,
            told=lambda progress: setattr(job, "progress", replace(progress)),
            stopped=lambda: bool(job.wish),
        )
        made: dict[str, Any]
        if job.ablation:
            made = self.ablation(questions, job.strategies[0], watched)
        else:
            made = self.evaluation_report(
                self.evaluate(questions, job.strategies, watched), channels=True
            )
        kept = json.dumps(made | {"source": job.questions}, ensure_ascii=False)
        self.stores.shelf.put(REPORTS, job.id, kept)
        return "finished" if made["complete"] else job.broken_off()
