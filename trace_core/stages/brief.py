"""Brief: a finished sub-question in, its briefing out.

The briefing is the only thing that passes from one sub-question to the next. When a model's
reply cannot be read, the rules write it. Recorded: the briefing and who wrote it.
"""

from __future__ import annotations

from dataclasses import replace

from trace_core.assistant.tasks import BriefTask
from trace_core.domain.events import BriefingWritten, Draft, ReplyUnreadable
from trace_core.domain.question import Briefing
from trace_core.domain.state import RunState
from trace_core.stages.context import (
    Context,
    accepted_items,
    call_drafts,
    held_items,
    state_key,
)
from trace_core.stages.hints import leads


def brief(state: RunState, context: Context) -> list[Draft]:
    """Write the briefing of the current sub-question."""
    sub = state.sub(state.current)
    task = BriefTask(
        question=state.question,
        sub_question=sub.sub_question,
        archive=context.archive,
        accepted=accepted_items(state, context, sub.sub_question.id),
        held=held_items(sub.pool, sub, context),
        memory=sub.memory,
        briefings=tuple(b for q in state.done() if (b := state.subs[q.id].briefing)),
        log=sub.last_lines(context.settings.loop.action_log_lines),
        gap=sub.gap,
        state=state_key(state, "brief"),
    )
    outcome = context.assistant.brief(task)
    drafts = call_drafts([outcome])
    if outcome.value is not None:
        briefing = outcome.value
        if context.assistant.kind == "model":
            briefing = briefing.model_copy(update={"leads": leads(sub, context)})
        written = BriefingWritten(
            sub_question=sub.sub_question.id, briefing=briefing, call=outcome.call
        )
        return [*drafts, Draft(outcome.actor, written)]
    trouble = ReplyUnreadable(
        stage="brief",
        sub_question=sub.sub_question.id,
        reason=outcome.problem,
        call=outcome.call,
    )
    made = context.rules.brief(_shareable(task, context))
    briefing = (made.value or Briefing()).model_copy(update={"leads": leads(sub, context)})
    written = BriefingWritten(sub_question=sub.sub_question.id, briefing=briefing, fallback=True)
    return [*drafts, Draft(outcome.actor, trouble), Draft(made.actor, written)]


def _shareable(task: BriefTask, context: Context) -> BriefTask:
    """The task without what must stay on this machine: a model elsewhere will read the briefing."""

    def may_leave(corpus: str) -> bool:
        return context.judge_for(corpus) is context.assistant

    return replace(
        task,
        accepted=tuple(item for item in task.accepted if may_leave(item.key.corpus)),
        held=tuple(held for held in task.held if may_leave(held.item.candidate.corpus)),
    )
