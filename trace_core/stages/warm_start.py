"""Warm start: sub-question in, at most twenty candidate documents out.

The channels search inside the target sub-corpus (a filter before the cut) and are fused.
Recorded: that work on the sub-question began, the search with every candidate's ranks, and each
channel that failed.
"""

from __future__ import annotations

from trace_core.domain.events import Draft, SearchDone, SubQuestionStarted
from trace_core.domain.question import Action
from trace_core.domain.state import RunState
from trace_core.search.retriever import WarmStart
from trace_core.stages.candidates import candidates, failures, first_ids
from trace_core.stages.context import Context, by_engine, run_scope


def warm_start(state: RunState, context: Context) -> list[Draft]:
    """Begin the next sub-question of the plan."""
    sub_question = state.remaining()[0]
    drafts = [by_engine(SubQuestionStarted(sub_question=sub_question.id))]
    if not context.settings.loop.warm_start:
        return drafts
    ranking = context.retriever.warm_start(
        WarmStart(
            question=state.question,
            sub_question=sub_question,
            targets=tuple(dict.fromkeys(q.target for q in state.plan if q.target)),
            scope=run_scope(state.scope),
            limit=context.settings.search.warm_start_depth,
        )
    )
    search_id = state.next_search_id()
    found = candidates(search_id, ranking.hits, ranking, context)
    done = SearchDone(
        search=search_id,
        sub_question=sub_question.id,
        step=0,
        stage="warm_start",
        action=Action(name="search_bm25", query=sub_question.text, corpus=sub_question.target),
        channels=tuple(r.channel for r in ranking.rankings if not (r.skipped or r.failure)),
        corpora=ranking.scope.corpora,
        date_from=state.scope.date_from,
        date_to=state.scope.date_to,
        returned=len(ranking.hits),
        candidates=found,
        rankings=first_ids(ranking),
        notes=tuple(f"{r.channel}: {r.note}" for r in ranking.rankings if r.note),
    )
    return [*drafts, *failures(search_id, ranking), by_engine(done)]
