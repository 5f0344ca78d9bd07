"""The app opened for a workspace, at a page; the small town, closed; a very large run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from storage.workspace import Workspace
from tests.pages.driving import APP, OpenApp, big_run, fill
from trace_core.service import Service


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenApp]:
    """Open the app for a workspace at a page; the server's caches are emptied around it."""
    st.cache_resource.clear()

    def opened(workspace: Path, page: str = "ask", **place: str) -> AppTest:
        monkeypatch.setenv("TRACE_WORKSPACE", str(workspace))
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.run()
        if page != "ask":
            app.switch_page(f"pages/views/{page}.py")
        for name, value in place.items():
            app.query_params[name] = value
        return app.run()

    yield opened
    st.cache_resource.clear()


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with a big run: its folder and the run's id."""
    folder = tmp_path_factory.mktemp("big") / "workspace"
    workspace = Workspace.create(folder)
    fill(workspace)
    service = Service(workspace)
    run = big_run(service, workspace)
    service.close()
    return folder, run


@pytest.fixture
def folder(town: Service, tmp_path: Path) -> Path:
    """A workspace of the small town, not open."""
    town.close()
    return tmp_path / "workspace"
