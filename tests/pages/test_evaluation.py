"""Measuring in the app: own questions, an evaluation in the background, a run replayed."""

from __future__ import annotations

import time
from pathlib import Path

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, settings_with_broken_model, words_of
from trace_core.service import Service
from trace_core.service.sample import QUESTIONS, load_sample

QUESTION = "Que disent le conseil et le Courrier du pont de la Scie en mars 1883 ?"


def finished_run(folder: Path) -> str:
    service = Service(Workspace.open(folder))
    run = service.ask(QUESTION)
    service.advance(run, "approve")
    service.close()
    return run


def test_from_an_answer_to_its_measure(folder: Path, open_app: OpenApp) -> None:
    run = finished_run(folder)
    app = open_app(folder, "evidence", run=run)
    documents = app.multiselect(key="answering.documents")
    documents.select(documents.options[0]).run()
    app.button(key="answering.save").click().run()
    assert not app.exception
    assert not app.error

    app.switch_page("pages/views/evaluation.py").run()
    assert "1 question has been saved" in words_of(app)
    app.button(key="evaluation.start").click().run()
    assert not app.exception
    deadline = time.monotonic() + 90
    while not app.success and time.monotonic() < deadline:
        time.sleep(0.3)
        app.run()
    words = words_of(app)
    assert not app.exception
    assert "trace-rules" in words
    assert "recall@10" in words
    assert len(app.selectbox(key="evaluation.report").options) == 1

    reopened = open_app(folder, "evaluation")
    assert "recall@10" in words_of(reopened)


def test_what_a_model_will_take_is_said_before(folder: Path, open_app: OpenApp) -> None:
    service = Service(Workspace.open(folder))
    service.save_settings(settings_with_broken_model())
    service.close()
    app = open_app(folder, "evaluation")
    assert "Each question by the model" not in words_of(app)
    app.button_group(key="evaluation.strategies").set_value(["trace-model"]).run()
    assert not app.exception
    words = words_of(app).replace("\\", "")
    assert "Each question by the model: About 34 calls, 101,000 tokens in" in words


def test_what_would_have_been_missed_without_a_document(folder: Path, open_app: OpenApp) -> None:
    run = finished_run(folder)
    app = open_app(folder, "evaluation", run=run)
    app.segmented_control(key="evaluation.view").set_value("without").run()
    assert not app.exception
    app.button(key="evaluation.take_away").click().run(timeout=60)
    assert not app.exception
    assert not app.error
    assert "would have been missed" in words_of(app)


def test_a_set_that_is_not_there_is_a_sentence(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "evaluation")
    app.text_input(key="evaluation.questions").set_value("/none/such.jsonl").run()
    app.button(key="evaluation.start").click().run()
    assert not app.exception
    assert "no question set" in app.error[0].value


def test_the_sample_archive_brings_its_questions(tmp_path: Path, open_app: OpenApp) -> None:
    folder = tmp_path / "sample"
    service = Service(Workspace.create(folder))
    load_sample(service)
    service.close()
    app = open_app(folder, "evaluation")
    assert app.button(key="evaluation.start").disabled
    app.button(key="evaluation.take_sample").click().run()
    assert not app.exception
    assert app.text_input(key="evaluation.questions").value == str(QUESTIONS)
    assert not app.button(key="evaluation.start").disabled
    assert not [button for button in app.button if button.key == "evaluation.take_sample"]
