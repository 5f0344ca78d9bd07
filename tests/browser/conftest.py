"""Chromium, a page in it, and workspaces that the app is served for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.browser.serving import CHROMIUM
from trace_core.service import Service
from trace_core.service.sample import load_sample, sample_questions


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium; the tests are skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}; install it or set TRACE_CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A new window of 1280 by 900 that speaks English."""
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", accept_downloads=True
    )
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    yield opened
    context.close()


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with the sample archive and a finished run by rules; the run's id."""
    folder = tmp_path_factory.mktemp("sample") / "workspace"
    service = Service(Workspace.create(folder))
    load_sample(service)
    run = service.ask(sample_questions()[2].text, person="Ada")
    state = service.advance(run, "approve")
    assert state.status == "finished"
    service.close()
    return folder, run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A real browser on a shared, noisy machine may be late once: each test has a second try."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=2))
