"""Evidence: the ranked list with its reasons, the chain behind each line, plots, downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import charts, corpora
from pages.components.agreeing import agreeing
from pages.components.answering import answering
from pages.components.chain import chain, decisions
from pages.components.corpora import facts_of, key_text
from pages.components.corpora import heading as document_heading
from pages.components.downloads import downloads
from pages.components.errors import empty, guarded, remember
from pages.components.html import chips, clean, md, shortened
from pages.components.html import show as show_html
from pages.components.judging import note_form, notes
from pages.components.passage import changed, found_by, passage, query_terms
from pages.components.places import link
from pages.components.reading import side_by_side
from pages.components.runs import opened, troubles, when
from pages.components.sentences import reason
from pages.components.session import go, language, person, place, service, t
from pages.components.tags import tags
from pages.components.twins import heads_of, twins
from pages.components.verdicts import actor, label
from pages.components.whynot import why_not
from trace_core.domain.checkpoint import VerdictChange
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import TraceError
from trace_core.domain.evidence import VERDICTS

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.service.views import EvidenceView

A_PAGE = 20
VIEWS = ("list", "time", "matrix", "beside", "whynot", "agreement")


def show() -> None:
    """Draw the page."""
    state = opened("evidence")
    if state is None:
        return
    views = service().evidence(state.run)
    _summary(state, views)
    troubles(state)
    way = st.segmented_control(
        t("evidence.view"),
        VIEWS,
        default="list",
        format_func=lambda name: t(f"evidence.view_{name}"),
        required=True,
        key="evidence.view",
        label_visibility="collapsed",
    )
    if way == "whynot":
        why_not(state)
    elif way == "agreement":
        agreeing(state)
    elif not views:
        empty(t("evidence.none"), t("evidence.none_help"))
    elif way == "beside":
        side_by_side(views)
    else:
        _plots(state, views, way or "list")
        _list_and_one(state, views)


def _summary(state: RunState, views: list[EvidenceView]) -> None:
    held = len(state.held())
    with st.container(horizontal=True, vertical_alignment="center"):
        facts = [t("evidence.count", n=len(views)), t("evidence.held", n=held)]
        if not state.ended:
            facts.append(t("evidence.not_final"))
        show_html(
            '<div class="tr-row tr-small">'
            + "".join(f"<span>{clean(fact)}</span>" for fact in facts)
            + "</div>"
        )
        downloads(state)
        answering(state, views)
    st.caption(md(t("evidence.confirmations_help")))


def _plots(state: RunState, views: list[EvidenceView], way: str) -> None:
    if way == "time":
        figure = charts.evidence_timeline(views)
        if figure is None:
            st.caption(t("evidence.undated"))
            return
        charts.draw(figure, "evidence.time", t("evidence.time_alt"), _picked)
    elif way == "matrix":
        questions = {question.id: question.text for question in state.plan}
        figure = charts.matrix(views, questions)
        charts.draw(figure, "evidence.matrix", t("evidence.matrix_alt"), _picked)
        for name, text in questions.items():
            show_html(f'<span class="tr-small"><b>{clean(name)}</b> {clean(text)}</span>')


def _picked(key: str) -> None:
    document = charts.clicked(st.session_state.get(key))
    if document:
        go(doc=document)


def _list_and_one(state: RunState, views: list[EvidenceView]) -> None:
    wanted = place("doc")
    open_view = next((view for view in views if key_text(view.key) == wanted), views[0])
    go(doc=key_text(open_view.key))
    listed, one = st.columns([4, 5], gap="large")
    with listed:
        _list(views, open_view)
    with one:
        _one(state, open_view)


def _list(views: list[EvidenceView], open_view: EvidenceView) -> None:
    pages = -(-len(views) // A_PAGE)
    first = views.index(open_view) // A_PAGE + 1
    page = st.pagination(pages, default=first, key="evidence.page") if pages > 1 else 1
    keys = [view.key for view in views[(page - 1) * A_PAGE : page * A_PAGE]]
    stars, tagged = service().starred_among(keys), service().tagged_among(keys)
    names = corpora.names()
    for view in views[(page - 1) * A_PAGE : page * A_PAGE]:
        with st.container(border=True, key=f"evidence-open-{view.rank}", gap="small"):
            title = view.head.title if view.head else ""
            st.button(
                f"{view.rank}. {md(title or view.key.source_id)}" + star(shown=view.key in stars),
                key=f"evidence.open.{view.rank}",
                type="tertiary",
                on_click=_open,
                args=(key_text(view.key),),
            )
            css = "tr-open" if view is open_view else ""
            show_html(
                f'<div class="{css}"><div class="tr-row tr-small">{facts_of(view.head, names)}'
                f"<span>{clean(_confirmed(view))}</span>{_same_text(view)}</div>"
                f"<div>{clean(shortened(reason(view.reason, view.actor), 180))}</div>"
                f"{chips(tagged.get(view.key, ()))}</div>"
            )


def _same_text(view: EvidenceView) -> str:
    if not view.twins:
        return ""
    return f"<span>{clean(t('twins.title', n=len(view.twins)))}</span>"


def star(*, shown: bool) -> str:
    """The star behind a starred document's title."""
    return " ★" if shown else ""


