"""Rehearsals: replays of a run in memory, with a document taken away or a passage planted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trace_core.assistant.chat import Control
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.events import Draft, Event
from trace_core.domain.state import RunState
from trace_core.engine.runner import ContextMaker
from trace_core.evaluation.counterfactual import (
    Intervention,
    Observation,
    Outcome,
    Sample,
    interventions,
    judge,
    observe,
    outcome,
    until,
    without,
)
from trace_core.evaluation.overlay import Overlay
from trace_core.evaluation.passed_on import PassedOn, passed_on
from trace_core.evaluation.questions import QuestionSet
from trace_core.evaluation.replay import (
    Asked,
    MemoryCalls,
    RecordedModel,
    Replay,
    replay,
)
from trace_core.search.retriever import Retriever
from trace_core.service.assistants import afford
from trace_core.service.base import SearchedStores
from trace_core.service.evaluating import EvaluationRoom
from trace_core.settings import Settings
from trace_core.stages.context import Context

MOST = 20
"""Documents taken away, one after another, unless told."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """What a run would have found without each of some documents.

    `measured_by` is "gold", or "accepted" where no gold is known. `noise` is the undisturbed run
    replayed with every model call after the first search asked anew: what it differs by, no
    document is the cause of (None by rules, which always answer alike). `same_as_record` says
    whether the undisturbed replay from the record accepts what the run itself accepted.
    """

    run: str
    question: str
    measured_by: str
    target: tuple[DocumentKey, ...]
    sample: Sample
    noise: Observation | None
    same_as_record: bool
    reviewed: int
    passed: tuple[PassedOn, ...]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Which documents are taken away: these, or the first `most` that were reviewed.

    `for_good` hides them from every later search too; else they may be found again.
    """

    documents: tuple[DocumentKey, ...] = ()
    most: int = MOST
    for_good: bool = False
    noise: bool = True


class RehearsalRoom(EvaluationRoom):
    """The part of the façade that replays runs."""

    def counterfactual(
        self, run: str, what: WhatIf | None = None, questions: QuestionSet | None = None
    ) -> Counterfactual:
        """Take documents from a finished run, one at a time, and see what it then finds.

        Raises BadInput for a run that has not finished, a document that it did not review, or a
        question set without the run's question.
        """
        wish = what or WhatIf()
        state, events = self.state(run), self.events(run)
        if state.status != "finished":
            raise BadInput(f"Run {run} is {state.status}; only a finished run can be replayed.")
        every = interventions(state)
        chosen = _chosen(every, wish, run)
        rehearsal = _Rehearsal(self, state, events)
        baseline = rehearsal.undisturbed(every[0].search)
        gold = gold_of(questions, state) if questions else ()
        target = gold or tuple(baseline.state.accepted())
        found = [rehearsal.observe(one, baseline, target, hide=wish.for_good) for one in chosen]
        noise = None
        if wish.noise and state.assistant == "model":
            noise = rehearsal.noise(every[0], baseline, target)
        return Counterfactual(
            run=run,
            question=state.question,
            measured_by="gold" if gold else "accepted",
            target=target,
            sample=judge(found),
            noise=noise,
            same_as_record=set(baseline.state.accepted()) == set(state.accepted()),
            reviewed=len(every),
            passed=tuple(passed_on(baseline.state, self._texts(baseline.state))),
        )

    def _texts(self, state: RunState) -> dict[int, str]:
        chunks = self.stores.documents.chunks({r.decision.chunk for r in state.decisions})
        return {number: chunk.text for number, chunk in chunks.items()}

    def rehearsal_context(
        self, model: RecordedModel | None, overlay: Overlay | None = None
    ) -> ContextMaker:
        """What the stages of a replay may use: the archive under an overlay, a model or rules."""
        calls = MemoryCalls()

        def make(state: RunState) -> Context:
            from trace_core.assistant.asking import Asker
            from trace_core.assistant.model import ModelAssistant

            settings = Settings.model_validate(state.settings)
            rules = self.rules(settings)
            assistant = rules
            if model is not None and state.assistant == "model":
                control = Control(check_budget=lambda made, tokens: afford(state, made, tokens))
                asker = Asker(model, self.prompts(), calls, state.run, control)
                assistant = ModelAssistant(asker, settings)
            seen = overlay or Overlay()
            documents = seen.documents(self.stores.documents)
            return Context(
                documents=documents,
                retriever=self._overlaid(settings, overlay),
                assistant=assistant,
                rules=rules,
                archive=self.archive_context(state.scope, state.created),
                settings=settings,
                reranker=self.ordering_reranker(settings),
            )

        return make

    def _overlaid(self, settings: Settings, overlay: Overlay | None) -> Retriever:
        if overlay is None:
            return self.retriever(settings.search)
        seen = SearchedStores(
            documents=overlay.documents(self.stores.documents),
            lexical=overlay.lexical(self.stores.lexical),
            vectors=overlay.vectors(self.stores.vectors),
        )
        return self.build_retriever(self.settings().index, settings.search, seen)

    def recorded_model(self, state: RunState, asked: Asked, *, fresh: bool) -> RecordedModel | None:
        """The run's model behind its record; `fresh` leaves the record out; None by rules."""
        if state.assistant != "model":
            return None
        settings = Settings.model_validate(state.settings)
        self.check_assistant("model", settings)
        record = () if fresh else self.calls(state.run)
        return RecordedModel(self.language_model(settings), record, asked)


