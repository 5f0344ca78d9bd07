"""Search hints: what accepted evidence names, ranked by how well it tells relevant from not.

In: the decisions so far. Out: at most twelve hints for the next step: those of the briefings,
which alone pass from one sub-question to the next, then those of the sub-question's own evidence.
Nothing is recorded: the hints follow from the events.
"""

from __future__ import annotations

from trace_core.domain.evidence import Verdict
from trace_core.domain.state import RunState, SubState
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
            hints += [*briefing.search_hints, *briefing.dates, *briefing.leads]
    if state.current:
        hints += leads(state.sub(state.current), context)
    return tuple(dict.fromkeys(hint for hint in hints if hint))[:_MOST]


def leads(sub: SubState, context: Context) -> tuple[str, ...]:
    """Names that tell a sub-question's accepted passages from its rejected ones, best first."""
    accepted = _texts(sub, "accept", context)
    if not accepted:
        return ()
    found = bridge_entities(accepted, _texts(sub, "reject", context))
    return tuple(entity.name for entity in found if entity.weight > 0)[:_MOST]


def _texts(sub: SubState, verdict: Verdict, context: Context) -> list[str]:
    ids = [
        record.decision.chunk
        for record in sub.with_verdict(verdict)
        # A source that must stay on this machine may not speak through a hint either.
        if context.judge_for(record.decision.corpus) is context.assistant
    ]
    chunks = context.documents.chunks(ids[-_MOST_CHUNKS:])
    return [chunk.text for chunk in chunks.values()]
