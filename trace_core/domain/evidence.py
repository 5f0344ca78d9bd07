"""What is decided: verdicts on chunks, who decided, and the ranked list that follows."""

from __future__ import annotations

from typing import Any, Literal, Self

from trace_core.domain.base import Value
from trace_core.domain.corpus import DocumentKey

Verdict = Literal["accept", "hold", "reject"]

VERDICTS: tuple[Verdict, ...] = ("accept", "hold", "reject")


class Actor(Value):
    """Who did it. `name` is the rule set's version, the model's name or the person's name."""

    kind: Literal["rules", "model", "human", "engine"]
    name: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}" if self.name else self.kind


ENGINE = Actor(kind="engine", name="trace")


class Found(Value):
    """One way by which a chunk came up: the search, its channel and the document's rank there."""

    search: str
    channel: str
    query: str
    rank: int
    score: float = 0.0
    corpora: tuple[str, ...] = ()


class Neighbour(Value):
    """A document of another sub-corpus, so many days away, that lends a candidate its strength."""

    corpus: str
    source_id: str
    days: int

    @property
    def key(self) -> DocumentKey:
        """The document that lends."""
        return DocumentKey(self.corpus, self.source_id)


class Candidate(Value):
    """One chunk of a search result on its way into review, with how it was found.

    `position` is its place in the search's result (from 1) and `score` the fused score there.
    `boosts` are the parts of the score that no channel gave; `neighbour` is who lent the one of
    that name. `standing` is its place, from 1, among the candidates of all the plan's targets (0:
    not known). `widened` marks what only the silent widening of a date search found.
    """

    chunk: int
    corpus: str
    source_id: str
    version: int
    position: int
    score: float
    found: tuple[Found, ...]
    forms: tuple[str, ...] = ()
    boosts: dict[str, float] = {}
    neighbour: Neighbour | None = None
    standing: int = 0
    widened: bool = False

    @property
    def key(self) -> DocumentKey:
        """The chunk's document."""
        return DocumentKey(self.corpus, self.source_id)


class Decision(Value):
    """One verdict on one chunk. A later decision on the same chunk stands beside it.

    `id` is "d" and the sequence of its event. `reviewed` is False for a chunk that is held
    because the reply did not mention it or could not be read. `quote` is a passage that the
    assistant claims to read in the chunk (checked elsewhere, by string). `replaces` is the id
    of the decision on the same chunk and sub-question that this one supersedes, "" for none.
    """

    chunk: int
    corpus: str
    source_id: str
    version: int
    sub_question: str
    verdict: Verdict
    reason: str
    search: str = ""
    stage: str = ""
    reviewed: bool = True
    quote: str = ""
    replaces: str = ""
    prompt_hash: str = ""
    call: str = ""

    @classmethod
    def on(cls, candidate: Candidate, **details: Any) -> Self:
        """A decision on a candidate's chunk, with the search that surfaced it.

        `details` are the fields that the candidate does not know (sub_question, verdict, reason …).
        """
        return cls(
            chunk=candidate.chunk,
            corpus=candidate.corpus,
            source_id=candidate.source_id,
            version=candidate.version,
            search=candidate.found[0].search if candidate.found else "",
            **details,
        )

    @property
    def key(self) -> DocumentKey:
        """The chunk's document."""
        return DocumentKey(self.corpus, self.source_id)


class RankedDocument(Value):
    """One line of the final order: a document, its confirmations and why it stands there."""

    corpus: str
    source_id: str
    confirmations: int
    sub_questions: tuple[str, ...]
    reason: str = ""

    @property
    def key(self) -> DocumentKey:
        """The document."""
        return DocumentKey(self.corpus, self.source_id)
