"""The numbers of a run, counted from its events alone: what a methods section may state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from trace_core.domain import events as ev
from trace_core.domain.state import RunState, current_ranking
from trace_core.provenance.record import RunRecord


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of one run.

    `read` are distinct passages with at least one decision made on their text; `decisions` are
    all decisions by kind of actor, superseded ones included; `overrides` those of a person that
    changed a verdict of somebody else, `confirmed` those that repeated one; `unread` are distinct
    passages held without a judgement. A search counts when a channel took part in it. `models` are
    the names of models whose calls were paid for.
    """

    sub_questions: int
    spawned: int
    by_person: int
    warm_starts: int
    searches: int
    channels: tuple[str, ...]
    found: int
    found_documents: int
    read: int
    decisions: Mapping[str, int]
    people: tuple[str, ...]
    overrides: int
    confirmed: int
    unread: int
    accepted: int
    accepted_passages: int
    held: int
    rejected: int
    calls: int
    models: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    failures: int
    unreadable: int


def figures(record: RunRecord) -> Figures:
    """Count a run."""
    state = record.state
    records = state.decisions
    searches = [s for s in state.searches.values() if s.channels]
    candidates = [c for s in searches for c in s.candidates]
    payloads = Counter(event.type for event in record.events)
    calls = [p for e in record.events if e.type == ev.CallMade.type and (p := e.data)]
    standing = {v: _standing(state, v) for v in ("accept", "hold", "reject")}
    return Figures(
        sub_questions=len(state.plan),
        spawned=sum(q.origin == "spawned" for q in state.plan),
        by_person=sum(q.origin == "human" for q in state.plan),
        warm_starts=sum(s.stage == "warm_start" for s in searches),
        searches=len(searches),
        channels=tuple(dict.fromkeys(ch for s in searches for ch in s.channels)),
        found=len({c.chunk for c in candidates}),
        found_documents=len({c.key for c in candidates}),
        read=len({r.decision.chunk for r in records if r.decision.reviewed}),
        decisions=dict(Counter(r.actor.kind for r in records)),
        people=tuple(dict.fromkeys(r.actor.name for r in records if r.actor.kind == "human")),
        overrides=_overrides(state, same=False),
        confirmed=_overrides(state, same=True),
        unread=len({r.decision.chunk for r in records if not r.decision.reviewed}),
        accepted=len(current_ranking(state)),
        accepted_passages=len(standing["accept"]),
        held=len(standing["hold"] - standing["accept"]),
        rejected=len(standing["reject"] - standing["accept"] - standing["hold"]),
        calls=len(calls),
        models=tuple(dict.fromkeys(str(c["model"]) for c in calls)),
        tokens_in=state.totals.tokens_in,
        tokens_out=state.totals.tokens_out,
        failures=payloads[ev.ChannelFailed.type],
        unreadable=payloads[ev.ReplyUnreadable.type],
    )


def _standing(state: RunState, verdict: str) -> set[int]:
    return {
        r.decision.chunk
        for sub in state.subs.values()
        for r in sub.verdicts.values()
        if r.decision.verdict == verdict
    }


def _overrides(state: RunState, *, same: bool) -> int:
    by_id = {r.id: r for r in state.decisions}
    return sum(
        r.actor.kind == "human"
        and (before := by_id.get(r.decision.replaces)) is not None
        and before.actor != r.actor
        and (before.decision.verdict == r.decision.verdict) is same
        for r in state.decisions
    )
