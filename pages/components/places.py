"""The way from page to page: links and jumps that keep what the address must say."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.components import session

_VIEWS = Path(__file__).resolve().parents[1] / "views"


def file_of(page: str) -> Path:
    """The script of a page, by its name in the address."""
    return _VIEWS / f"{page}.py"


def _address(parts: dict[str, str]) -> dict[str, str]:
    address = {name: value for name, value in parts.items() if value}
    if session.workspace() != session.house().default:
        address["workspace"] = str(session.workspace())
    return address


def link(page: str, label: str, icon: str = "", **parts: str) -> None:
    """A link to a page with parts of the address."""
    st.page_link(file_of(page), label=label, icon=icon or None, query_params=_address(parts))


def jump(page: str, **parts: str) -> None:
    """Open another page now."""
    for name, value in parts.items():
        st.session_state[f"place.{name}"] = value
    st.switch_page(file_of(page), query_params=_address(parts))
