"""The look at OCR quality, with the words and letters of the archive itself.

When the lexical index knows which words the archive has often, and so which letters follow which,
every text is judged by them; in an archive of too few words by its own signs alone. The model is
learned again when the archive has grown by half; what came since is judged with the words of the
day. What a source itself reports (ALTO's word confidence) is never touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from trace_core.ingest.preparing import estimate_quality
from trace_core.ports import Artifact, ArtifactStore, DocumentStore, LexicalIndex, Quality
from trace_core.text.quality import LetterModel, QualityEstimator

STATE = "quality-state"
GROWTH = 0.5
_BATCH = 500
_LEAST = 3  # passages in which a word must stand to be one of the archive's words
_MOST_WORDS = 300_000

Report = Callable[[int], None]


def rate_again(
    documents: DocumentStore, lexical: LexicalIndex, artifacts: ArtifactStore, report: Report
) -> int:
    """Estimate the quality of what the present model has not judged; how many documents.

    `report` is told how many are done. Safe to break off: each batch is kept by itself.
    """
    chunks = lexical.count()
    model, trained_on = _load(artifacts)
    if not model or chunks > (1 + GROWTH) * trained_on:
        model, trained_on = f"words of {chunks} passages", chunks
    batch = documents.unrated(model, limit=_BATCH)
    if not batch:
        return 0
    estimator = learn(lexical)
    _save(artifacts, model, trained_on)
    done = 0
    while batch:
        documents.set_quality(
            model,
            [
                Quality(one.key, one.version, *estimate_quality(one.text, one.pages, estimator))
                for one in batch
            ],
        )
        done += len(batch)
        report(done)
        batch = documents.unrated(model, batch[-1].number, _BATCH)
    return done


def learn(lexical: LexicalIndex) -> QualityEstimator:
    """An estimator that knows the archive's frequent words, or none where they are too few."""
    least = _LEAST
    counts: dict[str, int] = {}
    for word, number in lexical.vocabulary():
        if number >= least:
            counts[word] = number
            if len(counts) > _MOST_WORDS:  # keep the frequent ones, and memory as it is
                least *= 2
                counts = {word: number for word, number in counts.items() if number >= least}
    letters = LetterModel.learn(counts)
    return QualityEstimator() if letters is None else QualityEstimator(counts, letters)


def _load(artifacts: ArtifactStore) -> tuple[str, int]:
    artifact = artifacts.load(STATE)
    return (artifact.version, int(json.loads(artifact.meta))) if artifact else ("", 0)


def _save(artifacts: ArtifactStore, model: str, trained_on: int) -> None:
    artifacts.save(STATE, Artifact(version=model, arrays={}, meta=json.dumps(trained_on)))
