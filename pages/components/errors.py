"""Errors as a person meets them: one sentence that says what to do, never a stack trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.components.html import md
from pages.components.sentences import said
from pages.components.session import t
from trace_core.domain.errors import TraceError


@contextmanager
def guarded() -> Iterator[None]:
    """Show an error of the core in place of what could not be shown or done."""
    try:
        yield
    except TraceError as error:
        complain(error)


def complain(error: TraceError) -> None:
    """Show an error's sentence, and that the same may work later where that is so."""
    again = " " + md(t("error.retry")) if error.retryable else ""
    st.error(md(said(str(error))) + again, icon=":material/error:")


def remember(error: TraceError) -> None:
    """Keep an error met in a callback, which has no place on the page, for the next drawing."""
    st.session_state["_error"] = error


def told() -> None:
    """Show the error that a callback left, once."""
    error = st.session_state.pop("_error", None)
    if isinstance(error, TraceError):
        complain(error)


def empty(title: str, text: str) -> None:
    """A designed nothing: what would stand here, and how to get it."""
    with st.container(border=True):
        st.markdown(f"#### {md(title)}")
        st.write(md(text))
