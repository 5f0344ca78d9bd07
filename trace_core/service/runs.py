"""Asking, working, deciding: the life of runs from a question to an evidence list."""

from __future__ import annotations

import platform
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any, Literal

from trace_core import __version__
from trace_core.assistant.tasks import Assistant
from trace_core.assistant.tasks import CorpusView as ContextCorpus
from trace_core.domain.checkpoint import HumanDecision, VerdictChange
from trace_core.domain.errors import BadInput, NotFound, StaleRun
from trace_core.domain.events import Draft, Event, RunStarted, RunStopped
from trace_core.domain.evidence import Actor, Found, Verdict
from trace_core.domain.question import AssistantName, ScopeSpec
from trace_core.domain.state import DecisionRecord, RunState, current_ranking
from trace_core.domain.transitions import apply
from trace_core.engine.answers import answer, budgets, override, undo
from trace_core.engine.policy import ApproveAll, Ask, Policy
from trace_core.engine.runner import Runner
from trace_core.ports import CallRecord, RunHead
from trace_core.search.reranker import check_reranker
from trace_core.service.assistants import AssistantRoom
from trace_core.service.views import Estimate, EvidenceView
from trace_core.settings import Changes, Settings
from trace_core.stages.context import Context, run_scope
from trace_core.text.folding import fold

PolicyName = Literal["ask", "approve"]

_MOST_COLLISIONS = 5


