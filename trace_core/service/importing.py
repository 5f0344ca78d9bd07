"""Imports: looked at before, run at once or in the background, and their reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from trace_core.domain.errors import BadInput, NotFound
from trace_core.ingest.importer import Importer, Progress
from trace_core.ingest.importer import watch_nothing as import_unwatched
from trace_core.ingest.indexer import watch_nothing as index_unwatched
from trace_core.ingest.options_text import from_text
from trace_core.ingest.preview import Preview, read_preview
from trace_core.ingest.records import ReadOptions
from trace_core.ingest.report import ImportReport, close_interrupted, load_reports
from trace_core.ports import Wish
from trace_core.service.indexing import ArchiveJob, IndexingRoom, IndexWatch
from trace_core.service.jobs import Ended

ImportWatch = Callable[[Progress], Wish]
UNDONE = ("paused", "cancelled", "interrupted", "failed")
"""States of a report whose import has not read all of its source."""


class ImportRoom(IndexingRoom):
    """The part of the façade that takes sources in."""

    def preview_import(self, path: Path, options: ReadOptions | None = None) -> Preview:
        """What an import would read, without storing anything."""
        return read_preview(path, options)

    def run_import(
        self,
        path: Path,
        options: ReadOptions | None = None,
        progress: ImportWatch = import_unwatched,
        index_progress: IndexWatch = index_unwatched,
    ) -> ImportReport:
        """Import and index. Raises BadInput or NotFound for a source that cannot be read."""
        with self._turn:
            report = self._importer().run(path, options, progress)
            self.index(index_progress)
            return report

    def start_import(self, path: Path, options: ReadOptions | None = None) -> str:
        """Import and index in the background; the job's id. It goes on when the page is closed.

        Raises BadInput or NotFound for a source that cannot be read.
        """
        read_preview(path, options, limit=1)
        job = ArchiveJob(kind="import", about=str(path))
        return self._begin(job, lambda: self._imported(job, path, options), self._turn)

    def resume_import(self, report_id: str) -> str:
        """Go on with an import that has not read all of its source; the new job's id.

        What is stored already is found unchanged. Raises NotFound, and BadInput for an import
        that has finished or whose source is gone.
        """
        report = self.report(report_id)
        if report.status not in UNDONE:
            raise BadInput(f"The import {report_id} is {report.status}; there is nothing to do.")
        return self.start_import(Path(report.source), from_text(report.options))

    def reports(self) -> list[ImportReport]:
        """All import reports, newest first; those of a process that died are marked so."""
        close_interrupted(self.stores.reports)
        return load_reports(self.stores.reports)

    def report(self, report_id: str) -> ImportReport:
        """One import report. Raises NotFound."""
        body = self.stores.reports.load(report_id)
        if body is None:
            raise NotFound(f"There is no import report {report_id!r}; `reports` lists them.")
        return ImportReport.model_validate_json(body)

    def _importer(self) -> Importer:
        return Importer(self.stores.documents, self.stores.reports, self.settings().index)

    def _imported(self, job: ArchiveJob, path: Path, options: ReadOptions | None) -> Ended:
        # A job that rested while it indexed need not read its source again.
        if job.report is None or job.report.status != "finished":
            job.report = self._importer().run(path, options, job.reading)
            if job.report.status != "finished":
                return job.broken_off()
        return self._indexed(job)


def read_options(mapping: Mapping[str, str], **given: Any) -> ReadOptions:
    """Options of an import from what a person gave; empty values mean "find out"."""
    chosen = {name: value for name, value in given.items() if value not in ("", None)}
    return ReadOptions(mapping=dict(mapping), **chosen)
