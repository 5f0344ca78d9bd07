"""Sub-corpora that were merged into others: what is kept of them, and what goes back with them.

Merges are taken back in the reverse of their order: what was merged into a sub-corpus that was
itself merged since is reached by giving that one back first. So every merge is undone in the
state that it left, and each document finds the id that it had.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from trace_core.domain.corpus import SubCorpus
from trace_core.domain.errors import BadInput, NotFound


@dataclass(frozen=True, slots=True)
class FormerCorpus:
    """A sub-corpus whose documents were moved to another one.

    `into` is the sub-corpus that holds them today, `merged_into` the one of the merge itself: the
    two differ where that one was merged in turn. `described` is the whole description at the
    merge, None where an earlier version of the program kept only the name. `gained` are the names
    that the other sub-corpus got by the merge, and had not had before.
    """

    id: str
    name: str
    into: str
    merged_into: str
    described: SubCorpus | None = None
    gained: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names that it is known by."""
        return (self.name, *(self.described.aliases if self.described else ()))

    def again(self, holder: SubCorpus) -> SubCorpus:
        """It as a sub-corpus of its own; `holder` stands in for what was not kept of it."""
        if self.described is not None:
            return self.described
        return replace(holder, id=self.id, name=self.name, aliases=(), description="")


Former = Mapping[str, FormerCorpus]


def gone(corpus: SubCorpus, into: SubCorpus) -> FormerCorpus:
    """What is kept of a sub-corpus that is merged into another one now."""
    gained = dict.fromkeys(
        name
        for name in (corpus.name, *corpus.aliases)
        if name != into.name and name not in into.aliases
    )
    return FormerCorpus(corpus.id, corpus.name, into.id, into.id, corpus, tuple(gained))


def returnable(corpus: str, former: Former) -> FormerCorpus:
    """A former sub-corpus that can be given back now.

    Raises NotFound where it was not merged, BadInput where another one must be given back first.
    """
    one = former.get(corpus)
    if one is None:
        merged = ", ".join(sorted(former))
        which = f"merged were {merged}" if merged else "none was merged in this archive"
        raise NotFound(f"No sub-corpus {corpus!r} was merged into another one; {which}.")
    first = one
    while first.into != first.merged_into:
        first = former[first.merged_into]
    if first is not one:
        raise BadInput(
            f"{corpus} was merged into {one.merged_into}, which is a part of {one.into} itself "
            f"now; give {first.id} back first (`corpus unmerge {first.id}`)."
        )
    return one


def within(corpus: str, former: Former) -> frozenset[str]:
    """The former sub-corpora that were merged into this one, directly or by others."""
    found: set[str] = set()
    more = {corpus}
    while more:
        more = {one.id for one in former.values() if one.merged_into in more} - found
        found |= more
    return frozenset(found)


def without(holder: SubCorpus, leaving: FormerCorpus, former: Former) -> SubCorpus:
    """A sub-corpus without the names that it got by a merge that is taken back.

    Names that another sub-corpus inside it has too stay. Of a merge whose names were not kept,
    the former name alone is taken back.
    """
    staying = {name for one in _staying(leaving, former) for name in one.names}
    came = leaving.gained if leaving.described else (leaving.name,)
    taken = set(came) - staying
    return replace(holder, aliases=tuple(name for name in holder.aliases if name not in taken))


def heirs(leaving: FormerCorpus, former: Former) -> list[FormerCorpus]:
    """The former sub-corpora that answer from now on for names that stay behind."""
    found = []
    for one in _staying(leaving, former):
        shared = [name for name in leaving.gained if name in one.names and name not in one.gained]
        if shared:
            found.append(replace(one, gained=(*one.gained, *shared)))
    return found


def _staying(leaving: FormerCorpus, former: Former) -> list[FormerCorpus]:
    """Others that were merged into the same sub-corpus and remain in it."""
    return [
        one
        for one in former.values()
        if one.merged_into == leaving.merged_into and one.id != leaving.id
    ]
