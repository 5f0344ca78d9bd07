"""The import: read, prepare, store in batches, report; nothing is lost and nothing is doubled.

In comes a path, out comes a report. Each batch is one transaction of the document store, which
also queues its chunks for the indexes; so an import can be killed at any moment, and the same
import run again finds what is there unchanged and goes on behind it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import TraceError
from trace_core.ingest.corpora import as_sub_corpus
from trace_core.ingest.options_text import as_text
from trace_core.ingest.preparing import prepare, record_fingerprint
from trace_core.ingest.reading import Position, read_source
from trace_core.ingest.records import (
    CorpusHint,
    CorpusRecord,
    Item,
    Problem,
    ReadOptions,
    SourceRecord,
)
from trace_core.ingest.report import (
    ImportReport,
    close_interrupted,
    save_report,
    worker_name,
)
from trace_core.ingest.seen import Seen
from trace_core.ingest.storable import storable
from trace_core.ports import DocumentStore, ReportStore, StoredDocument, Wish
from trace_core.settings import IndexSettings

BATCH_DOCUMENTS = 1_000
BATCH_CHARACTERS = 4_000_000
_SAVE_SECONDS = 2.0
_MEASURED_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is. `left` is the estimate of the seconds that remain, None if unknown.

    `share` goes from 0 to 1 by bytes of the source; `file` is the one being read.
    """

    read: int
    new: int
    unchanged: int
    changed: int
    skipped: int
    share: float
    seconds: float
    left: float | None
    file: str


Watch = Callable[[Progress], Wish]
"""Called after each batch; "pause" or "stop" ends the import behind that batch."""


def watch_nothing(progress: Progress) -> Wish:
    """The watch of an import that nobody looks at."""
    del progress
    return ""


