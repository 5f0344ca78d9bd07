"""What two runs must have in common, however often one of them was broken off."""

from __future__ import annotations

import json

from trace_core.service import Service


def content_of(service: Service, run: str) -> list[tuple[str, str]]:
    """The events without what differs between two runs: times, ids of calls, addresses."""
    found = []
    for event in service.events(run):
        data = event.data
        for name in ("seconds", "call", "settings", "settings_hash"):
            data.pop(name, None)
        if "decision" in data:
            data["decision"].pop("call", None)
        found.append((event.type, json.dumps(data, sort_keys=True)))
    return found
