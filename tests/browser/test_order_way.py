"""The order of the archive by hand: two sub-corpora merged and parted again, and the history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.browser.driving import press, settle, words
from tests.browser.serving import serving
from trace_core.service import Service
from trace_core.service.sample import load_sample

pytestmark = pytest.mark.browser


def test_merged_and_parted_again(page: Any, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    service = Service(Workspace.create(folder))
    load_sample(service)
    before = service.corpora()
    with serving(folder, tmp_path / "log") as server:
        page.goto(server.address("archive"))
        settle(page)
        page.locator('summary:has-text("Le Tocsin")').click()
        box = page.locator('[data-testid="stExpander"]:has(summary:has-text("Le Tocsin"))')
        box.get_by_text("Merge into another one").click()
        settle(page)
        assert "15 documents will move to Conseil municipal" in box.inner_text()
        _because(page, box, "upkeep-tocsin", "one hand wrote both")
        assert service.corpus("tocsin").id == "conseil"
        assert len(service.corpora()) == len(before) - 1

        page.locator('summary:has-text("now in Conseil municipal")').click()
        former = page.locator('[data-testid="stExpander"]:has(summary:has-text("now in"))')
        assert "15 documents will go back to Le Tocsin" in former.inner_text()
        _because(page, former, "upkeep-former-tocsin", "two hands after all")
        assert service.corpora() == before

        press(page, "History")
        said = words(page)
        assert said.index("two hands after all") < said.index("one hand wrote both")
    service.close()


def _because(page: Any, box: Any, key: str, reason: str) -> None:
    field = box.get_by_label("Reason")
    field.fill(reason)
    field.press("Tab")
    settle(page)
    page.locator(f".st-key-{key}-do button").click()
    page.wait_for_selector('[data-testid="stToast"]', timeout=60_000)
    settle(page)
