"""The review queue: which decisions wait, in which order, and which one is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import name_of
from pages.components.passage import query_terms
from pages.components.session import go, place, t

if TYPE_CHECKING:
    from trace_core.domain.evidence import Found
    from trace_core.domain.state import DecisionRecord, RunState

ORDERS = ("search", "old", "new", "corpus")
SHOWN = ("hold", "accept", "reject", "all")


def ask(state: RunState, known: dict[str, str]) -> list[DecisionRecord]:
    """Let the person filter and order, and return what waits."""
    first, second, third, fourth = st.columns(4)
    verdict = first.selectbox(
        t("queue.show"),
        SHOWN,
        format_func=lambda name: t(f"queue.show_{name}"),
        key="queue.show",
        persist_state="session",
    )
    sub = second.selectbox(
        t("queue.sub_question"),
        ("", *(question.id for question in state.plan)),
        format_func=lambda s: _sub_name(state, s),
        key="queue.sub",
    )
    corpus = third.selectbox(
        t("queue.corpus"),
        ("", *known),
        format_func=lambda corpus_id: name_of(corpus_id, known),
        key="queue.corpus",
    )
    order = fourth.selectbox(
        t("queue.order"),
        ORDERS,
        format_func=lambda name: t(f"queue.order_{name}"),
        key="queue.order",
        persist_state="session",
    )
    return _ordered(state, _filtered(state, str(verdict), str(sub), str(corpus)), str(order))


def _sub_name(state: RunState, sub_question: str) -> str:
    if not sub_question:
        return t("queue.every_sub")
    return f"{sub_question} · {state.subs[sub_question].sub_question.text}"


def _filtered(state: RunState, verdict: str, sub: str, corpus: str) -> list[DecisionRecord]:
    standing = [
        record
        for name, one in list(state.subs.items())
        if sub in ("", name)
        for record in list(one.verdicts.values())
    ]
    return [
        record
        for record in standing
        if verdict in ("all", record.decision.verdict) and corpus in ("", record.decision.corpus)
    ]


def _ordered(state: RunState, records: list[DecisionRecord], order: str) -> list[DecisionRecord]:
    if order == "search":
        return sorted(records, key=lambda r: (_position(state, r), r.sequence))
    if order == "corpus":
        return sorted(records, key=lambda r: (r.decision.corpus, r.decision.source_id))
    return sorted(records, key=lambda r: r.sequence, reverse=order == "new")


def _position(state: RunState, record: DecisionRecord) -> int:
    candidate = state.sub(record.decision.sub_question).candidates.get(record.decision.chunk)
    return candidate.position if candidate else 1_000_000


def name(record: DecisionRecord) -> str:
    """What the address calls a place in the queue: sub-question and passage."""
    return f"{record.decision.sub_question}.{record.decision.chunk}"


def current(waiting: list[DecisionRecord]) -> DecisionRecord:
    """The decision that the address names, else the first one that waits."""
    wanted = place("chunk")
    record = next((r for r in waiting if name(r) == wanted), None)
    if record is None:
        record = waiting[min(int(st.session_state.get("queue.place", 0)), len(waiting) - 1)]
    st.session_state["queue.place"] = waiting.index(record)
    go(chunk=name(record))
    return record


def move(waiting: list[DecisionRecord], record: DecisionRecord, by: int) -> None:
    """Look at the next or the previous one; stays at either end."""
    index = min(max(0, waiting.index(record) + by), len(waiting) - 1)
    st.session_state["queue.place"] = index
    go(chunk=name(waiting[index]))


def found(state: RunState, record: DecisionRecord) -> tuple[Found, ...]:
    """The searches by which the passage came up."""
    candidate = state.sub(record.decision.sub_question).candidates.get(record.decision.chunk)
    return candidate.found if candidate else ()


def terms(state: RunState, record: DecisionRecord) -> tuple[str, ...]:
    """What is marked as query terms: the queries and written forms that found the passage."""
    candidate = state.sub(record.decision.sub_question).candidates.get(record.decision.chunk)
    forms = candidate.forms if candidate else ()
    return (*query_terms(way.query for way in found(state, record)), *forms)
