"""Archive: sub-corpora, documents over time, imports with their reports, and a list to browse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import charts, corpora, deeds, importing, jobs, quality, upkeep
from pages.components.corpora import heading, key_text
from pages.components.errors import empty, guarded, remember, told
from pages.components.html import clean, md
from pages.components.html import show as show_html
from pages.components.places import link
from pages.components.sentences import said
from pages.components.session import count, service, t
from trace_core.domain.corpus import KINDS, Scope
from trace_core.domain.errors import TraceError
from trace_core.export.citation import FIELDS, read_mapping, variable_of, written_mapping
from trace_core.service import overview

if TYPE_CHECKING:
    from trace_core.domain.corpus import SubCorpus
    from trace_core.service.indexing import JobKind
    from trace_core.service.views import CorpusView

A_PAGE = 25
ORDERS = ("date", "quality")
VIEWS = ("corpora", "browse", "import", "reports", "deeds")


def show() -> None:
    """Draw the page."""
    st.title(t("archive.title"), anchor=False)
    told()
    jobs.of_archive()
    views = corpora.views()
    way = st.segmented_control(
        t("archive.view"),
        VIEWS,
        default="corpora" if views else "import",
        format_func=lambda name: t(f"archive.view_{name}"),
        required=True,
        key="archive.view",
        label_visibility="collapsed",
    )
    if way == "import":
        importing.importer()
    elif way == "reports":
        importing.reports()
    elif way == "deeds":
        deeds.deeds()
    elif not views:
        empty(t("archive.empty"), t("archive.empty_help"))
    elif way == "browse":
        _browse()
    else:
        _corpora(views)
        with guarded():
            _health()


def _corpora(views: dict[str, CorpusView]) -> None:
    names = {corpus_id: view.corpus.name for corpus_id, view in views.items()}
    with guarded():
        found = overview.spread(service())
        rows = overview.histogram(found)
        if rows:
            st.markdown(f"##### {md(t('archive.over_time'))}")
            charts.draw(charts.histogram(rows, names), "archive.time", t("archive.over_time_alt"))
        if found.qualities:
            st.markdown(f"##### {md(t('archive.quality_title'))}")
            figure = charts.quality(found.qualities, names)
            charts.draw(figure, "archive.quality", t("archive.quality_alt"))
            quality.of_corpora(found, names)
    for view in views.values():
        with st.expander(corpora.described(view), icon=":material/folder_open:"):
            _facts(view)
            _edit(view.corpus)
            upkeep.of_corpus(view, views)
    with guarded():
        upkeep.former()


def _facts(view: CorpusView) -> None:
    stats = view.stats
    facts = [
        view.corpus.id,
        t("corpus.documents", n=stats.documents),
        t("corpus.words", n=stats.words),
        t("corpus.undated_count", n=stats.undated),
    ]
    if stats.withdrawn:
        facts.append(t("corpus.withdrawn_count", n=stats.withdrawn))
    show_html(
        '<div class="tr-row tr-small">'
        + "".join(f"<span>{clean(fact)}</span>" for fact in facts)
        + "</div>"
    )


def _edit(corpus: SubCorpus) -> None:
    key = f"corpus.{corpus.id}"
    with st.form(key, border=False):
        left, right = st.columns(2)
        left.text_input(t("corpus.name"), corpus.name, key=f"{key}.name")
        right.text_input(
            t("corpus.aliases"),
            ", ".join(corpus.aliases),
            key=f"{key}.aliases",
            help=t("corpus.aliases_help"),
        )
        kinds = list(dict.fromkeys((*KINDS, corpus.kind)))
        left.selectbox(
            t("corpus.kind"),
            kinds,
            index=kinds.index(corpus.kind),
            format_func=lambda kind: t(f"kind.{kind}") if kind in KINDS else kind,
            key=f"{key}.kind",
        )
        right.text_input(
            t("corpus.language"), corpus.language, key=f"{key}.language", placeholder="fr, de, en"
        )
        st.text_area(t("corpus.description"), corpus.description, key=f"{key}.description")
        st.text_area(
            t("corpus.citation"),
            written_mapping(_cited_by(corpus)),
            key=f"{key}.citation",
            placeholder="archive = Archives municipales\ncall_number = 1 D 12",
            help=t("corpus.citation_help", fields=", ".join(FIELDS)),
        )
        st.checkbox(
            t("corpus.local_only"),
            corpus.local_only,
            key=f"{key}.local_only",
            help=t("corpus.local_only_help"),
        )
        st.form_submit_button(t("save"), on_click=_save, args=(corpus, key))


def _cited_by(corpus: SubCorpus) -> dict[str, str]:
    """The mapping without the marks beside it that cite nothing, as the sample's."""
    return {name: pattern for name, pattern in corpus.citation.items() if variable_of(name)}


