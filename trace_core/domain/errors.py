"""Every error a person can meet: named for what happened, one sentence, with what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trace_core.domain.events import CallMade


class TraceError(Exception):
    """An error with a plain sentence for the person in front of it.

    `retryable` says whether the same call may succeed later without any change.
    """

    retryable: bool = False


class BadInput(TraceError):
    """What the caller gave cannot be used as it is; the sentence says what would be."""


class NotFound(TraceError):
    """A named thing (run, document, sub-corpus, file) does not exist here."""


class WorkspaceError(TraceError):
    """The workspace folder is missing, newer than this program, locked or damaged."""


class WorkspaceBusy(WorkspaceError):
    """Another process is writing to the workspace."""

    retryable = True


class SearchFailed(TraceError):
    """A search channel broke. Never to be reported as an empty result."""


class IllegalTransition(TraceError):
    """The run's state does not allow this step."""


class StaleRun(TraceError):
    """Somebody else appended to the run meanwhile; read it again and repeat."""

    retryable = True


class ChainBroken(TraceError):
    """The event log's hash chain does not hold: an event was changed, removed or reordered."""


class ModelTrouble(TraceError):
    """A task for the model did not come to its end.

    `calls` are the calls already paid for on the way, for the record.
    """

    calls: tuple[CallMade, ...] = ()


class ModelUnavailable(ModelTrouble):
    """The model could not be reached or refused to answer; the run rests and can be resumed."""

    retryable = True


class ModelMisconfigured(ModelTrouble):
    """The model's name, address or key is missing or refused; the sentence says which."""


class PromptError(TraceError):
    """A prompt file has an unknown placeholder or misses one it needs."""


class BudgetSpent(ModelTrouble):
    """A cap on steps, calls, tokens or money was reached."""


class StopRequested(ModelTrouble):
    """A person asked to pause or stop while the model was being waited for."""

    retryable = True


class EmbedderUnavailable(TraceError):
    """The embedding model cannot be loaded here; the sentence says what to set instead."""


class PortTaken(TraceError):
    """The app's port cannot be listened on; the sentence says why."""
