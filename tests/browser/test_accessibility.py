"""Axe over each page, light and dark, and over what opens inside it: no serious finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser.driving import settle
from tests.browser.serving import Server, serving
from tests.servers.oracle import Oracle
from tests.servers.scripted import ScriptedServer
from trace_core.service import Service

pytestmark = pytest.mark.browser


@dataclass(frozen=True, slots=True)
class Place:
    """An address, and what is clicked there one after the other, with a look behind each."""

    address: str
    clicks: Sequence[str] = ()


def view(key: str, number: int) -> str:
    """A button of a segmented control."""
    return f".st-key-{key} button >> nth={number}"


def tab(number: int) -> str:
    """A tab of the page."""
    return f".stMain [role=tab] >> nth={number}"


PLACES = (
    Place(""),
    Place("run?run={run}", [tab(number) for number in range(1, 5)]),
    Place("review?run={run}", [view("review-way", 1), view("review-way", 2)]),
    Place("evidence?run={run}", [tab(1), tab(2), tab(3)]),
    Place("evidence?run={run}", [view("evidence-view", number) for number in range(1, 6)]),
    Place("archive", [view("archive-view", number) for number in range(1, 5)]),
    Place("search?q=pont", [".stMain summary >> nth=0"]),
    Place("document?doc=courrier/18830218", [".stMain summary >> nth=0"]),
    Place("evaluation", [view("evaluation-view", 1)]),
    Place("settings", [view("settings-view", number) for number in range(1, 4)]),
)
GRAVE = ("serious", "critical")


def serious(page: Any, where: str) -> list[str]:
    """What Axe finds on the page as it stands."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    settle(page)
    report = axe.run(page).response
    return [
        f"{where}: {fault['id']} ({fault['impact']}) {node['target']}"
        for fault in report["violations"]
        if fault["impact"] in GRAVE
        for node in fault["nodes"]
    ]


def findings(page: Any, server: Server, run: str) -> list[str]:
    """What Axe finds at all places, each finding once."""
    found: list[str] = []
    for place in PLACES:
        page.goto(server.address(place.address.format(run=run)))
        settle(page)
        found += serious(page, place.address)
        for click in place.clicks:
            page.locator(click).click()
            found += serious(page, f"{place.address} {click}")
    return list(dict.fromkeys(found))


def window(chromium: Any, scheme: str) -> Any:
    context = chromium.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", color_scheme=scheme
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_finding(
    scheme: str, sample_run: tuple[Path, str], chromium: Any, tmp_path: Path
) -> None:
    folder, run = sample_run
    page = window(chromium, scheme)
    with serving(folder, tmp_path / "log") as server:
        found = findings(page, server, run)
    page.context.close()
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_calls_of_a_model_have_no_serious_finding(
    scheme: str, town: Service, chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ScriptedServer(Oracle()) as model:
        town.save_settings({"model": {"name": "openai/scripted", "api_base": model.url}})
        run = town.ask("Que disent le Conseil et le Courrier du pont de la Scie ?", "model")
        assert town.advance(run, "approve").status == "finished"
    town.close()
    page = window(chromium, scheme)
    with serving(tmp_path / "workspace", tmp_path / "log") as server:
        page.goto(server.address("run", run=run))
        settle(page)
        page.get_by_role("tab", name="Model calls").click()
        found = serious(page, "calls")
        page.locator(".st-key-calls-open input").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_text("What it answered").first.wait_for()
        found += serious(page, "a call")
    page.context.close()
    assert found == []
