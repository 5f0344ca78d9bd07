"""All payloads in one union, and the way back from a stored body to one of them."""

from __future__ import annotations

from typing import get_args

from trace_core.domain.errors import ChainBroken
from trace_core.domain.events.judging import JudgePayload
from trace_core.domain.events.planning import PlanPayload
from trace_core.domain.events.runs import RunPayload
from trace_core.domain.events.searching import SearchPayload

Payload = RunPayload | PlanPayload | SearchPayload | JudgePayload

PAYLOADS: dict[str, type[Payload]] = {cls.type: cls for cls in get_args(Payload)}
"""The payload classes by the type names under which they are stored."""


def read_payload(type_name: str, body: str) -> Payload:
    """The typed payload of a stored body. Raises ChainBroken when it does not fit its type."""
    cls = PAYLOADS.get(type_name)
    if cls is None:
        raise ChainBroken(
            f"The event type {type_name!r} is unknown to this version; open the workspace with "
            "the version that wrote it."
        )
    try:
        return cls.model_validate_json(body)
    except ValueError as error:
        raise ChainBroken(f"An event of type {type_name} cannot be read: {error}.") from error
