"""Briefing and order by model: the prompts' sections, and what their replies become."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import ValidationError

from trace_core.assistant import render
from trace_core.assistant.asking import Ask, Data, Section, Squeeze
from trace_core.assistant.chat import ChatReply
from trace_core.assistant.fences import cut, one_line
from trace_core.assistant.model_review import bounded_reason
from trace_core.assistant.replies import Unreadable, read
from trace_core.assistant.shapes import BriefReply, OrderEntry, OrderReply
from trace_core.assistant.tasks import BriefTask, OrderItem, OrderResult, OrderTask
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.question import Briefing
from trace_core.settings import Settings

_MOST_ENTRIES = 8
_LONGEST_ENTRY = 300
_LONGEST_SUMMARY = 1000
_DOCUMENT_NAME = re.compile(r"^[\W_]*(?:source\s+)?d?(\d{1,9})[\W_]*$", re.IGNORECASE)


def brief(task: BriefTask, settings: Settings, hidden: frozenset[str]) -> Ask[Briefing]:
    """The call that writes the briefing; nothing of `hidden` sub-corpora is shown."""

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        return {
            "question": task.question,
            "sub_question": render.sub_question(task.sub_question),
            "archive": render.archive(task.archive),
            "accepted": render.accepted(task.accepted, hidden, squeeze, quotes=True),
            "held": render.held(task.held, hidden, squeeze),
            "memory": render.memory(task.memory),
            "briefings": render.briefings(task.briefings, squeeze),
            "log": render.log_lines(task.log),
            "gap": (Data("GAP", one_line(task.gap) or "(nothing)"),),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> Briefing:
        del squeeze
        shape = read(reply.text, BriefReply, cut_off=reply.cut_off)
        if not shape.summary:
            raise Unreadable("The briefing has no summary.")
        return Briefing(
            summary=cut(one_line(shape.summary), _LONGEST_SUMMARY),
            confirmed_facts=_entries(shape.confirmed_facts),
            dates=_entries(shape.dates),
            entities=_entries(shape.entities),
            gaps=_entries(shape.gaps),
            search_hints=_entries(shape.search_hints),
        )

    return Ask(
        stage="brief",
        state=task.state,
        max_tokens=settings.model.other_tokens,
        items=0,
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


def order(task: OrderTask, settings: Settings, hidden: frozenset[str]) -> Ask[OrderResult]:
    """The call that orders a group; documents of `hidden` sub-corpora keep their places."""
    names = _names(task, hidden)

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        shown = list(names.items())[: squeeze.items]
        return {
            "question": task.question,
            "archive": render.archive(task.archive),
            "sources": [render.ordered_document(name, item, squeeze) for name, item in shown],
            "reason_characters": str(settings.loop.reason_characters),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> OrderResult:
        shape = read(reply.text, OrderReply, cut_off=reply.cut_off)
        shown = dict(list(names.items())[: squeeze.items])
        return _ordered(shape, task, shown, settings.loop.reason_characters)

    return Ask(
        stage="order",
        state=task.state,
        max_tokens=settings.model.other_tokens,
        items=len(names),
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


# --- reading -------------------------------------------------------------------------------------


def _entries(texts: list[str]) -> tuple[str, ...]:
    lines = (cut(one_line(text), _LONGEST_ENTRY) for text in texts)
    return tuple(dict.fromkeys(line for line in lines if line))[:_MOST_ENTRIES]


def _names(task: OrderTask, hidden: frozenset[str]) -> dict[str, OrderItem]:
    shown = [item for item in task.documents if item.key.corpus not in hidden]
    return {f"d{number}": item for number, item in enumerate(shown, 1)}


def _ordered(
    shape: OrderReply, task: OrderTask, shown: Mapping[str, OrderItem], characters: int
) -> OrderResult:
    reasons: dict[DocumentKey, str] = {}
    unknown: list[str] = []
    for data in shape.order:
        try:
            entry = OrderEntry.model_validate(data)
        except ValidationError:
            continue
        match = _DOCUMENT_NAME.match(entry.id)
        item = shown.get(f"d{int(match.group(1))}") if match else None
        if item is None:
            unknown.append(one_line(entry.id)[:80])
        elif item.key not in reasons:
            reasons[item.key] = bounded_reason(entry.reason, characters)
    if not reasons:
        raise Unreadable("The order names none of the sources.")
    return OrderResult(_in_place(task, shown, list(reasons)), reasons, tuple(unknown))


def _in_place(
    task: OrderTask, shown: Mapping[str, OrderItem], named: list[DocumentKey]
) -> tuple[DocumentKey, ...]:
    """The whole group: shown documents in the new order, the others where they stood."""
    seen = {item.key for item in shown.values()}
    left = [key for item in task.documents if (key := item.key) in seen and key not in named]
    new_order = iter([*named, *left])
    return tuple(next(new_order) if d.key in seen else d.key for d in task.documents)
