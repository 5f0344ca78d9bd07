"""A run's state: what its events fold into (`transitions`), and nothing else.

It is a working value of the fold, changed there alone; everybody else reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from trace_core.domain import events as ev
from trace_core.domain.checkpoint import Checkpoint, HumanDecision
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import IllegalTransition
from trace_core.domain.evidence import Actor, Candidate, Decision, RankedDocument, Verdict
from trace_core.domain.question import AssistantName, Briefing, Memory, ScopeSpec, SubQuestion

Status = Literal["planning", "running", "waiting", "paused", "finished", "stopped", "failed"]

ENDED: frozenset[Status] = frozenset({"finished", "stopped", "failed"})


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision in its place in the record; `id` is "d" and its event's sequence."""

    id: str
    decision: Decision
    actor: Actor
    time: str
    sequence: int


@dataclass(slots=True)
class Totals:
    """What the run has spent. `unpriced` counts calls whose price is unknown."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    money: float = 0.0
    unpriced: int = 0
    steps: int = 0
    searches: int = 0


@dataclass(slots=True)
class SubState:
    """Where one sub-question stands.

    - Its loop: `steps` counts the searches that brought something new, `iterations` all replies of
      the assistant, `empty_in_row` and `repeated_in_row` the last ones that brought nothing,
      `unreadable` the replies that could not be read. `log` has a line for each search and review,
      `signatures` name the searches, so that a repeated one is known. `next_action` is a step that
      is chosen and not searched yet.
    - Its passages, by chunk: `candidates` are all that came up, `pending` those that wait for
      review, `verdicts` the standing decisions. `moved` are held chunks that left the full pool for
      the historian's queue. `rounds` are the looks at the holds: (round, documents that the run had
      accepted then).
    - Its end: `ended` is the cause, "" while the loop goes on; `gap` what it could not find; `done`
      that its briefing is written. `replanned` says that a replan came after it.
    """

    sub_question: SubQuestion
    started: bool = False
    steps: int = 0
    iterations: int = 0
    empty_in_row: int = 0
    unreadable: int = 0
    finish_refused: bool = False
    memory: Memory = field(default_factory=Memory)
    log: list[str] = field(default_factory=list)
    signatures: list[str] = field(default_factory=list)
    repeated_in_row: int = 0
    searches: list[str] = field(default_factory=list)
    pending: dict[int, Candidate] = field(default_factory=dict)
    candidates: dict[int, Candidate] = field(default_factory=dict)
    verdicts: dict[int, DecisionRecord] = field(default_factory=dict)
    moved: list[int] = field(default_factory=list)
    next_action: ev.StepChosen | None = None
    rounds: list[tuple[int, int]] = field(default_factory=list)
    ended: str = ""
    gap: str = ""
    holds_checked: bool = False
    briefing: Briefing | None = None
    replanned: bool = False
    done: bool = False

    def copy(self) -> SubState:
        """A copy that no later event changes."""
        return replace(
            self,
            log=list(self.log),
            signatures=list(self.signatures),
            searches=list(self.searches),
            pending=dict(self.pending),
            candidates=dict(self.candidates),
            verdicts=dict(self.verdicts),
            moved=list(self.moved),
            rounds=list(self.rounds),
        )

    def with_verdict(self, verdict: Verdict) -> list[DecisionRecord]:
        """The standing decisions with this verdict, oldest first."""
        found = [r for r in self.verdicts.values() if r.decision.verdict == verdict]
        return sorted(found, key=lambda record: record.sequence)

    def last_lines(self, count: int) -> tuple[str, ...]:
        """The end of the action log, at most so many lines, oldest first."""
        return tuple(self.log[-count:]) if count else ()

    @property
    def pool(self) -> list[int]:
        """Held chunks that still count for the pool, oldest first."""
        moved = set(self.moved)
        held = self.with_verdict("hold")
        return [r.decision.chunk for r in held if r.decision.chunk not in moved]

    @property
    def accepted_keys(self) -> list[DocumentKey]:
        """Documents that a standing decision of this sub-question accepts, in order."""
        return list(dict.fromkeys(r.decision.key for r in self.with_verdict("accept")))


@dataclass(slots=True)
class RunState:
    """Where a run stands.

    - `sequence` and `last_hash` are those of the last event. `progress` counts the events that
      move the method on, so that a run which was paused and resumed asks its model under the same
      name as one that was not.
    - `proposal` is the assistant's plan, `plan` what was adopted, `removed` what was taken out of
      it; `subs` are the sub-questions of the plan by id, `current` the one at work, "" before the
      first.
    - `checkpoint` waits for an answer; `checkpoints` counts those opened; `answers` are
      (checkpoint, decision, who, when).
    - `searches` are by id; `decisions` all that were ever made, oldest first; `ranking` the last
      order that was made (see `current_ranking`).
    - `calls` are the ids of the model calls on record; `budgets` the caps that hold now.
    - `troubles` are (event, sentence) of what a person should know; `lost_channels` the first
      failure of each channel; `rest_reason` and `rest_cause` say why the run rests.
    """

    run: str
    sequence: int = 0
    progress: int = 0
    last_hash: str = ev.GENESIS
    status: Status = "planning"
    created: str = ""
    updated: str = ""
    question: str = ""
    assistant: AssistantName = "rules"
    scope: ScopeSpec = field(default_factory=ScopeSpec)
    settings: dict[str, Any] = field(default_factory=dict)
    start: ev.RunStarted | None = None
    index_version: str = ""
    budgets: dict[str, float] = field(default_factory=dict)
    proposal: ev.PlanProposed | None = None
    plan: list[SubQuestion] = field(default_factory=list)
    plan_adopted: bool = False
    subs: dict[str, SubState] = field(default_factory=dict)
    removed: dict[str, SubQuestion] = field(default_factory=dict)
    current: str = ""
    checkpoint: Checkpoint | None = None
    checkpoints: int = 0
    answers: list[tuple[Checkpoint, HumanDecision, Actor, str]] = field(default_factory=list)
    searches: dict[str, ev.SearchDone] = field(default_factory=dict)
    decisions: list[DecisionRecord] = field(default_factory=list)
    ranking: tuple[RankedDocument, ...] = ()
    ranked: bool = False
    totals: Totals = field(default_factory=Totals)
    calls: set[str] = field(default_factory=set)
    troubles: list[tuple[int, str]] = field(default_factory=list)
    lost_channels: dict[str, str] = field(default_factory=dict)
    rest_reason: str = ""
    rest_cause: str = ""

    def copy(self) -> RunState:
        """A copy that no later event changes, for readers beside a worker."""
        return replace(
            self,
            budgets=dict(self.budgets),
            plan=list(self.plan),
            subs={name: sub.copy() for name, sub in self.subs.items()},
            removed=dict(self.removed),
            answers=list(self.answers),
            searches=dict(self.searches),
            decisions=list(self.decisions),
            totals=replace(self.totals),
            calls=set(self.calls),
            troubles=list(self.troubles),
            lost_channels=dict(self.lost_channels),
        )

    @property
    def ended(self) -> bool:
        """Whether no stage can follow."""
        return self.status in ENDED

    def sub(self, sub_question: str) -> SubState:
        """The state of a sub-question. Raises IllegalTransition for an unknown one."""
        try:
            return self.subs[sub_question]
        except KeyError:
            raise IllegalTransition(
                f"Run {self.run} has no sub-question {sub_question!r}."
            ) from None

    def remaining(self) -> list[SubQuestion]:
        """Sub-questions of the plan that have not been started, in order."""
        return [q for q in self.plan if not self.subs[q.id].started]

    def done(self) -> list[SubQuestion]:
        """Sub-questions that are finished, in order."""
        return [q for q in self.plan if self.subs[q.id].done]

    def accepted(self) -> dict[DocumentKey, list[DecisionRecord]]:
        """Every accepted document with its standing accepting decisions, in order of acceptance."""
        found: dict[DocumentKey, list[DecisionRecord]] = {}
        records = [r for sub in self.subs.values() for r in sub.with_verdict("accept")]
        for record in sorted(records, key=lambda r: r.sequence):
            found.setdefault(record.decision.key, []).append(record)
        return found

    def held(self) -> list[DecisionRecord]:
        """Every standing hold, oldest first."""
        records = [r for sub in self.subs.values() for r in sub.with_verdict("hold")]
        return sorted(records, key=lambda r: r.sequence)

    def next_sub_question_id(self) -> str:
        """An id that no sub-question of this run, removed ones included, has had."""
        used = [int(i[1:]) for i in (*self.subs, *self.removed) if i[1:].isdigit()]
        return f"q{max(used, default=0) + 1}"

    def next_search_id(self) -> str:
        """The next search's id."""
        return f"s{len(self.searches) + 1}"


def current_ranking(state: RunState) -> list[RankedDocument]:
    """The ranking as it stands now, decisions made after `rank` included.

    Confirmations (the number of sub-questions that accept the document) come first, then the
    order of the last ranking; documents accepted since then follow inside their group in the
    order in which they were accepted.
    """
    place = {line.key: n for n, line in enumerate(state.ranking)}
    reasons = {line.key: line.reason for line in state.ranking}
    lines = []
    for key, records in state.accepted().items():
        subs = tuple(dict.fromkeys(r.decision.sub_question for r in records))
        lines.append(
            RankedDocument(
                corpus=key.corpus,
                source_id=key.source_id,
                confirmations=len(subs),
                sub_questions=subs,
                reason=reasons.get(key) or records[-1].decision.reason,
            )
        )
    lines.sort(key=lambda line: (-line.confirmations, place.get(line.key, len(place))))
    return lines
