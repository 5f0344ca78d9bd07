"""The façade: all that pages and the command line may ask for, over any `Stores`.

    with Service(stores) as service:
        run = service.ask("Why did the bridge fall?")
        service.advance(run, "approve")
        service.evidence(run)

It is thread-safe and meant to live as long as the program. Every error that a person can meet is
a `TraceError` with one sentence that says what to do.
"""

from __future__ import annotations

from trace_core.service.measuring import MeasuringRoom


class Service(MeasuringRoom):
    """Everything in one object; its rooms are the modules of this package.

    `Service(stores, secrets)`: `secrets` are keys of model providers by name; they are never
    stored.
    """


__all__ = ["Service"]
