"""What happens to a run's plan, and at the checkpoints where it waits for an answer."""

from __future__ import annotations

from typing import ClassVar, Literal

from trace_core.domain.base import Value
from trace_core.domain.checkpoint import Checkpoint, HumanDecision
from trace_core.domain.question import SubQuestion


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


class Replanned(Value):
    """A replan was proposed: the remaining sub-questions as they should be now."""

    type: ClassVar[str] = "replanned"
    after: str
    sub_questions: tuple[SubQuestion, ...]
    changed: bool
    note: str = ""
    restored: tuple[str, ...] = ()
    call: str = ""


class CheckpointOpened(Value):
    """The run rests until a person or a policy answers."""

    type: ClassVar[str] = "checkpoint_opened"
    checkpoint: Checkpoint


class CheckpointAnswered(Value):
    """A checkpoint was answered."""

    type: ClassVar[str] = "checkpoint_answered"
    checkpoint: str
    decision: HumanDecision


PlanPayload = (
    PlanProposed | PlanRefused | PlanAdopted | Replanned | CheckpointOpened | CheckpointAnswered
)
