"""What every stage is given beside the state, and what it hands back.

A stage is a function (state, context) -> drafts of events. It reads the archive and asks the
assistant, but writes nothing: the runner saves its events in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from trace_core.assistant.tasks import (
    AcceptedItem,
    ArchiveContext,
    Assistant,
    HeldItem,
    Outcome,
    ReviewItem,
)
from trace_core.domain.corpus import Scope
from trace_core.domain.dates import HistoricalDate, from_iso
from trace_core.domain.events import Draft, Payload
from trace_core.domain.evidence import ENGINE, Candidate
from trace_core.domain.question import ScopeSpec
from trace_core.domain.state import RunState, SubState
from trace_core.ports import DocumentStore
from trace_core.search.reranker import Reranker
from trace_core.search.retriever import Retriever
from trace_core.settings import Settings

NOT_JUDGED = "not judged yet"


@dataclass(frozen=True, slots=True)
class Context:
    """What a stage may use. `rules` judges where `assistant` may not or cannot.

    `reranker` is the cross-encoder that orders the final list, where one is to do that.
    """

    documents: DocumentStore
    retriever: Retriever
    assistant: Assistant
    rules: Assistant
    archive: ArchiveContext
    settings: Settings
    reranker: Reranker | None = None

    def judge_for(self, corpus: str) -> Assistant:
        """Who may see the text of a sub-corpus: rules where it must stay on this machine."""
        if corpus in self.archive.local_only and not self.assistant.local:
            return self.rules
        return self.assistant


Stage = Callable[[RunState, Context], list[Draft]]


def by_engine(payload: Payload) -> Draft:
    """A draft that the engine itself stands for."""
    return Draft(ENGINE, payload)


def call_drafts(outcomes: Iterable[Outcome[Any]]) -> list[Draft]:
    """The model calls of these outcomes, in order, each outcome's notes with its last one."""
    drafts: list[Draft] = []
    for outcome in outcomes:
        notes = (*outcome.notices, *getattr(outcome.value, "problems", ()))
        calls = list(outcome.calls)
        if calls and notes:
            calls[-1] = calls[-1].model_copy(update={"notes": notes})
        drafts += [Draft(outcome.actor, call) for call in calls]
    return drafts


def state_key(state: RunState, stage: str, attempt: int = 0) -> str:
    """The name of the state that asks: equal for the same state before and after a crash."""
    return f"{stage}:{state.progress}:{attempt}"


def run_scope(spec: ScopeSpec) -> Scope:
    """The run's limits as a search takes them.

    Raises BadInput for a day that is none, and for days in the wrong order.
    """
    low = from_iso(spec.date_from).earliest if spec.date_from else None
    high = from_iso(spec.date_to).latest if spec.date_to else None
    return Scope(spec.corpora, low, high, spec.include_undated, spec.min_quality).checked()


def review_items(candidates: Iterable[Candidate], context: Context) -> list[ReviewItem]:
    """The candidates in full text, in their order; a chunk that is gone is left out."""
    wanted = list(candidates)
    chunks = context.documents.chunks(c.chunk for c in wanted)
    heads = context.documents.heads(c.key for c in wanted)
    items = []
    for candidate in wanted:
        chunk, head = chunks.get(candidate.chunk), heads.get(candidate.key)
        if chunk is None:
            continue
        corpus = context.archive.find(candidate.corpus)
        items.append(
            ReviewItem(
                candidate=candidate,
                text=chunk.text,
                title=head.title if head else "",
                date=shown_date(head.date if head else None),
                corpus_name=corpus.name if corpus else candidate.corpus,
                page="" if chunk.page is None else str(chunk.page),
            )
        )
    return items


def accepted_items(
    state: RunState, context: Context, sub_question: str = ""
) -> tuple[AcceptedItem, ...]:
    """The accepted documents (of one sub-question, or of the run), oldest first."""
    accepted = state.accepted()
    keys = state.sub(sub_question).accepted_keys if sub_question else list(accepted)
    heads = context.documents.heads(keys)
    items = []
    for key in keys:
        record = accepted[key][0]
        head = heads.get(key)
        items.append(
            AcceptedItem(
                chunk=record.decision.chunk,
                key=key,
                title=head.title if head else "",
                date=shown_date(head.date if head else None),
                reason=record.decision.reason,
                quote=record.decision.quote,
                confirmations=len({r.decision.sub_question for r in accepted[key]}),
            )
        )
    return tuple(items)


def held_items(chunks: Iterable[int], sub: SubState, context: Context) -> tuple[HeldItem, ...]:
    """Held chunks in full text with the reason why they are held.

    What only the silent widening of a date search found says no more than that nobody judged it:
    the assistant is not told of the wider window.
    """
    candidates = [sub.candidates[c] for c in chunks if c in sub.candidates]
    items = []
    for item in review_items(candidates, context):
        decision = sub.verdicts[item.candidate.chunk].decision
        silent = item.candidate.widened and not decision.reviewed
        items.append(HeldItem(item, NOT_JUDGED if silent else decision.reason, decision.reviewed))
    return tuple(items)


def shown_date(date: HistoricalDate | None) -> str:
    """A date as EDTF, "undated" for none."""
    return date.edtf if date else "undated"
