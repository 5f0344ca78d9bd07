"""An event in its place: sealed by its own hash, chained to the event before it.

The hash is SHA-256 over the canonical JSON of the run, the sequence number from 1, the time, the
actor, the type, the body and the hash of the event before. The first event of a run chains to
`GENESIS`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic_core import PydanticSerializationError

from trace_core.domain.characters import all_whole
from trace_core.domain.errors import ChainBroken
from trace_core.domain.events.payload import Payload, read_payload
from trace_core.domain.evidence import Actor

GENESIS = "0" * 64


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
    return replace(event, hash=event_hash(event))


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