def _open(key: str) -> None:
    go(doc=key)


def _confirmed(view: EvidenceView) -> str:
    return t(
        "evidence.confirmed", n=view.confirmations, subs=", ".join(q.id for q in view.sub_questions)
    )


def _one(state: RunState, view: EvidenceView) -> None:
    known = corpora.names()
    show_html(document_heading(view.head, known, view.key))
    show_html(
        f"<p>{clean(reason(view.reason, view.actor))}<br>"
        f"<span class='tr-small'>{clean(actor(view.actor))} · "
        f"{clean(when(view.decided_at))}</span></p>{chips([q.id for q in view.sub_questions])}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        link("document", t("passage.read"), ":material/article:", doc=key_text(view.key))
        starred = bool(service().starred_among([view.key]))
        st.button(
            t("evidence.unstar" if starred else "evidence.star"),
            icon=":material/star:",
            key="evidence.star",
            on_click=_star,
            args=(view.key,),
            kwargs={"starred": starred},
        )
    drawn = {
        "passages": _passages,
        "chain": _chain,
        "decide": _override,
        "notes": _notes,
    }
    twins(view.twins, heads_of([view.twins]), known)
    # Only the open tab is drawn: the chain of a long run is worth its time when it is read.
    tabs = st.tabs(
        [t(f"evidence.tab_{name}") for name in drawn], key="evidence.tabs", on_change="rerun"
    )
    for tab, draw in zip(tabs, drawn.values(), strict=True):
        if tab.open:
            with tab, guarded():
                draw(state, view)


def _chain(state: RunState, view: EvidenceView) -> None:
    chain(service().explain(state.run, view.key, language(), reason))


def _notes(state: RunState, view: EvidenceView) -> None:
    tags(view.key)
    notes(view.key)
    note_form(view.key, state.run)


def _passages(_: RunState, view: EvidenceView) -> None:
    terms = query_terms(way.query for _, way in view.found)
    for chunk in view.chunk_ids[:5]:
        with guarded():
            read = service().passage(chunk, terms)
            changed(read)
            passage(read)
    with st.expander(t("found.title")):
        found_by([way for _, way in view.found])


def _override(state: RunState, view: EvidenceView) -> None:
    known = corpora.names()
    records = [r for r in list(state.decisions) if r.decision.key == view.key]
    decisions(records[::-1][:50], known)
    st.markdown(f"##### {md(t('evidence.override'))}")
    st.caption(md(t("evidence.override_help")))
    verdict = st.segmented_control(
        t("decision.verdict"),
        [v for v in VERDICTS if v != "accept"],
        format_func=label,
        key="evidence.verdict",
    )
    st.text_input(t("review.reason"), key="evidence.reason")
    st.button(
        t("evidence.record"),
        key="evidence.record",
        disabled=verdict is None,
        on_click=_record,
        args=(state.run, view.key),
    )


def _record(run: str, key: DocumentKey) -> None:
    verdict = st.session_state.get("evidence.verdict")
    standing = service().state(run).accepted().get(key, [])
    changes = [
        VerdictChange(
            chunk=record.decision.chunk,
            sub_question=record.decision.sub_question,
            verdict=verdict,
            reason=str(st.session_state.get("evidence.reason", "")).strip(),
        )
        for record in standing
    ]
    try:
        service().override(run, changes, person())
    except TraceError as error:
        remember(error)
        return
    st.session_state["evidence.reason"] = ""


def _star(key: DocumentKey, *, starred: bool) -> None:
    try:
        service().star(key, person(), on=not starred)
    except TraceError as error:
        remember(error)


if __name__ == "__main__":
    show()
