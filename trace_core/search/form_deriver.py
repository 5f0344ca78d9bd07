"""Keeps the index of written forms in step with the archive.

In: the lexical index's vocabulary. Out: the artifact `forms`. It is built anew when the archive
has grown or shrunk by a tenth since; a form that came later is found by its exact self until then.
"""

from __future__ import annotations

import threading

from trace_core.ports import ArtifactStore, LexicalIndex
from trace_core.search.forms import FormIndex, build, chunks_behind

FORMS_ARTIFACT = "forms"
_CHANGE = 0.1


class FormsDeriver:
    """Builds and keeps the form index; a deriver of the indexer."""

    name = FORMS_ARTIFACT

    def stale(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> bool:
        """Whether there is none, a foreign one, or one of a much smaller or larger archive."""
        artifact = artifacts.load(FORMS_ARTIFACT)
        behind = chunks_behind(artifact) if artifact else None
        now = lexical.count()
        return behind is None or abs(now - behind) > _CHANGE * max(behind, 1)

    def build(self, lexical: LexicalIndex, artifacts: ArtifactStore) -> None:
        """Build the form index from the vocabulary and keep it."""
        artifacts.save(FORMS_ARTIFACT, build(lexical.vocabulary(), lexical.count()))


class KeptForms:
    """Opens the form index when it is first asked for, and keeps it open. Thread-safe."""

    def __init__(self, artifacts: ArtifactStore) -> None:
        self._artifacts = artifacts
        self._lock = threading.Lock()
        self._opened: FormIndex | None = None

    def __call__(self) -> FormIndex | None:
        """The form index; None where none has been built. Raises SearchFailed for a torn one."""
        with self._lock:
            if self._opened is None:
                artifact = self._artifacts.load(FORMS_ARTIFACT)
                self._opened = FormIndex(artifact) if artifact else None
            return self._opened
