"""What an assistant is asked, and what it answers: the same seven tasks by rules or by model.

A task is everything that the answer may depend on, built anew from the run's state each time;
there is no growing chat. `state` in each task names the run's state that asks (the stage makes
it up, and gives the same name to the same state): a call already answered for a state is
answered from the record and not paid for again.

Every answer comes as an `Outcome`. A reply that could not be read is an outcome without a value;
a model that cannot be reached, is wrongly set up, or is over budget raises ModelUnavailable,
ModelMisconfigured or BudgetSpent instead, with the calls already paid for in `error.calls`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.events import CallMade
from trace_core.domain.evidence import Actor, Candidate, Verdict
from trace_core.domain.question import (
    Action,
    AssistantName,
    Briefing,
    Memory,
    ScopeSpec,
    SubQuestion,
)

T = TypeVar("T")

_NO_LIMITS = ScopeSpec()
_NO_MEMORY = Memory()
_NO_HITS: Mapping[str, float] = MappingProxyType({})
_NO_REASONS: Mapping[DocumentKey, str] = MappingProxyType({})


# --- what all tasks share ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CorpusView:
    """A sub-corpus with its numbers; `earliest` and `latest` are day ordinals, None if undated."""

    corpus: SubCorpus
    documents: int = 0
    chunks: int = 0
    earliest: int | None = None
    latest: int | None = None


@dataclass(frozen=True, slots=True)
class ArchiveContext:
    """The archive as the run may use it: only the sub-corpora inside the run's scope.

    `kept_here` are further ids under which a run may have found text that must stay on this
    machine: its sub-corpus was merged into another one since, or given back.
    """

    corpora: tuple[CorpusView, ...]
    scope: ScopeSpec = _NO_LIMITS
    kept_here: frozenset[str] = frozenset()

    def find(self, corpus_id: str) -> SubCorpus | None:
        """The sub-corpus with this id, None when the scope has none."""
        return next((v.corpus for v in self.corpora if v.corpus.id == corpus_id), None)

    @property
    def local_only(self) -> frozenset[str]:
        """Ids of the sub-corpora, former ones too, whose text must stay on this machine."""
        return self.kept_here | {v.corpus.id for v in self.corpora if v.corpus.local_only}


@dataclass(frozen=True, slots=True)
class AcceptedItem:
    """A document accepted so far, with the passage and the reason."""

    chunk: int
    key: DocumentKey
    title: str
    date: str
    reason: str
    quote: str = ""
    confirmations: int = 1


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A chunk in full text with what a reader needs to judge it.

    `before` and `after` are the neighbouring chunks' texts where the stage gives them.
    """

    candidate: Candidate
    text: str
    title: str
    date: str
    corpus_name: str
    page: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class HeldItem:
    """A held chunk and why it is held; `reviewed` is False when nobody has judged it yet."""

    item: ReviewItem
    reason: str
    reviewed: bool = True


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on one chunk. `quote` is what the assistant claims to read there, unchecked."""

    chunk: int
    verdict: Verdict
    reason: str
    quote: str = ""


# --- the seven tasks ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlanTask:
    """Split a question into sub-questions.

    `hits_by_corpus` says where the best hits for the question lie (any score, more is better).
    `previous_problem` is the sentence for which the last plan was refused, "" at first.
    """

    question: str
    archive: ArchiveContext
    max_sub_questions: int
    hits_by_corpus: Mapping[str, float] = field(default_factory=lambda: _NO_HITS)
    previous_problem: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Sub-questions in the order of work.

    The `id` of a new sub-question is "": the stage numbers it. In a replan the sub-questions
    that stay keep their id, and new ones have the origin "spawned".
    """

    sub_questions: tuple[SubQuestion, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class StepTask:
    """Choose the next search, or finish.

    `log` holds the last lines of the action log, oldest first; `steps_left` the effective steps
    that remain after this one; `notices` what the assistant must be told now (three empty
    searches in a row, say, or that its last reply could not be read); `hints` what earlier
    sub-questions left for this one.
    """

    question: str
    sub_question: SubQuestion
    archive: ArchiveContext
    memory: Memory
    briefings: tuple[Briefing, ...] = ()
    accepted: tuple[AcceptedItem, ...] = ()
    held: int = 0
    log: tuple[str, ...] = ()
    step: int = 1
    steps_left: int = 0
    notices: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The action asked for, and the memory that replaces the old one (None: keep the old)."""

    action: Action
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class ReviewTask:
    """Judge pending chunks against the original question."""

    question: str
    sub_question: SubQuestion
    archive: ArchiveContext
    candidates: tuple[ReviewItem, ...]
    accepted: tuple[AcceptedItem, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """Verdicts on pending chunks, at most one a chunk.

    Chunks that the reply does not mention, or whose entry could not be read (`problems` says
    why), are not in `judgements`: they are not reviewed. `unknown` lists what the reply named
    that was not pending. `unsent` are chunks for which the model's context had no room: they
    were not shown and are still pending.
    """

    judgements: tuple[Judgement, ...]
    unknown: tuple[str, ...] = ()
    unsent: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReevaluateTask:
    """Look again at held chunks in the light of what was accepted since."""

    question: str
    sub_question: SubQuestion
    archive: ArchiveContext
    accepted: tuple[AcceptedItem, ...]
    held: tuple[HeldItem, ...]
    round: int = 1
    state: str = ""


@dataclass(frozen=True, slots=True)
class ReevaluateResult:
    """Promotions to *accept*, each with a reason that says which later evidence changed it.

    `unsent` are held chunks for which the model's context had no room; they stay held.
    """

    promotions: tuple[Judgement, ...]
    unknown: tuple[str, ...] = ()
    unsent: tuple[int, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BriefTask:
    """Write what passes from this sub-question to the next ones."""

    question: str
    sub_question: SubQuestion
    archive: ArchiveContext
    accepted: tuple[AcceptedItem, ...] = ()
    held: tuple[HeldItem, ...] = ()
    memory: Memory = _NO_MEMORY
    briefings: tuple[Briefing, ...] = ()
    log: tuple[str, ...] = ()
    gap: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class ReplanTask:
    """Revise what remains of the plan after a sub-question.

    `max_total` bounds done and remaining sub-questions together.
    """

    question: str
    archive: ArchiveContext
    done: tuple[SubQuestion, ...]
    remaining: tuple[SubQuestion, ...]
    briefing: Briefing
    max_total: int
    state: str = ""


@dataclass(frozen=True, slots=True)
class OrderItem:
    """A document to be put in order inside its group of equal confirmations."""

    key: DocumentKey
    title: str
    date: str
    confirmations: int
    reasons: tuple[str, ...]
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderTask:
    """Put a group of documents with the same number of confirmations in order, best first."""

    question: str
    archive: ArchiveContext
    documents: tuple[OrderItem, ...]
    state: str = ""


@dataclass(frozen=True, slots=True)
class OrderResult:
    """All documents of the group, best first; those that the reply left out stand last, as they
    stood. `unknown` lists what it named that is not in the group."""

    keys: tuple[DocumentKey, ...]
    reasons: Mapping[DocumentKey, str] = field(default_factory=lambda: _NO_REASONS)
    unknown: tuple[str, ...] = ()


# --- what comes back ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """An assistant's answer to one task.

    `value` is None when no reply could be read after all repairs and retries; `problem` then
    says so in one sentence. `calls` are the model calls of this answer in order, for the record
    (also those answered from the record on resume; none for rules). `fallback` marks an answer
    that rules gave in a model's place. `notices` say what a person should know about how the
    answer came about (texts shortened to fit, say).
    """

    value: T | None
    actor: Actor
    problem: str = ""
    calls: tuple[CallMade, ...] = ()
    fallback: bool = False
    notices: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The id of the call that gave the answer, "" for rules."""
        return self.calls[-1].call if self.calls else ""

    @property
    def prompt_hash(self) -> str:
        """The hash of the prompt that asked, "" for rules."""
        return self.calls[-1].prompt_hash if self.calls else ""


class Assistant(Protocol):
    """Does the seven tasks. One call, one outcome.

    A model's unreadable replies are asked again inside (`loop.plan_retries`, with the error
    quoted), except in `next_action`, where the loop itself counts them: the stage then calls
    again with a notice. Whether a plan collapsed or left something out is the stage's judgement:
    it calls `plan` again with `previous_problem`.
    """

    @property
    def kind(self) -> AssistantName:
        """By what the tasks are done."""

    @property
    def actor(self) -> Actor:
        """Who decides, for the record."""

    @property
    def local(self) -> bool:
        """Whether what it is shown stays on this machine. Where it does not, texts, titles and
        quotes of `local_only` sub-corpora are never sent, and such chunks are not judged."""

    def plan(self, task: PlanTask) -> Outcome[PlanResult]:
        """Sub-questions that together mean what the question means."""

    def next_action(self, task: StepTask) -> Outcome[StepResult]:
        """The next search of the loop, or `finish`."""

    def review(self, task: ReviewTask) -> Outcome[ReviewResult]:
        """Accept, hold or reject pending chunks."""

    def reevaluate(self, task: ReevaluateTask) -> Outcome[ReevaluateResult]:
        """Held chunks that later evidence makes acceptable."""

    def brief(self, task: BriefTask) -> Outcome[Briefing]:
        """What the next sub-questions should know."""

    def replan(self, task: ReplanTask) -> Outcome[PlanResult]:
        """What remains to be asked."""

    def order(self, task: OrderTask) -> Outcome[OrderResult]:
        """A group of equally confirmed documents, best first."""
