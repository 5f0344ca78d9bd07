"""The façade: all that pages and the command line may ask for, over any `Stores`.

    with Service(stores) as service:
        run = service.ask("Why did the bridge fall?")
        service.advance(run, "approve")
        service.evidence(run)

Each module is a room that builds on those before it:

    base          the stores and what searches them
    jobs          work in the background
    search        searches, passages, documents
    indexing      the indexes
    importing     imports and their reports
    archive       sub-corpora, documents
    upkeep        withdrawing, merging
    people        notes, tags, stars, settings
    prompts       what a model is told
    assistants    rules, or a model
    runs          asking, deciding, the evidence list
    worker        runs in the background
    exporting     exports, explanations, checks
    evaluating    strategies on questions with gold
    rehearsing    replays without a document
    journeys      how runs went
    measuring     evaluations in the background

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
