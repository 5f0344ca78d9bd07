"""The main way, with hands on the keyboard: sample, question, plan, review, evidence, download."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.browser.driving import button, key, press, settle, words
from tests.browser.serving import serving
from trace_core.service import Service

pytestmark = pytest.mark.browser

REASON = "the wrong bridge"


def test_from_the_sample_archive_to_a_download(page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    with serving(folder, tmp_path / "log") as server:
        page.goto(server.address())
        settle(page)
        _open_sample(page)
        _ask(page)
        run = page.url.split("run=")[1].split("&")[0]
        _edit_plan(page)
        _watch(page)
        _review_by_keys(page, server.address("review", run=run), folder, run)
        _override(page, server.address("evidence", run=run))
        _download(page, folder, run)
        _approve(page, server.address("run", run=run))


def _open_sample(page: Any) -> None:
    button(page, "Open the sample archive").click()
    page.wait_for_selector("text=Ask the archive", timeout=90_000)
    settle(page)
    assert "invented" in page.inner_text('[data-testid="stSidebar"]')


def _ask(page: Any) -> None:
    press(page, "Example questions")
    page.locator('button:has-text("pont des Tanneurs")').first.click()
    settle(page)
    page.keyboard.press("Escape")
    assert "pont des Tanneurs" in page.get_by_label("Your question").input_value()
    page.locator(".st-key-ask-start button").click()
    page.wait_for_selector("text=The plan waits for you", timeout=60_000)
    settle(page)


def _edit_plan(page: Any) -> None:
    first = page.get_by_label("Sub-question 1")
    first.fill("Que dit le Courrier de la chute du pont des Tanneurs ?")
    first.press("Tab")
    settle(page)
    press(page, "Adopt this plan")


def _watch(page: Any) -> None:
    page.wait_for_selector("text=The final list waits for you", timeout=90_000)
    settle(page)
    assert "Que dit le Courrier de la chute du pont" in words(page)
    assert "passages read" in words(page)


def _review_by_keys(page: Any, address: str, folder: Path, run: str) -> None:
    page.goto(address)
    page.wait_for_selector('[class*="st-key-review-accept"] button')
    settle(page)
    service = Service(Workspace.open(folder))
    before = service.state(run)
    assert len(before.held()) >= 3
    key(page, "a")
    key(page, "j")
    key(page, "k")
    key(page, "x")
    key(page, "h")
    after = service.state(run)
    made = [r.decision.verdict for r in after.decisions[len(before.decisions) :]]
    assert made == ["accept", "reject", "hold"]
    assert len(after.held()) == len(before.held()) - 2
    key(page, "u")
    undone = service.state(run)
    assert len(undone.decisions) == len(after.decisions) + 1
    assert len(undone.held()) == len(before.held()) - 2
    key(page, "u")
    assert len(service.state(run).held()) == len(before.held()) - 1
    service.close()


def _override(page: Any, address: str) -> None:
    page.goto(address)
    settle(page)
    first = _titles(page)[0]
    page.get_by_role("tab", name="Why it is here").click()
    settle(page)
    assert page.locator(".tr-chain li").count() > 2
    page.get_by_role("tab", name="Decisions").click()
    settle(page)
    page.locator('.st-key-evidence-verdict button:has-text("rejected")').click()
    settle(page)
    reason = page.locator(".st-key-evidence-reason input")
    reason.fill(REASON)
    reason.press("Tab")
    page.locator(".st-key-evidence-record button").click()
    settle(page)
    assert first not in _titles(page)


def _titles(page: Any) -> list[str]:
    found = page.locator('[class*="st-key-evidence-open-"] button').all_inner_texts()
    return [text.split(". ", 1)[1] for text in found]


def _download(page: Any, folder: Path, run: str) -> None:
    press(page, "Download")
    with page.expect_download() as waiting:
        page.locator(".st-key-download-do button").click()
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    service = Service(Workspace.open(folder))
    listed = {view.key.source_id for view in service.evidence(run)}
    reasons = [record.decision.reason for record in service.state(run).decisions]
    service.close()
    assert {row["doc_id"] for row in csv.DictReader(io.StringIO(text))} == listed
    assert REASON in reasons


def _approve(page: Any, address: str) -> None:
    page.goto(address)
    settle(page)
    press(page, "Approve the list")
    page.wait_for_selector("text=finished", timeout=60_000)


def test_a_reload_and_another_window_show_the_same_run(
    sample_run: tuple[Path, str], page: Any, chromium: Any, tmp_path: Path
) -> None:
    folder, run = sample_run
    with serving(folder, tmp_path / "log") as server:
        address = server.address("run", run=run)
        page.goto(address)
        settle(page)
        before = page.locator(".tr-card").all_inner_texts()
        page.reload()
        settle(page)
        assert page.locator(".tr-card").all_inner_texts() == before
    with serving(folder, tmp_path / "log") as server:
        other = chromium.new_page()
        other.goto(server.address("run", run=run))
        settle(other)
        assert other.locator(".tr-card").all_inner_texts() == before
        other.close()
