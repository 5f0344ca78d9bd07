"""Looking after the archive: withdrawn and brought back, merged and given back, by whom and why.

Nothing is ever deleted. What is withdrawn leaves the search and the lists; its versions, its
passages and all decisions on it stay readable. A document that moves with its sub-corpus takes
its history along, and answers under its old key.

The records change at once; the indexes follow, before the call returns or (`wait=False`) in a
background job, for a page that must not stand still meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.errors import BadInput, NotFound
from trace_core.domain.events import now
from trace_core.domain.merging import FormerCorpus, returnable
from trace_core.ports import Deed, DeedKind, Moved, Part
from trace_core.service.archive import ArchiveRoom

_LISTED = 50


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a request: documents concerned, those that were so already, what stays.

    `stays` counts documents of a withdrawn import that only got a new version by it: they were
    there before, and stay in the search.
    """

    documents: int
    already: int
    stays: int = 0


@dataclass(frozen=True, slots=True)
class _Said:
    reason: str
    person: str
    wait: bool


@dataclass(frozen=True, slots=True)
class Merge:
    """What a merge did: documents moved, and those that had to be given another id."""

    documents: int
    renamed: tuple[Moved, ...]
    corpus: SubCorpus


@dataclass(frozen=True, slots=True)
class Unmerge:
    """What taking a merge back did, or would do.

    `documents` go back to `corpus`, which stands beside `holder` from then on. `complete` tells
    whether the whole description was kept at the merge; where an earlier version of the program
    kept the name alone, kind, language and citation are those of `holder`.
    """

    documents: int
    corpus: SubCorpus
    holder: SubCorpus
    complete: bool


