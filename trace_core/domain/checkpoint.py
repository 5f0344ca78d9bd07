"""A checkpoint is data: a typed proposal that waits, and the decision that answers it."""

from __future__ import annotations

from typing import Literal

from trace_core.domain.base import Value
from trace_core.domain.evidence import RankedDocument, Verdict
from trace_core.domain.question import SubQuestion

CheckpointKind = Literal["plan", "replan", "holds", "final"]


class PlanProposal(Value):
    """The sub-questions to adopt. For a replan these are the remaining ones."""

    sub_questions: tuple[SubQuestion, ...]
    note: str = ""


class HoldsProposal(Value):
    """The chunks still held at the end of a sub-question, weakest last."""

    sub_question: str
    chunks: tuple[int, ...]


class FinalProposal(Value):
    """The final order to approve."""

    ranking: tuple[RankedDocument, ...]


class Checkpoint(Value):
    """A saved pause: what is proposed, at which kind of gate. `id` is "k" and a count."""

    id: str
    kind: CheckpointKind
    proposal: PlanProposal | HoldsProposal | FinalProposal


class VerdictChange(Value):
    """A person's verdict on one chunk, in the name of one sub-question."""

    chunk: int
    sub_question: str
    verdict: Verdict
    reason: str = ""


class HumanDecision(Value):
    """The answer to a checkpoint.

    `approve` adopts the proposal as it stands after the edits given here: `sub_questions`
    replaces the proposed ones (plan and replan), `verdicts` are recorded first (holds and
    final), `budgets` changes the run's caps. `stop` ends the run here instead.
    """

    action: Literal["approve", "stop"] = "approve"
    sub_questions: tuple[SubQuestion, ...] | None = None
    verdicts: tuple[VerdictChange, ...] = ()
    budgets: dict[str, float] = {}
    reason: str = ""
