"""Background work: a thread a job, owned by the service and not by a page.

A reload, a closed browser or another tab changes nothing. Pages read what a job tells of itself,
and say through the service that it should rest, go on or end. A process that dies loses its jobs,
never what they have stored.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from trace_core.domain.errors import BadInput, NotFound, TraceError
from trace_core.ports import Stores, Wish
from trace_core.service.base import ServiceBase

J = TypeVar("J", bound="Job")

_LOG = logging.getLogger(__name__)
_LOOK_SECONDS = 0.1
_CLOSE_SECONDS = 20.0

JobStatus = Literal["waiting", "working", "finished", "paused", "stopped", "failed"]
Ended = Literal["finished", "paused", "stopped"]


@dataclass(slots=True, kw_only=True)
class Job:
    """Work in the background. `wish` is what a person wants of it; it is heard behind each batch.

    It waits for its turn, works, and then has finished or failed (`message` says why), or rests
    because it was paused or stopped.
    """

    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    status: JobStatus = "waiting"
    message: str = ""
    wish: Wish = ""

    @property
    def at_work(self) -> bool:
        """Whether it works or waits for its turn."""
        return self.status in ("waiting", "working")

    def broken_off(self) -> Ended:
        """What it has come to when its work heard its wish before the end."""
        return "paused" if self.wish == "pause" else "stopped"


@dataclass(frozen=True, slots=True)
class _Kept:
    job: Job
    work: Callable[[], Ended]
    turn: threading.RLock | None


def spawn(name: str, work: Callable[..., None], *given: Any) -> threading.Thread:
    """Start a thread that does not keep the program from ending."""
    thread = threading.Thread(target=work, args=given, name=name, daemon=True)
    thread.start()
    return thread


class JobRoom(ServiceBase):
    """The part of the façade that keeps background jobs."""

    def __init__(self, stores: Stores, secrets: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(stores, secrets)
        self._jobs: dict[str, _Kept] = {}
        self._job_threads: dict[str, threading.Thread] = {}
        self._turn = threading.RLock()
        """Held by what changes the archive's indexes: one after the other."""

    def jobs_of(self, kind: type[J]) -> list[J]:
        """The jobs of a kind in this session of the program, newest first."""
        return [k.job for k in reversed(list(self._jobs.values())) if isinstance(k.job, kind)]

    def archive_at_work(self) -> bool:
        """Whether a job is changing the archive: searches go over the indexes as they are."""
        return any(k.turn is self._turn and k.job.at_work for k in list(self._jobs.values()))

    def job(self, job_id: str) -> Job:
        """A job. Raises NotFound."""
        return self._kept(job_id).job

    def pause_job(self, job_id: str) -> None:
        """Let a job rest behind its present batch; `resume_job` goes on there."""
        self._ask(job_id, "pause")

    def stop_job(self, job_id: str) -> None:
        """End a job behind its present batch; what it has stored stays."""
        self._ask(job_id, "stop")

    def resume_job(self, job_id: str) -> None:
        """Let a job go on that rests or has failed. Raises NotFound, BadInput."""
        kept = self._kept(job_id)
        with self._lock:
            if kept.job.at_work or kept.job.status == "finished":
                raise BadInput(f"The job {job_id} does not rest; there is nothing to go on with.")
            self._go(kept)

    def wait_for_job(self, job_id: str, seconds: float | None = None) -> Job:
        """Wait until a job is not at work any more, or for so long; the job. Raises NotFound."""
        kept = self._kept(job_id)
        thread = self._job_threads.get(job_id)
        if thread is not None:
            thread.join(seconds)
        return kept.job

    def dismiss_job(self, job_id: str) -> None:
        """Forget a job that is not at work. Raises NotFound, BadInput."""
        with self._lock:
            if self._kept(job_id).job.at_work:
                raise BadInput(f"The job {job_id} is at work; pause or stop it first.")
            del self._jobs[job_id]

    def close(self) -> None:
        """Let the jobs come to rest, then let go of the stores."""
        for kept in list(self._jobs.values()):
            if kept.job.at_work:
                kept.job.wish = "pause"
        for thread in list(self._job_threads.values()):
            thread.join(_CLOSE_SECONDS)
        super().close()

    def _begin(
        self, job: Job, work: Callable[[], Ended], turn: threading.RLock | None = None
    ) -> str:
        """Start a job, when its turn has come where it needs one; its id."""
        kept = _Kept(job, work, turn)
        with self._lock:
            self._jobs[job.id] = kept
            self._go(kept)
        return job.id

    def _go(self, kept: _Kept) -> None:
        job = kept.job
        job.status, job.message, job.wish = "waiting", "", ""
        self._job_threads[job.id] = spawn(f"job {job.id}", self._worked, kept)

    def _worked(self, kept: _Kept) -> None:
        job = kept.job
        try:
            with _its_turn(kept) as come:
                if come:
                    job.status = "working"
                job.status = kept.work() if come else job.broken_off()
        except TraceError as error:
            job.message, job.status = str(error), "failed"
        except Exception as error:  # noqa: BLE001 - whatever ends a job, its page says so
            _LOG.exception("Job %s failed", job.id)
            job.message, job.status = f"{type(error).__name__}: {error}", "failed"
        finally:
            if self._job_threads.get(job.id) is threading.current_thread():
                del self._job_threads[job.id]

    def _ask(self, job_id: str, wish: Wish) -> None:
        job = self._kept(job_id).job
        if not job.at_work:
            raise BadInput(f"The job {job_id} is not at work; there is nothing to {wish}.")
        job.wish = wish

    def _kept(self, job_id: str) -> _Kept:
        try:
            return self._jobs[job_id]
        except KeyError:
            raise NotFound(
                f"There is no job {job_id!r} in this session of the program; what it has stored "
                "is kept."
            ) from None


@contextmanager
def _its_turn(kept: _Kept) -> Iterator[bool]:
    """Wait for a job's turn; False where it is wished to rest before."""
    if kept.turn is None:
        yield True
        return
    while not kept.turn.acquire(timeout=_LOOK_SECONDS):
        if kept.job.wish:
            yield False
            return
    try:
        yield not kept.job.wish
    finally:
        kept.turn.release()
