"""Plots of a report as pages: measures with intervals, misses by cause, an ablation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_core.evaluation.misses import CAUSES
from trace_core.evaluation.report import SHOWN

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def write_plots(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write each plot that the report has something for; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {"measures": measures_figure(report), "misses": misses_figure(report)}
    if "ablation" in report:
        figures["ablation"] = ablation_figure(report["ablation"])
    written = []
    for name, figure in figures.items():
        path = folder / f"{name}.html"
        # The script stands in the file itself: a plot must open without any network.
        figure.write_html(path, include_plotlyjs=True)
        written.append(path)
    return written


def measures_figure(report: Mapping[str, Any]) -> Figure:
    """Each shown measure of each strategy, with its 95 % interval."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, numbers in report["strategies"].items():
        values = [numbers.get(m, 0.0) for m in SHOWN]
        bounds = [numbers["intervals"].get(m, (v, v)) for m, v in zip(SHOWN, values, strict=True)]
        figure.add_trace(
            go.Bar(
                name=name,
                x=list(SHOWN),
                y=values,
                error_y={
                    "array": [high - v for v, (_, high) in zip(values, bounds, strict=True)],
                    "arrayminus": [v - low for v, (low, _) in zip(values, bounds, strict=True)],
                },
            )
        )
    figure.update_layout(barmode="group", yaxis={"range": [0, 1]})
    return figure


def misses_figure(report: Mapping[str, Any]) -> Figure:
    """How many gold documents each strategy missed, by cause."""
    import plotly.graph_objects as go

    strategies = {n: s["misses"] for n, s in report["strategies"].items() if "misses" in s}
    figure = go.Figure()
    for cause in CAUSES:
        counts = [
            sum(m["cause"] == cause for m in misses["documents"]) for misses in strategies.values()
        ]
        figure.add_trace(go.Bar(name=cause.replace("_", " "), x=list(strategies), y=counts))
    figure.update_layout(barmode="stack")
    return figure


def ablation_figure(ablation: Mapping[str, Any]) -> Figure:
    """Recall@10 along the cumulative path and without each component, with 95 % intervals."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for part in ("cumulative", "leave_one_out"):
        lines = ablation[part]
        values = [line["recall@10"] for line in lines]
        figure.add_trace(
            go.Scatter(
                name=part.replace("_", " "),
                x=[line["name"] for line in lines],
                y=values,
                mode="lines+markers" if part == "cumulative" else "markers",
                error_y={
                    "array": [line["interval"][1] - line["recall@10"] for line in lines],
                    "arrayminus": [line["recall@10"] - line["interval"][0] for line in lines],
                },
            )
        )
    figure.update_layout(yaxis={"range": [0, 1], "title": "recall@10"})
    return figure
