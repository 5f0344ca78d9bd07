"""The pictures of the guide in `docs/`, made anew with TRACE_PICTURES=1, looked at in any case."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.driving import settle
from tests.browser.serving import ROOT, serving

pytestmark = pytest.mark.browser

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 260_000

SHOTS = {
    "ask": "",
    "run": "run?run={run}",
    "review": "review?run={run}",
    "evidence": "evidence?run={run}",
    "search": "search?q=pont des Tanneurs",
    "archive": "archive",
}


def test_every_page_can_be_pictured(
    sample_run: tuple[Path, str], page: Any, tmp_path: Path
) -> None:
    folder, run = sample_run
    target = IMAGES if os.environ.get("TRACE_PICTURES") else tmp_path
    with serving(folder, tmp_path / "log") as server:
        for name, address in SHOTS.items():
            page.goto(server.address(address.format(run=run)))
            settle(page)
            picture = target / f"{name}.png"
            page.screenshot(path=str(picture))
            assert 10_000 < picture.stat().st_size < MOST_BYTES


def test_the_guide_shows_pictures_that_exist() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    for name in SHOTS:
        assert f"images/{name}.png" in guide
        assert (IMAGES / f"{name}.png").is_file()
