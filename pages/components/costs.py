"""About what a question will cost, in a line."""

from __future__ import annotations

import streamlit as st

from pages.components.html import md
from pages.components.session import count, service, t
from trace_core.settings import Settings


def estimated(assistant: str, settings: Settings, about: str = "") -> None:
    """Say about how many calls, tokens and dollars a run takes; `about` is put before it."""
    if assistant == "rules":
        st.caption(t("ask.estimate_rules"))
        return
    estimate = service().estimate(assistant, settings)
    said = t(
        "ask.estimate" if estimate.money is None else "ask.estimate_money",
        calls=count(estimate.calls),
        tokens_in=count(estimate.tokens_in),
        tokens_out=count(estimate.tokens_out),
        money=f"{estimate.money or 0:.2f}",
    )
    st.caption(md(f"{about} {said}".strip()))
