"""The report that every import ends in, kept with the archive and saved while the import runs.

How the numbers add up: every record or broken line that was met is `read`, and
`read = new + unchanged + changed + skipped`. `empty` and `undated` documents are among the first
three: they are in the archive, flagged and listed. Remarks (`suspicious`) count nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from trace_core.ingest.records import Problem, ProblemKind
from trace_core.ports import ReportStore

Status = Literal["running", "finished", "paused", "cancelled", "failed", "interrupted"]

LISTED = 5_000
"""Most places of one kind that a report lists one by one; beyond that it keeps sums by reason."""


class Place(BaseModel):
    """One listed problem: the place as text, its parts, the reason in one sentence."""

    model_config = ConfigDict(extra="ignore")

    where: str
    file: str
    line: int | None = None
    page: int | None = None
    reason: str


class Beyond(BaseModel):
    """The sum of problems of one reason in one file that are too many to be listed."""

    file: str
    reason: str
    count: int = 0
    first: str = ""
    last: str = ""


class Listing(BaseModel):
    """All problems of one kind: their number, those listed, and the sums of the rest."""

    count: int = 0
    places: list[Place] = Field(default_factory=list)
    beyond: list[Beyond] = Field(default_factory=list)

    def add(self, problem: Problem) -> None:
        """Count a problem and list it."""
        self.count += 1
        where, location = str(problem.location), problem.location
        if len(self.places) < LISTED:
            self.places.append(
                Place(
                    where=where,
                    file=location.file,
                    line=location.line,
                    page=location.page,
                    reason=problem.reason,
                )
            )
            return
        last = self.beyond[-1] if self.beyond else None
        if last is None or (last.file, last.reason) != (location.file, problem.reason):
            if len(self.beyond) >= LISTED:
                last = self.beyond[-1]
                last.reason = "various reasons"
            else:
                last = Beyond(file=location.file, reason=problem.reason, first=where)
                self.beyond.append(last)
        last.count += 1
        last.last = where


class CorpusCount(BaseModel):
    """What an import did in one sub-corpus."""

    name: str = ""
    new: int = 0
    unchanged: int = 0
    changed: int = 0
    empty: int = 0
    undated: int = 0


class ImportReport(BaseModel):
    """One import: what was read and what became of it. Times are ISO 8601 in UTC."""

    model_config = ConfigDict(extra="ignore")

    id: str
    source: str
    options: dict[str, str] = Field(default_factory=dict)
    status: Status = "running"
    message: str = ""
    started: str
    finished: str = ""
    updated: str = ""
    worker: str = ""
    new: int = 0
    unchanged: int = 0
    changed: int = 0
    words: int = 0
    chunks: int = 0
    files: int = 0
    corpora: dict[str, CorpusCount] = Field(default_factory=dict)
    skipped: Listing = Field(default_factory=Listing)
    empty: Listing = Field(default_factory=Listing)
    undated: Listing = Field(default_factory=Listing)
    suspicious: Listing = Field(default_factory=Listing)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def read(self) -> int:
        """Every record or broken line that was met."""
        return self.new + self.unchanged + self.changed + self.skipped.count

    def listing(self, kind: ProblemKind) -> Listing:
        """The listing of a kind of problem."""
        listings: dict[ProblemKind, Listing] = {
            "skipped": self.skipped,
            "empty": self.empty,
            "undated": self.undated,
            "suspicious": self.suspicious,
        }
        return listings[kind]

    def note(self, problem: Problem) -> None:
        """Count and list a problem."""
        self.listing(problem.kind).add(problem)

    def corpus(self, corpus: str, name: str = "") -> CorpusCount:
        """The counts of a sub-corpus."""
        return self.corpora.setdefault(corpus, CorpusCount(name=name))

    def summary(self) -> str:
        """One sentence with all counts."""
        parts = [
            f"{self.read:,} read",
            f"{self.new:,} new",
            f"{self.unchanged:,} unchanged",
            f"{self.changed:,} changed",
            f"{self.skipped.count:,} skipped",
            f"{self.empty.count:,} empty",
            f"{self.undated.count:,} undated",
        ]
        if self.suspicious.count:
            parts.append(f"{self.suspicious.count:,} remarks")
        return ", ".join(parts) + f" in {len(self.corpora)} sub-corpora."


def load_reports(store: ReportStore) -> list[ImportReport]:
    """All reports, newest first."""
    return [ImportReport.model_validate_json(body) for _, body in store.list()]


def save_report(store: ReportStore, report: ImportReport) -> None:
    """Keep a report as it stands."""
    store.save(report.id, report.model_dump_json())


def close_interrupted(store: ReportStore, alive: Sequence[str] = ()) -> list[ImportReport]:
    """Mark the reports of imports whose worker is gone as interrupted; those that were marked.

    `alive` names workers that are known to be at work.
    """
    marked = []
    for report in load_reports(store):
        if report.status != "running" or report.worker in alive or worker_alive(report.worker):
            continue
        report.status = "interrupted"
        report.message = "The import broke off; run it again and it goes on where it stopped."
        save_report(store, report)
        marked.append(report)
    return marked


def worker_name() -> str:
    """This process as host, id and start time, so that a later process is not taken for it."""
    import os
    import platform

    return f"{platform.node()}:{os.getpid()}:{_started(os.getpid())}"


def worker_alive(worker: str) -> bool:
    """Whether the process that a worker name tells of still runs; unknown hosts count as alive."""
    import os
    import platform

    host, _, rest = worker.partition(":")
    pid, _, started = rest.partition(":")
    if not pid.isdigit():
        return False
    if host != platform.node():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return started == _started(int(pid))


def _started(pid: int) -> str:
    """The start time of a process in kernel ticks where /proc tells it, else ""."""
    from pathlib import Path

    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return ""
    return fields[19]
