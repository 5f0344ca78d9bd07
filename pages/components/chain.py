"""The path from the question to a document, or to the reason why it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.components.corpora import name_of, title_of
from pages.components.html import clean, show
from pages.components.runs import when
from pages.components.sentences import why
from pages.components.session import service, t
from pages.components.verdicts import actor, badge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trace_core.domain.corpus import DocumentHead, DocumentKey
    from trace_core.domain.state import DecisionRecord
    from trace_core.provenance.explain import Explanation


def chain(explanation: Explanation) -> None:
    """An explanation as a readable path, from the question down."""
    steps = "".join(f"<li>{clean(step)}</li>" for step in explanation.steps)
    css = "tr-status-finished" if explanation.present else ""
    show(
        f'<p><span class="tr-status {css}">{clean(explanation.headline)}</span></p>'
        f'<ol class="tr-chain">{steps}</ol>'
    )


def decisions(
    records: Sequence[DecisionRecord], known: dict[str, str], *, full: bool = False
) -> None:
    """Decisions as a table, newest first: verdict, reason, who, when; documents when `full`."""
    heads = service().heads({record.decision.key for record in records}) if full else None
    rows = "".join(_row(record, known, heads) for record in records)
    columns = ["when", "verdict", "reason", "who"] + (["document"] if full else [])
    titles = "".join(f"<th>{clean(t(f'decision.{name}'))}</th>" for name in columns)
    show(f'<table class="tr-table"><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>')


def _row(
    record: DecisionRecord,
    known: dict[str, str],
    heads: Mapping[DocumentKey, DocumentHead] | None,
) -> str:
    decision = record.decision
    last = ""
    if heads is not None:
        title = title_of(heads.get(decision.key), decision.key)
        corpus = name_of(decision.corpus, known)
        last = f'<td>{clean(title)}<br><span class="tr-small">{clean(corpus)}</span></td>'
    replaces = t("decision.replaces", id=decision.replaces) if decision.replaces else ""
    return (
        f"<tr><td>{clean(when(record.time))}</td><td>{badge(decision.verdict)}</td>"
        f'<td>{clean(why(record))} <span class="tr-small">'
        f"{clean(decision.sub_question)} {clean(record.id)} {clean(replaces)}</span></td>"
        f"<td>{clean(actor(record.actor))}</td>{last}</tr>"
    )