def _save(corpus: SubCorpus, key: str) -> None:
    values = {
        name: st.session_state[f"{key}.{name}"]
        for name in ("name", "kind", "language", "description", "local_only")
    }
    aliases = [alias.strip() for alias in str(st.session_state[f"{key}.aliases"]).split(",")]
    try:
        citation = read_mapping(str(st.session_state[f"{key}.citation"]))
        gone = dict.fromkeys(_cited_by(corpus).keys() - citation.keys(), "")
        service().set_corpus(
            corpus.id, aliases=tuple(aliases), citation={**citation, **gone}, **values
        )
    except TraceError as error:
        remember(error)


def _health() -> None:
    health = service().health()
    if health.ok:
        st.caption(
            ":material/verified: "
            + md(t("archive.healthy", n=health.documents, chunks=count(health.chunks)))
        )
        with st.expander(t("archive.reindex"), icon=":material/build:"):
            st.caption(md(t("archive.reindex_help")))
            _index_button("reindex")
        return
    if service().archive_at_work():
        st.caption(md(t("archive.at_work")))
        return
    waiting = max(health.pending_lexical, health.pending_vectors)
    told = t("archive.waiting", n=waiting) if waiting else said(health.sentence)
    st.warning(md(told), icon=":material/build:")
    _index_button("index" if waiting else "reindex")


def _index_button(kind: JobKind) -> None:
    st.button(
        t(f"archive.{kind}"),
        key="archive.reindex",
        icon=":material/build:",
        on_click=_index,
        args=(kind,),
    )


def _index(kind: JobKind) -> None:
    service().start_index(kind)


def _browse() -> None:
    first, second, third, fourth = st.columns([5, 2, 3, 4])
    with first:
        chosen = corpora.choose(t("archive.in"), "archive.corpora")
    with second:
        least = corpora.least_quality("archive.quality_least")
    with third:
        order = st.selectbox(
            t("queue.order"),
            ORDERS,
            format_func=lambda o: t(f"archive.by_{o}"),
            key="archive.order",
        )
    hidden = st.checkbox(t("upkeep.also_withdrawn"), key="archive.withdrawn")
    scope = Scope(corpora=chosen, min_quality=least)
    total, _ = service().count(scope, withdrawn=hidden)
    pages = max(1, -(-total // A_PAGE))
    with fourth:
        st.caption(t("corpus.documents", n=total))
        page = st.pagination(pages, key="archive.page") if pages > 1 else 1
    _listed(scope, page, hidden=hidden, worst_first=order == "quality")


def _listed(scope: Scope, page: int, *, hidden: bool, worst_first: bool) -> None:
    known = corpora.names()
    shown = service().browse(
        scope, (page - 1) * A_PAGE, A_PAGE, withdrawn=hidden, worst_first=worst_first
    )
    for head in shown:
        with st.container(border=True):
            text, right = st.columns([6, 1], vertical_alignment="center")
            with text:
                show_html(heading(head, known, head.key))
            with right:
                link("document", t("archive.read"), ":material/article:", doc=key_text(head.key))


if __name__ == "__main__":
    show()
