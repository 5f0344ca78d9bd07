"""The events of a run: what happened, by whom, chained by hashes so that no byte can change.

Each payload class names one thing that happened, and its docstring says what; the files are what
a run does: `runs`, `planning`, `searching`, `judging`. `payload` holds the union of them, `chain`
gives an event its place. A payload's `type` and its fields are the stored format: a new field
needs a default, and none is renamed.
"""

from trace_core.domain.events.chain import GENESIS, Draft, Event, check_chain, event_hash, now, seal
from trace_core.domain.events.judging import (
    Decided,
    HoldMoved,
    HoldsReevaluated,
    RankingMade,
    ReplyUnreadable,
    ReviewDone,
    UnknownChunk,
)
from trace_core.domain.events.payload import PAYLOADS, Payload, read_payload
from trace_core.domain.events.planning import (
    CheckpointAnswered,
    CheckpointOpened,
    PlanAdopted,
    PlanProposed,
    PlanRefused,
    Replanned,
)
from trace_core.domain.events.runs import (
    BudgetChanged,
    CallMade,
    IndexChanged,
    RunFailed,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
)
from trace_core.domain.events.searching import (
    BriefingWritten,
    ChannelFailed,
    FinishRefused,
    SearchDone,
    StepChosen,
    SubQuestionFinished,
    SubQuestionStarted,
)

__all__ = [
    "GENESIS",
    "PAYLOADS",
    "BriefingWritten",
    "BudgetChanged",
    "CallMade",
    "ChannelFailed",
    "CheckpointAnswered",
    "CheckpointOpened",
    "Decided",
    "Draft",
    "Event",
    "FinishRefused",
    "HoldMoved",
    "HoldsReevaluated",
    "IndexChanged",
    "Payload",
    "PlanAdopted",
    "PlanProposed",
    "PlanRefused",
    "RankingMade",
    "Replanned",
    "ReplyUnreadable",
    "ReviewDone",
    "RunFailed",
    "RunFinished",
    "RunPaused",
    "RunResumed",
    "RunStarted",
    "RunStopped",
    "SearchDone",
    "StepChosen",
    "SubQuestionFinished",
    "SubQuestionStarted",
    "UnknownChunk",
    "check_chain",
    "event_hash",
    "now",
    "read_payload",
    "seal",
]
