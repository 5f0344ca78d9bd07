"""Measuring: question sets, strategies and their numbers over this very archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from trace_core import __version__
from trace_core.domain.corpus import Scope
from trace_core.domain.hits import FusedRanking
from trace_core.domain.question import ScopeSpec
from trace_core.domain.state import RunState
from trace_core.evaluation.channels import (
    ChannelReport,
    PlannerReport,
    analyse_channels,
    analyse_planner,
)
from trace_core.evaluation.evaluate import Evaluation, Progress, Result, evaluate
from trace_core.evaluation.misses import Miss, misses
from trace_core.evaluation.questions import QuestionSet, load_questions
from trace_core.evaluation.strategies import strategies
from trace_core.search.fusion import fuse
from trace_core.service.worker import WorkerRoom

AssistantName = Literal["rules", "model"]

_NO_CHECKPOINTS = {"plan": False, "replan": False, "holds": False, "final": False}
_CHANNELS = ("bm25", "dense", "fuzzy", "date")


class EvaluationRoom(WorkerRoom):
    """The part of the façade that measures."""

    def questions(self, path: Path) -> QuestionSet:
        """A question set bound to this archive. Raises NotFound, BadInput."""
        return load_questions(path, self.stores.documents)

    def evaluate(
        self,
        questions: QuestionSet,
        names: Sequence[str],
        changes: dict[str, dict[str, Any]] | None = None,
        *,
        keep: Path | None = None,
        workers: int = 1,
        progress: Callable[[Progress], None] | None = None,
    ) -> Evaluation:
        """Every question by every strategy. Raises BadInput for an unknown strategy."""
        chosen = strategies(names, self, changes)
        return evaluate(
            questions,
            chosen,
            self.conditions(changes or {}),
            keep=keep,
            workers=workers,
            progress=progress,
        )

    def conditions(self, changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
        """All that the numbers depend on besides the strategies' names."""
        settings = self.settings().merged(changes)
        return {
            "index": self.index_version(),
            "settings": settings.model_dump(mode="json"),
            "prompts": self.prompt_hashes(),
            "version": __version__,
            "corpora": [
                [v.corpus.id, v.corpus.name, list(v.corpus.aliases), v.corpus.kind]
                for v in self.corpora()
            ],
        }

    # --- what strategies need ------------------------------------------------------------

    def ranking(self, query: str, channel: str, scope: Scope, limit: int) -> FusedRanking:
        """One channel's (or the fused) ranking, without snippets."""
        retriever = self.retriever()
        if channel == "fused":
            return retriever.fused(query, scope, limit)
        single = retriever.channel(channel, query, scope, limit)
        return FusedRanking(query, scope, fuse([single], limit=limit), (single,))

    def finished_run(
        self, question: str, assistant: str, changes: dict[str, dict[str, Any]]
    ) -> RunState:
        """A run from question to list without any checkpoint."""
        given = {**changes, "checkpoints": dict(_NO_CHECKPOINTS)}
        name: AssistantName = "model" if assistant == "model" else "rules"
        run = self.ask(question, name, ScopeSpec(), given, person="evaluation")
        return self.advance(run)

    # --- what lies behind the numbers ----------------------------------------------------

    def misses(self, results: Sequence[Result], k: int = 10) -> list[Miss]:
        """Every missed gold document of a strategy's runs, with its cause."""
        found: list[Miss] = []
        for result in results:
            if result.answer.run:
                state = self.state(result.answer.run)
                question = result.question
                found += misses(state, question.id, question.gold, result.answer.ranking, k)
        return found

    def analyse_channels(self, questions: QuestionSet) -> ChannelReport:
        """Overlap of the channels and what each finds alone, over a question set."""
        rankings = [
            {
                name: [hit.key for hit in self.ranking(q.text, name, Scope(), 50).hits]
                for name in (*_CHANNELS, "fused")
            }
            for q in questions.questions
        ]
        return analyse_channels(rankings, [q.gold for q in questions.questions])

    def analyse_planner(self, results: Sequence[Result]) -> PlannerReport:
        """What became of the plans of a strategy's runs."""
        return analyse_planner(
            [
                (
                    self.state(r.answer.run),
                    self.events(r.answer.run),
                    r.question.gold,
                    r.measures["recall@10"],
                )
                for r in results
                if r.answer.run
            ]
        )
