"""The indexer: what was queued is indexed, what broke off is finished, nothing is doubled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from storage.workspace import Workspace
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import EmbedderUnavailable
from trace_core.ingest.importer import Importer
from trace_core.ingest.indexer import Indexer, IndexProgress, load_state, save_state
from trace_core.ports import Artifact, ArtifactStore, Embedder, LexicalIndex, Vectors, Wish
from trace_core.settings import IndexSettings


class Letters:
    """An embedder that counts letters; `version` is what it is told to be."""

    dimensions = 26

    def __init__(self, version: str) -> None:
        self.version = version
        self.fails = False

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise EmbedderUnavailable("The model is gone; start it again.")
        rows = np.array([[t.casefold().count(chr(97 + n)) for n in range(26)] for t in texts])
        rows = rows.astype(np.float32) + 0.01
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.asarray(self.embed_passages([text])[0], dtype=np.float32)


class Trained:
    """Trains on the texts it is given: here it only counts them."""

    def __init__(self) -> None:
        self.trainings: list[int] = []
        self.known: Letters | None = None

    def __call__(self, texts: Iterator[str], artifacts: ArtifactStore) -> Embedder:
        self.trainings.append(sum(1 for _ in texts))
        self.known = Letters(f"trained {len(self.trainings)}")
        return self.known

    def open(self) -> Embedder | None:
        return self.known


class Counter:
    """A derived model: the number of chunks when it was built."""

    name = "counts"

    def stale(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> bool:
        kept = artifacts.load("counts")
        return kept is None or kept.version != str(lexical.count())

    def build(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> None:
        artifacts.save("counts", Artifact(str(lexical.count()), {"n": np.array([1])}))


def fill(
    workspace: Workspace, tmp_path: Path, numbers: range, text: str = "Le pont tient."
) -> None:
    rows = [{"doc_id": str(n), "corpus": "g", "text_original": f"{text} {n}."} for n in numbers]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    Importer(workspace.documents, workspace.reports).run(source)


def indexer(workspace: Workspace, trained: Trained, **changes: object) -> Indexer:
    return Indexer(
        documents=workspace.documents,
        queue=workspace.queue,
        lexical=workspace.lexical,
        vectors=workspace.vectors,
        artifacts=workspace.artifacts,
        settings=IndexSettings(**changes),
        open_embedder=trained.open,
        train=trained,
        derivers=(Counter(),),
    )


def agree(workspace: Workspace) -> bool:
    chunks = sum(stats.chunks for stats in workspace.documents.stats())
    return (
        workspace.lexical.count() == workspace.vectors.count() == chunks
        and workspace.lexical.ids() == workspace.vectors.ids()
        and workspace.queue.pending_count("lexical") == 0
        and workspace.queue.pending_count("vectors") == 0
    )


def test_new_changed_and_withdrawn_documents(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(10))
    report = indexer(workspace, trained).run()
    assert (report.lexical, report.vectors, report.trained) == (10, 10, True)
    assert report.derived == ("counts",)
    assert agree(workspace)
    again = indexer(workspace, trained).run()
    assert (again.lexical, again.vectors, again.trained, again.derived) == (0, 0, False, ())
    fill(workspace, tmp_path, range(3), "Le pont est tombé.")
    changed = indexer(workspace, trained).run()
    assert (changed.lexical, changed.removed, changed.vectors) == (3, 3, 3)
    assert agree(workspace)
    workspace.documents.withdraw([DocumentKey("g", "1")])
    indexer(workspace, trained).run()
    assert agree(workspace)
    assert workspace.lexical.count() == 9
    assert workspace.lexical.search("tombé", Scope(), 10)


def test_trained_again_only_when_the_archive_has_grown(
    workspace: Workspace, tmp_path: Path
) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(50))
    indexer(workspace, trained).run()
    fill(workspace, tmp_path, range(51))
    assert not indexer(workspace, trained).run().trained
    fill(workspace, tmp_path, range(60))
    report = indexer(workspace, trained).run()
    assert (report.trained, report.vectors) == (True, 60)
    assert trained.trainings == [50, 60]
    assert load_state(workspace.artifacts).embedder == "trained 2"
    assert agree(workspace)


def test_an_older_indexed_layer_is_made_anew(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(5))
    indexer(workspace, trained).run()
    state = load_state(workspace.artifacts)
    save_state(workspace.artifacts, replace(state, folding="an older one"))
    report = indexer(workspace, trained).run()
    assert (report.lexical, report.vectors, report.trained) == (5, 5, True)
    assert agree(workspace)
    assert indexer(workspace, trained).run().lexical == 0


def test_another_embedder_replaces_all_vectors(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(5))
    indexer(workspace, trained).run()
    trained.known = Letters("another")
    report = indexer(workspace, trained, embedder="st:other").run()
    assert (report.vectors, report.lexical, report.trained) == (5, 0, False)
    assert agree(workspace)


def test_without_an_embedder_nothing_is_owed(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(5))
    work = indexer(workspace, trained, embedder="none")
    work.open_embedder = lambda: None
    assert work.run().vectors == 0
    assert workspace.queue.pending_count("vectors") == 0
    assert indexer(workspace, trained).run().vectors == 5


def test_a_lost_embedder_leaves_the_words_indexed(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(50))
    indexer(workspace, trained).run()
    fill(workspace, tmp_path, range(51))
    assert trained.known is not None
    trained.known.fails = True
    with pytest.raises(EmbedderUnavailable):
        indexer(workspace, trained).run()
    assert workspace.lexical.count() == 51
    trained.known.fails = False
    assert indexer(workspace, trained).run().vectors == 1
    assert agree(workspace)


def test_stopped_anywhere_the_next_run_finishes(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(12))
    for stop_at in range(6):
        calls = 0

        def stop(progress: IndexProgress, stop_at: int = stop_at) -> Wish:
            nonlocal calls
            calls += 1
            return "stop" if calls > stop_at else ""

        indexer(workspace, trained).reindex(stop)
        indexer(workspace, trained).run()
        assert agree(workspace)
        assert workspace.lexical.count() == 12


def test_other_chunk_sizes_cut_all_texts_again(workspace: Workspace, tmp_path: Path) -> None:
    trained = Trained()
    fill(workspace, tmp_path, range(4), "Un mot. " * 60)
    indexer(workspace, trained).run()
    assert workspace.lexical.count() == 4
    report = indexer(workspace, trained, chunk_words=40).run()
    assert report.recut == 4
    assert workspace.lexical.count() == 4 * 4
    assert agree(workspace)
    assert workspace.documents.versions(DocumentKey("g", "0")) == [1]


def test_an_empty_archive_trains_nothing(workspace: Workspace) -> None:
    trained = Trained()
    report = indexer(workspace, trained).run()
    assert (report.trained, report.vectors, trained.trainings) == (False, 0, [])
