"""A checkpoint on the page: the proposal, its editing, and the answer that lets the run go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import plan
from pages.components.corpora import name_of, title_of
from pages.components.errors import remember
from pages.components.html import clean, md, shortened, show
from pages.components.places import link
from pages.components.sentences import said, why
from pages.components.session import person, service, t
from pages.components.verdicts import label
from trace_core.domain.checkpoint import (
    Checkpoint,
    FinalProposal,
    HoldsProposal,
    HumanDecision,
    PlanProposal,
    VerdictChange,
)
from trace_core.domain.errors import TraceError
from trace_core.domain.evidence import VERDICTS

if TYPE_CHECKING:
    from trace_core.domain.state import RunState

LISTED = 15
"""Lines of the final list that are shown at its checkpoint."""


def checkpoint(state: RunState, waiting: Checkpoint, known: dict[str, str]) -> None:
    """Show what waits and take the answer."""
    with st.container(border=True, key="checkpoint"):
        st.subheader(t(f"checkpoint.{waiting.kind}"), anchor=False)
        st.write(md(t(f"checkpoint.{waiting.kind}_help")))
        proposal = waiting.proposal
        draft = f"draft.{state.run}.{waiting.id}"
        if isinstance(proposal, PlanProposal):
            _plan(state, waiting, proposal, draft, known)
        elif isinstance(proposal, HoldsProposal):
            _holds(state, proposal, draft)
        else:
            _final(state, proposal, known)
        _answer(state, waiting, draft)


def _plan(
    state: RunState, waiting: Checkpoint, proposal: PlanProposal, draft: str, known: dict[str, str]
) -> None:
    if proposal.note:
        st.info(md(said(proposal.note)))
    if waiting.kind == "replan":
        plan.difference(state.remaining(), proposal.sub_questions, known)
    plan.editor(draft, proposal.sub_questions, known)


def _holds(state: RunState, proposal: HoldsProposal, draft: str) -> None:
    link(
        "review",
        t("checkpoint.review_them"),
        ":material/rule:",
        run=state.run,
    )
    records = state.sub(proposal.sub_question).verdicts
    for chunk in proposal.chunks:
        view = service().passage(chunk, ())
        with st.container(border=True):
            title = view.head.title or view.head.key.source_id
            show(
                f'<div class="tr-title">{clean(title)}</div><div class="tr-text tr-snippet">'
                f"{clean(shortened(view.chunk.text, 420))}</div>"
            )
            if chunk in records:
                st.caption(md(why(records[chunk])))
            st.segmented_control(
                t("checkpoint.judge"),
                VERDICTS,
                default="hold",
                format_func=label,
                required=True,
                key=f"{draft}.{chunk}",
                label_visibility="collapsed",
            )


def _final(state: RunState, proposal: FinalProposal, known: dict[str, str]) -> None:
    by_rules = state.assistant == "rules"
    heads = service().heads(line.key for line in proposal.ranking[:LISTED])
    rows = "".join(
        f'<tr><td class="tr-number">{rank}</td><td>{clean(name_of(line.corpus, known))}</td>'
        f"<td>{clean(title_of(heads.get(line.key), line.key))}</td>"
        f"<td class='tr-number'>{line.confirmations}</td>"
        f"<td>{clean(said(line.reason) if by_rules else line.reason)}</td></tr>"
        for rank, line in enumerate(proposal.ranking[:LISTED], start=1)
    )
    titles = "".join(
        f"<th>{clean(t(f'evidence.{name}'))}</th>"
        for name in ("rank", "corpus", "document", "confirmations", "reason")
    )
    show(f'<table class="tr-table"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>')
    if len(proposal.ranking) > LISTED:
        st.caption(t("checkpoint.more", n=len(proposal.ranking) - LISTED))
    link(
        "evidence",
        t("checkpoint.look_closer"),
        ":material/format_list_numbered:",
        run=state.run,
    )


def _answer(state: RunState, waiting: Checkpoint, draft: str) -> None:
    reason = f"{draft}.reason"
    st.text_input(t("checkpoint.reason"), key=reason, placeholder=t("optional"))
    with st.container(horizontal=True):
        st.button(
            t(f"checkpoint.approve_{waiting.kind}"),
            type="primary",
            icon=":material/check:",
            key="checkpoint.approve",
            shortcut="Ctrl+Enter",
            on_click=_approve,
            args=(state.run, waiting, draft),
        )
        st.button(
            t("checkpoint.stop"),
            icon=":material/stop_circle:",
            key="checkpoint.stop",
            on_click=_stop,
            args=(state.run, draft),
        )


def _approve(run: str, waiting: Checkpoint, draft: str) -> None:
    decision = HumanDecision(reason=str(st.session_state.get(f"{draft}.reason", "")).strip())
    proposal = waiting.proposal
    if isinstance(proposal, PlanProposal):
        decision = decision.model_copy(update={"sub_questions": plan.edited(draft)})
    elif isinstance(proposal, HoldsProposal):
        decision = decision.model_copy(update={"verdicts": _judged(proposal, draft)})
    _decide(run, decision)


def _judged(proposal: HoldsProposal, draft: str) -> tuple[VerdictChange, ...]:
    chosen = {chunk: st.session_state.get(f"{draft}.{chunk}") for chunk in proposal.chunks}
    return tuple(
        VerdictChange(chunk=chunk, sub_question=proposal.sub_question, verdict=verdict)
        for chunk, verdict in chosen.items()
        if verdict in ("accept", "reject")
    )


def _stop(run: str, draft: str) -> None:
    reason = str(st.session_state.get(f"{draft}.reason", "")).strip()
    _decide(run, HumanDecision(action="stop", reason=reason))


def _decide(run: str, decision: HumanDecision) -> None:
    try:
        service().decide(run, decision, person())
        service().start(run)
    except TraceError as error:
        remember(error)
