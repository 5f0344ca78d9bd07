"""What one person's session is: her workspace, her language, her name, the run she looks at.

What must survive a reload stands in the address (`run`, `workspace`); what is the person's own
(name, language) is kept for her browser as long as the server lives.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pages.components import messages

if TYPE_CHECKING:
    from trace_core.service import Service

BROWSER_COOKIE = "trace_browser"


@dataclass(frozen=True, slots=True)
class House:
    """What the entry point lends to the pages, so that they need not know the storage.

    `default` is the workspace that the server was started for. `exists` says whether a folder
    holds a workspace; `open` and `create` give its façade; `create_sample` makes one with the
    invented sample archive; `back_up` copies a workspace to a new folder and returns that.
    """

    default: Path
    exists: Callable[[Path], bool]
    open: Callable[[Path], Service]
    create: Callable[[Path], Service]
    create_sample: Callable[[Path], Service]
    back_up: Callable[[Path, Path], Path]


@dataclass(slots=True)
class Preferences:
    """What one browser's person chose; kept in memory only."""

    person: str = ""
    language: str = ""


@dataclass(slots=True)
class _Shared:
    house: House | None = None
    preferences: dict[str, Preferences] = field(default_factory=dict)


_SHARED = _Shared()


def use(house: House) -> None:
    """Set what the entry point lends; called at the start of every script run."""
    _SHARED.house = house
    # Every word of the page asks for the language; the browser is asked once a drawing.
    st.session_state["_language"] = _language_wanted()


def house() -> House:
    """What the entry point lent."""
    if _SHARED.house is None:
        raise RuntimeError("The app was not started through app.py.")
    return _SHARED.house


# --- the person --------------------------------------------------------------------------------


def preferences() -> Preferences:
    """The person's choices, found again after a reload by her browser's cookie."""
    cookie = st.context.cookies.get(BROWSER_COOKIE, "")
    if cookie:
        return _SHARED.preferences.setdefault(cookie, Preferences())
    own: Preferences = st.session_state.setdefault("_preferences", Preferences())
    return own


def person() -> str:
    """The name under which decisions are recorded: as she gave it, else the account's name."""
    return preferences().person or account_name()


def account_name() -> str:
    """The name of the account that the server runs under."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "historian"


def language() -> str:
    """The interface's language: as chosen, else as the browser asks, else English."""
    return str(st.session_state.get("_language") or _language_wanted())


def _language_wanted() -> str:
    chosen = preferences().language
    if chosen in messages.LANGUAGES:
        return chosen
    wanted = (st.context.locale or "en").split("-")[0].lower()
    return wanted if wanted in messages.LANGUAGES else "en"


def t(key: str, /, **values: object) -> str:
    """A message in the person's language."""
    return messages.message(language(), key, **values)


def count(value: int) -> str:
    """A whole number as the person's language writes it."""
    return messages.number(language(), value)


def dark() -> bool:
    """Whether the person sees the dark theme."""
    theme = st.context.theme
    return bool(theme and theme.get("type") == "dark")


# --- the workspace -----------------------------------------------------------------------------


def workspace() -> Path:
    """The folder of the workspace that this session works in."""
    named = st.query_params.get("workspace") or st.session_state.get("workspace")
    path = Path(named) if named else house().default
    st.session_state["workspace"] = str(path)
    if path != house().default:
        st.query_params["workspace"] = str(path)
    return path


def enter(path: Path) -> None:
    """Work in another workspace from the next run of the script on."""
    for name in [n for n in st.session_state if isinstance(n, str)]:
        if not name.startswith("_"):
            del st.session_state[name]
    st.session_state["workspace"] = str(path)
    st.query_params.clear()
    if path != house().default:
        st.query_params["workspace"] = str(path)


def has_workspace() -> bool:
    """Whether the session's folder holds a workspace."""
    return house().exists(workspace())


def service() -> Service:
    """The façade of the session's workspace. Raises TraceError when it cannot be opened."""
    return house().open(workspace())


# --- the place ---------------------------------------------------------------------------------


def place(name: str, default: str = "") -> str:
    """A part of the address (`run`, `doc`, `chunk`), remembered when another page is opened."""
    value = st.query_params.get(name) or st.session_state.get(f"place.{name}", default)
    if value:
        go(**{name: value})
    return str(value)


def go(**parts: str) -> None:
    """Write parts of the address; an empty value takes a part out."""
    for name, value in parts.items():
        st.session_state[f"place.{name}"] = value
        if value:
            if st.query_params.get(name) != value:
                st.query_params[name] = value
        elif name in st.query_params:
            del st.query_params[name]
