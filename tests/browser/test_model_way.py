"""The main way by model, with a reload and a server that is killed in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.browser.driving import settle, words
from tests.browser.serving import Server, serving
from tests.servers.oracle import Oracle
from tests.servers.scripted import Reply, ScriptedServer
from trace_core.service import Service

pytestmark = pytest.mark.browser

QUESTION = "Que disent le Conseil et le Courrier du pont de la Scie en mars 1883 ?"
SECONDS_A_REPLY = 0.4


def slowly(request: dict[str, Any]) -> Reply:
    """The oracle's answer, after as long as a quick model takes."""
    return Reply(Oracle()(request), delay=SECONDS_A_REPLY)


def test_a_run_by_model_survives_a_reload_and_a_dead_server(
    town: Service, tmp_path: Path, page: Any
) -> None:
    town.close()
    folder, log = tmp_path / "workspace", tmp_path / "log"
    with ScriptedServer(slowly) as model:
        known = {
            "TRACE_MODEL": "openai/scripted",
            "TRACE_API_BASE": model.url,
            "OPENAI_API_KEY": "none",
        }
        with serving(folder, log, **known) as server:
            run = _ask(page, server)
            _adopt(page)
            page.wait_for_selector(".tr-timeline li:has-text('passages read')", timeout=90_000)
            page.reload()
            settle_alive(page)
            assert "Que disent" in words(page)
        with serving(folder, log, **known) as server:
            page.goto(server.address("run", run=run))
            settle_alive(page)
            page.locator(".st-key-run-resume button").click()
            _approve_replans(page)
            assert "tokens in / out" in words(page)
            page.locator(".st-key-checkpoint-approve button").click()
            page.wait_for_selector(".tr-status-finished", timeout=60_000)
        assert len(model.chats) > 3
    service = Service(Workspace.open(folder))
    state = service.state(run)
    assert state.status == "finished"
    assert service.verify(run).events == state.sequence
    assert state.totals.calls <= len(model.chats)
    service.close()


def _approve_replans(page: Any) -> None:
    """Look at each changed plan, adopt it, and end at the final list."""
    for _ in range(8):
        page.wait_for_selector(".st-key-checkpoint h3", timeout=120_000)
        settle(page)
        if "final list" in page.inner_text(".st-key-checkpoint h3"):
            return
        assert page.locator(".st-key-checkpoint .tr-chain li").count() > 0
        page.locator(".st-key-checkpoint-approve button").click()
        page.wait_for_selector(".st-key-checkpoint", state="detached", timeout=60_000)
    raise AssertionError("the run never came to its final list")


def settle_alive(page: Any) -> None:
    """A run at work redraws every second, so wait for its cards and no longer."""
    page.wait_for_selector(".tr-card", timeout=90_000)
    page.wait_for_timeout(500)


def _ask(page: Any, server: Server) -> str:
    page.goto(server.address())
    settle(page)
    page.get_by_label("Your question").fill(QUESTION)
    page.locator('.st-key-ask-assistant label:has-text("Model")').click()
    settle(page)
    assert "openai/scripted" in words(page)
    page.locator(".st-key-ask-start button").click()
    page.wait_for_selector("text=The plan waits for you", timeout=90_000)
    settle(page)
    return str(page.url.split("run=")[1].split("&")[0])


def _adopt(page: Any) -> None:
    page.locator(".st-key-checkpoint-approve button").click()
    page.wait_for_selector(".tr-card", timeout=90_000)
