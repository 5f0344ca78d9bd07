"""The events of a run: what happened, by whom, chained by hashes so that no byte can change.

Each payload class names one thing that happened. An event is a payload with its run, its
sequence number from 1, the time, the actor, the hash of the event before it, and its own hash:
SHA-256 over the canonical JSON of all of these. The first event of a run chains to `GENESIS`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal, get_args

from pydantic_core import PydanticSerializationError

from trace_core.domain.base import Value
from trace_core.domain.characters import all_whole
from trace_core.domain.checkpoint import Checkpoint, HumanDecision
from trace_core.domain.errors import ChainBroken
from trace_core.domain.evidence import Actor, Candidate, Decision, RankedDocument
from trace_core.domain.question import Action, Briefing, Memory, ScopeSpec, SubQuestion

GENESIS = "0" * 64


class RunStarted(Value):
    """A question was asked. Holds all that the run depends on.

    `purpose` is "evaluation" for a run that measures the method, "" for a person's own.
    """

    type: ClassVar[str] = "run_started"
    question: str
    assistant: Literal["rules", "model"]
    scope: ScopeSpec = ScopeSpec()
    settings: dict[str, Any] = {}
    settings_hash: str = ""
    prompts: dict[str, str] = {}
    index_version: str = ""
    software: dict[str, str] = {}
    corpora: tuple[dict[str, Any], ...] = ()
    local_judged: tuple[str, ...] = ()
    purpose: str = ""


class PlanProposed(Value):
    """An assistant made a plan. `fallback` marks a rule-made plan after unreadable replies."""

    type: ClassVar[str] = "plan_proposed"
    sub_questions: tuple[SubQuestion, ...]
    note: str = ""
    fallback: bool = False


class PlanRefused(Value):
    """A plan was refused, since it collapsed, left something out or was unreadable.

    It is asked for again as often as the settings allow, and then completed or made by rules.
    """

    type: ClassVar[str] = "plan_refused"
    cause: Literal["collapse", "coverage", "unreadable", "invalid"]
    reason: str
    sub_questions: tuple[SubQuestion, ...] = ()


class PlanAdopted(Value):
    """The plan that holds from here on: all sub-questions not yet done, in order."""

    type: ClassVar[str] = "plan_adopted"
    sub_questions: tuple[SubQuestion, ...]
    stage: Literal["plan", "replan", "human"] = "plan"
    removed: tuple[str, ...] = ()


class CheckpointOpened(Value):
    """The run rests until a person or a policy answers."""

    type: ClassVar[str] = "checkpoint_opened"
    checkpoint: Checkpoint


class CheckpointAnswered(Value):
    """A checkpoint was answered."""

    type: ClassVar[str] = "checkpoint_answered"
    checkpoint: str
    decision: HumanDecision


class SubQuestionStarted(Value):
    """Work on a sub-question began."""

    type: ClassVar[str] = "sub_question_started"
    sub_question: str


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


class StepChosen(Value):
    """The assistant's step: its thought, its action and the memory it leaves."""

    type: ClassVar[str] = "step_chosen"
    sub_question: str
    step: int
    action: Action
    memory: Memory | None = None
    call: str = ""


class FinishRefused(Value):
    """`finish` with nothing accepted was refused once."""

    type: ClassVar[str] = "finish_refused"
    sub_question: str
    reason: str


class ReplyUnreadable(Value):
    """A reply could not be read after all repairs; what it was to judge is held, not rejected."""

    type: ClassVar[str] = "reply_unreadable"
    stage: str
    sub_question: str
    reason: str
    call: str = ""


class ReviewDone(Value):
    """One batch was reviewed (its decisions are events of their own)."""

    type: ClassVar[str] = "review_done"
    sub_question: str
    search: str
    chunks: tuple[int, ...]
    accepted: int
    held: int
    rejected: int
    call: str = ""
    remaining: int = 0


class Decided(Value):
    """One verdict on one chunk."""

    type: ClassVar[str] = "decided"
    decision: Decision


class UnknownChunk(Value):
    """A reply named a chunk that does not exist or was not up for judgement; no decision."""

    type: ClassVar[str] = "unknown_chunk"
    stage: str
    sub_question: str
    named: str


class HoldMoved(Value):
    """The hold pool was full: this chunk, its weakest, waits in the historian's queue instead."""

    type: ClassVar[str] = "hold_moved"
    sub_question: str
    chunk: int
    capacity: int


class HoldsReevaluated(Value):
    """The held chunks were looked at again (each promotion is a decision of its own)."""

    type: ClassVar[str] = "holds_reevaluated"
    sub_question: str
    chunks: tuple[int, ...]
    promoted: int
    round: int
    failed: str = ""
    call: str = ""


class BriefingWritten(Value):
    """What passes on to the next sub-question."""

    type: ClassVar[str] = "briefing_written"
    sub_question: str
    briefing: Briefing
    fallback: bool = False
    call: str = ""


