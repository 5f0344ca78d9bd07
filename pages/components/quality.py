"""How well OCR has read: the sub-corpora beside each other, and the pages of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.html import clean, md, show
from pages.components.session import count, t

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trace_core.domain.corpus import Document, Page
    from trace_core.ports import Spread

_WORST = 5


def of_corpora(found: Spread, names: Mapping[str, str]) -> None:
    """A table of the sub-corpora: mean, median and spread of their documents' quality."""
    from trace_core.service import overview

    heads = "".join(
        f"<th class='tr-number'>{clean(t(f'quality.{name}'))}</th>"
        for name in ("rated", "mean", "median", "middle", "lowest")
    )
    rows = "".join(
        f"<tr><td>{clean(names.get(one.corpus, one.corpus))}</td>"
        + "".join(
            f"<td class='tr-number'>{clean(cell)}</td>"
            for cell in (
                count(one.documents),
                percent(one.mean),
                percent(one.median),
                f"{percent(one.low)} – {percent(one.high)}",
                percent(one.lowest),
            )
        )
        + "</tr>"
        for one in overview.qualities(found)
    )
    show(
        f'<table class="tr-table"><thead><tr><th>{clean(t("corpus.one"))}</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    st.caption(md(t("quality.explained")))


def of_pages(document: Document) -> None:
    """How the pages of a document differ, and which were read worst; nothing for one page."""
    rated = [(page.quality, page) for page in document.pages if page.quality is not None]
    if len(rated) < 2:
        return
    rated.sort(key=lambda pair: (pair[0], pair[1].index))
    low, high = rated[0][0], rated[-1][0]
    st.caption(md(t("quality.pages", low=round(100 * low), high=round(100 * high))))
    if round(100 * low) == round(100 * high):
        return
    rows = "".join(
        f"<tr><th>{clean(page_name(page))}</th>"
        f"<td class='tr-number'>{clean(percent(quality))}</td></tr>"
        for quality, page in rated[:_WORST]
    )
    show(
        f'<div class="tr-small">{clean(t("quality.worst"))}</div>'
        f'<table class="tr-table"><tbody>{rows}</tbody></table>'
    )


def page_name(page: Page) -> str:
    """A page by its printed label, else by its place."""
    return t("passage.page", page=page.label or page.index + 1)


def percent(quality: float) -> str:
    """A quality from 0 to 1 as whole percents."""
    return f"{round(100 * quality)} %"
