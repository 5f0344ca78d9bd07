"""What a search brings back: chunks with scores, documents with ranks, and how they were found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.evidence import Neighbour

ChannelName = Literal["bm25", "dense", "date", "exact", "fuzzy"]
"""The search channels. `fused` is not a channel but their fusion."""


class ChunkScore(NamedTuple):
    """One chunk as an index returns it, best first; scores compare inside one list only."""

    chunk_id: int
    key: DocumentKey
    score: float


DOUBT = "?"
"""What stands behind a written form that is only somewhat like the word searched for."""


def parted_forms(forms: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(sure, doubtful): a hit's written forms apart, the doubtful ones without their mark."""
    known = tuple(forms)
    sure = tuple(form for form in known if not form.endswith(DOUBT))
    return sure, tuple(form.removesuffix(DOUBT) for form in known if form.endswith(DOUBT))


@dataclass(frozen=True, slots=True)
class Hit:
    """One document in a channel's ranking, by its best chunk.

    `rank` counts from 1 over documents. `chunk_ids` are its found chunks, best first. `forms`
    says which written forms matched where the channel does not match literally.
    """

    key: DocumentKey
    rank: int
    score: float
    chunk_ids: tuple[int, ...]
    forms: tuple[str, ...] = ()

    @property
    def chunk_id(self) -> int:
        """The best chunk."""
        return self.chunk_ids[0]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One channel's answer to one query.

    `failure` is a sentence when the channel broke (the hits are then empty, and the search must
    be reported as failed, not as empty). `note` says what the channel understood (the dates it
    read, the forms it added). `skipped` is a sentence when the channel had nothing to do with
    this query (no date in it, say).
    """

    channel: ChannelName
    query: str
    scope: Scope
    hits: tuple[Hit, ...] = ()
    note: str = ""
    skipped: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class FusedHit:
    """One document after fusion, with its rank in each channel that found it.

    `boosts` names what else moved its score (a date-coupled neighbour, a routed sub-corpus),
    each with its share of the score; `neighbour` is who lent the first. `standing` is its place,
    from 1, among the candidates of all the sub-corpora that were asked together, 0 where only one
    was. `twins` are the other documents with the same text, or nearly the same, for which this one
    stands.
    """

    key: DocumentKey
    rank: int
    score: float
    chunk_ids: tuple[int, ...]
    channels: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    forms: tuple[str, ...] = ()
    boosts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    neighbour: Neighbour | None = None
    standing: int = 0
    twins: tuple[DocumentKey, ...] = ()

    @property
    def chunk_id(self) -> int:
        """The best chunk."""
        return self.chunk_ids[0]


@dataclass(frozen=True, slots=True)
class FusedRanking:
    """The fusion of several channels' rankings, with the rankings it was made from."""

    query: str
    scope: Scope
    hits: tuple[FusedHit, ...]
    rankings: tuple[Ranking, ...]

    @property
    def failures(self) -> tuple[tuple[str, str], ...]:
        """(channel, sentence) of every channel that broke."""
        return tuple((r.channel, r.failure) for r in self.rankings if r.failure)
