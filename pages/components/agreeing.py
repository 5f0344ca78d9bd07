"""Do two people judge a run's passages alike? The measure, the table, and where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import corpora
from pages.components.corpora import key_text, plain
from pages.components.errors import empty, guarded
from pages.components.html import clean, md, show
from pages.components.places import link
from pages.components.runs import when
from pages.components.sentences import why
from pages.components.session import count, service, t
from pages.components.verdicts import badge
from trace_core.domain.evidence import VERDICTS

if TYPE_CHECKING:
    from trace_core.domain.state import DecisionRecord, RunState
    from trace_core.provenance.agreement import Agreement, Disagreement

LISTED = 25


def agreeing(state: RunState) -> None:
    """Choose two of the people who decided in the run, and see how far they agree."""
    people = service().deciders(state.run)
    if len(people) < 2:
        empty(t("agreement.none"), t("agreement.none_help"))
        return
    left, right = st.columns(2)
    first = left.selectbox(t("agreement.first"), people, key="agreement.first")
    others = [name for name in people if name != first]
    second = right.selectbox(t("agreement.second"), others, key="agreement.second")
    with guarded():
        found = service().agreement(state.run, str(first), str(second))
        _figures(found)
        if found.common:
            _table(found)
        _differences(found)


def _figures(found: Agreement) -> None:
    kappa = t("agreement.undefined") if found.kappa is None else f"{found.kappa:.2f}"
    same = t("agreement.undefined") if found.observed is None else f"{found.observed:.0%}"
    cells = "".join(
        f"<div><b>{clean(value)}</b><span class='tr-small'>{clean(t(f'agreement.{name}'))}</span>"
        "</div>"
        for name, value in (("common", count(found.common)), ("same", same), ("kappa", kappa))
    )
    show(f'<div class="tr-totals">{cells}</div>')
    st.caption(md(t("agreement.help")))


def _table(found: Agreement) -> None:
    heads = "".join(f'<th class="tr-number">{badge(verdict)}</th>' for verdict in VERDICTS)
    rows = "".join(
        f"<tr><th>{badge(mine)}</th>"
        + "".join(
            f'<td class="tr-number">{count(found.table.get((mine, yours), 0))}</td>'
            for yours in VERDICTS
        )
        + "</tr>"
        for mine in VERDICTS
    )
    corner = t("agreement.corner", first=found.first, second=found.second)
    show(
        f'<table class="tr-table"><thead><tr><th>{clean(corner)}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _differences(found: Agreement) -> None:
    if not found.disagreements:
        return
    st.markdown(f"##### {md(t('agreement.differ', n=len(found.disagreements)))}")
    shown = found.disagreements[:LISTED]
    heads = service().heads({one.key for one in shown})
    known = corpora.names()
    for one in shown:
        with st.container(border=True):
            _one(one, plain(heads.get(one.key), known, one.key))
    if len(found.disagreements) > LISTED:
        st.caption(t("agreement.more", n=len(found.disagreements) - LISTED))


def _one(one: Disagreement, title: str) -> None:
    show(
        f'<div class="tr-title">{clean(title)}</div>'
        f"<p>{_word(one.first)}</p><p>{_word(one.second)}</p>"
    )
    link(
        "document",
        t("passage.read"),
        ":material/article:",
        doc=key_text(one.key),
        chunk=str(one.chunk),
    )


def _word(record: DecisionRecord) -> str:
    reason = clean(why(record)) or clean(t("agreement.no_reason"))
    return (
        f"{badge(record.decision.verdict)} <b>{clean(record.actor.name)}</b> · "
        f'<span class="tr-small">{clean(when(record.time))}</span><br>{reason}'
    )
