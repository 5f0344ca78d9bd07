"""The ports of the record: events of runs, calls of models, who works on which run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from trace_core.domain.events import Draft, Event

Wish = Literal["", "pause", "stop"]
"""What a person wants of work that is going on; "" to let it go on."""


@dataclass(frozen=True, slots=True)
class RunHead:
    """What a list needs of a run. `status` is the folded state's status.

    `purpose` is "evaluation" for a run that measures the method, "" for a person's own.
    """

    id: str
    question: str
    assistant: str
    status: str
    created: str
    updated: str
    events: int
    waiting_for: str = ""
    owner: str = ""
    purpose: str = ""


class EventLog(Protocol):
    """The append-only record of all runs."""

    def append(self, run: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Append drafts in one transaction behind event `after` (0 for a new run).

        Raises StaleRun when the run's last event is another one.
        """

    def read(self, run: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events of a run in order, those after sequence `after`."""

    def runs(self) -> list[RunHead]:
        """All runs, newest first."""

    def verify(self, run: str) -> int:
        """Re-derive the run's hash chain; its number of events. Raises ChainBroken."""

    def relist(self) -> list[str]:
        """Make what `runs` tells anew from the events; the runs of which it told otherwise."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model call: what was sent, what came back, what it cost.

    `key` identifies the state that asked (stage, run state, prompt, attempt): a call with the
    same key is answered from the record. `price` is in US dollars, None when unknown. No key or
    secret is ever part of it.
    """

    id: str
    run: str
    key: str
    stage: str
    model: str
    prompt_hash: str
    request: str
    reply: str
    tokens_in: int
    tokens_out: int
    seconds: float
    price: float | None
    time: str
    problem: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)


class CallLog(Protocol):
    """The record of model calls."""

    def find(self, run: str, key: str) -> CallRecord | None:
        """The call already answered for this state, if any."""

    def save(self, call: CallRecord) -> None:
        """Keep a call. A second call with the same run and key is refused silently."""

    def calls(self, run: str) -> list[CallRecord]:
        """All calls of a run, in order of time."""


class RunLease(Protocol):
    """Who works on a run: one worker at a time, found again when its process has died."""

    def worker(self) -> str:
        """A new name for a worker of this process."""

    def beating(self, run: str, owner: str) -> AbstractContextManager[None]:
        """Give signs of life while the block runs, however long its steps are."""

    def acquire(self, run: str, owner: str) -> bool:
        """Take the run unless a living worker has it."""

    def beat(self, run: str, owner: str) -> None:
        """Say that the worker is alive."""

    def release(self, run: str, owner: str) -> None:
        """Give the run back."""

    def request(self, run: str, wish: Wish) -> None:
        """Ask the worker of a run to pause or stop at its next step."""

    def wish(self, run: str) -> Wish:
        """What was asked for."""

    def living(self, run: str) -> bool:
        """Whether a living worker, of whatever process, has the run."""

    def orphans(self) -> list[str]:
        """Runs whose worker has died in the middle."""
