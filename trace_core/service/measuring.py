"""Evaluations in the background: they go on when the page is closed, and are found again."""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from trace_core.domain.errors import NotFound, TraceError
from trace_core.evaluation.evaluate import Progress
from trace_core.evaluation.strategies import strategies
from trace_core.ports import Stores
from trace_core.service.evaluating import REPORTS, How
from trace_core.service.journeys import JourneyRoom

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class EvaluationJob:
    """An evaluation at work. Its report is kept under its id when it has finished.

    A job whose process died is gone, but its answers are kept: the same evaluation goes on.
    """

    id: str
    questions: str
    strategies: tuple[str, ...]
    status: Literal["working", "finished", "stopped", "failed"] = "working"
    message: str = ""
    progress: Progress = field(default_factory=Progress)
    wish: Literal["", "stop"] = ""


class MeasuringRoom(JourneyRoom):
    """The part of the façade that measures in the background."""

    def __init__(self, stores: Stores, secrets: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(stores, secrets)
        self._evaluations: dict[str, EvaluationJob] = {}

    def start_evaluation(
        self, source: str, names: Sequence[str], how: How, *, ablation: bool = False
    ) -> str:
        """Measure strategies in the background; the job's id. Raises BadInput, NotFound."""
        questions = self.questions(source)
        strategies(names, self, how.changes)
        job = EvaluationJob(uuid.uuid4().hex[:8], source, tuple(names))
        with self._lock:
            self._evaluations[job.id] = job

        def work() -> dict[str, Any]:
            watched = replace(
                how,
                told=lambda progress: setattr(job, "progress", replace(progress)),
                stopped=lambda: job.wish == "stop",
            )
            if ablation:
                return self.ablation(questions, names[0], watched)
            done = self.evaluate(questions, names, watched)
            return self.evaluation_report(done, channels=True)

        thread = threading.Thread(target=self._measure, args=(job, work), daemon=True)
        thread.name = f"evaluation {job.id}"
        thread.start()
        return job.id

    def _measure(self, job: EvaluationJob, work: Callable[[], dict[str, Any]]) -> None:
        try:
            made = work() | {"source": job.questions}
            self.stores.shelf.put(REPORTS, job.id, json.dumps(made, ensure_ascii=False))
            job.status = "finished" if made["complete"] else "stopped"
        except TraceError as error:
            job.status, job.message = "failed", str(error)
        except Exception as error:
            _LOG.exception("Evaluation %s failed", job.id)
            job.status, job.message = "failed", f"{type(error).__name__}: {error}"
            raise

    def evaluation_jobs(self) -> list[EvaluationJob]:
        """Evaluations of this session of the program, newest first."""
        return list(reversed(self._evaluations.values()))

    def stop_evaluation(self, job_id: str) -> None:
        """Let an evaluation end after the questions that it is at. Raises NotFound."""
        job = self._evaluations.get(job_id)
        if job is None:
            raise NotFound(f"There is no evaluation {job_id!r} at work.")
        job.wish = "stop"
