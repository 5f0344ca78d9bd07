"""Replays: a run worked on again from some point, in memory, beside the record and never in it.

In: the events of a run that are kept, and what the stages may use. Out: the state to which the
rest of the method leads from there. A replay has no place among the runs: its log lives as long
as it does. A model's reply is taken from the record of the run wherever the very same prompt was
asked there; any other prompt is asked anew and counted.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trace_core.assistant.chat import ChatModel, ChatReply, ChatRequest, Control
from trace_core.assistant.record import asked_and_answered
from trace_core.domain.errors import NotFound, StaleRun
from trace_core.domain.events import GENESIS, Draft, Event, SearchDone, check_chain, now, seal
from trace_core.domain.state import RunState
from trace_core.engine.policy import ApproveAll
from trace_core.engine.runner import ContextMaker, Runner
from trace_core.ports import CallRecord, RunHead


class MemoryLog:
    """Fulfils `trace_core.ports.EventLog` for runs that nobody keeps."""

    def __init__(self) -> None:
        self._runs: dict[str, list[Event]] = {}

    def append(self, run: str, drafts: Sequence[Draft], *, after: int) -> list[Event]:
        """Append drafts behind event `after`. Raises StaleRun."""
        events = self._runs.setdefault(run, [])
        if len(events) != after:
            raise StaleRun(f"Run {run} has {len(events)} events, not {after}.")
        for draft in drafts:
            previous = events[-1].hash if events else GENESIS
            events.append(seal(run, len(events) + 1, previous, draft, now()))
        return events[after:]

    def read(self, run: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events of a run in order, those after sequence `after`."""
        found = self._runs.get(run, [])[after:]
        return found if limit is None else found[:limit]

    def runs(self) -> list[RunHead]:
        """None: a replay stands in no list."""
        return []

    def verify(self, run: str) -> int:
        """The number of events of a run's chain. Raises ChainBroken, NotFound."""
        if run not in self._runs:
            raise NotFound(f"There is no replay of run {run}.")
        return check_chain(self._runs[run])

    def relist(self) -> list[str]:
        """None: there is no list to agree with."""
        return []


class MemoryCalls:
    """Fulfils `trace_core.ports.CallLog` for replays."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], CallRecord] = {}

    def find(self, run: str, key: str) -> CallRecord | None:
        """The call already answered for this state, if any."""
        return self._calls.get((run, key))

    def save(self, call: CallRecord) -> None:
        """Keep a call; a second one with the same run and key is left out."""
        self._calls.setdefault((call.run, call.key), call)

    def calls(self, run: str) -> list[CallRecord]:
        """All calls of a run, in order of time."""
        mine = [call for (of, _), call in self._calls.items() if of == run]
        return sorted(mine, key=lambda call: call.time)


@dataclass(slots=True)
class Asked:
    """How many replies came from the record, and how many were asked anew."""

    recorded: int = 0
    anew: int = 0


class RecordedModel:
    """Fulfils `trace_core.assistant.chat.ChatModel`: the record answers what it knows."""

    def __init__(self, model: ChatModel, calls: Iterable[CallRecord], asked: Asked) -> None:
        self._model, self._asked = model, asked
        self._lock = threading.Lock()
        self._known = {
            (stage, system, user): reply
            for stage, system, user, reply in map(asked_and_answered, calls)
            if reply is not None
        }

    @property
    def name(self) -> str:
        """The model's name, as the record gives it."""
        return self._model.name

    @property
    def local(self) -> bool:
        """Whether what it is shown stays on this machine."""
        return self._model.local

    @property
    def context_tokens(self) -> int:
        """Tokens of request and reply together that the model takes."""
        return self._model.context_tokens

    def complete(self, request: ChatRequest, control: Control) -> ChatReply:
        """The recorded reply to the same prompt, else the model's. Raises TooLong, CallFailed."""
        prompt = (request.stage, request.system, request.user)
        found = self._known.get(prompt)
        reply = found or self._model.complete(request, control)
        with self._lock:
            self._asked.recorded += found is not None
            self._asked.anew += found is None
            # The next replay of the same run need not ask again what this one has asked.
            self._known.setdefault(prompt, reply)
        return reply


# --- where a run can be cut --------------------------------------------------------------------

_CLOSING = frozenset(
    {
        "run_started", "plan_adopted", "search_done", "review_done", "holds_reevaluated",
        "briefing_written", "sub_question_finished", "replanned", "ranking_made",
        "run_finished", "checkpoint_answered", "finish_refused",
    }
)  # fmt: skip
_TRAILING = frozenset({"decided", "hold_moved"})
_UNDONE = frozenset({"run_paused", "run_resumed", "run_stopped", "run_failed", "budget_changed"})


def whole_stages(events: Sequence[Event]) -> list[int]:
    """After how many events a run stands between two stages, in rising order.

    A search's own holds (of what a widened window found) belong to it, and an adopted plan to the
    replan that brought it.
    """
    ends = []
    for place, event in enumerate(events):
        if event.type not in _CLOSING:
            continue
        end = place + 1
        if event.type == "search_done":
            while end < len(events) and _belongs(events[end]):
                end += 1
        if event.type == "replanned" and end < len(events) and events[end].type == "plan_adopted":
            continue
        ends.append(end)
    return ends


def _belongs(event: Event) -> bool:
    if event.type not in _TRAILING:
        return False
    stage = event.data.get("decision", {}).get("stage", "search_step")
    return bool(stage == "search_step")


def kept_drafts(events: Iterable[Event]) -> list[Draft]:
    """Events as drafts to begin a replay with; pauses and the like of the run are left out."""
    return [Draft(e.actor, e.payload) for e in events if e.type not in _UNDONE]


# --- the replay --------------------------------------------------------------------------------


@dataclass(slots=True)
class Replay:
    """A replay's end: its state and events, what it was given, and how its replies came about.

    `given` counts the events that it began with.
    """

    state: RunState
    events: list[Event]
    given: int
    asked: Asked = field(default_factory=Asked)

    @property
    def searches(self) -> dict[str, SearchDone]:
        """The searches, the given ones included, by id in their order."""
        return self.state.searches

    @property
    def problem(self) -> str:
        """Why the replay did not come to its end, "" when it did."""
        if self.state.status == "finished":
            return ""
        return self.state.rest_reason or f"the replay is {self.state.status}"


def replay(run: str, given: Sequence[Draft], context: ContextMaker, asked: Asked) -> Replay:
    """Begin with the given events and let the method do the rest, every checkpoint approved."""
    log = MemoryLog()
    log.append(run, given, after=0)
    state = Runner(log, context).advance(run, ApproveAll())
    return Replay(state, log.read(run), len(given), asked)
