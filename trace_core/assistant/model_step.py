"""The search step by model: the prompt's sections, and the reply made into an action."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from trace_core.assistant import render
from trace_core.assistant.asking import Ask, Section, Squeeze
from trace_core.assistant.chat import ChatReply
from trace_core.assistant.fences import one_line
from trace_core.assistant.model_plan import resolve_corpus
from trace_core.assistant.replies import Unreadable, read
from trace_core.assistant.shapes import MemorySlots, StepArgs, StepReply
from trace_core.assistant.tasks import StepResult, StepTask
from trace_core.domain.dates import Undated, iso_day
from trace_core.domain.question import Action, ActionName, Memory
from trace_core.ingest.dates import read_date
from trace_core.settings import LoopSettings, Settings

ACTIONS: tuple[str, ...] = get_args(ActionName)

_LONGEST_QUERY = 300
_LONGEST_THOUGHT = 600
_MOST_DAYS = 60
_SEARCH_WORD = re.compile(r"^(?:search[\s_-]*)?(bm25|semantic|date|exact|fuzzy)$")


def step(task: StepTask, settings: Settings, hidden: frozenset[str]) -> Ask[StepResult]:
    """The call that chooses the next action. It is asked once: the loop counts failures."""

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        loop = settings.loop
        return {
            "question": task.question,
            "sub_question": render.sub_question(task.sub_question),
            "archive": render.archive(task.archive),
            "memory": render.memory(task.memory),
            "briefings": render.briefings(task.briefings, squeeze),
            "hints": render.hints(task.hints),
            "accepted": render.accepted(task.accepted, hidden, squeeze),
            "held": str(task.held),
            "log": render.log_lines(task.log),
            "step": str(task.step),
            "steps_left": str(task.steps_left),
            "notices": "\n".join(f"Note: {one_line(notice)}" for notice in task.notices),
            "slot_words": str(loop.memory_slot_words),
            "memory_characters": str(loop.memory_characters),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> StepResult:
        del squeeze
        shape = read(reply.text, StepReply, cut_off=reply.cut_off)
        action = _action(shape, task, settings.search.date_window)
        slots = shape.memory_update
        memory = None if slots is None else bounded_memory(slots, settings.loop)
        return StepResult(action, memory)

    return Ask(
        stage="step",
        state=task.state,
        max_tokens=settings.model.step_tokens,
        items=0,
        retries=0,
        sections=sections,
        read=result,
    )


def bounded_memory(slots: MemorySlots, limits: LoopSettings) -> Memory:
    """The slots within their words, and all five together within their characters.

    What is too long loses its end, in proportion to its length.
    """
    texts = {
        name: _words(text, limits.memory_slot_words) for name, text in slots.model_dump().items()
    }
    total = sum(map(len, texts.values()))
    if total > limits.memory_characters:
        share = limits.memory_characters / total
        texts = {name: _shorter(text, int(len(text) * share)) for name, text in texts.items()}
    return Memory(**texts)


# --- reading -------------------------------------------------------------------------------------


def _action(shape: StepReply, task: StepTask, window: int) -> Action:
    name = _name(shape.action)
    thought = one_line(shape.thought)[:_LONGEST_THOUGHT]
    if name == "finish":
        return Action(name="finish", thought=thought)
    fields: dict[str, Any] = {
        "name": name,
        "query": one_line(shape.args.query)[:_LONGEST_QUERY].strip(),
        "corpus": resolve_corpus(shape.args.corpus, task.archive),
        "thought": thought,
    }
    if name == "search_date":
        fields |= _days(shape.args, window)
    elif not fields["query"]:
        raise Unreadable(f"The action {name} needs a query.")
    return Action(**fields)


def _name(text: str) -> str:
    name = one_line(text).strip("\"'`()").lower()
    word = _SEARCH_WORD.match(name)
    name = f"search_{word.group(1)}" if word else name
    if name not in ACTIONS:
        raise Unreadable(f'There is no action "{one_line(text)}"; choose {", ".join(ACTIONS)}.')
    return name


def _days(args: StepArgs, window: int) -> dict[str, Any]:
    """A range of days, or a day with days on either side, as the action holds them."""
    if args.date_from or args.date_to:
        first = _span(args.date_from or args.date_to or "")[0]
        last = _span(args.date_to or args.date_from or "")[1]
        first, last = min(first, last), max(first, last)
        return {"date_from": iso_day(first), "date_to": iso_day(last)}
    if not args.date_center:
        raise Unreadable("The action search_date needs date_from and date_to, or date_center.")
    days = args.window_days or min(max(window, 1), _MOST_DAYS)
    first, last = _span(args.date_center)
    if first == last:
        return {"date_center": iso_day(first), "window_days": days}
    return {"date_from": iso_day(first - days), "date_to": iso_day(last + days)}


def _span(text: str) -> tuple[int, int]:
    date = read_date(text)
    if isinstance(date, Undated) or date.is_open:
        raise Unreadable(f'"{one_line(text)}" is no day; write YYYY-MM-DD.')
    return date.earliest, date.latest


def _words(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words) if len(words) < most else " ".join(words[: most - 1]) + "…"


def _shorter(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: max(0, characters - 1)].rstrip() + "…"