@dataclass
class _Run:
    """What one import carries along: its report, its batch, what it has met."""

    report: ImportReport
    position: Position
    seen: Seen
    watch: Watch
    started: float
    batch: list[SourceRecord]
    languages: dict[str, Counter[str]] = field(default_factory=dict)
    characters: int = 0
    saved: float = 0.0

    def count_language(self, corpus: str, language: str) -> None:
        """Note the language of a document."""
        self.languages.setdefault(corpus, Counter())[language] += 1


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a report counts of a document besides its outcome."""

    corpus_name: str
    problems: tuple[Problem, ...]
    words: int
    chunks: int


class Importer:
    """Brings sources into an archive. One instance may run many imports, one after another."""

    def __init__(
        self,
        documents: DocumentStore,
        reports: ReportStore,
        settings: IndexSettings | None = None,
        batch_documents: int = BATCH_DOCUMENTS,
    ) -> None:
        self._documents = documents
        self._reports = reports
        self._settings = settings or IndexSettings()
        self._batch_documents = batch_documents
        self._corpora: set[str] = set()

    def run(
        self, source: Path, options: ReadOptions | None = None, progress: Watch = watch_nothing
    ) -> ImportReport:
        """Import a file, folder or archive; the report says what became of every record.

        Raises BadInput or NotFound where the source cannot be read at all; the report is kept then
        too. A paused or cancelled import leaves what it has stored; run again, it goes on.
        """
        options = options or ReadOptions()
        close_interrupted(self._reports)
        self._corpora = {corpus.id for corpus in self._documents.corpora()}
        report = _new_report(source, options)
        save_report(self._reports, report)
        with closing(Seen()) as seen:
            run = _Run(report, Position(), seen, progress, time.monotonic(), [])
            try:
                wish = self._drain(run, read_source(source, options, run.position))
            except BaseException as error:
                # Whatever ends an import, its report says so; the error itself goes on.
                by_hand = isinstance(error, KeyboardInterrupt)
                message = str(error) if isinstance(error, TraceError) else type(error).__name__
                self._close(
                    run,
                    "interrupted" if by_hand else "failed",
                    "The import was broken off; run it again." if by_hand else message,
                )
                raise
        status: dict[Wish, Literal["finished", "paused", "cancelled"]] = {
            "": "finished",
            "pause": "paused",
            "stop": "cancelled",
        }
        message = "" if not wish else "Run the same import again to go on where it stopped."
        self._close(run, status[wish], message)
        return report

    def _drain(self, run: _Run, items: Iterator[Item]) -> Wish:
        with closing(items):  # type: ignore[type-var]
            for item in items:
                if isinstance(item, Problem):
                    run.report.note(item)
                elif isinstance(item, CorpusRecord):
                    self._restore_corpus(item)
                else:
                    self._take(run, item)
                if len(run.batch) >= self._batch_documents or run.characters >= BATCH_CHARACTERS:
                    wish = self._store(run)
                    if wish:
                        return wish
        self._store(run, last=True)
        # With its source read to the end it has finished, whatever was wished meanwhile.
        return ""

    def _take(self, run: _Run, record: SourceRecord) -> None:
        record, remark = storable(record)
        if remark is not None:
            run.report.note(remark)
        key = _key(record)
        place = run.seen.place(key, f"{record.title}\0{record.date_written}\0{record.text}")
        if place == 0:
            run.report.note(
                Problem(
                    record.location, f"the document {key} stands in the source twice, word by word"
                )
            )
            return
        if place > 1:
            renamed = f"{record.source_id}~{place}"
            reason = f"the id {key} is given to another document too; this one is kept as {renamed}"
            run.report.note(Problem(record.location, reason, "suspicious"))
            record = replace(record, source_id=renamed)
        self._ensure_corpus(record.corpus)
        run.batch.append(record)
        run.characters += len(record.text)

    def _store(self, run: _Run, *, last: bool = False) -> Wish:
        batch, run.batch, run.characters = run.batch, [], 0
        if batch:
            self._add(run, self._skip_known(run, batch))
        now = time.monotonic()
        run.report.files = run.position.files
        if now - run.saved >= _SAVE_SECONDS and not last:
            run.saved = now
            run.report.updated = _now()
            save_report(self._reports, run.report)
        return run.watch(_progress(run, now, last=last)) if batch or last else ""

    def _skip_known(self, run: _Run, batch: list[SourceRecord]) -> list[tuple[SourceRecord, bytes]]:
        """The records that are to be made ready; those known to be unchanged are counted."""
        known = self._documents.sources({_key(record) for record in batch})
        rest = []
        for record in batch:
            source = record_fingerprint(record, self._settings)
            found = known.get(_key(record))
            if found is None or not source or found.source != source:
                rest.append((record, source))
                continue
            run.count_language(record.corpus.id, found.language)
            stored = StoredDocument(found.key, "unchanged", found.version, ())
            name = record.corpus.name or record.corpus.id
            _count(run.report, _Counted(name, (), found.words, found.chunks), stored)
        return rest

    def _add(self, run: _Run, records: list[tuple[SourceRecord, bytes]]) -> None:
        batch = [
            prepare(record, self._settings, run.report.id, source) for record, source in records
        ]
        stored = self._documents.add([prepared.new for prepared in batch])
        for prepared, outcome in zip(batch, stored, strict=True):
            counted = _Counted(
                prepared.corpus_name, prepared.problems, prepared.words, len(prepared.new.spans)
            )
            _count(run.report, counted, outcome)
            document = prepared.new.document
            run.count_language(document.key.corpus, document.language)
        withdrawn = [p.new.document.key for p in batch if p.new.document.withdrawn]
        if withdrawn:
            self._documents.withdraw(withdrawn)

    def _ensure_corpus(self, hint: CorpusHint) -> None:
        # A sub-corpus that exists is the historian's: hints never touch it again.
        if hint.id not in self._corpora:
            self._documents.put_corpus(as_sub_corpus(hint))
            self._corpora.add(hint.id)

    def _restore_corpus(self, record: CorpusRecord) -> None:
        if record.corpus.id not in self._corpora:
            self._documents.put_corpus(record.corpus)
            self._corpora.add(record.corpus.id)

    def _name_languages(self, run: _Run) -> None:
        """Give a sub-corpus without a language that of its documents, where they agree.

        Only where this import has met all its documents: what others were, it does not know.
        """
        totals = {s.corpus: s.documents + s.withdrawn for s in self._documents.stats()}
        for corpus in self._documents.corpora():
            languages = run.languages.get(corpus.id)
            if corpus.language or not languages:
                continue
            (language, most), met = languages.most_common(1)[0], languages.total()
            if language and most >= 0.9 * met and met >= totals.get(corpus.id, 0):
                self._documents.put_corpus(replace(corpus, language=language))

    def _close(
        self,
        run: _Run,
        status: Literal["finished", "paused", "cancelled", "failed", "interrupted"],
        message: str,
    ) -> None:
        self._name_languages(run)
        run.report.status, run.report.message = status, message
        run.report.finished = run.report.updated = _now()
        run.report.files = run.position.files
        save_report(self._reports, run.report)


def _key(record: SourceRecord) -> DocumentKey:
    return DocumentKey(record.corpus.id, record.source_id)


def _count(report: ImportReport, prepared: _Counted, stored: StoredDocument) -> None:
    corpus = report.corpus(stored.key.corpus, prepared.corpus_name)
    setattr(report, stored.outcome, getattr(report, stored.outcome) + 1)
    setattr(corpus, stored.outcome, getattr(corpus, stored.outcome) + 1)
    for problem in prepared.problems:
        report.note(problem)
        corpus.empty += problem.kind == "empty"
        corpus.undated += problem.kind == "undated"
    report.words += prepared.words
    report.chunks += prepared.chunks


def _progress(run: _Run, now: float, *, last: bool) -> Progress:
    seconds = now - run.started
    total, done = run.position.total, run.position.bytes_read
    share = 1.0 if last else min(done / total, 0.999) if total else 0.0
    known = share > 0.01 and seconds > _MEASURED_SECONDS
    report = run.report
    return Progress(
        read=report.read,
        new=report.new,
        unchanged=report.unchanged,
        changed=report.changed,
        skipped=report.skipped.count,
        share=share,
        seconds=seconds,
        left=seconds / share - seconds if known else None,
        file=run.position.file,
    )


def _new_report(source: Path, options: ReadOptions) -> ImportReport:
    now = datetime.now(UTC)
    return ImportReport(
        id=f"import-{now:%Y%m%dT%H%M%S%f}",
        source=str(source),
        options=as_text(options),
        started=now.isoformat(timespec="seconds"),
        updated=now.isoformat(timespec="seconds"),
        worker=worker_name(),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
