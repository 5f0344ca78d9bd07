"""What happens to a run as a whole: asked, resting, going on, ended, paid for."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from trace_core.domain.base import Value
from trace_core.domain.question import AssistantName, ScopeSpec


class RunStarted(Value):
    """A question was asked. Holds all that the run depends on.

    `purpose` is "evaluation" for a run that measures the method, "" for a person's own.
    """

    type: ClassVar[str] = "run_started"
    question: str
    assistant: AssistantName
    scope: ScopeSpec = ScopeSpec()
    settings: dict[str, Any] = {}
    settings_hash: str = ""
    prompts: dict[str, str] = {}
    index_version: str = ""
    software: dict[str, str] = {}
    corpora: tuple[dict[str, Any], ...] = ()
    local_judged: tuple[str, ...] = ()
    purpose: str = ""


class RunPaused(Value):
    """The run rests on a person's wish or for want of a model."""

    type: ClassVar[str] = "run_paused"
    reason: str
    cause: Literal["person", "model", "budget", "error"] = "person"


class RunResumed(Value):
    """The run goes on."""

    type: ClassVar[str] = "run_resumed"
    reason: str = ""


class RunStopped(Value):
    """The run was ended before its end; what it found stays."""

    type: ClassVar[str] = "run_stopped"
    reason: str


class RunFailed(Value):
    """The run cannot go on: an error that no retry mends."""

    type: ClassVar[str] = "run_failed"
    stage: str
    reason: str


class RunFinished(Value):
    """The evidence list is complete."""

    type: ClassVar[str] = "run_finished"
    documents: int
    held: int


class BudgetChanged(Value):
    """A person changed the run's caps."""

    type: ClassVar[str] = "budget_changed"
    budgets: dict[str, float]


class CallMade(Value):
    """A model call was paid for; its text is kept under its id. `price` is None when unknown.

    `notes` say what a person should know of it: that texts were shortened to fit the model's
    context, or that a part of the reply could not be used.
    """

    type: ClassVar[str] = "call_made"
    call: str
    stage: str
    model: str
    prompt_hash: str
    tokens_in: int
    tokens_out: int
    seconds: float
    price: float | None = None
    attempt: int = 1
    ok: bool = True
    problem: str = ""
    notes: tuple[str, ...] = ()


class IndexChanged(Value):
    """The archive's index is another one than when the run last searched."""

    type: ClassVar[str] = "index_changed"
    before: str
    after: str


RunPayload = (
    RunStarted
    | RunPaused
    | RunResumed
    | RunStopped
    | RunFailed
    | RunFinished
    | BudgetChanged
    | CallMade
    | IndexChanged
)