class _Rehearsal:
    """All replays of one run: prompts asked anew in one are known to the next."""

    def __init__(self, room: RehearsalRoom, state: RunState, events: Sequence[Event]) -> None:
        self._room, self._state, self._events = room, state, events
        self._asked = Asked()
        self._model = room.recorded_model(state, self._asked, fresh=False)

    def undisturbed(self, search: str) -> Replay:
        """The run as the record has it, replayed from this search on."""
        return self._replayed(until(self._events, search), self._model, None)

    def observe(
        self,
        what: Intervention,
        baseline: Replay,
        target: Sequence[DocumentKey],
        *,
        hide: bool,
    ) -> Observation:
        """The run without one document."""
        overlay = Overlay(hidden=frozenset({what.key})) if hide else None
        before = Asked(self._asked.recorded, self._asked.anew)
        found = self._replayed(without(self._events, what), self._model, overlay)
        seen = observe(
            what, _outcome(baseline, what, target), _outcome(found, what, target), target
        )
        return seen.with_effort(
            self._asked.recorded - before.recorded, self._asked.anew - before.anew, found.problem
        )

    def noise(
        self, first: Intervention, baseline: Replay, target: Sequence[DocumentKey]
    ) -> Observation:
        """The run without any deletion, everything after its first search asked anew."""
        asked = Asked()
        model = self._room.recorded_model(self._state, asked, fresh=True)
        found = self._replayed(until(self._events, first.search), model, None)
        seen = observe(
            first, _outcome(baseline, first, target), _outcome(found, first, target), target
        )
        return seen.with_effort(asked.recorded, asked.anew, found.problem)

    def _replayed(
        self, given: Sequence[Draft], model: RecordedModel | None, overlay: Overlay | None
    ) -> Replay:
        context = self._room.rehearsal_context(model, overlay)
        return replay(self._state.run, given, context, self._asked)


def _outcome(found: Replay, what: Intervention, target: Sequence[DocumentKey]) -> Outcome:
    return outcome(found.state, what.search, target)


def _chosen(every: Sequence[Intervention], wish: WhatIf, run: str) -> list[Intervention]:
    if not every:
        raise BadInput(f"Run {run} reviewed no document; there is nothing to take away.")
    if not wish.documents:
        return list(every[: wish.most])
    known = {one.key: one for one in every}
    for key in wish.documents:
        if key not in known:
            raise BadInput(f"Run {run} reviewed no document {key}; name one of its own.")
    return [known[key] for key in wish.documents]


def gold_of(questions: QuestionSet, state: RunState) -> tuple[DocumentKey, ...]:
    """The gold of a run's question. Raises BadInput when the set does not have the question."""
    gold = questions.gold_of(state.question)
    if not gold:
        raise BadInput(f"{questions.name} does not have the question of run {state.run}.")
    return gold


def document_keys(names: Iterable[str]) -> tuple[DocumentKey, ...]:
    """Documents as people write them: sub-corpus/id. Raises BadInput."""
    keys = []
    for name in names:
        corpus, slash, source_id = name.partition("/")
        if not (corpus and slash and source_id):
            raise BadInput(f"Name a document as sub-corpus/id, not {name!r}.")
        keys.append(DocumentKey(corpus, source_id))
    return tuple(keys)
