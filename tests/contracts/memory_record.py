"""The record of runs and what people add to it, in memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import NotFound, StaleRun
from trace_core.domain.events import GENESIS, Draft, Event, check_chain, now, seal
from trace_core.domain.transitions import fold as fold_run
from trace_core.ports import Artifact, Note, RunHead, Wish


class MemoryEvents:
    """An EventLog."""

    def __init__(self) -> None:
        self._runs: dict[str, list[Event]] = {}

    def append(self, run: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        events = list(self._runs.get(run, []))
        if len(events) != after:
            raise StaleRun(f"Run {run} has {len(events)} events, not {after}.")
        for draft in drafts:
            previous = events[-1].hash if events else GENESIS
            events.append(seal(run, len(events) + 1, previous, draft, now()))
        if drafts:
            self._runs[run] = events
        return events[after:]

    def read(self, run: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        found = self._runs.get(run, [])[after:]
        return found if limit is None else found[:limit]

    def runs(self) -> list[RunHead]:
        heads = []
        for run, events in self._runs.items():
            state = fold_run(run, events)
            kind = state.checkpoint.kind if state.checkpoint else ""
            heads.append(
                RunHead(
                    run,
                    state.question,
                    state.assistant,
                    state.status,
                    state.created,
                    state.updated,
                    len(events),
                    kind,
                    purpose=state.start.purpose if state.start else "",
                )
            )
        return sorted(heads, key=lambda head: head.created, reverse=True)

    def verify(self, run: str) -> int:
        if run not in self._runs:
            raise NotFound(f"There is no run {run}.")
        return check_chain(self._runs[run])

    def relist(self) -> list[str]:
        return []  # `runs` folds the events at each call


class MemoryLeases:
    """A RunLease of one process, in which nobody dies."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        self._wishes: dict[str, Wish] = {}

    def worker(self) -> str:
        return uuid.uuid4().hex

    def beating(self, run: str, owner: str) -> AbstractContextManager[None]:
        return nullcontext()

    def acquire(self, run: str, owner: str) -> bool:
        return self._owners.setdefault(run, owner) == owner

    def beat(self, run: str, owner: str) -> None:
        return None

    def release(self, run: str, owner: str) -> None:
        if self._owners.get(run) == owner:
            del self._owners[run]

    def request(self, run: str, wish: Wish) -> None:
        self._wishes[run] = wish

    def wish(self, run: str) -> Wish:
        return self._wishes.get(run, "")

    def living(self, run: str) -> bool:
        return run in self._owners

    def orphans(self) -> list[str]:
        return []


class MemoryArtifacts:
    """An ArtifactStore."""

    def __init__(self) -> None:
        self._kept: dict[str, Artifact] = {}

    def save(self, name: str, artifact: Artifact) -> None:
        arrays = {key: array.copy() for key, array in artifact.arrays.items()}
        self._kept[name] = replace(artifact, arrays=arrays)

    def load(self, name: str) -> Artifact | None:
        return self._kept.get(name)


class MemorySettings:
    """A SettingsStore."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, object]] = {}

    def load(self) -> dict[str, dict[str, object]]:
        return {group: dict(named) for group, named in self._values.items()}

    def save(self, values: Mapping[str, Mapping[str, object]]) -> None:
        self._values = {group: dict(named) for group, named in values.items() if named}


class MemoryReports:
    """A ReportStore."""

    def __init__(self) -> None:
        self._bodies: dict[str, str] = {}

    def save(self, report_id: str, body: str) -> None:
        self._bodies[report_id] = body

    def load(self, report_id: str) -> str | None:
        return self._bodies.get(report_id)

    def list(self) -> list[tuple[str, str]]:
        return list(reversed(self._bodies.items()))


class MemoryNotes:
    """A NoteStore."""

    def __init__(self) -> None:
        self._kept: list[Note] = []

    def add(self, note: Note) -> None:
        self._kept.append(note)

    def notes(self, keys: Iterable[DocumentKey] | None = None) -> list[Note]:
        wanted = None if keys is None else set(keys)
        return [note for note in self._kept if wanted is None or note.key in wanted]


class MemoryShelf:
    """A Shelf."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], str] = {}

    def put(self, kind: str, text_id: str, body: str) -> None:
        self._texts[kind, text_id] = body

    def get(self, kind: str, text_id: str) -> str | None:
        return self._texts.get((kind, text_id))

    def list(self, kind: str) -> list[tuple[str, str]]:
        return [(name, body) for (of, name), body in self._texts.items() if of == kind]