class RunRoom(AssistantRoom):
    """The part of the façade that asks, works and decides."""

    # --- asking --------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        assistant: AssistantName = "rules",
        scope: ScopeSpec | None = None,
        changes: Changes | None = None,
        person: str = "",
    ) -> str:
        """Record a question as a new run and give its id; nothing is searched yet.

        `changes` are settings of this run alone, by group and name.

        Raises BadInput for an empty question, an unknown sub-corpus or setting, an empty archive,
        or a model that is not configured.
        """
        started = self.opening(question, assistant, scope or ScopeSpec(), changes or {})
        return self.begin(started, person)

    def begin(self, started: RunStarted, person: str = "") -> str:
        """Record a run's first event, as `opening` makes it, and give the run's id."""
        if started.assistant == "model":
            self.keep_prompts()
        run = uuid.uuid4().hex[:12]
        draft = Draft(Actor(kind="human", name=person), started)
        self.stores.events.append(run, [draft], after=0)
        return run

    def opening(
        self,
        question: str,
        assistant: AssistantName,
        within: ScopeSpec,
        changes: Changes,
    ) -> RunStarted:
        """A run's first event: the question with all that the run depends on. Raises BadInput."""
        if not question.strip():
            raise BadInput("Write a question to ask.")
        run_scope(within)
        context = self.archive_context(within)
        known = {view.corpus.id for view in context.corpora}
        for corpus_id in within.corpora:
            if corpus_id not in known:
                self.corpus(corpus_id)
        if not any(view.documents for view in context.corpora):
            raise BadInput("The archive has no documents to search yet; import some first.")
        settings = self.settings().merged(changes)
        if settings.index != self.settings().index:
            raise BadInput(
                "The settings of the group index belong to the archive, not to a run; change them "
                "by `settings` and run `reindex`."
            )
        self.check_assistant(assistant, settings)
        _check_reranker(settings)
        return RunStarted(
            question=question.strip(),
            assistant=assistant,
            scope=within,
            settings=settings.model_dump(mode="json"),
            settings_hash=settings.hash(),
            prompts=self.prompt_hashes() if assistant == "model" else {},
            index_version=self.index_version(),
            software=software(),
            corpora=tuple(_corpus_record(view) for view in context.corpora),
            local_judged=self.judged_by_rules(assistant, settings, context),
        )

    def estimate(self, assistant: str, settings: Settings) -> Estimate:
        """About what a run will cost: the method's averages, scaled to the run's limits."""
        if assistant == "rules":
            return Estimate(0, 0, 0, 0.0)
        share = settings.loop.max_sub_questions / 4
        calls = round(34 * share)
        tokens_in, tokens_out = round(101_000 * share), round(23_000 * share)
        return Estimate(calls, tokens_in, tokens_out, self.price(settings, tokens_in, tokens_out))

    # --- working -------------------------------------------------------------------------------

    def runner(self) -> Runner:
        """A runner over this service's stores."""
        return Runner(self.stores.events, self._context_for, wish=self.stores.leases.wish)

    def _context_for(self, state: RunState) -> Context:
        settings = Settings.model_validate(state.settings)
        archive = self.archive_context(state.scope, state.created)
        return Context(
            documents=self.stores.documents,
            retriever=self.retriever(settings.search),
            assistant=self._assistant_for(state, settings),
            rules=self.rules(settings),
            archive=archive,
            settings=settings,
            reranker=self.ordering_reranker(settings),
        )

    def _assistant_for(self, state: RunState, settings: Settings) -> Assistant:
        if state.assistant == "rules":
            return self.rules(settings)
        return self.model(state, settings)

    # --- reading -------------------------------------------------------------------------------

    def runs(self, *, measuring: bool = False) -> list[RunHead]:
        """All runs that people asked for, newest first; with `measuring` the evaluations' too."""
        heads = self.stores.events.runs()
        return heads if measuring else [head for head in heads if not head.purpose]

    def require(self, run: str) -> None:
        """Raise NotFound for a run that does not exist."""
        if not self.stores.events.read(run, limit=1):
            raise NotFound(f"There is no run {run!r}; `runs` lists those there are.")

    def state(self, run: str) -> RunState:
        """The state of a run; folded forward only from what was seen of it before.

        What is given is never changed afterwards, so a page may read it while a worker works.
        """
        with self._lock:
            known = self._states.get(run)
            events = self.stores.events.read(run, after=known.sequence if known else 0)
            if known is None and not events:
                raise NotFound(f"There is no run {run!r}; `runs` lists those there are.")
            if events:
                state = known.copy() if known else RunState(run)
                for event in events:
                    apply(state, event)
                self._states[run] = known = state
            assert known is not None
            return known

    def events(self, run: str, after: int = 0) -> list[Event]:
        """The events of a run behind a sequence number."""
        self.require(run)
        return self.stores.events.read(run, after=after)

    def calls(self, run: str) -> list[CallRecord]:
        """The model calls of a run."""
        return self.stores.calls.calls(run)

    def call(self, run: str, call: str) -> CallRecord | None:
        """One model call of a run by its id, None where it was not kept."""
        return next((record for record in self.calls(run) if record.id == call), None)

    def evidence(self, run: str) -> list[EvidenceView]:
        """The ranked list as it stands now, decisions of people included."""
        state = self.state(run)
        accepted = state.accepted()
        lines = current_ranking(state)
        heads = self.stores.documents.heads(line.key for line in lines)
        names = {c.id: c.name for c in self.stores.documents.corpora()}
        names |= {c.id: c.name for c in self.stores.upkeep.former_corpora().values()}
        twins = self.stores.twins.twins(line.key for line in lines)
        present = self.stores.upkeep.present(line.key for line in lines)
        views = []
        for rank, line in enumerate(lines, start=1):
            records = accepted[line.key]
            views.append(
                EvidenceView(
                    rank=rank,
                    key=line.key,
                    head=heads.get(line.key),
                    corpus_name=names.get(line.corpus, line.corpus),
                    confirmations=line.confirmations,
                    sub_questions=tuple(state.subs[s].sub_question for s in line.sub_questions),
                    reason=line.reason,
                    actor=records[-1].actor,
                    decided_at=records[-1].time,
                    chunk_ids=tuple(dict.fromkeys(r.decision.chunk for r in records)),
                    found=tuple(
                        (r.decision.sub_question, found)
                        for r in records
                        for found in _found(state, r)
                    ),
                    twins=tuple(
                        key
                        for key in (twins[line.key].keys if line.key in twins else ())
                        if key not in (line.key, present.get(line.key))
                    ),
                )
            )
        return views

    def held(self, run: str) -> list[DecisionRecord]:
        """The standing holds of a run."""
        return self.state(run).held()

    def decisions(
        self,
        run: str,
        text: str = "",
        verdict: Verdict | None = None,
        sub_question: str = "",
    ) -> list[DecisionRecord]:
        """All decisions ever made in a run, newest first, narrowed as asked.

        `text` is looked for in reasons, the documents' titles and ids, and the deciders' names.
        """
        wanted = fold(text)
        found = [
            record
            for record in reversed(self.state(run).decisions)
            if (not verdict or record.decision.verdict == verdict)
            and (not sub_question or record.decision.sub_question == sub_question)
        ]
        if not wanted:
            return found
        heads = self.stores.documents.heads({record.decision.key for record in found})
        titles = {key: head.title for key, head in heads.items()}
        return [r for r in found if wanted in fold(_searchable(r, titles.get(r.decision.key, "")))]

    # --- deciding ------------------------------------------------------------------------------

    def decide(self, run: str, decision: HumanDecision, person: str = "") -> RunState:
        """Answer the open checkpoint of a run."""
        return self._decided(run, lambda state: answer(state, decision, _human(person)))

    def override(self, run: str, changes: Sequence[VerdictChange], person: str = "") -> RunState:
        """Give verdicts at any time, during the run or after it."""
        return self._decided(run, lambda state: override(state, changes, _human(person)))

    def undo(self, run: str, decision_id: str, person: str = "", reason: str = "") -> RunState:
        """Take a decision back by a further record."""
        return self._decided(run, lambda state: undo(state, decision_id, _human(person), reason))

    def change_budget(self, run: str, changes: dict[str, float], person: str = "") -> RunState:
        """Change a run's caps, at a checkpoint or while it rests because one is spent."""
        return self._decided(run, lambda _state: budgets(changes, _human(person)))

    def stop(self, run: str, reason: str = "", person: str = "") -> RunState:
        """End a run with what it has found."""

        def stopped(state: RunState) -> list[Draft]:
            if state.ended:
                raise BadInput(f"Run {run} has {state.status} already.")
            return [Draft(_human(person), RunStopped(reason=reason or "Stopped on request."))]

        state = self._decided(run, stopped)
        # A worker that waits for its model is told; what it brings after the end is not taken in.
        self.stores.leases.request(run, "stop")
        return state

    def active(self, run: str) -> bool:
        """Whether a worker of this service is at work on the run."""
        return run in self._threads and self._threads[run].is_alive()

    def _decided(self, run: str, drafts: Callable[[RunState], list[Draft]]) -> RunState:
        """Record what a person decides, read anew where a worker wrote in the same moment."""
        for _ in range(_MOST_COLLISIONS):
            with suppress(StaleRun):
                return self._decided_once(run, drafts)
        return self._decided_once(run, drafts)

    def _decided_once(self, run: str, drafts: Callable[[RunState], list[Draft]]) -> RunState:
        state = self.state(run)
        self._append(state, drafts(state))
        return self.state(run)

    def _append(self, state: RunState, drafts: list[Draft]) -> None:
        self.stores.events.append(state.run, drafts, after=state.sequence)


