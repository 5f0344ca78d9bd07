"""Long work in the app: the page does not wait for it, and pauses, goes on and stops it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import look
from trace_core.service import Service
from trace_core.service.indexing import ArchiveJob
from trace_core.service.jobs import JobRoom

SECONDS = 60.0


class Gate:
    """Holds every job at the first batch that its watch is told of, until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.open.wait(SECONDS)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    held = Gate()
    for watch in ("reading", "indexing"):
        told = getattr(ArchiveJob, watch)

        def telling(job: ArchiveJob, progress: Any, told: Any = told) -> Any:
            told(job, progress)
            held.wait()
            return told(job, progress)

        monkeypatch.setattr(ArchiveJob, watch, telling)
    yield held
    held.open.set()


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a job has come to its end or to rest."""
    event, worked = threading.Event(), JobRoom._worked

    def working(room: JobRoom, kept: Any) -> None:
        worked(room, kept)
        event.set()

    monkeypatch.setattr(JobRoom, "_worked", working)
    return event


def pressed(app: AppTest, way: str) -> AppTest:
    (button,) = [b for b in app.button if str(b.key).startswith(f"job.{way}.")]
    return button.click().run()


def ways(app: AppTest) -> list[str]:
    return [str(b.key).split(".")[1] for b in app.button if str(b.key).startswith("job.")]


def source_of(tmp_path: Path) -> Path:
    row = {"doc_id": "q1", "corpus": "quays", "date": "1883-03-09", "text_original": "Un quai."}
    source = tmp_path / "quays.jsonl"
    source.write_text(json.dumps(row) + "\n")
    return source


def test_an_import_is_paused_and_gone_on_with(
    tmp_path: Path, folder: Path, open_app: OpenApp, gate: Gate, ended: threading.Event
) -> None:
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("import").run()
    app.text_input(key="import.path").set_value(str(source_of(tmp_path))).run()
    app.button(key="import.start").click().run()
    assert gate.reached.wait(SECONDS)
    app.run()
    assert not app.exception
    assert ways(app) == ["pause", "stop"]
    said = words_of(app).replace("\\", "")
    assert "A pause keeps all that was read and indexed so far" in said
    pressed(app, "pause")
    assert "It pauses as soon as" in words_of(app)
    assert ways(app) == []
    gate.open.set()
    assert ended.wait(SECONDS)
    app.run()
    assert ways(app) == ["resume", "dismiss"]
    assert any("Paused;" in info.value.replace("\\", "") for info in app.info)
    ended.clear()
    pressed(app, "resume")
    assert ended.wait(SECONDS)
    app.run()
    assert not app.exception
    assert "1 new" in app.success[0].value
    service = look(folder)
    assert service.health().ok
    assert service.search("quai", "exact").hits
    service.close()
    pressed(app, "dismiss")
    assert not app.success


def test_a_broken_off_import_goes_on_from_its_report(
    tmp_path: Path, folder: Path, open_app: OpenApp, ended: threading.Event
) -> None:
    service = look(folder)
    source = source_of(tmp_path)
    report = service._importer().run(source, None, lambda _: "stop")
    report.status = "interrupted"
    service.stores.reports.save(report.id, report.model_dump_json())
    service.close()
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("reports").run()
    assert "This import broke off" in app.info[0].value.replace("\\", "")
    app.button(key=f"import.resume.{report.id}").click().run()
    assert ended.wait(SECONDS)
    app.run()
    assert not app.exception
    assert app.success


def test_the_page_does_not_wait_for_the_indexes_and_a_search_says_so(
    folder: Path, open_app: OpenApp, gate: Gate, ended: threading.Event
) -> None:
    app = open_app(folder, "archive")
    app.segmented_control(key="upkeep.herald.way").select("withdraw").run()
    app.text_input(key="upkeep.herald.reason").set_value("rights")
    app.button(key="upkeep.herald.do").click().run()
    assert not app.exception
    assert gate.reached.wait(SECONDS)
    app.run()
    said = words_of(app).replace("\\", "")
    assert "The indexes are being brought up to date" in said
    assert ways(app) == ["pause"]
    app.switch_page("pages/views/search.py")
    app.query_params["q"] = "pont"
    app.run()
    assert any("being changed at this moment" in info.value for info in app.info)
    gate.open.set()
    assert ended.wait(SECONDS)
    app.run()
    assert not app.exception
    assert not app.info
    app.switch_page("pages/views/archive.py").run()
    assert "Taken out: Le Héraut" in app.success[0].value.replace("\\", "")


def test_passages_that_no_index_holds_are_brought_in_by_a_button(
    tmp_path: Path, folder: Path, open_app: OpenApp, ended: threading.Event
) -> None:
    service: Service = look(folder)
    service._importer().run(source_of(tmp_path))
    service.close()
    app = open_app(folder, "archive")
    assert "1 passage is not in the indexes yet" in app.warning[0].value
    app.button(key="archive.reindex").click().run()
    assert ended.wait(SECONDS)
    app.run()
    assert not app.exception
    assert not app.warning
    assert "The indexes are up to date" in app.success[0].value
