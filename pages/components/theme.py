"""The one style sheet, with the few colours that differ between the light and the dark theme."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages.components.session import dark

_SHEET = Path(__file__).resolve().parents[2] / "assets" / "theme.css"

COLOURS = {
    False: {
        "paper": "#fbf9f4",
        "panel": "#f5f1e8",
        "ink": "#2a2622",
        "quiet": "#5d564c",
        "line": "#d9d1c1",
        "accent": "#2f5476",
        "accept": "#17603b",
        "accept-back": "#e2efe4",
        "hold": "#7a4f05",
        "hold-back": "#f8ebcd",
        "reject": "#8f2436",
        "reject-back": "#f7e1e1",
        "mark": "#f6dd8d",
        "mark-ink": "#2a2622",
        "name": "#cfe0f0",
        "date": "#d9ead4",
    },
    True: {
        "paper": "#1a1917",
        "panel": "#23211e",
        "ink": "#ece7dd",
        "quiet": "#b3aca0",
        "line": "#47433c",
        "accent": "#9cc0e6",
        "accept": "#8fd3a8",
        "accept-back": "#1d3527",
        "hold": "#eac06a",
        "hold-back": "#3a2e14",
        "reject": "#f0a0aa",
        "reject-back": "#42202a",
        "mark": "#6b5613",
        "mark-ink": "#fff7df",
        "name": "#28415c",
        "date": "#2b4630",
    },
}
"""Colours by dark or not; `tests/pages/test_theme.py` checks their contrast."""


@lru_cache(maxsize=2)
def sheet(*, is_dark: bool) -> str:
    """The style sheet with the colours of one theme as its variables."""
    variables = "".join(f"--tr-{name}:{value};" for name, value in COLOURS[is_dark].items())
    return f"<style>:root{{{variables}}}{_SHEET.read_text(encoding='utf-8')}</style>"


def style() -> None:
    """Put the style sheet on the page."""
    st.html(sheet(is_dark=dark()))
