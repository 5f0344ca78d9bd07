"""The first page of all: no workspace yet, so make one, empty or with the sample archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.errors import guarded
from pages.components.html import md
from pages.components.session import enter, house, t, workspace

if TYPE_CHECKING:
    from trace_core.service import Service


def welcome() -> None:
    """Offer a workspace in the folder that the app was started for."""
    st.title(t("welcome.title"), anchor=False)
    st.write(md(t("welcome.text")))
    st.caption(md(t("welcome.folder", folder=workspace().resolve())))
    left, middle, right = st.columns(3)
    with left.container(border=True, height="stretch"):
        st.subheader(t("welcome.sample"), anchor=False)
        st.write(md(t("welcome.sample_help")))
        if st.button(
            t("welcome.sample_open"), type="primary", key="welcome.sample", width="stretch"
        ):
            make(workspace(), house().create_sample)
    with middle.container(border=True, height="stretch"):
        st.subheader(t("welcome.new"), anchor=False)
        st.write(md(t("welcome.new_help")))
        if st.button(t("welcome.new_make"), key="welcome.new", width="stretch"):
            make(workspace(), house().create)
    with right.container(border=True, height="stretch"):
        st.subheader(t("welcome.other"), anchor=False)
        folder_field("welcome")


def folder_field(key: str) -> None:
    """A field for the path of an existing workspace, and a button that opens it."""
    named = st.text_input(t("welcome.path"), key=f"{key}.path").strip()
    if st.button(t("welcome.open"), key=f"{key}.open", width="stretch"):
        if not named:
            st.warning(t("welcome.no_path"))
            return
        make(Path(named).expanduser(), house().open)


def make(folder: Path, how: Callable[[Path], Service]) -> None:
    """Make or open a workspace and go on in it."""
    with guarded(), st.spinner(t("welcome.working")):
        how(folder)
        enter(folder)
        st.rerun()
