"""The work on a run under AppTest: ask, edit the plan, go on, judge, undo, override, search."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from trace_core.domain.events import Draft, RunPaused
from trace_core.domain.evidence import Actor
from trace_core.service import Service

QUESTION = "Que disent le Conseil et le Courrier du pont de la Scie en mars 1883 ?"


@pytest.fixture
def finished(folder: Path) -> tuple[Path, str]:
    """A workspace with a finished run by rules that holds something."""
    service = Service(Workspace.open(folder))
    few = {"rules": {"accept_documents": 2, "hold_documents": 6}}
    run = service.ask(QUESTION, changes=few)
    state = service.advance(run, "approve")
    assert state.status == "finished"
    assert len(state.held()) >= 2
    service.close()
    return folder, run


def look(folder: Path) -> Service:
    return Service(Workspace.open(folder))


def until_rest(app: AppTest, folder: Path, run: str) -> None:
    service = look(folder)
    for _ in range(100):
        if service.state(run).status in ("waiting", "finished", "failed", "paused"):
            break
        time.sleep(0.1)
    service.close()
    app.run()


def test_ask_edit_the_plan_and_go_on(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder)
    app.text_area(key="ask.question").set_value(QUESTION)
    app.text_input(key="frame.person").set_value("Ada")
    app.button(key="ask.start").click().run()
    assert not app.exception
    service = look(folder)
    run = service.runs()[0].id
    assert service.state(run).question == QUESTION
    service.close()
    app = open_app(folder, "run", run=run)
    until_rest(app, folder, run)
    assert not app.exception
    texts = [area for area in app.text_area if area.label.startswith("Sub-question")]
    assert texts
    proposed = [text.value for text in texts]
    (add,) = [button for button in app.button if str(button.key).endswith(".add")]
    add.click().run()
    (remove, *_) = [b for b in app.button if str(b.key).endswith(".remove")]
    remove.click().run()
    (reset,) = [button for button in app.button if str(button.key).endswith(".reset")]
    reset.click().run()
    texts = [area for area in app.text_area if area.label.startswith("Sub-question")]
    assert [text.value for text in texts] == proposed
    texts[0].set_value("Que dit le Conseil du pont ?")
    app.button(key="checkpoint.approve").click().run()
    assert not app.exception
    until_rest(app, folder, run)
    service = look(folder)
    state = service.state(run)
    assert state.plan[0].text == "Que dit le Conseil du pont ?"
    assert state.plan[0].origin == "human"
    assert state.checkpoint is not None
    assert state.checkpoint.kind == "final"
    (first, *_) = state.checkpoint.proposal.ranking  # type: ignore[union-attr]
    title = service.heads([first.key])[first.key].title
    service.close()
    assert title
    assert f"<td>{title}" in words_of(app)


def test_a_verdict_by_button_is_a_new_record_and_undo_another(
    finished: tuple[Path, str], open_app: OpenApp
) -> None:
    folder, run = finished
    service = look(folder)
    before = service.state(run)
    held, decided = len(before.held()), len(before.decisions)
    app = open_app(folder, "review", run=run)
    app.text_input(key="review.reason").set_value("it names the bridge")
    next(b for b in app.button if str(b.key).startswith("review.accept.")).click().run()
    assert not app.exception
    after = service.state(run)
    assert len(after.held()) == held - 1
    assert len(after.decisions) == decided + 1
    assert after.decisions[-1].decision.reason == "it names the bridge"
    assert after.decisions[-1].actor.kind == "human"
    app.button(key="review.undo").click().run()
    assert not app.exception
    undone = service.state(run)
    assert len(undone.held()) == held
    assert len(undone.decisions) == decided + 2
    service.close()


def test_next_and_previous_move_through_the_queue(
    finished: tuple[Path, str], open_app: OpenApp
) -> None:
    folder, run = finished
    app = open_app(folder, "review", run=run)
    first = app.query_params["chunk"]
    app.button(key="review.next").click().run()
    assert app.query_params["chunk"] != first
    app.button(key="review.previous").click().run()
    assert app.query_params["chunk"] == first


def test_several_passages_are_judged_at_once(finished: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = finished
    app = open_app(folder, "review", run=run)
    app.segmented_control(key="review.way").select("several").run()
    for box in [b for b in app.checkbox if str(b.key).startswith("review.pick.")]:
        box.check()
    app.button(key="review.several.reject").click().run()
    assert not app.exception
    service = look(folder)
    assert service.state(run).held() == []
    service.close()


def test_the_record_of_decisions_is_searched(finished: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = finished
    app = open_app(folder, "review", run=run)
    app.segmented_control(key="review.way").select("record").run()
    app.text_input(key="review.search").set_value("no such word anywhere").run()
    assert "0 decisions" in words_of(app)


def test_an_accepted_document_is_overridden_with_a_reason(
    finished: tuple[Path, str], open_app: OpenApp
) -> None:
    folder, run = finished
    service = look(folder)
    before = [view.key for view in service.evidence(run)]
    app = open_app(folder, "evidence", run=run)
    app.session_state["evidence.tabs"] = "Decisions"
    app.run()
    app.segmented_control(key="evidence.verdict").select("reject").run()
    app.text_input(key="evidence.reason").set_value("another bridge")
    app.button(key="evidence.record").click().run()
    assert not app.exception
    assert [view.key for view in service.evidence(run)] == before[1:]
    last = service.state(run).decisions[-1]
    assert (last.decision.verdict, last.decision.reason) == ("reject", "another bridge")
    service.close()


def test_a_star_and_a_note_are_kept(finished: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = finished
    app = open_app(folder, "evidence", run=run)
    app.button(key="evidence.star").click().run()
    assert not app.exception
    service = look(folder)
    first = service.evidence(run)[0].key
    assert first in service.starred()
    app = open_app(folder, "document", doc=f"{first.corpus}/{first.source_id}")
    field = f"note.{first.corpus}.{first.source_id}"
    app.text_area(key=field).set_value("Compare <b>the minutes</b>")
    app.button(key=f"{field}.save").click().run()
    assert not app.exception
    assert [n.text for n in service.notes([first]) if n.kind == "note"] == [
        "Compare <b>the minutes</b>"
    ]
    assert "<b>the minutes" not in words_of(app)
    service.close()


def test_a_search_shows_every_channels_rank(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "search", q="pont de la Scie")
    assert not app.exception
    words = words_of(app)
    assert "<mark>" in words
    assert "Words (BM25)" in words


def test_a_bad_date_is_a_sentence(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "search", q="pont")
    app.text_input(key="search.from").set_value("yesterday").run()
    assert not app.exception
    assert "yesterday" in app.error[0].value


def test_a_setting_is_saved_and_marked(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "settings")
    app.segmented_control(key="settings.view").select("all").run()
    app.button_group(key="settings.group").select("search").run()
    app.number_input(key="settings.search.channel_depth").set_value(33)
    app.button(key="save.search").click().run()
    assert not app.exception
    service = look(folder)
    assert service.settings().search.channel_depth == 33
    service.close()


def test_an_import_is_previewed_and_reported(
    tmp_path: Path, folder: Path, open_app: OpenApp
) -> None:
    table = tmp_path / "cards.csv"
    table.write_text(
        "ref;when;body\n1;1883-03-05;Le pont <script>alert(1)</script> tient.\n", encoding="utf-8"
    )
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("import").run()
    app.text_input(key="import.path").set_value(str(table)).run()
    assert not app.exception
    assert "<script" not in words_of(app)
    app.button(key="import.start").click().run()
    assert not app.exception
    service = look(folder)
    for _ in range(100):
        reports = [r for r in service.reports() if r.source == str(table)]
        if reports and reports[0].status == "finished":
            break
        time.sleep(0.1)
    assert reports[0].new == 1
    service.close()


def test_a_spent_budget_can_be_raised_on_the_page(folder: Path, open_app: OpenApp) -> None:
    service = look(folder)
    run = service.ask(QUESTION, changes={"checkpoints": {"plan": False, "final": True}})
    paused = RunPaused(reason="The budget of 3 model calls is spent.", cause="budget")
    actor = Actor(kind="engine", name="test")
    service.stores.events.append(run, [Draft(actor, paused)], after=service.state(run).sequence)
    app = open_app(folder, "run", run=run)
    assert not app.exception
    app.number_input(key="run.budget.model_calls").set_value(500)
    app.button(key="run.budget_raise").click().run()
    assert not app.exception
    until_rest(app, folder, run)
    state = service.state(run)
    assert state.budgets["model_calls"] == 500
    assert state.status == "waiting"
    service.close()
