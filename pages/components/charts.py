"""Plots in Plotly: evidence over time, sub-questions by documents, the archive over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.components.session import dark, t
from trace_core.domain.dates import civil_day, iso_day

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from trace_core.service.views import EvidenceView

_PALETTES = {
    False: "#2f5476 #a65a1f #4d7c4a #7a4f86 #8a7a1c #3f8a8c #a33b52 #6b6259".split(),
    True: "#8db4dc #dd9a62 #93c08f #c39bd0 #cdbc5e #7fc9ca #e08a9c #b5ab9d".split(),
}
"""The colours of the theme's `chartCategoricalColors`, by dark or not."""


def _colour(place: int) -> str:
    palette = _PALETTES[dark()]
    return palette[place % len(palette)]


def _figure(height: int) -> Figure:
    import plotly.graph_objects as go

    figure = go.Figure()
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        hovermode="closest",
        dragmode=False,
        legend={"orientation": "h", "y": -0.2},
    )
    return figure


def draw(figure: Figure, key: str, alt: str, on_click: Callable[[str], None] | None = None) -> None:
    """Put a figure on the page; a click calls `on_click` with the figure's key."""
    config = {"displayModeBar": False, "scrollZoom": False}
    if on_click is None:
        st.plotly_chart(figure, key=key, config=config, alt=alt)
        return
    st.plotly_chart(
        figure,
        key=key,
        on_select=lambda: on_click(key),
        selection_mode="points",
        config=config,
        alt=alt,
    )


def clicked(state: Any) -> str:
    """What a clicked point stands for (its custom data), "" when nothing is clicked."""
    points = state.selection.points if state and state.selection else []
    if not points:
        return ""
    data = points[0].get("customdata")
    return str(data[0] if isinstance(data, list | tuple) else data or "")


def sortable(ordinal: int) -> str:
    """A day for Plotly's date axis, which knows years 1 to 9999 as four digits."""
    year = civil_day(ordinal)[0]
    return iso_day(ordinal) if 1 <= year <= 9999 else ""


def evidence_timeline(views: Sequence[EvidenceView]) -> Figure | None:
    """Documents by date, a row for each sub-corpus; None when nothing is dated."""
    import plotly.graph_objects as go

    dated = [
        (view, view.head.date)
        for view in views
        if view.head and view.head.date and sortable(view.head.date.earliest)
    ]
    if not dated:
        return None
    names = list(dict.fromkeys(view.corpus_name for view, _ in dated))
    figure = _figure(140 + 46 * len(names))
    for place, name in enumerate(names):
        own = [(view, date) for view, date in dated if view.corpus_name == name]
        figure.add_trace(
            go.Scatter(
                x=[sortable(date.earliest) for _, date in own],
                y=[name] * len(own),
                mode="markers",
                name=name,
                marker={"size": 13, "opacity": 0.85, "color": _colour(place)},
                unselected={"marker": {"opacity": 0.45}},
                customdata=[[f"{v.key.corpus}/{v.key.source_id}"] for v, _ in own],
                text=[_label(view) for view, _ in own],
                hovertemplate="%{text}<br>%{x|%d.%m.%Y}<extra></extra>",
            )
        )
    figure.update_layout(showlegend=False)
    figure.update_yaxes(automargin=True)
    return figure


def _label(view: EvidenceView) -> str:
    title = view.head.title if view.head else ""
    return f"{view.rank}. {escape(title or view.key.source_id)}"


def matrix(views: Sequence[EvidenceView], questions: dict[str, str]) -> Figure:
    """Sub-questions (rows) by documents (columns): a square where one accepted the other."""
    import plotly.graph_objects as go

    figure = _figure(150 + 40 * max(1, len(questions)))
    for place, (name, text) in enumerate(questions.items()):
        own = [view for view in views if name in [q.id for q in view.sub_questions]]
        figure.add_trace(
            go.Scatter(
                x=[view.rank for view in own],
                y=[name] * len(own),
                mode="markers",
                marker={
                    "symbol": "square",
                    "size": 14,
                    "color": _colour(place),
                },
                unselected={"marker": {"opacity": 0.45}},
                customdata=[[f"{v.key.corpus}/{v.key.source_id}"] for v in own],
                text=[_label(view) for view in own],
                name=escape(text),
                hovertemplate="%{text}<br>%{y}<extra></extra>",
            )
        )
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=t("evidence.rank"), dtick=max(1, len(views) // 20))
    figure.update_yaxes(categoryorder="array", categoryarray=list(questions)[::-1], automargin=True)
    return figure


def histogram(rows: Sequence[tuple[str, int, int]], names: dict[str, str]) -> Figure:
    """Documents a year, stacked by sub-corpus. `rows` are (sub-corpus, year, documents).

    A sub-corpus has the colour of its place among the names, in every plot the same.
    """
    import plotly.graph_objects as go

    figure = _figure(280)
    for place, corpus in _places(rows, names):
        own = [(year, documents) for name, year, documents in rows if name == corpus]
        figure.add_trace(
            go.Bar(
                x=[year for year, _ in own],
                y=[documents for _, documents in own],
                name=names.get(corpus, corpus),
                marker={"color": _colour(place)},
            )
        )
    figure.update_layout(barmode="stack", bargap=0.15)
    figure.update_yaxes(title=t("archive.documents"))
    return figure


def _places(rows: Sequence[tuple[str, int, int]], names: dict[str, str]) -> list[tuple[int, str]]:
    """The sub-corpora of the rows with their places among all names."""
    known = list(dict.fromkeys([*names, *(row[0] for row in rows)]))
    there = {row[0] for row in rows}
    return [(place, corpus) for place, corpus in enumerate(known) if corpus in there]


def quality(rows: Sequence[tuple[str, int, int]], names: dict[str, str]) -> Figure:
    """How the OCR quality of documents is spread, by sub-corpus, in steps of 5 hundredths.

    `rows` are (sub-corpus, quality in hundredths, documents).
    """
    import plotly.graph_objects as go

    figure = _figure(280)
    for place, corpus in _places(rows, names):
        steps: Counter[int] = Counter()
        for name, hundredths, documents in rows:
            if name == corpus:
                steps[min(hundredths, 99) // 5] += documents
        figure.add_trace(
            go.Bar(
                x=[5 * step + 2.5 for step in steps],
                y=list(steps.values()),
                name=names.get(corpus, corpus),
                marker={"color": _colour(place)},
                width=4.8,
            )
        )
    figure.update_layout(barmode="stack", legend={"orientation": "h", "y": -0.4})
    figure.update_xaxes(title=t("archive.quality"), range=[0, 100], ticksuffix=" %")
    figure.update_yaxes(title=t("archive.documents"))
    return figure
