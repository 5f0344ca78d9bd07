"""The runner: one stage, its events in one transaction, then the next; never a waiting call.

A crash loses at most the unfinished stage; the model replies that it had paid for are found
again in the record of calls. Pause, stop and budgets are looked at between stages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from trace_core.domain.errors import (
    BudgetSpent,
    ModelTrouble,
    StaleRun,
    StopRequested,
    TraceError,
)
from trace_core.domain.events import (
    CallMade,
    Decided,
    Draft,
    Event,
    Payload,
    RunFailed,
    RunPaused,
    RunResumed,
    RunStopped,
)
from trace_core.domain.evidence import Actor
from trace_core.domain.state import RunState
from trace_core.domain.transitions import apply, fold
from trace_core.engine.answers import answer
from trace_core.engine.machine import STAGES, next_stage
from trace_core.engine.policy import Ask, Policy
from trace_core.ports import EventLog, Wish
from trace_core.settings import Settings
from trace_core.stages.context import Context, by_engine

_LOG = logging.getLogger(__name__)


class ContextMaker(Protocol):
    """Builds what the stages of one run may use, from the run's own settings."""

    def __call__(self, state: RunState) -> Context:
        """The context of this run. Raises TraceError when the run cannot be worked on."""


class Runner:
    """Moves runs forward."""

    def __init__(
        self,
        events: EventLog,
        context: ContextMaker,
        *,
        wish: Callable[[str], Wish] = lambda _run: "",
    ) -> None:
        self._events = events
        self._context = context
        self._wish = wish

    def state(self, run: str) -> RunState:
        """The state as the record has it now."""
        return fold(run, self._events.read(run))

    def append(self, state: RunState, drafts: list[Draft]) -> list[Event]:
        """Save events behind the state and bring the state up to them. Raises StaleRun.

        A call that came to the record when the run had to rest is not written a second time when
        its stage is done again and finds the reply there.
        """
        drafts = [draft for draft in drafts if not _on_record(draft.payload, state)]
        if not drafts:
            return []
        written = self._events.append(state.run, drafts, after=state.sequence)
        for event in written:
            apply(state, event)
        return written

    def resume(self, state: RunState, reason: str = "") -> None:
        """Let a paused or failed run go on; nothing happens to one that is not."""
        if state.status in ("paused", "failed"):
            self.append(state, [by_engine(RunResumed(reason=reason))])

    def advance(
        self, run: str, policy: Policy | None = None, *, most_stages: int | None = None
    ) -> RunState:
        """Work until the run waits, rests or ends (or that many stages are done)."""
        asked = policy or Ask()
        state = self.state(run)
        settings = Settings.model_validate(state.settings)
        context: Context | None = None
        done = 0
        while most_stages is None or done < most_stages:
            if self._wished(state) or self._over_budget(state):
                break
            if state.checkpoint is not None:
                if not self._answered(state, asked):
                    break
                continue
            name = next_stage(state, settings)
            if name is None:
                break
            try:
                context = context or self._context(state)
                self._save(state, STAGES[name](state, context))
            except ModelTrouble as error:
                self._rest(state, error)
                break
            except TraceError as error:
                self._fail(state, name, str(error))
                break
            except Exception as error:  # noqa: BLE001 - a run must say why it ended, whatever it was
                _LOG.exception("Stage %s of run %s failed", name, run)
                self._fail(state, name, f"{type(error).__name__}: {error}")
                break
            done += 1
        return state

    def _save(self, state: RunState, drafts: list[Draft]) -> None:
        """Append a stage's events, also behind verdicts that a person gave meanwhile.

        Such verdicts leave what the stage did valid unless both decided on the same passage; then,
        and after anything else, the stage is thrown away and done again on the new state.
        """
        try:
            self.append(state, drafts)
        except StaleRun:
            meanwhile = self._events.read(state.run, after=state.sequence)
            ours = _decided(draft.payload for draft in drafts)
            theirs = [event.payload for event in meanwhile]
            for event in meanwhile:
                apply(state, event)
            only_verdicts = all(isinstance(payload, Decided) for payload in theirs)
            if only_verdicts and not ours & _decided(theirs):
                self.append(state, drafts)

    def _answered(self, state: RunState, policy: Policy) -> bool:
        assert state.checkpoint is not None
        decision = policy.decide(state.checkpoint, state)
        if decision is None:
            return False
        self.append(state, answer(state, decision, policy.actor))
        return True

    def _wished(self, state: RunState) -> bool:
        """Whether a person has asked for a rest; a run that has ended cannot be stopped again."""
        if state.ended:
            return True
        wish = self._wish(state.run)
        if wish == "pause" and state.status != "paused":
            self.append(state, [by_engine(RunPaused(reason="Paused on request."))])
        elif wish == "stop":
            self.append(state, [by_engine(RunStopped(reason="Stopped on request."))])
        return bool(wish)

    def _over_budget(self, state: RunState) -> bool:
        if state.ended or state.status == "paused" or state.checkpoint is not None:
            return False
        spent = spent_budget(state)
        if spent:
            self.append(state, [by_engine(RunPaused(reason=spent, cause="budget"))])
        return bool(spent)

    def _rest(self, state: RunState, error: ModelTrouble) -> None:
        actor = Actor(kind="engine", name="trace")
        drafts = [Draft(actor, call) for call in error.calls]
        if isinstance(error, StopRequested):
            self.append(state, drafts)
            self._wished(state)
            return
        cause: Literal["budget", "model"] = "budget" if isinstance(error, BudgetSpent) else "model"
        payload: Payload = RunPaused(reason=str(error), cause=cause)
        self.append(state, [*drafts, Draft(actor, payload)])

    def _fail(self, state: RunState, stage: str, reason: str) -> None:
        self.append(state, [by_engine(RunFailed(stage=stage, reason=reason))])


def _on_record(payload: Payload, state: RunState) -> bool:
    return isinstance(payload, CallMade) and payload.call in state.calls


def _decided(payloads: Iterable[Payload]) -> set[tuple[str, int]]:
    """(sub-question, chunk) of the verdicts among these payloads."""
    return {(p.decision.sub_question, p.decision.chunk) for p in payloads if isinstance(p, Decided)}


def spent_budget(state: RunState) -> str:
    """A sentence when a cap of the run is reached, "" otherwise. A cap of 0 means no cap."""
    totals = state.totals
    spent = {
        "model_calls": (totals.calls, "model calls"),
        "tokens": (totals.tokens_in + totals.tokens_out, "tokens"),
        "money": (totals.money, "US dollars"),
        "steps": (totals.steps, "search steps"),
    }
    for name, (value, unit) in spent.items():
        cap = state.budgets.get(name, 0.0)
        if cap and value >= cap:
            return (
                f"The budget of {cap:g} {unit} is spent ({value:g} used); raise it and resume, "
                "or stop the run and keep what it found."
            )
    return ""
