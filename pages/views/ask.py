"""Ask: the question, its limits, who assists, at which gates to wait; and the runs so far."""

from __future__ import annotations

import streamlit as st

from pages.components import corpora
from pages.components.corpora import choose
from pages.components.costs import estimated
from pages.components.errors import empty, guarded, told
from pages.components.html import md, shortened
from pages.components.limits import first_day, last_day
from pages.components.places import jump, link
from pages.components.runs import listed
from pages.components.sentences import said
from pages.components.session import person, service, t
from trace_core.domain.errors import TraceError
from trace_core.domain.question import ScopeSpec
from trace_core.service.sample import sample_questions
from trace_core.settings import Changes, CheckpointSettings

GATES = tuple(CheckpointSettings.model_fields)
RECENT = 12


def show() -> None:
    """Draw the page."""
    st.title(t("ask.title"), anchor=False)
    told()
    views = corpora.views()
    if not any(view.stats.documents for view in views.values()):
        empty(t("ask.empty"), t("ask.empty_help"))
        link("archive", t("ask.import"), ":material/upload_file:")
        return
    form, runs = st.columns([3, 2], gap="large")
    with form:
        _question()
    with runs, guarded():
        _runs()


def _question() -> None:
    st.text_area(
        t("ask.question"),
        key="ask.question",
        height=110,
        placeholder=t("ask.placeholder"),
        persist_state="session",
    )
    _examples()
    choose(t("ask.corpora"), "ask.corpora")
    first, last, quality = st.columns([3, 3, 2])
    first.text_input(t("ask.from"), key="ask.from", placeholder=t("ask.from_example"))
    last.text_input(t("ask.to"), key="ask.to", placeholder="1889")
    with quality:
        corpora.least_quality("ask.quality")
    if st.session_state["ask.from"] or st.session_state["ask.to"]:
        st.checkbox(t("ask.undated"), value=True, key="ask.undated")
    assistant = _assistant()
    settings = service().settings()
    gates = settings.checkpoints.model_dump()
    st.pills(
        t("ask.gates"),
        GATES,
        selection_mode="multi",
        default=[gate for gate in GATES if gates[gate]],
        format_func=lambda gate: t(f"gate.{gate}"),
        help=t("ask.gates_help"),
        wrap=True,
        key="ask.gates",
    )
    changes = _budget(assistant)
    if st.button(
        t("ask.start"),
        type="primary",
        icon=":material/play_arrow:",
        shortcut="Ctrl+Enter",
        key="ask.start",
    ):
        _ask(assistant, changes)


def _examples() -> None:
    invented = [view for view in corpora.views().values() if corpora.invented(view.corpus)]
    examples = [question.text for question in sample_questions()] if invented else []
    if not examples:
        return
    with st.popover(t("ask.examples"), icon=":material/lightbulb:"):
        st.caption(md(t("ask.examples_help")))
        for place, example in enumerate(examples):
            st.button(
                md(shortened(example, 160)),
                key=f"ask.example.{place}",
                on_click=_take,
                args=(example,),
            )


def _take(example: str) -> None:
    st.session_state["ask.question"] = example


def _assistant() -> str:
    status = service().model_status()
    choice: str = st.radio(
        t("ask.assistant"),
        ("rules", "model") if status.configured else ("rules",),
        format_func=lambda name: t(f"assistant.{name}"),
        captions=[t("ask.rules_help")] + ([md(said(status.sentence))] if status.configured else []),
        key="ask.assistant",
    )
    if not status.configured:
        st.caption(md(said(status.sentence)))
        link("settings", t("ask.set_model"), ":material/tune:")
    return choice


def _budget(assistant: str) -> Changes:
    settings = service().settings()
    budget = settings.budget
    changes: dict[str, dict[str, object]] = {}
    if assistant == "model":
        with st.expander(t("ask.budget"), icon=":material/savings:"):
            calls = st.number_input(t("ask.calls"), 0, value=budget.model_calls, step=10)
            tokens = st.number_input(t("ask.tokens"), 0, value=budget.tokens, step=100_000)
            money = st.number_input(t("ask.money"), 0.0, value=budget.money, step=0.5)
            subs = st.number_input(t("ask.subs"), 1, 20, value=settings.loop.max_sub_questions)
            steps = st.number_input(t("ask.steps"), 0, 50, value=settings.loop.max_steps)
        changes["budget"] = {"model_calls": calls, "tokens": tokens, "money": money}
        changes["loop"] = {"max_sub_questions": subs, "max_steps": steps}
    with guarded():
        estimated(assistant, settings.merged(changes))
    return changes


def _ask(assistant: str, changes: Changes) -> None:
    question = str(st.session_state.get("ask.question", "")).strip()
    if not question:
        st.warning(t("ask.no_question"))
        return
    gates = st.session_state.get("ask.gates") or []
    changes = {**changes, "checkpoints": {gate: gate in gates for gate in GATES}}
    with guarded():
        scope = ScopeSpec(
            corpora=tuple(st.session_state.get("ask.corpora") or ()),
            date_from=first_day(str(st.session_state.get("ask.from", ""))),
            date_to=last_day(str(st.session_state.get("ask.to", ""))),
            include_undated=bool(st.session_state.get("ask.undated", True)),
            min_quality=(st.session_state.get("ask.quality") or 0) / 100 or None,
        )
        run = service().ask(
            question,
            assistant="model" if assistant == "model" else "rules",
            scope=scope,
            changes=changes,
            person=person(),
        )
        _begin(run)
        jump("run", run=run)


def _begin(run: str) -> None:
    try:
        service().start(run)
    except TraceError:
        # The run is recorded and its page says why it does not move; nothing is lost.
        return


def _runs() -> None:
    heads = service().runs()
    waiting = [head for head in heads if head.waiting_for]
    others = [head for head in heads if not head.waiting_for]
    if waiting:
        st.subheader(t("ask.waiting"), anchor=False)
        listed(waiting[:RECENT])
    st.subheader(t("ask.recent"), anchor=False)
    if not heads:
        st.caption(t("ask.no_runs"))
    listed(others[:RECENT])
    if len(others) > RECENT:
        with st.expander(t("ask.older", n=len(others) - RECENT)):
            listed(others[RECENT:100])


if __name__ == "__main__":
    show()