def chosen_policy(policy: PolicyName | Policy) -> Policy:
    """A policy by its name. Raises BadInput for an unknown one."""
    if policy == "ask":
        return Ask()
    if policy == "approve":
        return ApproveAll()
    if isinstance(policy, str):
        raise BadInput(f"There is no policy {policy!r}; choose ask or approve.")
    return policy


def _check_reranker(settings: Settings) -> None:
    """Raise BadInput or RerankerUnavailable for a cross-encoder that is named and not there."""
    if settings.search.reranker:
        check_reranker(settings.search.reranker)
    elif settings.loop.group_order == "reranker":
        raise BadInput(
            "The setting loop.group_order asks for a cross-encoder; name one in search.reranker, "
            "or set loop.group_order to assistant."
        )


def _human(person: str) -> Actor:
    return Actor(kind="human", name=person or "historian")


def _found(state: RunState, record: DecisionRecord) -> list[Found]:
    candidate = state.subs[record.decision.sub_question].candidates.get(record.decision.chunk)
    return list(candidate.found) if candidate else []


def _searchable(record: DecisionRecord, title: str) -> str:
    decision = record.decision
    return f"{decision.reason} {decision.corpus}/{decision.source_id} {title} {record.actor.name}"


def _corpus_record(view: ContextCorpus) -> dict[str, Any]:
    """A sub-corpus as it was when the question was asked; days are ordinals."""
    corpus = view.corpus
    return {
        "id": corpus.id,
        "name": corpus.name,
        "kind": corpus.kind,
        "language": corpus.language,
        "local_only": corpus.local_only,
        "documents": view.documents,
        "chunks": view.chunks,
        "earliest": view.earliest,
        "latest": view.latest,
    }


def software() -> dict[str, str]:
    """The versions of what a run depends on."""
    versions = {"trace-archive": __version__, "python": platform.python_version()}
    for package in ("tantivy", "lancedb", "litellm", "sentence-transformers"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions
