"""What the rooms of the façade share: the stores, the settings, the searching machinery."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType, TracebackType
from typing import Self

from trace_core.assistant.tasks import ArchiveContext
from trace_core.assistant.tasks import CorpusView as ContextCorpus
from trace_core.domain.corpus import SubCorpus
from trace_core.domain.errors import EmbedderUnavailable, NotFound
from trace_core.domain.question import ScopeSpec
from trace_core.domain.state import RunState
from trace_core.ingest.indexer import chunking, load_state
from trace_core.ports import (
    DocumentStore,
    Embedder,
    LexicalIndex,
    StoreHealth,
    Stores,
    VectorIndex,
)
from trace_core.search.bm25 import Bm25Channel
from trace_core.search.channel import Channel
from trace_core.search.date import DateChannel, DateSettings
from trace_core.search.dense import DenseChannel
from trace_core.search.embedders import open_embedder
from trace_core.search.exact import ExactChannel
from trace_core.search.form_deriver import KeptForms
from trace_core.search.fuzzy import FuzzyChannel
from trace_core.search.fuzzy_plan import FuzzyLimits
from trace_core.search.reranker import CrossEncoderReranker
from trace_core.search.retriever import Helps, Retriever
from trace_core.search.weights import WEIGHTS_ARTIFACT, Earned, from_artifact
from trace_core.search.within import Gate
from trace_core.settings import IndexSettings, SearchSettings, Settings


@dataclass(frozen=True, slots=True)
class SearchedStores:
    """The records and indexes that a search goes over: the archive's, or as a replay sees them."""

    documents: DocumentStore
    lexical: LexicalIndex
    vectors: VectorIndex

    @classmethod
    def of(cls, stores: Stores) -> SearchedStores:
        """The archive's own."""
        return cls(stores.documents, stores.lexical, stores.vectors)


class ServiceBase:
    """Holds the stores and builds, once for each state of the archive, what searches it."""

    def __init__(self, stores: Stores, secrets: Mapping[str, str] = MappingProxyType({})) -> None:
        self.stores = stores
        self._secrets = secrets
        self._lock = threading.RLock()
        self._agreed_at: int | None = None
        self._embedders: dict[str, Embedder | None] = {}
        self._retrievers: dict[str, Retriever] = {}
        self._rerankers: dict[str, CrossEncoderReranker] = {}
        self._states: dict[str, RunState] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._pauses: dict[str, str] = {}

    # --- settings ------------------------------------------------------------------------------

    def settings(self) -> Settings:
        """The workspace's settings: the defaults with what was changed here."""
        return Settings().merged(self.stores.settings.load())

    def index_version(self) -> str:
        """Changes whenever the same search could bring something else."""
        embedder = self._embedder(self.settings().index)
        return f"{self.stores.generation()}:{embedder.version if embedder else 'none'}"

    # --- sub-corpora ---------------------------------------------------------------------------

    def corpus(self, corpus_id: str) -> SubCorpus:
        """A sub-corpus by its id; the one that another was merged into answers for it too.

        Raises NotFound with the ids there are.
        """
        known = {corpus.id: corpus for corpus in self.stores.documents.corpora()}
        corpus_id = self._former().get(corpus_id, corpus_id)
        if corpus_id in known:
            return known[corpus_id]
        if not known:
            raise NotFound("The archive has no sub-corpus yet; import something first.")
        raise NotFound(
            f"There is no sub-corpus {corpus_id!r}; the archive has {', '.join(sorted(known))}."
        )

    def _former(self) -> dict[str, str]:
        """The present sub-corpora of those that were merged."""
        return {old: corpus.into for old, corpus in self.stores.upkeep.former_corpora().items()}

    def archive_context(self, scope: ScopeSpec, since: str = "") -> ArchiveContext:
        """The sub-corpora inside a scope with their numbers, as assistants are told of them.

        `since` is when the run began that asks (ISO 8601), "" for one that has found nothing yet.
        """
        stats = {s.corpus: s for s in self.stores.documents.stats()}
        former = self._former()
        inside = {former.get(corpus, corpus) for corpus in scope.corpora}
        views = []
        for corpus in self.stores.documents.corpora():
            if inside and corpus.id not in inside:
                continue
            of = stats.get(corpus.id)
            views.append(
                ContextCorpus(
                    corpus=corpus,
                    documents=of.documents if of else 0,
                    chunks=of.chunks if of else 0,
                    earliest=of.earliest if of else None,
                    latest=of.latest if of else None,
                )
            )
        return ArchiveContext(tuple(views), scope, self._kept_here(since))

    def _kept_here(self, since: str) -> frozenset[str]:
        """Ids under which text that must stay on this machine may have been found before.

        What was found in a sub-corpus before another one was given back out of it may be that
        other one's; the last to be given back is looked at first, for merges in a row.
        """
        local = {corpus.id for corpus in self.stores.documents.corpora() if corpus.local_only}
        kept = {old for old, now in self._former().items() if now in local}
        for deed in reversed(self.stores.upkeep.deeds() if since else []):
            if deed.kind == "unmerge" and deed.time >= since and deed.target in local | kept:
                kept.add(deed.details["out of"])
        return frozenset(kept)

    def disagreement(self) -> str:
        """What to do when an index lacks what the records hold; empty when all agree.

        Looked at once for each state of the archive, so that a search does not pay for it, and
        again as long as something is wrong.
        """
        generation = self.stores.generation()
        if self._agreed_at == generation:
            return ""
        health = self.health()
        self._agreed_at = generation if health.ok else None
        return health.sentence

    def health(self) -> StoreHealth:
        """Whether records, indexes and the settings of the index agree, and what to do if not."""
        health = self.stores.health()
        cut, wanted = load_state(self.stores.artifacts).chunking, chunking(self.settings().index)
        if not health.ok or cut in ("", wanted):
            return health
        sentence = (
            f"The passages are cut at {cut}, and the settings ask for {wanted}; run `reindex` to "
            "cut and index them anew."
        )
        return replace(health, ok=False, sentence=sentence)

    # --- searching -----------------------------------------------------------------------------

    def retriever(self, search: SearchSettings | None = None) -> Retriever:
        """The channels over the archive as it is now, with these search settings."""
        settings = self.settings()
        wanted = search or settings.search
        key = f"{self._embedder_key(settings.index)}|{wanted.model_dump_json()}"
        with self._lock:
            if key not in self._retrievers:
                found = self.build_retriever(settings.index, wanted, SearchedStores.of(self.stores))
                self._retrievers = {key: found}
            return self._retrievers[key]

    def build_retriever(
        self, index: IndexSettings, search: SearchSettings, over: SearchedStores
    ) -> Retriever:
        """All channels over these records and indexes."""
        documents, gate = over.documents, Gate(over.documents, self._former())
        lexical = gate.lexical(over.lexical)
        dates = DateSettings(search.date_window, search.date_decay)
        channels: list[Channel] = [
            Bm25Channel(lexical),
            DenseChannel(gate.vectors(over.vectors), self._embedder(index)),
            DateChannel(documents, lexical, dates),
            ExactChannel(lexical, documents),
            FuzzyChannel(lexical, documents, self._forms(), FuzzyLimits(search.fuzzy_least)),
        ]
        earned = self.channel_weights() if search.weights == "earned" else {}
        factors = {name: weight.factor for name, weight in earned.items()}
        return Retriever(channels, search, documents, Helps(factors, self.reranker(search)))

    def reranker(self, search: SearchSettings) -> CrossEncoderReranker | None:
        """The cross-encoder that these settings name, loaded once; None where they name none."""
        if not search.reranker:
            return None
        with self._lock:
            if search.reranker not in self._rerankers:
                self._rerankers = {search.reranker: CrossEncoderReranker(search.reranker)}
            return self._rerankers[search.reranker]

    def ordering_reranker(self, settings: Settings) -> CrossEncoderReranker | None:
        """The cross-encoder that orders a run's final list; None where the assistant does."""
        by_reranker = settings.loop.group_order == "reranker"
        return self.reranker(settings.search) if by_reranker else None

    def channel_weights(self) -> Mapping[str, Earned]:
        """What each channel has earned in this archive; empty where nothing was measured yet."""
        return from_artifact(self.stores.artifacts.load(WEIGHTS_ARTIFACT))

    def _forms(self) -> KeptForms:
        return KeptForms(self.stores.artifacts)

    def _embedder(self, index: IndexSettings) -> Embedder | None:
        key = self._embedder_key(index)
        with self._lock:
            if key not in self._embedders:
                try:
                    loaded = open_embedder(index, self.stores.artifacts)
                except EmbedderUnavailable:
                    # The search goes on without its dense channel; `health` says why.
                    loaded = None
                self._embedders = {key: loaded}
            return self._embedders[key]

    def _embedder_key(self, index: IndexSettings) -> str:
        return f"{self.stores.generation()}|{index.model_dump_json()}"

    def forget(self) -> None:
        """Build the searching machinery anew at its next use (after an import or a reindex)."""
        with self._lock:
            self._embedders.clear()
            self._retrievers.clear()
            self._agreed_at = None

    def close(self) -> None:
        """Let go of the stores."""
        self.stores.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()
