"""The way of a run in the app: its figures, each search with what it led to."""

from __future__ import annotations

from pathlib import Path

from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import QUESTION, look


def test_the_way_of_a_run_without_and_with_known_answers(folder: Path, open_app: OpenApp) -> None:
    service = look(folder)
    run = service.ask(QUESTION)
    service.advance(run, "approve")
    way = service.way(run)
    accepted = {key for key, kept in service.state(run).accepted().items() if kept}
    assert way.gold == ()
    assert sum(way.gains.values()) == len(accepted)
    assert way.trajectory.no_gain == sum(not gain for gain in way.gains.values())
    first = service.evidence(run)[0].key
    app = open_app(folder, "run", run=run)
    assert not app.exception
    said = words_of(app).replace("\\", "")
    assert "nobody has saved which documents answer this question" in said
    assert "of the known answers" not in said
    for gain in way.gains.values():
        assert f"<td>{gain}</td></tr>" in said
    service.save_question(run, [first], "Ada")
    assert service.way(run).gold == (first,)
    service.close()
    said = words_of(app.run()).replace("\\", "")
    assert not app.exception
    assert "<b>100 %</b>" in said
    assert "of the known answers among the first 10" in said


def test_a_run_that_has_not_searched_yet(folder: Path, open_app: OpenApp) -> None:
    service = look(folder)
    run = service.ask(QUESTION)
    service.advance(run)
    assert service.state(run).checkpoint is not None
    service.close()
    app = open_app(folder, "run", run=run)
    assert not app.exception
    assert "No search has been made yet" in words_of(app).replace("\\", "")
