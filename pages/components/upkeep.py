"""Whole parts of the archive taken out, brought back, merged and given back, each with a reason.

What will happen is said, with its counts, before anything does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.errors import complain, remember
from pages.components.html import md
from pages.components.session import person, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.merging import FormerCorpus
    from trace_core.ingest.report import ImportReport
    from trace_core.ports import Part
    from trace_core.service.views import CorpusView

Act = Callable[[str, str], str]
"""Does something for a reason in a person's name, and says what was done."""


def of_corpus(view: CorpusView, views: dict[str, CorpusView]) -> None:
    """What can be done to a whole sub-corpus."""
    from trace_core.service.upkeep import part_of

    key = f"upkeep.{view.corpus.id}"
    others = [corpus_id for corpus_id in views if corpus_id != view.corpus.id]
    ways = {
        "withdraw": view.stats.documents > 0,
        "restore": view.stats.withdrawn > 0,
        "merge": bool(others),
    }
    way = st.segmented_control(
        t("upkeep.title"),
        [name for name, possible in ways.items() if possible],
        format_func=_named,
        key=f"{key}.way",
    )
    if way == "merge":
        _merge(view, {other: views[other].corpus.name for other in others}, key)
    elif way:
        _change(part_of(corpus=view.corpus.id), way, key)


def of_import(report: ImportReport) -> None:
    """Taking out what an import brought, and bringing it back."""
    from trace_core.service.upkeep import part_of

    part, key = part_of(report=report.id), f"upkeep.{report.id}"
    st.markdown(f"##### {md(t('upkeep.import_title'))}")
    expected = service().change_expected(part, withdraw=True)
    ways = ["withdraw"] if expected.documents else []
    ways += ["restore"] if expected.already else []
    if not ways:
        st.caption(md(t("upkeep.import_none")))
        return
    way = st.segmented_control(
        t("upkeep.import_title"),
        ways,
        format_func=_named,
        key=f"{key}.way",
        label_visibility="collapsed",
    )
    if way:
        _change(part, way, key)


def former() -> None:
    """The sub-corpora that were merged, each with the way back."""
    found = service().former_corpora()
    if not found:
        return
    st.markdown(f"##### {md(t('upkeep.former_title'))}")
    for one in found.values():
        into = service().corpus(one.into).name
        title = t("upkeep.former", name=one.name, into=into)
        with st.expander(md(title), icon=":material/folder_copy:"):
            _unmerge(one, into)


def _named(way: str) -> str:
    return t(f"upkeep.{way}")


def _change(part: Part, way: str, key: str) -> None:
    expected = service().change_expected(part, withdraw=way == "withdraw")
    said = [t(f"upkeep.{way}_expect", n=expected.documents)]
    if expected.already:
        said.append(t(f"upkeep.{way}_already", n=expected.already))
    if expected.stays:
        said.append(t("upkeep.stays", n=expected.stays))

    def act(reason: str, who: str) -> str:
        change = service().withdraw if way == "withdraw" else service().bring_back
        return t(f"upkeep.done_{way}", n=change(part, reason, who, wait=False).documents)

    _confirm(" ".join(said), way, key, act)


def _merge(view: CorpusView, others: dict[str, str], key: str) -> None:
    corpus = view.corpus
    into = st.selectbox(
        t("upkeep.into"), list(others), format_func=lambda name: others[name], key=f"{key}.into"
    )
    try:
        documents, taken = service().merge_expected(corpus.id, into)
    except TraceError as error:
        complain(error)
        return
    said = [t("upkeep.merge_expect", n=documents, into=others[into])]
    if taken:
        said.append(t("upkeep.merge_taken", n=taken))

    def act(reason: str, who: str) -> str:
        done = service().merge_corpora(corpus.id, into, reason, who, wait=False)
        return t("upkeep.done_merge", n=done.documents, into=done.corpus.name)

    _confirm(" ".join(said), "merge", key, act)


def _unmerge(one: FormerCorpus, into: str) -> None:
    try:
        expected = service().unmerge_expected(one.id)
    except TraceError as error:
        st.info(md(str(error)))
        return
    said = [t("upkeep.unmerge_expect", n=expected.documents, name=one.name, into=into)]
    if not expected.complete:
        said.append(t("upkeep.not_kept", into=into))

    def act(reason: str, who: str) -> str:
        done = service().unmerge_corpus(one.id, reason, who, wait=False)
        return t("upkeep.done_unmerge", n=done.documents, name=done.corpus.name)

    _confirm(" ".join(said), "unmerge", f"upkeep.former.{one.id}", act)


def _confirm(said: str, way: str, key: str, act: Act) -> None:
    st.info(md(said), icon=":material/info:")
    st.text_input(t("decision.reason"), key=f"{key}.reason")
    st.button(t(f"upkeep.{way}"), key=f"{key}.do", on_click=_do, args=(act, key))


def _do(act: Act, key: str) -> None:
    try:
        done = act(str(st.session_state.get(f"{key}.reason", "")), person())
    except TraceError as error:
        remember(error)
        return
    st.session_state[f"{key}.reason"] = ""
    if f"{key}.way" in st.session_state:
        st.session_state[f"{key}.way"] = None
    st.toast(f"{md(done)} {md(t('upkeep.follows'))}", icon=":material/check:")
