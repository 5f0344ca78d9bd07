"""The app's entry point: joins the pages with a workspace, and serves them.

    streamlit run app.py -- PATH          the workspace in PATH (or in TRACE_WORKSPACE,
                                          else ./workspace, which the app offers to create)

Streamlit treats a folder named `pages` beside the script that it runs as a navigation of its
own, and until some session has opened `/` a deep link then runs a page without this frame. So
the server runs `pages/frame/start.py`, which has no such folder beside it: `streamlit run`
finds the `st.App` below and serves that. Run as a script (by `AppTest`), this file is the app.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware

from pages import frame
from pages.components.session import House
from pages.frame.cookie import BrowserCookie

if TYPE_CHECKING:
    from trace_core.service import Service


def default_workspace() -> Path:
    """The workspace named after `--`, in TRACE_WORKSPACE, or ./workspace."""
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    by_argument = named[0] if named and Path(sys.argv[0]).name == "app.py" else ""
    return Path(by_argument or os.environ.get("TRACE_WORKSPACE") or "workspace").expanduser()


@st.cache_resource(show_spinner=False)
def _service(folder: str) -> Service:
    from storage.workspace import Workspace
    from trace_core.service import Service

    return Service(Workspace.open(Path(folder)))


def open_workspace(folder: Path) -> Service:
    """The one façade that this process has of a workspace, shared by all sessions."""
    return _service(str(folder.resolve()))


def main() -> None:
    """Draw the frame and the page that the address names."""
    frame.show(
        House(
            default=default_workspace(),
            exists=workspace_exists,
            open=open_workspace,
            create=create_workspace,
            create_sample=create_sample,
            back_up=back_up,
        )
    )


def workspace_exists(folder: Path) -> bool:
    """Whether the folder holds a workspace."""
    from storage.workspace import DATABASE

    return (folder / DATABASE).is_file()


def create_workspace(folder: Path) -> Service:
    """A new, empty workspace. Raises WorkspaceError when the folder is in use."""
    from storage.workspace import Workspace

    Workspace.create(folder).close()
    return open_workspace(folder)


def create_sample(folder: Path) -> Service:
    """A workspace with the invented sample archive in it."""
    from trace_core.service.sample import load_sample

    service = create_workspace(folder)
    load_sample(service)
    return service


def back_up(folder: Path, target: Path) -> Path:
    """Copy a workspace to a folder (or .zip file) that does not exist yet; returns its path."""
    from storage.backup import backup
    from storage.workspace import Workspace

    with Workspace.open(folder) as workspace:
        return backup(workspace, target)


def _warm() -> None:
    """Load what takes seconds to import while the person still reads the first page."""
    for module in ("lancedb", "trace_core.export.registry"):
        import_module(module)


@asynccontextmanager
async def _lifespan(_: st.App) -> AsyncIterator[None]:
    Thread(target=_warm, name="warm", daemon=True).start()
    yield


if __name__ == "__main__":
    main()
else:
    app = st.App(
        Path(__file__).resolve().parent / "pages" / "frame" / "start.py",
        lifespan=_lifespan,
        middleware=[Middleware(BrowserCookie)],
    )
