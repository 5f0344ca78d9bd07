"""Each page with nothing, with a broken model, with a failed run and with a very large one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage.events import SqliteEvents
from storage.workspace import Workspace
from tests.pages.driving import (
    DOCUMENTS,
    OpenApp,
    fail,
    settings_with_broken_model,
    words_of,
)
from trace_core.domain.events import Event
from trace_core.service import Service

PAGES = (
    "ask",
    "run",
    "review",
    "evidence",
    "archive",
    "search",
    "document",
    "evaluation",
    "settings",
)
RUN_PAGES = ("run", "review", "evidence")
QUESTION = "Que disent le conseil et le Courrier du pont de la Scie en mars 1883 ?"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_an_empty_workspace(page: str, tmp_path: Path, open_app: OpenApp) -> None:
    Workspace.create(tmp_path / "workspace").close()
    app = open_app(tmp_path / "workspace", page)
    assert not app.exception
    assert app.title[0].value


def test_without_a_workspace_the_app_offers_one(tmp_path: Path, open_app: OpenApp) -> None:
    app = open_app(tmp_path / "none")
    assert not app.exception
    assert app.title[0].value == "Welcome to TRACE"
    app.button(key="welcome.new").click().run()
    assert (tmp_path / "none" / "trace.sqlite").is_file()
    assert app.title[0].value == "Ask the archive"


def test_a_folder_that_is_no_workspace_is_refused_in_a_sentence(
    tmp_path: Path, open_app: OpenApp
) -> None:
    app = open_app(tmp_path / "none")
    app.text_input(key="welcome.path").set_value(str(tmp_path)).run()
    app.button(key="welcome.open").click().run()
    assert not app.exception
    assert len(app.error) == 1


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_a_broken_model(page: str, folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    service.save_settings(settings_with_broken_model())
    service.close()
    app = open_app(folder, page)
    assert not app.exception


def test_the_connection_test_says_what_is_wrong(folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    service.save_settings(settings_with_broken_model())
    service.close()
    app = open_app(folder, "settings")
    app.button(key="settings.test").click().run(timeout=60)
    assert not app.exception
    assert len(app.error) == 1
    assert "127" in app.error[0].value


@pytest.mark.parametrize("page", RUN_PAGES)
def test_a_page_of_a_failed_run(page: str, folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    run = service.ask(QUESTION)
    fail(service, run)
    service.close()
    app = open_app(folder, page, run=run)
    assert not app.exception
    if page != "review":
        assert r"\*broken\*" in words_of(app)
    assert "<gone>" not in words_of(app)


@pytest.mark.parametrize("page", RUN_PAGES)
def test_an_unknown_run_is_a_sentence(page: str, folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, page, run="nosuchrun")
    assert not app.exception
    assert "nosuchrun" in app.error[0].value


@pytest.mark.parametrize("page", RUN_PAGES)
def test_a_page_of_a_run_of_5000_decisions_shows_a_part_and_reads_nothing_twice(
    page: str, big: tuple[Path, str], open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run = big
    app = open_app(folder, page, run=run)
    read: list[int] = []
    whole = SqliteEvents.read

    def counted(log: SqliteEvents, *which: Any, **more: Any) -> list[Event]:
        events = whole(log, *which, **more)
        read.append(len(events))
        return events

    monkeypatch.setattr(SqliteEvents, "read", counted)
    app.run()
    assert not app.exception
    assert read and sum(read) < 10, "a second look reads the same events again"
    assert 1_000 < len(words_of(app)) < 50_000


def test_the_big_run_shows_its_numbers(big: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = big
    assert f"{DOCUMENTS} documents" in words_of(open_app(folder, "evidence", run=run))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_in_french(page: str, folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, page)
    app.selectbox(key="frame.language").select("fr").run()
    assert not app.exception
    assert "Langue" in [box.label for box in app.selectbox]
