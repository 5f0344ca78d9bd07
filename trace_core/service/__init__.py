"""The façade: all that pages and the command line may ask for, over any `Stores`.

    service = Service(stores)
    run = service.ask("Why did the bridge fall?")
    service.advance(run, "approve")
    service.evidence(run)

It is thread-safe and meant to live as long as the program. Every error that a person can meet is
a `TraceError` with one sentence that says what to do.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType

from trace_core.domain.state import RunState
from trace_core.ports import Stores
from trace_core.service.archive import Job
from trace_core.service.worker import WorkerRoom


class Service(WorkerRoom):
    """Everything in one object; its rooms are the modules of this package."""

    def __init__(self, stores: Stores, secrets: Mapping[str, str] = MappingProxyType({})) -> None:
        """`secrets` are keys of model providers by name; they are never stored."""
        super().__init__(stores, secrets)
        self._jobs: dict[str, Job] = {}
        self._states: dict[str, RunState] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._pauses: dict[str, str] = {}


__all__ = ["Service"]
