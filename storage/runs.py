"""The projection of a run's events that lists read: one row a run.

It follows `trace_core.domain.transitions` for the status alone, so that a list of runs need not
fold every event of every run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from storage.database import as_text
from trace_core.domain import events as ev
from trace_core.domain.characters import whole


@dataclass(frozen=True, slots=True)
class RunProjection:
    """What a list shows of a run, and what its next event builds on."""

    id: str
    question: str = ""
    assistant: str = ""
    status: str = "planning"
    waiting_for: str = ""
    plan_adopted: bool = False
    created: str = ""
    updated: str = ""
    events: int = 0
    head_hash: str = ev.GENESIS
    purpose: str = ""

    def ends_like(self, other: RunProjection) -> bool:
        """Whether both count the same events and end with the same hash."""
        return (self.events, self.head_hash) == (other.events, other.head_hash)


def project(before: RunProjection, event: ev.Event, payload: ev.Payload) -> RunProjection:
    """The projection after one more event."""
    run = _change(before, event, payload)
    return replace(run, updated=event.time, events=event.sequence, head_hash=event.hash)


def _change(run: RunProjection, event: ev.Event, payload: ev.Payload) -> RunProjection:
    going = "running" if run.plan_adopted else "planning"
    match payload:
        case ev.RunStarted():
            return replace(
                run,
                question=whole(payload.question),  # as the event's body keeps it
                assistant=payload.assistant,
                created=event.time,
                purpose=payload.purpose,
            )
        case ev.PlanAdopted():
            return replace(run, status="running", plan_adopted=True)
        case ev.CheckpointOpened():
            return replace(run, status="waiting", waiting_for=payload.checkpoint.kind)
        case ev.CheckpointAnswered():
            return replace(run, status=going, waiting_for="")
        case ev.RunPaused():
            return replace(run, status="paused")
        case ev.RunResumed():
            return replace(run, status=going)
        case ev.RunFinished():
            return replace(run, status="finished")
        case ev.RunStopped():
            return replace(run, status="stopped", waiting_for="")
        case ev.RunFailed():
            return replace(run, status="failed")
    return run


def load(connection: Connection, run: str) -> RunProjection | None:
    """The stored projection of a run."""
    row = connection.exec_driver_sql("SELECT * FROM runs WHERE id = ?", (run,)).first()
    if row is None:
        return None
    return replace(
        RunProjection(*row), question=as_text(row.question), plan_adopted=bool(row.plan_adopted)
    )


def save(connection: Connection, run: RunProjection) -> None:
    """Replace the stored projection of a run."""
    connection.exec_driver_sql(
        "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.id,
            run.question,
            run.assistant,
            run.status,
            run.waiting_for,
            int(run.plan_adopted),
            run.created,
            run.updated,
            run.events,
            run.head_hash,
            run.purpose,
        ),
    )


def derive(run: str, events: Iterable[ev.Event]) -> RunProjection:
    """The projection as it follows from all events of a run."""
    projection = RunProjection(run)
    for event in events:
        projection = project(projection, event, event.payload)
    return projection