class UpkeepRoom(ArchiveRoom):
    """The part of the façade that changes what the archive shows."""

    def withdraw(self, part: Part, reason: str, person: str = "", *, wait: bool = True) -> Change:
        """Take documents, an import or a sub-corpus out of the search, not out of history.

        Raises BadInput without a reason, NotFound for what is not there.
        """
        return self._set_withdrawn(part, _Said(reason, person, wait), withdrawn=True)

    def bring_back(self, part: Part, reason: str, person: str = "", *, wait: bool = True) -> Change:
        """Bring withdrawn documents, an import or a sub-corpus back into the search."""
        return self._set_withdrawn(part, _Said(reason, person, wait), withdrawn=False)

    def merge_corpora(
        self, corpus: str, into: str, reason: str, person: str = "", *, wait: bool = True
    ) -> Merge:
        """Move all documents of one sub-corpus to another, which is then known by both names.

        A document whose id is taken there gets its old sub-corpus added to it. Old decisions keep
        their keys and find their texts. Raises BadInput, NotFound.
        """
        source, target = self._two(corpus, into)
        _check_reason(reason)
        store = self.stores.upkeep
        documents = store.size(Part(corpus=source.id))[0]
        deed = _deed("merge", source.id, reason, person)
        details = {"into": target.id, "documents": str(documents)}
        renamed = store.merge(source.id, target.id, replace(deed, details=details))
        self._caught_up("merge", source.id, wait=wait)
        return Merge(documents, tuple(renamed), self.corpus(target.id))

    def merge_expected(self, corpus: str, into: str) -> tuple[int, int]:
        """What a merge would do: (documents that move, those that would get another id).

        Raises as `merge_corpora` does.
        """
        source, target = self._two(corpus, into)
        store = self.stores.upkeep
        return store.size(Part(corpus=source.id))[0], store.taken(source.id, target.id)

    def unmerge_corpus(
        self, corpus: str, reason: str, person: str = "", *, wait: bool = True
    ) -> Unmerge:
        """Take a merge back: the former sub-corpus as it was, its documents under their old ids.

        Documents that came since under its name go with it; those that came under the name of the
        other one stay there. Keys that were used meanwhile still lead to their documents. Raises
        NotFound for what was not merged, BadInput where another one must be given back first.
        """
        expected = self.unmerge_expected(corpus)
        _check_reason(reason)
        deed = _deed("unmerge", corpus, reason, person)
        details = {"out of": expected.holder.id, "documents": str(expected.documents)}
        if not expected.complete:
            details["not kept"] = "kind, language, citation, other names, description"
        self.stores.upkeep.unmerge(corpus, replace(deed, details=details))
        self._caught_up("unmerge", expected.corpus.id, wait=wait)
        return replace(expected, holder=self.corpus(expected.holder.id))

    def unmerge_expected(self, corpus: str) -> Unmerge:
        """What taking a merge back would do; raises as `unmerge_corpus` does."""
        leaving = returnable(corpus, self.stores.upkeep.former_corpora())
        holder = self.corpus(leaving.into)
        documents = self.stores.upkeep.returning(corpus)
        return Unmerge(documents, leaving.again(holder), holder, leaving.described is not None)

    def former_corpora(self) -> dict[str, FormerCorpus]:
        """Sub-corpora that were merged into others, by their ids."""
        return self.stores.upkeep.former_corpora()

    def present_key(self, key: DocumentKey) -> DocumentKey:
        """The key that a document has today."""
        return self.stores.upkeep.present([key]).get(key, key)

    def deeds(self) -> list[Deed]:
        """Everything that was done to the archive's order, oldest first."""
        return self.stores.upkeep.deeds()

    def change_expected(self, part: Part, *, withdraw: bool) -> Change:
        """What withdrawing a part, or bringing it back, would do. Raises as these do."""
        part = self._known(part)
        store = self.stores.upkeep
        documents, gone = store.size(part)
        already = gone if withdraw else documents - gone
        stays = store.changed_by(part.report) if part.report else 0
        return Change(documents - already, already, stays)

    def _two(self, corpus: str, into: str) -> tuple[SubCorpus, SubCorpus]:
        source, target = self.corpus(corpus), self.corpus(into)
        if source.id == target.id:
            raise BadInput(f"{corpus} and {into} are one sub-corpus already; name two.")
        if source.local_only and not target.local_only:
            raise BadInput(
                f"{source.id} is never sent to a far model and {target.id} may be; set "
                f"{target.id} to local only first, or merge the other way round."
            )
        return source, target

    def _set_withdrawn(self, part: Part, said: _Said, *, withdrawn: bool) -> Change:
        _check_reason(said.reason)
        expected = self.change_expected(part, withdraw=withdrawn)
        part = self._known(part)
        kind: Literal["withdraw", "restore"] = "withdraw" if withdrawn else "restore"
        details = {"documents": str(expected.documents)}
        target = _target(part)
        deed = replace(_deed(kind, target, said.reason, said.person), details=details)
        changed = self.stores.upkeep.set_withdrawn(part, deed, withdrawn=withdrawn)
        if changed:
            self._caught_up(kind, target, wait=said.wait)
        return replace(expected, documents=changed)

    def _known(self, part: Part) -> Part:
        if sum(map(bool, (part.keys, part.corpus, part.report))) != 1:
            raise BadInput("Name documents, or one import, or one sub-corpus.")
        if part.corpus:
            return Part(corpus=self.corpus(part.corpus).id)
        if part.report:
            return Part(report=self.report(part.report).id)
        known = self.stores.documents.heads(part.keys)
        missing = [str(key) for key in part.keys if key not in known]
        if missing:
            raise NotFound(f"There is no document {', '.join(missing[:5])} in this archive.")
        return part


def part_of(keys: Sequence[DocumentKey] = (), corpus: str = "", report: str = "") -> Part:
    """A part of the archive as a person names it."""
    return Part(tuple(dict.fromkeys(keys)), corpus, report)


def _deed(kind: DeedKind, target: str, reason: str, person: str) -> Deed:
    return Deed(kind, target, person or "historian", reason.strip(), now())


def _target(part: Part) -> str:
    if part.corpus or part.report:
        return part.corpus or part.report
    shown = ", ".join(map(str, part.keys[:_LISTED]))
    more = len(part.keys) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise BadInput("Say why, in a few words; the reason is kept with the record.")
