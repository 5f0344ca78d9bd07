"""The archive: its sub-corpora, its documents, and the way out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from trace_core.domain.corpus import (
    Chunk,
    Document,
    DocumentHead,
    DocumentKey,
    Scope,
    SubCorpus,
)
from trace_core.domain.errors import BadInput
from trace_core.domain.events import now
from trace_core.ports import CorpusStats, Deed, TwinGroup
from trace_core.service.importing import ImportRoom
from trace_core.service.views import CorpusView


class CorpusChanges(TypedDict, total=False):
    """What may be changed of a sub-corpus (see `SubCorpus`); None leaves it as it is."""

    name: str | None
    aliases: Sequence[str] | None
    kind: str | None
    language: str | None
    description: str | None
    local_only: bool | None
    citation: Mapping[str, str] | None


class ArchiveRoom(ImportRoom):
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
        self,
        corpus_id: str,
        *,
        person: str = "",
        reason: str = "",
        **changes: Unpack[CorpusChanges],
    ) -> SubCorpus:
        """Describe or rename a sub-corpus; what is not given stays, and so does its id.

        `citation` is by field (see `trace_core.export.citation`) and needs those alone that change;
        an empty pattern takes a field away. Who did it and why is recorded. Raises NotFound,
        BadInput.
        """
        corpus = self.corpus(corpus_id)
        given = _checked(changes, corpus)
        described = replace(corpus, **given)
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

    # --- taken away ---------------------------------------------------------------------------

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


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _checked(changes: Mapping[str, Any], corpus: SubCorpus) -> dict[str, Any]:
    """The fields that are given, in the form in which they are kept. Raises BadInput."""
    given = {name: value for name, value in changes.items() if value is not None}
    if unknown := given.keys() - CorpusChanges.__annotations__.keys():
        known = ", ".join(CorpusChanges.__annotations__)
        raise BadInput(f"A sub-corpus has {known}, but no {', '.join(sorted(unknown))}.")
    if "name" in given and not str(given["name"]).strip():
        raise BadInput("A sub-corpus needs a name.")
    if "language" in given:
        given["language"] = _language(str(given["language"]))
    if "aliases" in given:
        given["aliases"] = tuple(dict.fromkeys(a.strip() for a in given["aliases"] if a.strip()))
    if "citation" in given:
        given["citation"] = _citation(given["citation"], corpus.citation)
    return given


def _language(text: str) -> str:
    code = text.strip().lower()
    if code and not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]+)*", code):
        raise BadInput(f"A language is written as its code (fr, de, la), not {code!r}.")
    return code


def _citation(changes: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """A sub-corpus's citation after these changes. Raises BadInput for what cannot be cited by."""
    from trace_core.export.citation import check_mapping

    faults = check_mapping({name: pattern for name, pattern in changes.items() if pattern})
    if faults:
        raise BadInput(faults[0])
    after = {**before, **changes}
    return {name: pattern for name, pattern in after.items() if pattern}


def _no_stats(corpus_id: str) -> CorpusStats:
    return CorpusStats(corpus_id, 0, 0, 0, 0, 0, None, None)
