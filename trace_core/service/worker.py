"""Background work: a thread a run, one worker a run on all machines, dead ones found again.

The threads belong to the service, not to a page: a reload, a closed browser or another tab
changes nothing. A lease with a heartbeat keeps two processes off the same run.
"""

from __future__ import annotations

import logging

from trace_core.domain.errors import BadInput, StaleRun, WorkspaceBusy
from trace_core.domain.events import Draft, IndexChanged, RunPaused
from trace_core.domain.evidence import ENGINE, Actor
from trace_core.domain.state import RunState
from trace_core.engine.policy import Policy
from trace_core.service.jobs import spawn
from trace_core.service.runs import PolicyName, RunRoom, chosen_policy

_LOG = logging.getLogger(__name__)
_MOST_COLLISIONS = 5


class WorkerRoom(RunRoom):
    """The part of the façade that works in the background."""

    def start(self, run: str, policy: PolicyName | Policy = "ask") -> None:
        """Work on a run in the background until it waits, rests or ends.

        Raises WorkspaceBusy when another living worker has the run.
        """
        self.require(run)
        with self._lock:
            if self.active(run):
                return
            owner = self._own(run)
            chosen = chosen_policy(policy)
            self._threads[run] = spawn(f"run {run}", self._work, run, owner, chosen)

    def advance(self, run: str, policy: PolicyName | Policy = "ask") -> RunState:
        """Work on a run in this thread until it waits, rests or ends."""
        self.require(run)
        owner, chosen = self._own(run), chosen_policy(policy)
        try:
            with self.stores.leases.beating(run, owner):
                return self._advanced(run, chosen)
        finally:
            self.stores.leases.release(run, owner)

    def _advanced(self, run: str, policy: Policy) -> RunState:
        """Work on a run; a person who decides in the moment of a save only has it read again."""
        for _ in range(_MOST_COLLISIONS):
            try:
                self._note_index(run)
                return self.runner().advance(run, policy)
            except StaleRun:
                _LOG.info("Run %s was changed meanwhile; it is read again", run)
        self._note_index(run)
        return self.runner().advance(run, policy)

    def _note_index(self, run: str) -> None:
        """Record that the archive's index is another one than when the run last searched."""
        state = self.state(run)
        now = self.index_version()
        if state.ended or state.status == "paused" or state.index_version == now:
            return
        changed = IndexChanged(before=state.index_version, after=now)
        self._append(state, [Draft(ENGINE, changed)])

    def pause(self, run: str, person: str = "") -> RunState:
        """Ask a run to rest after the stage that it is in."""
        state = self.state(run)
        if state.ended or state.status in ("paused", "waiting"):
            raise BadInput(f"Run {run} is {state.status}; there is nothing to pause.")
        self.stores.leases.request(run, "pause")
        if not self.worked_on(run):
            actor = Actor(kind="human", name=person or "historian")
            self._append(state, [Draft(actor, RunPaused(reason="Paused on request."))])
        return self.state(run)

    def resume(self, run: str, policy: PolicyName | Policy = "ask", *, wait: bool = False) -> None:
        """Let a paused, failed or interrupted run go on."""
        state = self.state(run)
        if state.status in ("finished", "stopped"):
            raise BadInput(f"Run {run} has {state.status}; ask again to start a new one.")
        self.stores.leases.request(run, "")
        self.runner().resume(self.runner().state(run))
        if wait:
            self.advance(run, policy)
        else:
            self.start(run, policy)

    def worked_on(self, run: str) -> bool:
        """Whether a living worker is at work on the run, in this process or in another."""
        return self.active(run) or self.stores.leases.living(run)

    def interrupted(self) -> list[str]:
        """People's runs whose worker died in the middle; `resume` goes on with them."""
        known = {head.id for head in self.runs()}
        orphans = self.stores.leases.orphans()
        return [run for run in orphans if run in known and not self.active(run)]

    def _own(self, run: str) -> str:
        owner = self.stores.leases.worker()
        if not self.stores.leases.acquire(run, owner):
            raise WorkspaceBusy(
                f"Another process is working on run {run}; watch it there, or try again when it "
                "rests."
            )
        return owner

    def _work(self, run: str, owner: str, policy: Policy) -> None:
        try:
            with self.stores.leases.beating(run, owner):
                self._advanced(run, policy)
        except Exception:  # noqa: BLE001 - a thread's last words must reach the log
            _LOG.exception("The worker of run %s ended", run)
        finally:
            self.stores.leases.release(run, owner)
