"""Search hints: what accepted evidence names, ranked by how well it tells relevant from not.

In: the decisions so far. Out: at most twelve hints for the next step, the briefings' own hints
first. Nothing is recorded: the hints follow from the events.
"""

from __future__ import annotations

from trace_core.domain.state import RunState
from trace_core.search.bridge import bridge_entities
from trace_core.stages.context import Context

_MOST = 12
_MOST_CHUNKS = 60


def search_hints(state: RunState, context: Context) -> tuple[str, ...]:
    """Hints for the next search of the run."""
    hints: list[str] = []
    for question in state.done():
        briefing = state.subs[question.id].briefing
        if briefing:
            hints += [*briefing.search_hints, *briefing.dates]
    hints += _bridges(state, context)
    return tuple(dict.fromkeys(hint for hint in hints if hint))[:_MOST]


def _bridges(state: RunState, context: Context) -> list[str]:
    accepted = _texts(state, "accept", context)
    rejected = _texts(state, "reject", context)
    if not accepted:
        return []
    return [entity.name for entity in bridge_entities(accepted, rejected) if entity.weight > 0]


def _texts(state: RunState, verdict: str, context: Context) -> list[str]:
    ids = [
        r.decision.chunk
        for sub in state.subs.values()
        for r in sub.verdicts.values()
        if r.decision.verdict == verdict
        # A source that must stay on this machine may not speak through a hint either.
        and context.judge_for(r.decision.corpus) is context.assistant
    ]
    chunks = context.documents.chunks(ids[-_MOST_CHUNKS:])
    return [chunk.text for chunk in chunks.values()]
