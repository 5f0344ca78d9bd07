"""What happens while one sub-question is searched for, from its start to its briefing."""

from __future__ import annotations

from typing import ClassVar, Literal

from trace_core.domain.base import Value
from trace_core.domain.evidence import Candidate
from trace_core.domain.question import Action, Briefing, Memory


class SubQuestionStarted(Value):
    """Work on a sub-question began."""

    type: ClassVar[str] = "sub_question_started"
    sub_question: str


class StepChosen(Value):
    """The assistant's step: its thought, its action and the memory it leaves."""

    type: ClassVar[str] = "step_chosen"
    sub_question: str
    step: int
    action: Action
    memory: Memory | None = None
    call: str = ""


class SearchDone(Value):
    """A search ran. `candidates` are those that enter review; `returned` counts all hits.

    `hidden_window` is the wider date range that was really searched, which the model is not
    told. `rankings` keeps the ids of each channel's first documents, for the audit.
    """

    type: ClassVar[str] = "search_done"
    search: str
    sub_question: str
    step: int
    stage: Literal["warm_start", "loop"]
    action: Action
    channels: tuple[str, ...]
    corpora: tuple[str, ...] = ()
    date_from: str | None = None
    date_to: str | None = None
    hidden_window: tuple[str, str] | None = None
    returned: int = 0
    candidates: tuple[Candidate, ...] = ()
    rankings: dict[str, tuple[str, ...]] = {}
    notes: tuple[str, ...] = ()
    effective: bool = True
    repeated: bool = False

    @property
    def fresh(self) -> tuple[Candidate, ...]:
        """The candidates that the assistant is told of: not those of a silent widening."""
        return tuple(c for c in self.candidates if not c.widened)


class ChannelFailed(Value):
    """A channel broke during a search. The search went on without it."""

    type: ClassVar[str] = "channel_failed"
    search: str
    channel: str
    reason: str


class FinishRefused(Value):
    """`finish` with nothing accepted was refused once."""

    type: ClassVar[str] = "finish_refused"
    sub_question: str
    reason: str


class SubQuestionFinished(Value):
    """Work on a sub-question ended. `gap` says what it could not find."""

    type: ClassVar[str] = "sub_question_finished"
    sub_question: str
    cause: Literal[
        "finished", "steps", "repeated", "unreadable", "budget", "rules", "stopped", "iterations"
    ]
    gap: str = ""


class BriefingWritten(Value):
    """What passes on to the next sub-question."""

    type: ClassVar[str] = "briefing_written"
    sub_question: str
    briefing: Briefing
    fallback: bool = False
    call: str = ""


SearchPayload = (
    SubQuestionStarted
    | StepChosen
    | SearchDone
    | ChannelFailed
    | FinishRefused
    | SubQuestionFinished
    | BriefingWritten
)
