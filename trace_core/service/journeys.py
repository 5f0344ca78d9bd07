"""Trajectories: how runs went to what they found, and how they bear traps, repeats and help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trace_core.domain.corpus import Document, DocumentKey, Scope
from trace_core.domain.errors import BadInput
from trace_core.domain.events import Draft
from trace_core.domain.evidence import ENGINE
from trace_core.domain.question import ScopeSpec
from trace_core.domain.state import RunState
from trace_core.evaluation.evaluate import Evaluation
from trace_core.evaluation.overlay import Overlay, Planted
from trace_core.evaluation.questions import Question, QuestionSet
from trace_core.evaluation.reliability import (
    Scaffold,
    Stability,
    TrapOutcome,
    robustness,
    scaffold,
    stability,
    trap_outcome,
)
from trace_core.evaluation.replay import Asked, RecordedModel, kept_drafts, replay, whole_stages
from trace_core.evaluation.strategies import WholeRun, strategy
from trace_core.evaluation.trajectories import (
    Profile,
    Trajectory,
    gains_of,
    profile,
    trajectory,
)
from trace_core.service.evaluating import NO_CHECKPOINTS, How
from trace_core.service.rehearsing import RehearsalRoom
from trace_core.settings import Changes, Settings, joined

PLANTED_ID = "planted-by-evaluation"
FRACTIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
_FILLER_WORDS = 60


@dataclass(frozen=True, slots=True)
class Disturbances:
    """What the runs are put through besides being run once.

    `repeats` is how often each question is run again in all (below 2: not). `traps` plants a
    misleading passage in each, `trap_text` one of one's own. `fractions` are the shares of each
    successful run that are given beforehand (none: no scaffolding curve).
    """

    repeats: int = 0
    traps: bool = False
    trap_text: str = ""
    fractions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Journeys:
    """The profile of a strategy's runs, each run, and what the disturbances showed."""

    strategy: str
    profile: Profile
    runs: tuple[Trajectory, ...]
    traps: tuple[TrapOutcome, ...] = ()
    stability: dict[str, Stability] = field(default_factory=dict)
    scaffold: Scaffold | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One run as a trajectory, with the documents that each search was the first to bring in.

    `gold` are the documents that answer the question by a person's word; without any the
    trajectory's recall and success say nothing.
    """

    trajectory: Trajectory
    gains: Mapping[str, int]
    gold: tuple[DocumentKey, ...]


class JourneyRoom(RehearsalRoom):
    """The part of the façade that looks at the way, not only at its end."""

    def journeys(
        self, questions: QuestionSet, name: str, how: How, more: Disturbances | None = None
    ) -> Journeys:
        """Run each question by a whole-run strategy and profile the runs. Raises BadInput."""
        wish = more or Disturbances()
        run = self._whole(name, how.changes)
        done = self.evaluate(questions, [name], how)
        ways = self._trajectories(done, name)
        trapped = questions.questions if wish.traps or wish.trap_text else ()
        traps = [self.trap(q, name, how.changes, wish.trap_text) for q in trapped]
        return Journeys(
            strategy=name,
            profile=profile(ways, robustness(traps)),
            runs=tuple(ways),
            traps=tuple(traps),
            stability={
                q.id: self._repeated(q, run, first, wish.repeats)
                for q, first in zip(questions.questions, ways, strict=True)
                if wish.repeats > 1
            },
            scaffold=self._scaffold(questions, ways, wish.fractions) if wish.fractions else None,
        )

    def _whole(self, name: str, changes: Changes) -> WholeRun:
        found = strategy(name, self, changes)
        if not isinstance(found, WholeRun):
            raise BadInput(f"{name} is one search and has no trajectory; choose a whole run.")
        return found

    def _trajectories(self, done: Evaluation, name: str) -> list[Trajectory]:
        failed = [r for r in done.results[name] if not r.answer.run]
        if failed:
            raise BadInput(f"A run could not begin: {failed[0].answer.failure}")
        return [
            self.trajectory(r.answer.run, r.question.gold, r.question.id)
            for r in done.results[name]
        ]

    def trajectory(self, run: str, gold: Sequence[DocumentKey], question: str = "") -> Trajectory:
        """One run of this workspace as a trajectory."""
        state = self._folded(run)
        return trajectory(state, gold, self._accepted_texts(state), question=question)

    def way(self, run: str) -> Way:
        """How a run went, measured by the answers that were saved to its question, if any."""
        state = self.state(run)
        gold = self.answers_to(state.question)
        seen = trajectory(state, gold, self._accepted_texts(state))
        return Way(seen, gains_of(state), gold)

    def _accepted_texts(self, state: RunState) -> dict[int, str]:
        records = [r for of in state.accepted().values() for r in of]
        chunks = self.stores.documents.chunks(r.decision.chunk for r in records)
        return {number: chunk.text for number, chunk in chunks.items()}

    # --- disturbances ------------------------------------------------------------------------

    def trap(self, question: Question, name: str, changes: Changes, text: str = "") -> TrapOutcome:
        """Plant a misleading passage, in memory alone, and follow it through a run.

        Without a text the passage repeats the question's own words in front of another matter, as
        a text does that looks like an answer and is none.
        """
        run = self._whole(name, changes)
        planted = self.decoy(question, text)
        given = joined(run.changes, NO_CHECKPOINTS)
        opening = self.opening(question.text, run.assistant, ScopeSpec(), given)
        asked = Asked()
        model = self._fresh_model(
            opening.assistant, Settings.model_validate(opening.settings), asked
        )
        context = self.rehearsal_context(model, Overlay(planted=(planted,)))
        found = replay(f"trap-{question.id}", [Draft(ENGINE, opening)], context, asked)
        return trap_outcome(found.state, found.events, planted.key, question.id)

    def decoy(self, question: Question, text: str = "") -> Planted:
        """A misleading passage for a question, in the sub-corpus of its first gold document."""
        corpus = question.gold[0].corpus
        near = self.stores.documents.heads(question.gold).get(question.gold[0])
        return Planted(
            key=DocumentKey(corpus, PLANTED_ID),
            text=text or f"{question.text} {self._other_matter(question, corpus)}",
            title=question.text[:60],
            date=near.date if near else None,
            language=near.language if near else "",
        )

    def _other_matter(self, question: Question, corpus: str) -> str:
        """The beginning of a document of that sub-corpus that the question does not bring up."""
        found = {hit.key for hit in self.ranking(question.text, "bm25", 50, {}).hits}
        heads = self.stores.documents.browse(Scope((corpus,)), limit=200)
        others = [h.key for h in heads if h.key not in question.gold]
        others.sort(key=lambda key: key in found)
        if not others:
            return ""
        document: Document = self.stores.documents.document(others[0])
        return " ".join(document.text.split()[:_FILLER_WORDS])

    def _fresh_model(
        self, assistant: str, settings: Settings, asked: Asked
    ) -> RecordedModel | None:
        if assistant != "model":
            return None
        return RecordedModel(self.language_model(settings), (), asked)

    def _repeated(
        self, question: Question, run: WholeRun, first: Trajectory, repeats: int
    ) -> Stability:
        """The same question again, each time as a run of its own that is kept and can be read."""
        ways = [first]
        for _ in range(repeats - 1):
            state = self.finished_run(question.text, run.assistant, run.changes)
            ways.append(self.trajectory(state.run, question.gold, question.id))
        return stability([w.recall for w in ways], [w.ranking for w in ways])

    def _scaffold(
        self, questions: QuestionSet, ways: Sequence[Trajectory], fractions: Sequence[float]
    ) -> Scaffold:
        successes: dict[float, list[bool]] = {fraction: [] for fraction in fractions}
        for question, way in zip(questions.questions, ways, strict=True):
            if way.success:
                for fraction in fractions:
                    successes[fraction].append(self._helped(question, way.run, fraction))
        if not any(successes.values()):
            raise BadInput("No run succeeded, so there is no good run whose beginning could help.")
        return scaffold(successes)

    def _helped(self, question: Question, good: str, fraction: float) -> bool:
        """Whether a run succeeds that begins with the first stages of a good one."""
        events, state = self.events(good), self.state(good)
        ends = whole_stages(events)
        given = kept_drafts(events[: ends[round(fraction * (len(ends) - 1))]])
        asked = Asked()
        model = self.recorded_model(state, asked, fresh=True)
        found = replay(good, given, self.rehearsal_context(model), asked)
        texts = self._accepted_texts(found.state)
        return trajectory(found.state, question.gold, texts).success
