"""Rank: accepted documents in, the final order out.

First by confirmations (the number of sub-questions that accepted a document), highest first;
only groups of two or more are put in order inside, by the recorded reasons. The count is a
heuristic and no independent corroboration. Recorded: the whole order with each document's reason.
"""

from __future__ import annotations

import math
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
from trace_core.domain.evidence import ENGINE, RankedDocument
from trace_core.domain.state import DecisionRecord, RunState, current_ranking
from trace_core.stages.context import Context, by_engine, call_drafts, shown_date, state_key


def rank(state: RunState, context: Context) -> list[Draft]:
    """Put the accepted documents in their final order."""
    accepted = state.accepted()
    lines = sorted(
        current_ranking(state),
        key=lambda line: (-line.confirmations, _strength(state, accepted[line.key])),
    )
    heads = context.documents.heads(line.key for line in lines)
    drafts: list[Draft] = []
    ordered: list[RankedDocument] = []
    actor, notes = ENGINE, []
    for count, members in groupby(lines, key=lambda line: line.confirmations):
        group = list(members)
        if len(group) < 2:
            ordered += group
            continue
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
        drafts += call_drafts([outcome])
        drafts += [
            Draft(outcome.actor, UnknownChunk(stage="rank", sub_question="", named=name))
            for name in (outcome.value.unknown if outcome.value else ())
        ]
        actor = outcome.actor
        if outcome.value is None:
            notes.append(f"Group of {count} confirmations kept in search order: {outcome.problem}")
            ordered += group
            continue
        ordered += _reordered(group, outcome.value.keys, dict(outcome.value.reasons))
    drafts.append(Draft(actor, RankingMade(ranking=tuple(ordered), note=" ".join(notes))))
    if context.settings.checkpoints.final:
        checkpoint = Checkpoint(
            id=f"k{state.checkpoints + 1}",
            kind="final",
            proposal=FinalProposal(ranking=tuple(ordered)),
        )
        drafts.append(by_engine(CheckpointOpened(checkpoint=checkpoint)))
    return drafts


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
