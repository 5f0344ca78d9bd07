"""Evaluation: strategies on questions with known answers; runs without one document."""

from __future__ import annotations

import json

import streamlit as st

from pages.components.corpora import key_text, names, plain
from pages.components.costs import estimated
from pages.components.errors import empty, guarded, told
from pages.components.html import md
from pages.components.measuring import jobs, report, table
from pages.components.places import link
from pages.components.session import place, service, t
from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.questions import as_lines
from trace_core.evaluation.strategies import STRATEGIES
from trace_core.service.evaluating import OWN, How
from trace_core.service.rehearsing import Counterfactual, WhatIf
from trace_core.service.sample import QUESTIONS, is_invented

DEFAULTS = ("bm25", "surveyed", "trace-rules")


def show() -> None:
    """Draw the page."""
    st.title(t("evaluation.title"), anchor=False)
    told()
    way = st.segmented_control(
        t("evaluation.view"),
        ("measure", "without"),
        default="measure",
        format_func=lambda name: t(f"evaluation.view_{name}"),
        required=True,
        key="evaluation.view",
        label_visibility="collapsed",
    )
    if way == "without":
        with guarded():
            _without()
        return
    st.write(md(t("evaluation.help")))
    with guarded():
        _start()
    jobs()
    _reports()


def _start() -> None:
    own = service().own_question_count()
    source = _questions(own)
    chosen = _strategies()
    ablation = st.checkbox(
        t("evaluation.ablation"), help=t("evaluation.ablation_help"), key="evaluation.ablation"
    )
    if st.button(
        t("evaluation.start"),
        type="primary",
        icon=":material/play_arrow:",
        key="evaluation.start",
        disabled=not (source or own) or not chosen,
    ):
        runs = [s for s in chosen if s.startswith("trace-")]
        wanted = (runs or ["trace-rules"])[-1:] if ablation else chosen
        service().start_evaluation(source or OWN, wanted, How({}), ablation=ablation)
        st.rerun()


def _questions(own: int) -> str:
    """The file or folder of questions, "" for the person's own, of which there are so many."""
    source = st.text_input(
        t("evaluation.questions"),
        key="evaluation.questions",
        placeholder="/home/…/questions.jsonl",
        help=t("evaluation.questions_help"),
    ).strip()
    st.caption(t("evaluation.own", n=own))
    invented = any(is_invented(view.corpus) for view in service().corpora())
    if invented and QUESTIONS.exists() and source != str(QUESTIONS):
        st.button(
            t("evaluation.take_sample"),
            key="evaluation.take_sample",
            icon=":material/theater_comedy:",
            on_click=_take_sample,
        )
    if own:
        st.download_button(
            t("evaluation.download_own"),
            data=lambda: as_lines(service().own_questions().questions),
            file_name="questions.jsonl",
            on_click="ignore",
            key="evaluation.download_own",
        )
    return source


def _strategies() -> list[str]:
    choices = [s for s in STRATEGIES if s != "trace-model" or service().model_status().configured]
    chosen: list[str] = st.pills(
        t("evaluation.strategies"),
        choices,
        selection_mode="multi",
        default=DEFAULTS,
        key="evaluation.strategies",
    )
    st.caption(md(" · ".join(f"{name}: {t(f'strategy.{name}')}" for name in chosen)))
    if "trace-model" in chosen:
        estimated("model", service().settings(), about=t("evaluation.each_question"))
    return chosen


def _take_sample() -> None:
    st.session_state["evaluation.questions"] = str(QUESTIONS)


def _reports() -> None:
    kept = dict(service().evaluation_reports())
    if not kept:
        empty(t("evaluation.none"), t("evaluation.none_help"))
        return
    wanted = place("evaluation")
    listed = list(kept)
    chosen: str = st.selectbox(
        t("evaluation.report"),
        listed,
        index=listed.index(wanted) if wanted in listed else 0,
        format_func=lambda name: _name(kept[name]),
        key="evaluation.report",
    )
    st.download_button(
        t("evaluation.download"),
        data=json.dumps(kept[chosen], ensure_ascii=False, indent=1),
        file_name=f"evaluation-{chosen}.json",
        on_click="ignore",
        key="evaluation.download",
    )
    report(kept[chosen])


def _name(made: dict[str, object]) -> str:
    time = str(made.get("time", ""))[:16].replace("T", " ")
    strategies = made.get("strategies")
    of = ", ".join(strategies) if isinstance(strategies, dict) and len(strategies) < 6 else "…"
    return f"{time} · {made.get('questions', '')} · {of}"


# --- without a document --------------------------------------------------------------------------


def _without() -> None:
    st.write(md(t("evaluation.without_help")))
    heads = {h.id: h for h in service().runs(measuring=True) if h.status == "finished"}
    if not heads:
        empty(t("evaluation.no_run"), t("evaluation.no_run_help"))
        link("ask", t("nav.ask"), ":material/edit_note:")
        return
    wanted, listed = place("run"), list(heads)
    run: str = st.selectbox(
        t("evaluation.run"),
        listed,
        index=listed.index(wanted) if wanted in listed else 0,
        format_func=lambda name: heads[name].question,
        key="evaluation.run",
    )
    views = {key_text(view.key): view for view in service().evidence(run)}
    if not views:
        empty(t("evidence.none"), t("evidence.none_help"))
        return
    known, documents, doc = names(), list(views), place("doc")
    document: str = st.selectbox(
        t("evaluation.document"),
        documents,
        index=documents.index(doc) if doc in views else 0,
        format_func=lambda name: plain(views[name].head, known, views[name].key),
        key="evaluation.document",
    )
    if heads[run].assistant == "model":
        st.caption(md(t("evaluation.asks_model")))
    for_good = st.checkbox(t("evaluation.for_good"), value=True, key="evaluation.for_good")
    if st.button(t("evaluation.take_away"), type="primary", key="evaluation.take_away"):
        wish = WhatIf((views[document].key,), for_good=for_good, noise=False)
        with st.spinner(t("evaluation.replaying")):
            _told_without(service().counterfactual(run, wish), views[document].key, known)


def _told_without(found: Counterfactual, key: DocumentKey, known: dict[str, str]) -> None:
    (judged,) = found.sample.judged
    seen = judged.observation
    lost = [k for k in seen.lost if k != key]
    if seen.problem:
        st.warning(md(seen.problem))
    st.markdown(f"##### {md(t('evaluation.would_miss', n=len(lost)))}")
    heads = service().heads(lost)
    for other in lost:
        link(
            "document",
            plain(heads.get(other), known, other),
            ":material/article:",
            doc=key_text(other),
        )
    table(
        [t("evaluation.what"), t("evaluation.difference")],
        [
            [t("evaluation.quality"), f"{seen.quality:+.2f}"],
            [t("evaluation.next_query"), f"{seen.next_query:+.2f}"],
            [t("evaluation.effort"), f"{seen.effort:+d}"],
            [t("evaluation.asked_anew"), str(seen.replies_anew)],
        ],
    )
    passed = [
        f"{name.name} ({one.query})"
        for one in found.passed
        for name in one.names
        if name.in_query and key in name.documents
    ]
    if passed:
        st.caption(md(t("evaluation.passed_on", names="; ".join(passed))))


if __name__ == "__main__":
    show()
