"""The archive: sub-corpora, imports, reports, and the state of records and indexes."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trace_core.assistant.locality import address_of, is_local
from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Scope,
    SubCorpus,
)
from trace_core.domain.errors import BadInput, EmbedderUnavailable, NotFound, TraceError
from trace_core.domain.events import now
from trace_core.ingest.importer import Importer, Progress
from trace_core.ingest.indexer import Deriver, Indexer, IndexProgress, IndexReport
from trace_core.ingest.preview import Preview, read_preview
from trace_core.ingest.records import ReadOptions
from trace_core.ingest.report import ImportReport, load_reports
from trace_core.ports import ArtifactStore, CorpusStats, Deed, Embedder, StoreHealth, TwinGroup
from trace_core.search.embedders import LSA_ARTIFACT, LiteLlmEmbedder, open_embedder
from trace_core.search.form_deriver import FormsDeriver
from trace_core.search.lsa import LatentIndex, LsaSettings
from trace_core.search.weights import (
    WEIGHED,
    WEIGHTS_ARTIFACT,
    as_artifact,
    earn,
    measured_with,
    probes,
)
from trace_core.service.search import SearchRoom
from trace_core.service.views import CorpusView, Job, Wish
from trace_core.settings import IndexSettings

ImportWatch = Callable[[Progress], Wish]
IndexWatch = Callable[[IndexProgress], Wish]


class ArchiveRoom(SearchRoom):
    """The part of the façade that keeps the archive."""

    # --- sub-corpora ---------------------------------------------------------------------------

    def corpora(self) -> list[CorpusView]:
        """All sub-corpora with their numbers."""
        stats = {s.corpus: s for s in self.stores.documents.stats()}
        return [
            CorpusView(corpus, stats.get(corpus.id) or _no_stats(corpus.id))
            for corpus in self.stores.documents.corpora()
        ]

    def set_corpus(
        self, corpus_id: str, *, person: str = "", reason: str = "", **changes: Any
    ) -> SubCorpus:
        """Describe or rename a sub-corpus; what is not given stays, and so does its id.

        Who did it and why is recorded. Raises NotFound, BadInput.
        """
        corpus = self.corpus(corpus_id)
        given = {name: value for name, value in changes.items() if value is not None}
        if "name" in given and not str(given["name"]).strip():
            raise BadInput("A sub-corpus needs a name.")
        language = str(given.get("language", "")).strip().lower()
        if language and not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]+)*", language):
            raise BadInput(f"A language is written as its code (fr, de, la), not {language!r}.")
        if "language" in given:
            given["language"] = language
        if "aliases" in given:
            given["aliases"] = tuple(
                dict.fromkeys(a.strip() for a in given["aliases"] if a.strip())
            )
        try:
            described = replace(corpus, **given)
        except TypeError:
            known = "name, aliases, kind, language, description, local_only, citation"
            raise BadInput(f"A sub-corpus has {known}; one of the given fields is none.") from None
        details = {
            name: f"{_plain(getattr(corpus, name))} → {_plain(value)}"
            for name, value in given.items()
            if getattr(corpus, name) != value
        }
        deed = Deed("describe", corpus.id, person or "historian", reason, now(), details)
        self.stores.upkeep.describe(described, deed)
        self.forget()
        return described

    def add_corpus(self, corpus: SubCorpus) -> None:
        """Add a sub-corpus, or replace its description."""
        self.stores.documents.put_corpus(corpus)
        self.forget()

    def browse(
        self,
        scope: Scope,
        offset: int = 0,
        limit: int = 100,
        *,
        withdrawn: bool = False,
        worst_first: bool = False,
    ) -> list[DocumentHead]:
        """A page of the documents inside a scope, by sub-corpus and date or the worst read first.

        On wish with those that were withdrawn.
        """
        return self.stores.documents.browse(
            scope, offset=offset, limit=limit, withdrawn=withdrawn, worst_first=worst_first
        )

    def count(self, scope: Scope, *, withdrawn: bool = False) -> tuple[int, int]:
        """(documents inside the scope, undated ones that its dates leave out)."""
        return self.stores.documents.count(scope, withdrawn=withdrawn)

    def document(self, key: DocumentKey, version: int | None = None) -> Document:
        """One document."""
        return self.stores.documents.document(key, version)

    def heads(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, DocumentHead]:
        """What lists show of the documents that exist."""
        return self.stores.documents.heads(keys)

    def versions(self, key: DocumentKey) -> list[int]:
        """The versions kept of a document."""
        return self.stores.documents.versions(key)

    def chunks_of(self, key: DocumentKey, version: int | None = None) -> list[Chunk]:
        """The chunks of a document."""
        return self.stores.documents.chunks_of(key, version)

    def duplicates(self, offset: int = 0, limit: int = 100) -> list[TwinGroup]:
        """A page of the groups of documents with the same text, or nearly the same."""
        return self.stores.twins.groups(offset, limit)

    def count_duplicates(self) -> tuple[int, int]:
        """(groups of documents with the same text, documents in them)."""
        return self.stores.twins.count()

    # --- imports -------------------------------------------------------------------------------

    def preview_import(self, path: Path, options: ReadOptions | None = None) -> Preview:
        """What an import would read, without storing anything."""
        return read_preview(path, options)

    def run_import(
        self,
        path: Path,
        options: ReadOptions | None = None,
        progress: ImportWatch | None = None,
        index_progress: IndexWatch | None = None,
    ) -> ImportReport:
        """Import and index. Raises BadInput or NotFound for a source that cannot be read."""
        importer = Importer(self.stores.documents, self.stores.reports, self.settings().index)
        report = importer.run(path, options, progress or (lambda _: ""))
        self.index(index_progress)
        return report

    def start_import(self, path: Path, options: ReadOptions | None = None) -> str:
        """Import in the background; the job's id. It goes on when the page is closed."""
        read_preview(path, options, limit=1)
        job = Job(uuid.uuid4().hex[:8], str(path))
        with self._lock:
            self._jobs[job.id] = job
        thread = threading.Thread(target=self._import_job, args=(job, path, options), daemon=True)
        thread.name = f"import {job.id}"
        thread.start()
        return job.id

    def pause_import(self, job_id: str) -> None:
        """Let a background import rest behind its next batch; the same import goes on later."""
        self.job(job_id).wish = "pause"

    def job(self, job_id: str) -> Job:
        """A background import. Raises NotFound."""
        try:
            return self._jobs[job_id]
        except KeyError:
            raise NotFound(f"There is no import {job_id!r} at work; see the reports.") from None

    def jobs(self) -> list[Job]:
        """Background imports of this session of the program, newest first."""
        return list(reversed(self._jobs.values()))

    def _import_job(self, job: Job, path: Path, options: ReadOptions | None) -> None:
        def reading(progress: Progress) -> Wish:
            job.share, job.left = progress.share, progress.left
            job.message = f"{progress.read:,} read, {progress.new:,} new"
            return job.wish

        def indexing(progress: IndexProgress) -> Wish:
            job.status, job.message = "indexing", progress.stage
            job.share = progress.done / progress.total if progress.total else 0.0
            return job.wish

        try:
            job.report = self.run_import(path, options, reading, indexing)
            job.status, job.message = "finished", job.report.summary()
            if job.wish:
                job.status = "paused"
        except TraceError as error:
            job.status, job.message = "failed", str(error)
        except Exception as error:
            job.status, job.message = "failed", f"{type(error).__name__}: {error}"
            raise

    def reports(self) -> list[ImportReport]:
        """All import reports, newest first."""
        return load_reports(self.stores.reports)

    def report(self, report_id: str) -> ImportReport:
        """One import report. Raises NotFound."""
        body = self.stores.reports.load(report_id)
        if body is None:
            raise NotFound(f"There is no import report {report_id!r}; `reports` lists them.")
        return ImportReport.model_validate_json(body)

    def export_archive(
        self,
        path: Path,
        corpora: Sequence[str] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Write the archive, or some of its sub-corpora, to .jsonl or .parquet, without any loss.

        `progress` is told (documents written, documents in all). Returns how many were written.
        Raises BadInput for another suffix or a place that cannot be written.
        """
        from trace_core.export.archive import export_archive

        named = [self.corpus(corpus_id).id for corpus_id in corpora]
        total = sum(
            stats.documents + stats.withdrawn
            for stats in self.stores.documents.stats()
            if not named or stats.corpus in named
        )

        def watch(done: int) -> None:
            if progress is not None:
                progress(done, total)

        try:
            return export_archive(self.stores.documents, path, Scope(tuple(named)), watch)
        except OSError as error:
            raise BadInput(
                f"{path} cannot be written ({error.strerror or error}); name another place."
            ) from None

    # --- indexes -------------------------------------------------------------------------------

    def index(self, progress: IndexWatch | None = None) -> IndexReport:
        """Bring the indexes up to the records."""
        try:
            report = self._indexer().run(progress or (lambda _: ""))
            self._weigh(report)
            return report
        finally:
            self.forget()

    def reindex(self, progress: IndexWatch | None = None) -> IndexReport:
        """Build both indexes and the derived models anew from the records."""
        try:
            report = self._indexer().reindex(progress or (lambda _: ""))
            self._weigh(report)
            return report
        finally:
            self.forget()

    def _weigh(self, report: IndexReport) -> None:
        """Measure anew what each channel is worth once a model behind them was made anew."""
        self.forget()
        embedder = self._embedder(self.settings().index)
        behind = embedder.version if embedder else "none"
        same = measured_with(self.stores.artifacts.load(WEIGHTS_ARTIFACT)) == behind
        if not report.complete or (same and not (report.derived or report.trained)):
            return
        earned = earn(self.retriever().of(WEIGHED), probes(self.stores.documents))
        self.stores.artifacts.save(WEIGHTS_ARTIFACT, as_artifact(earned, behind))

    def derivers(self) -> Sequence[Deriver]:
        """The derived models besides the vectors that this archive keeps."""
        return (FormsDeriver(),)

    def health(self) -> StoreHealth:
        """Whether records and indexes agree, and what to do if not."""
        return self.stores.health()

    def _indexer(self) -> Indexer:
        stores, settings = self.stores, self.settings().index
        return Indexer(
            documents=stores.documents,
            queue=stores.queue,
            lexical=stores.lexical,
            vectors=stores.vectors,
            artifacts=stores.artifacts,
            settings=settings,
            open_embedder=lambda: self._embedder_allowed(settings),
            train=self._train,
            derivers=self.derivers(),
            twins=stores.twins,
        )

    def _embedder_allowed(self, settings: IndexSettings) -> Embedder | None:
        """The embedder that the settings name, unless it would send texts that must stay here."""
        embedder = open_embedder(settings, self.stores.artifacts)
        kept_here = [c.name for c in self.stores.documents.corpora() if c.local_only]
        if not kept_here or not isinstance(embedder, LiteLlmEmbedder):
            return embedder
        if not is_local(address_of(embedder.name, embedder.address), embedder.name):
            raise EmbedderUnavailable(
                f"{', '.join(kept_here)} must stay on this machine, but the embedder "
                f"{settings.embedder!r} is on another; set index.embedder to lsa or to a local "
                "model, and reindex."
            )
        return embedder

    def _train(self, texts: Iterator[str], artifacts: ArtifactStore) -> Embedder:
        settings = self.settings().index
        wanted = LsaSettings(dimensions=settings.lsa_dimensions, sample=settings.lsa_sample)
        index = LatentIndex.fit(texts, wanted)
        artifacts.save(LSA_ARTIFACT, index.artifact())
        return index


def read_options(mapping: Mapping[str, str], **given: Any) -> ReadOptions:
    """Options of an import from what a person gave; empty values mean "find out"."""
    chosen = {name: value for name, value in given.items() if value not in ("", None)}
    return ReadOptions(mapping=dict(mapping), **chosen)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _no_stats(corpus_id: str) -> CorpusStats:
    return CorpusStats(corpus_id, 0, 0, 0, 0, 0, None, None)