class Replanned(Value):
    """A replan was proposed: the remaining sub-questions as they should be now."""

    type: ClassVar[str] = "replanned"
    after: str
    sub_questions: tuple[SubQuestion, ...]
    changed: bool
    note: str = ""
    restored: tuple[str, ...] = ()
    call: str = ""


class SubQuestionFinished(Value):
    """Work on a sub-question ended. `gap` says what it could not find."""

    type: ClassVar[str] = "sub_question_finished"
    sub_question: str
    cause: Literal[
        "finished", "steps", "repeated", "unreadable", "budget", "rules", "stopped", "iterations"
    ]
    gap: str = ""


class RankingMade(Value):
    """The order of the accepted documents."""

    type: ClassVar[str] = "ranking_made"
    ranking: tuple[RankedDocument, ...]
    note: str = ""


class RunFinished(Value):
    """The evidence list is complete."""

    type: ClassVar[str] = "run_finished"
    documents: int
    held: int


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


Payload = (
    RunStarted
    | PlanProposed
    | PlanRefused
    | PlanAdopted
    | CheckpointOpened
    | CheckpointAnswered
    | SubQuestionStarted
    | SearchDone
    | ChannelFailed
    | StepChosen
    | FinishRefused
    | ReplyUnreadable
    | ReviewDone
    | Decided
    | UnknownChunk
    | HoldMoved
    | HoldsReevaluated
    | BriefingWritten
    | Replanned
    | SubQuestionFinished
    | RankingMade
    | RunFinished
    | RunPaused
    | RunResumed
    | RunStopped
    | RunFailed
    | BudgetChanged
    | CallMade
    | IndexChanged
)

PAYLOADS: dict[str, type[Value]] = {cls.type: cls for cls in get_args(Payload)}


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has a place in a run's chain."""

    actor: Actor
    payload: Payload


@dataclass(frozen=True, slots=True)
class Event:
    """An event in its place. `time` is ISO 8601 in UTC with microseconds."""

    run: str
    sequence: int
    time: str
    actor: Actor
    type: str
    body: str
    previous_hash: str
    hash: str

    @property
    def payload(self) -> Payload:
        """The typed payload. Raises ChainBroken when the body is not what its type says."""
        return read_payload(self.type, self.body)

    @property
    def data(self) -> dict[str, Any]:
        """The payload as plain JSON data."""
        value: dict[str, Any] = json.loads(self.body)
        return value


def read_payload(type_name: str, body: str) -> Payload:
    """The typed payload of a stored body. Raises ChainBroken when it does not fit its type."""
    cls = PAYLOADS.get(type_name)
    if cls is None:
        raise ChainBroken(
            f"The event type {type_name!r} is unknown to this version; open the workspace with "
            "the version that wrote it."
        )
    try:
        return cls.model_validate_json(body)  # type: ignore[return-value]
    except ValueError as error:
        raise ChainBroken(f"An event of type {type_name} cannot be read: {error}.") from error


def now() -> str:
    """The present moment as events record it."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def event_hash(event: Event) -> str:
    """SHA-256 over the canonical JSON of everything but the hash itself, as 64 hex digits."""
    content = [
        event.run,
        event.sequence,
        event.time,
        event.actor.kind,
        event.actor.name,
        event.type,
        event.body,
        event.previous_hash,
    ]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _body(payload: Payload) -> str:
    """The payload as JSON; halves of characters, which JSON cannot hold, become U+FFFD."""
    try:
        return payload.model_dump_json()
    except PydanticSerializationError:
        return type(payload).model_validate(all_whole(payload.model_dump())).model_dump_json()


def seal(run: str, sequence: int, previous_hash: str, draft: Draft, time: str) -> Event:
    """Give a draft its place in the chain."""
    event = Event(
        run=run,
        sequence=sequence,
        time=time,
        actor=draft.actor,
        type=draft.payload.type,
        body=_body(draft.payload),
        previous_hash=previous_hash,
        hash="",
    )
    return Event(
        event.run,
        event.sequence,
        event.time,
        event.actor,
        event.type,
        event.body,
        event.previous_hash,
        event_hash(event),
    )


def check_chain(events: Iterable[Event]) -> int:
    """Re-derive the chain of one run's events, in order; returns their number.

    Raises ChainBroken with the first event that does not agree and why.
    """
    previous, count = GENESIS, 0
    for event in events:
        count += 1
        where = f"Event {event.sequence} of run {event.run}"
        if event.sequence != count:
            raise ChainBroken(f"{where} stands where event {count} should: one is missing.")
        if event.previous_hash != previous:
            raise ChainBroken(f"{where} does not follow the event before it.")
        if event_hash(event) != event.hash:
            raise ChainBroken(f"{where} was changed after it was written.")
        previous = event.hash
    return count
