"""What happens to the passages that were found: judged, held, looked at again, put in order."""

from __future__ import annotations

from typing import ClassVar

from trace_core.domain.base import Value
from trace_core.domain.evidence import Decision, RankedDocument


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


class ReplyUnreadable(Value):
    """A reply could not be read after all repairs; what it was to judge is held, not rejected."""

    type: ClassVar[str] = "reply_unreadable"
    stage: str
    sub_question: str
    reason: str
    call: str = ""


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


class RankingMade(Value):
    """The order of the accepted documents."""

    type: ClassVar[str] = "ranking_made"
    ranking: tuple[RankedDocument, ...]
    note: str = ""


JudgePayload = (
    ReviewDone
    | Decided
    | UnknownChunk
    | ReplyUnreadable
    | HoldMoved
    | HoldsReevaluated
    | RankingMade
)
