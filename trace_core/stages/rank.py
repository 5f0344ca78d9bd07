"""Rank: accepted documents in, the final order out.

First by confirmations (the number of sub-questions that accepted a document), highest first;
only groups of two or more are put in order inside, by the assistant from the recorded reasons or
by a cross-encoder that reads the accepted passages. The count is a heuristic and no independent
corroboration. Recorded: the whole order with each document's reason.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import groupby

from trace_core.assistant.tasks import OrderItem, OrderTask
from trace_core.domain.checkpoint import Checkpoint, FinalProposal
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import (
    CheckpointOpened,
    Draft,
    RankingMade,
    RunFinished,
    UnknownChunk,
)
from trace_core.domain.evidence import ENGINE, Actor, RankedDocument
from trace_core.domain.state import DecisionRecord, RunState, current_ranking
from trace_core.search.reranker import Reranker, RerankerUnavailable
from trace_core.stages.context import Context, by_engine, call_drafts, shown_date, state_key


def rank(state: RunState, context: Context) -> list[Draft]:
    """Put the accepted documents in their final order."""
    accepted = state.accepted()
    lines = sorted(
        current_ranking(state),
        key=lambda line: (-line.confirmations, _strength(state, accepted[line.key])),
    )
    put = _Order()
    for _, members in groupby(lines, key=lambda line: line.confirmations):
        group = list(members)
        if len(group) < 2:
            put.lines += group
        elif not (context.reranker and _read_again(state, context, context.reranker, group, put)):
            _by_assistant(state, context, group, put)
    made = RankingMade(ranking=tuple(put.lines), note=" ".join(put.notes))
    drafts = [*put.drafts, Draft(put.actor, made)]
    if context.settings.checkpoints.final:
        checkpoint = Checkpoint(
            id=f"k{state.checkpoints + 1}",
            kind="final",
            proposal=FinalProposal(ranking=made.ranking),
        )
        drafts.append(by_engine(CheckpointOpened(checkpoint=checkpoint)))
    return drafts


@dataclass(slots=True)
class _Order:
    """The list as far as it is put in order, and what was recorded on the way."""

    lines: list[RankedDocument] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    actor: Actor = ENGINE


def _by_assistant(
    state: RunState, context: Context, group: list[RankedDocument], put: _Order
) -> None:
    """A group in the order that the assistant gives it, else in that of the searches."""
    accepted, count = state.accepted(), group[0].confirmations
    heads = context.documents.heads(line.key for line in group)
    items = tuple(
        OrderItem(
            key=line.key,
            title=heads[line.key].title if line.key in heads else "",
            date=shown_date(heads[line.key].date if line.key in heads else None),
            confirmations=count,
            reasons=tuple(r.decision.reason for r in accepted[line.key]),
            quotes=tuple(r.decision.quote for r in accepted[line.key] if r.decision.quote),
        )
        for line in group
    )
    outcome = context.assistant.order(
        OrderTask(state.question, context.archive, items, state_key(state, f"order/{count}"))
    )
    put.drafts += call_drafts([outcome])
    put.drafts += [
        Draft(outcome.actor, UnknownChunk(stage="rank", sub_question="", named=name))
        for name in (outcome.value.unknown if outcome.value else ())
    ]
    put.actor = outcome.actor
    if outcome.value is None:
        put.notes.append(f"Group of {count} confirmations kept in search order: {outcome.problem}")
        put.lines += group
        return
    put.lines += _reordered(group, outcome.value.keys, dict(outcome.value.reasons))


def _read_again(
    state: RunState,
    context: Context,
    reranker: Reranker,
    group: list[RankedDocument],
    put: _Order,
) -> bool:
    """A group in the order in which a cross-encoder finds its accepted passages to answer.

    A document counts by its best passage. False, and noted, where the model cannot be had.
    """
    accepted = state.accepted()
    pairs = [(line.key, r.decision.chunk) for line in group for r in accepted[line.key]]
    chunks = context.documents.chunks(chunk for _, chunk in pairs)
    pairs = [(key, chunk) for key, chunk in pairs if chunk in chunks]
    try:
        scores = reranker.scores(state.question, [chunks[chunk].text for _, chunk in pairs])
    except RerankerUnavailable as error:
        put.notes.append(f"The cross-encoder ordered nothing: {error}")
        return False
    best: dict[DocumentKey, float] = {}
    for (key, _), score in zip(pairs, scores, strict=True):
        best[key] = max(score, best.get(key, -math.inf))
    put.lines += sorted(group, key=lambda line: -best.get(line.key, -math.inf))
    put.actor = Actor(kind="model", name=reranker.name)
    return True


def _strength(state: RunState, records: list[DecisionRecord]) -> tuple[float, float, int]:
    """How strongly the searches found a document: best position, then score, then first come.

    In a run by rules every candidate comes from a warm start, whose scores compare across
    sub-corpora (`search.survey`): there the score goes first.
    """
    best: tuple[float, float, int] = (math.inf, 0.0, 0)
    for record in records:
        sub = state.subs[record.decision.sub_question]
        candidate = sub.candidates.get(record.decision.chunk)
        if candidate is not None:
            place, score = float(candidate.position), -candidate.score
            first, second = (score, place) if state.assistant == "rules" else (place, score)
            best = min(best, (first, second, record.sequence))
    return best


def _reordered(
    group: list[RankedDocument],
    keys: tuple[DocumentKey, ...],
    reasons: dict[DocumentKey, str],
) -> list[RankedDocument]:
    place = {key: n for n, key in enumerate(keys)}
    put = sorted(group, key=lambda line: place.get(line.key, len(place)))
    return [
        line.model_copy(update={"reason": reasons[line.key]}) if reasons.get(line.key) else line
        for line in put
    ]


def evidence_list(state: RunState, _context: Context) -> list[Draft]:
    """Close the run: the list is complete, what stays held is counted."""
    finished = RunFinished(documents=len(state.accepted()), held=len(state.held()))
    return [by_engine(finished)]
