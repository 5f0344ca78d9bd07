"""The frame around every page: navigation, theme, the workspace's name, the person's choices."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.components import corpora, messages, session
from pages.components.errors import guarded
from pages.components.html import clean, md
from pages.components.html import show as show_html
from pages.components.session import House, t
from pages.components.theme import style
from pages.components.welcome import welcome

_VIEWS = Path(__file__).resolve().parents[1] / "views"

_PAGES = (
    ("work", "ask", ":material/edit_note:"),
    ("work", "run", ":material/account_tree:"),
    ("work", "review", ":material/rule:"),
    ("work", "evidence", ":material/format_list_numbered:"),
    ("sources", "archive", ":material/inventory_2:"),
    ("sources", "search", ":material/search:"),
    ("sources", "document", ":material/article:"),
    ("house", "evaluation", ":material/monitoring:"),
    ("house", "settings", ":material/tune:"),
)
_WITHOUT_LINK = ("document",)


def show(house: House) -> None:
    """Draw the frame and, inside it, the page that the address names."""
    session.use(house)
    st.set_page_config(page_title="TRACE", page_icon=":material/manage_search:", layout="wide")
    style()
    pages = _pages()
    page = st.navigation([*pages.values(), _alias()], position="hidden")
    with st.sidebar:
        _navigation(pages, page)
        _sidebar()
    with guarded():
        if session.has_workspace():
            session.service()
            page.run()
        elif page.url_path == "settings":
            page.run()
        else:
            welcome()


def _pages() -> dict[str, st.Page]:
    return {
        name: st.Page(
            _VIEWS / f"{name}.py",
            title=t(f"nav.{name}"),
            icon=icon,
            url_path="" if name == "ask" else name,
            default=name == "ask",
        )
        for _, name, icon in _PAGES
    }


def _alias() -> st.Page:
    # The default page is at "/"; a link to "/ask" must not be a dead one.
    return st.Page(_VIEWS / "ask.py", title=t("nav.ask"), url_path="ask")


def _navigation(pages: dict[str, st.Page], now: st.Page) -> None:
    """Links in sections. (Streamlit's own list of sections is no valid list for a reader.)"""
    shown = ""
    for section, name, icon in _PAGES:
        if name in _WITHOUT_LINK:
            continue
        if section != shown:
            show_html(f'<div class="tr-nav">{clean(t(f"nav.{section}"))}</div>')
            shown = section
        current = now.url_path == pages[name].url_path or (name, now.url_path) == ("ask", "ask")
        with st.container(key="nav-current" if current else f"nav-{name}"):
            st.page_link(pages[name], label=t(f"nav.{name}"), icon=icon, width="stretch")
    st.divider()


def _sidebar() -> None:
    folder = session.workspace()
    show_html(
        f'<div class="tr-place"><span class="tr-small">{clean(t("frame.workspace"))}</span>'
        f'<br><span title="{clean(folder.resolve())}">{clean(folder.name)}</span></div>'
    )
    if session.has_workspace():
        _sample_notice()
    own = session.preferences()
    own.person = st.text_input(
        t("frame.person"),
        value=session.person(),
        key="frame.person",
        help=t("frame.person_help"),
        max_chars=80,
    ).strip()
    st.selectbox(
        t("frame.language"),
        list(messages.LANGUAGES),
        index=list(messages.LANGUAGES).index(session.language()),
        format_func=messages.LANGUAGES.__getitem__,
        key="frame.language",
        on_change=_language_chosen,
    )


def _language_chosen() -> None:
    session.preferences().language = st.session_state["frame.language"]


def _sample_notice() -> None:
    with guarded():
        invented = [view for view in session.service().corpora() if corpora.invented(view.corpus)]
        if invented:
            st.caption(":material/theater_comedy: " + md(t("frame.invented")))
