"""Axe over each page, light and dark: no serious or critical finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.driving import settle
from tests.browser.serving import serving

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "run?run={run}",
    "review?run={run}",
    "evidence?run={run}",
    "archive",
    "search?q=pont",
    "document?doc=courrier/18830218",
    "settings",
)
GRAVE = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_finding(
    scheme: str, sample_run: tuple[Path, str], chromium: Any, tmp_path: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    folder, run = sample_run
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", color_scheme=scheme
    )
    page = context.new_page()
    found: list[str] = []
    with serving(folder, tmp_path / "log") as server:
        for name in PAGES:
            page.goto(server.address(name.format(run=run)))
            settle(page)
            report = axe.run(page).response
            found += [
                f"{name}: {fault['id']} ({fault['impact']}) {node['target']}"
                for fault in report["violations"]
                if fault["impact"] in GRAVE
                for node in fault["nodes"]
            ]
    context.close()
    assert found == []
