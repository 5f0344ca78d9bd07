"""Who answers a checkpoint when no person does: nobody, everything approved, or a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from trace_core.domain.checkpoint import Checkpoint, HumanDecision
from trace_core.domain.evidence import Actor
from trace_core.domain.state import RunState


class Policy(Protocol):
    """Answers checkpoints, or leaves them for a person."""

    actor: Actor

    def decide(self, checkpoint: Checkpoint, state: RunState) -> HumanDecision | None:
        """The answer, None to let the run wait."""


class Ask:
    """Leaves every checkpoint for a person."""

    actor = Actor(kind="engine", name="ask")

    def decide(self, _checkpoint: Checkpoint, _state: RunState) -> HumanDecision | None:
        """Nothing: the run waits."""
        return None


class ApproveAll:
    """Approves every proposal as it stands."""

    actor = Actor(kind="engine", name="approve all")

    def decide(self, _checkpoint: Checkpoint, _state: RunState) -> HumanDecision | None:
        """Approval."""
        return HumanDecision(reason="approved by the policy 'approve all'")


class Scripted:
    """Gives the listed answers in turn and then lets the run wait."""

    def __init__(self, answers: Sequence[HumanDecision], actor: Actor) -> None:
        self._answers = list(answers)
        self.actor = actor

    def decide(self, _checkpoint: Checkpoint, _state: RunState) -> HumanDecision | None:
        """The next answer of the script."""
        return self._answers.pop(0) if self._answers else None
