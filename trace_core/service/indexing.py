"""The indexes: brought up to the records, built anew, in the background where a page waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from trace_core.assistant.locality import address_of, is_local
from trace_core.domain.errors import EmbedderUnavailable
from trace_core.ingest.importer import Progress
from trace_core.ingest.indexer import Deriver, Indexer, IndexProgress, IndexReport, Stage
from trace_core.ingest.indexer import watch_nothing as index_unwatched
from trace_core.ingest.report import ImportReport
from trace_core.ports import ArtifactStore, Embedder, Wish
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
from trace_core.service.jobs import Ended, Job
from trace_core.service.search import SearchRoom
from trace_core.settings import IndexSettings

IndexWatch = Callable[[IndexProgress], Wish]
JobKind = Literal["import", "withdraw", "restore", "merge", "unmerge", "index", "reindex"]

_MEASURED_SECONDS = 1.0


@dataclass(slots=True, kw_only=True)
class ArchiveJob(Job):
    """An import at work, or the indexes on their way to what was done to the records.

    `about` names the source, or what was withdrawn or merged. `step` is what is being done and
    `done` of `total` how far that is (`total` is 0 where it is not known); `share` tells the same
    from 0 to 1, and `left` estimates the seconds that the step still takes.
    """

    kind: JobKind
    about: str = ""
    step: Literal["", "reading"] | Stage = ""
    done: int = 0
    total: int = 0
    share: float = 0.0
    left: float | None = None
    report: ImportReport | None = None
    began: float = 0.0

    def reading(self, progress: Progress) -> Wish:
        """The watch of an import."""
        self.step, self.done, self.total = "reading", progress.read, 0
        self.share, self.left = progress.share, progress.left
        return self.wish

    def indexing(self, progress: IndexProgress) -> Wish:
        """The watch of an indexing."""
        now = time.monotonic()
        if progress.stage != self.step:
            self.step, self.began = progress.stage, now
        self.done, self.total = progress.done, progress.total
        self.share = min(1.0, self.done / self.total) if self.total else 0.0
        seconds = now - self.began
        known = self.share > 0 and seconds > _MEASURED_SECONDS
        self.left = seconds / self.share - seconds if known else None
        return self.wish


class IndexingRoom(SearchRoom):
    """The part of the façade that keeps the indexes."""

    def index(self, progress: IndexWatch = index_unwatched) -> IndexReport:
        """Bring the indexes up to the records."""
        return self._built(self._indexer().run, progress)

    def reindex(self, progress: IndexWatch = index_unwatched) -> IndexReport:
        """Build both indexes and the derived models anew from the records, and the list of runs.

        What the list tells of a run follows from its events.
        """
        self.stores.events.relist()
        return self._built(self._indexer().reindex, progress)

    def start_index(self, kind: JobKind, about: str = "") -> str:
        """Bring the indexes up to the records in the background; the job's id.

        `reindex` builds them anew. Searches go on meanwhile, over the indexes as they are.
        """
        job = ArchiveJob(kind=kind, about=about)
        return self._begin(job, lambda: self._indexed(job), self._turn)

    def archive_jobs(self) -> list[ArchiveJob]:
        """Imports and other work on the archive in this session of the program, newest first."""
        return self.jobs_of(ArchiveJob)

    def derivers(self) -> Sequence[Deriver]:
        """The derived models besides the vectors that this archive keeps."""
        return (FormsDeriver(),)

    def _caught_up(self, kind: JobKind, about: str, *, wait: bool) -> None:
        """Let the indexes follow a change of the records: at once, or in the background."""
        if wait:
            self.index()
        else:
            self.start_index(kind, about)

    def _indexed(self, job: ArchiveJob) -> Ended:
        anew = job.kind == "reindex" and not job.step
        report = (self.reindex if anew else self.index)(job.indexing)
        return "finished" if report.complete else job.broken_off()

    def _built(
        self, build: Callable[[IndexWatch], IndexReport], progress: IndexWatch
    ) -> IndexReport:
        with self._turn:
            try:
                report = build(progress)
                self._weigh(report, progress)
                return report
            finally:
                self.forget()

    def _weigh(self, report: IndexReport, progress: IndexWatch) -> None:
        """Measure anew what each channel is worth once a model behind them was made anew."""
        self.forget()
        embedder = self._embedder(self.settings().index)
        behind = embedder.version if embedder else "none"
        same = measured_with(self.stores.artifacts.load(WEIGHTS_ARTIFACT)) == behind
        if not report.complete or (same and not (report.derived or report.trained)):
            return
        progress(IndexProgress("weighing", 0, 0))
        earned = earn(self.retriever().of(WEIGHED), probes(self.stores.documents))
        self.stores.artifacts.save(WEIGHTS_ARTIFACT, as_artifact(earned, behind))

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
