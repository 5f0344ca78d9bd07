"""Text that others wrote, made safe to show: escaped HTML with marks, and escaped Markdown.

Every document text, title, question and reason goes through this file on its way to the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

import streamlit as st

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+.!|$:~<>-])")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

Span = tuple[int, int]


def marked(text: str, *layers: tuple[Iterable[Span], str]) -> str:
    """The text as HTML with spans of characters marked; everything else is escaped.

    A layer is spans with the CSS class of their marks ("" for a plain one). Where layers
    overlap the first one wins; spans that reach beyond the text are cut.
    """
    paint: list[int] = [0] * len(text)
    for number, (spans, _) in reversed(list(enumerate(layers, start=1))):
        for start, end in spans:
            first, last = max(0, start), min(end, len(text))
            if first < last:
                paint[first:last] = [number] * (last - first)
    parts: list[str] = []
    for number, run in groupby(range(len(text)), key=paint.__getitem__):
        places = list(run)
        piece = clean(text[places[0] : places[-1] + 1])
        parts.append(f"{_opening(layers[number - 1][1])}{piece}</mark>" if number else piece)
    return "".join(parts)


def _opening(css: str) -> str:
    return f'<mark class="{css}">' if css else "<mark>"


def clean(text: object) -> str:
    """A text escaped for HTML; control characters, which OCR leaves behind, become a space."""
    return escape(_CONTROL.sub(" ", str(text)))


def md(text: object) -> str:
    """A text in which no character means anything to Markdown or to Streamlit's extensions."""
    return _MARKDOWN.sub(r"\\\1", _CONTROL.sub(" ", str(text)))


def show(markup: str) -> None:
    """Show HTML of our own making (`st.html` refuses an empty one)."""
    if markup:
        st.html(markup)


def chips(words: Sequence[str], css: str = "") -> str:
    """Small labels in a row."""
    return "".join(f'<span class="tr-chip {css}">{clean(word)}</span>' for word in words if word)


def shortened(text: str, limit: int) -> str:
    """The text's first words, with an ellipsis where some were left off."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    return flat[:limit].rsplit(" ", 1)[0] + " …"
