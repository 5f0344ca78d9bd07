"""The download button of a run's evidence list."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.components.session import t

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.service.views import EvidenceView


def downloads(state: RunState, views: Sequence[EvidenceView]) -> None:
    """Offer the list as CSV (for a spreadsheet) and JSON (with how each was found)."""
    with st.popover(t("evidence.download"), icon=":material/download:"):
        st.download_button(
            "CSV",
            data=lambda: as_csv(views),
            file_name=f"{state.run}.csv",
            mime="text/csv",
            on_click="ignore",
            key="evidence.csv",
        )
        st.download_button(
            "JSON",
            data=lambda: as_json(state, views),
            file_name=f"{state.run}.json",
            mime="application/json",
            on_click="ignore",
            key="evidence.json",
        )


def rows(views: Sequence[EvidenceView]) -> list[dict[str, Any]]:
    """The evidence list as plain rows."""
    return [
        {
            "rank": view.rank,
            "corpus": view.key.corpus,
            "source_id": view.key.source_id,
            "title": view.head.title if view.head else "",
            "date": view.head.date.edtf if view.head and view.head.date else "",
            "confirmations": view.confirmations,
            "sub_questions": " ".join(question.id for question in view.sub_questions),
            "reason": view.reason,
            "decided_by": str(view.actor),
            "decided_at": view.decided_at,
        }
        for view in views
    ]


def as_csv(views: Sequence[EvidenceView]) -> bytes:
    """The list as CSV in UTF-8 with a byte order mark, as spreadsheets want it."""
    buffer = io.StringIO()
    listed = rows(views)
    writer = csv.DictWriter(buffer, fieldnames=list(listed[0]) if listed else ["rank"])
    writer.writeheader()
    writer.writerows(listed)
    return buffer.getvalue().encode("utf-8-sig")


def as_json(state: RunState, views: Sequence[EvidenceView]) -> bytes:
    """The list as JSON with the question and every way by which a document was found."""
    evidence = [
        {
            **row,
            "found_by": [
                {"sub_question": sub, **way.model_dump(mode="json")} for sub, way in view.found
            ],
        }
        for row, view in zip(rows(views), views, strict=True)
    ]
    data = {"run_id": state.run, "question": state.question, "evidence": evidence}
    return json.dumps(data, ensure_ascii=False, indent=2).encode()
