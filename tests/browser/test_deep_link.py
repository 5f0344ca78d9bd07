"""A link opened first on a fresh server shows its page inside the whole frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.driving import settle, words
from tests.browser.serving import serving

pytestmark = pytest.mark.browser

NAVIGATION = ("Ask", "Run", "Review", "Evidence", "Archive", "Search", "Settings")


def test_the_first_thing_opened_is_a_run(
    sample_run: tuple[Path, str], page: Any, tmp_path: Path
) -> None:
    folder, run = sample_run
    with serving(folder, tmp_path / "log") as server:
        page.goto(server.address("run", run=run))
        settle(page)
        assert page.inner_text("h1") == "Run"
        assert "grève" in words(page)
        side = page.inner_text('[data-testid="stSidebar"]')
        assert [name for name in NAVIGATION if name not in side] == []
        assert page.get_by_role("dialog").count() == 0
        assert f"run={run}" in page.url


def test_a_widget_of_the_frame_works_in_the_first_session(
    sample_run: tuple[Path, str], page: Any, tmp_path: Path
) -> None:
    folder, run = sample_run
    with serving(folder, tmp_path / "log") as server:
        page.goto(server.address("evidence", run=run))
        settle(page)
        page.get_by_label("Your name", exact=True).fill("Ada Lovelace")
        page.keyboard.press("Enter")
        settle(page)
        page.get_by_label("Language", exact=True).click()
        page.get_by_role("option", name="Français").click()
        settle(page)
        assert page.inner_text("h1") == "Preuves"
        page.reload()
        settle(page)
        assert page.inner_text("h1") == "Preuves"
        assert page.get_by_label("Votre nom", exact=True).input_value() == "Ada Lovelace"
        assert f"run={run}" in page.url


def test_every_page_has_its_address(
    sample_run: tuple[Path, str], page: Any, tmp_path: Path
) -> None:
    folder, _ = sample_run
    titles = {"": "Ask the archive", "ask": "Ask the archive"}
    with serving(folder, tmp_path / "log") as server:
        for name in ("settings", "search", "archive", "review", "ask", ""):
            page.goto(server.address(name))
            settle(page)
            assert page.get_by_role("dialog").count() == 0
            assert page.inner_text("h1") == titles.get(name, name.capitalize())
