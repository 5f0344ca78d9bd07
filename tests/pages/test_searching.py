"""The search page: forms of a name to choose from, two passages a hit, what is written instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.conftest import write_town
from tests.pages.driving import OpenApp, words_of
from trace_core.service import Service

DAMAGED = (
    '{"doc_id": "bad1", "corpus": "letters", "date": "1883-03-14", "title": "bad1", "language": '
    '"fr", "text_original": "M. Vernaudou avait raison, dit-on, et le pont est parti."}\n'
)
LONG = "Vernaudon parle du pont de la Scie. " + "On parla longtemps de la pluie et du vent. " * 60


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The small town with a letter in which a name is misread, and a long text."""
    source = write_town(tmp_path / "town.jsonl")
    with source.open("a", encoding="utf-8") as lines:
        lines.write(DAMAGED)
        lines.write(DAMAGED.replace("bad1", "long").replace("M. Vernaudou", f"{LONG} Vernaudon"))
    service = Service(Workspace.create(tmp_path / "workspace"))
    service.run_import(source)
    service.close()
    return tmp_path / "workspace"


def test_forms_are_proposed_chosen_and_searched(archive: Path, open_app: OpenApp) -> None:
    app = open_app(archive, "search", q="Vernaudon")
    assert not app.exception
    choice = next(box for box in app.multiselect if "Vernaudon" in box.label)
    assert "vernaudou · 1 passage" in choice.options
    assert choice.value == []
    assert "Written here: Vernaudou" in words_of(app).replace("\\", "")
    choice.set_value(["vernaudou"]).run()
    next(b for b in app.button if b.label == "Search with these forms").click().run()
    assert not app.exception
    assert app.text_input(key="search.query").value == "Vernaudon | vernaudou"
    again = next(box for box in app.multiselect if "Vernaudon" in box.label)
    assert again.value == ["vernaudou"]
    assert "letters/bad1" in words_of(app) or "bad1" in words_of(app)


def test_a_question_is_no_name(archive: Path, open_app: OpenApp) -> None:
    app = open_app(archive, "search", q="Que dit le conseil du pont de la Scie ?")
    assert not app.exception
    assert not any("Forms of" in box.label for box in app.multiselect)


def test_the_two_best_passages_of_a_hit_and_marks_on_content_words(archive: Path) -> None:
    service = Service(Workspace.open(archive))
    view = service.search("Que dit Vernaudon de la Scie et du pont ?")
    hit = next(hit for hit in view.hits if hit.key.source_id == "long")
    assert hit.second is not None and hit.second.chunk_id != hit.chunk_id
    marked = {
        text[start:end].lower()
        for hit in view.hits
        for text, spans in [(hit.snippet, hit.spans)]
        for start, end in spans
    }
    assert {"vernaudon", "scie", "pont"} <= marked
    assert not marked & {"que", "de", "la", "et", "du"}
    only = service.search("de la", "bm25")
    assert any(hit.spans for hit in only.hits)
    service.close()


@pytest.mark.parametrize(
    ("query", "begin", "end", "sentence"),
    [
        ("?!", "", "", "Write at least one word or figure"),
        ("🌉", "", "", "Write at least one word or figure"),
        ("pont", "1890", "1880", "later than"),
        ("pont", "yesterday", "", "is no date that can be read"),
    ],
)
def test_what_cannot_be_searched_is_a_sentence(
    archive: Path, open_app: OpenApp, query: str, begin: str, end: str, sentence: str
) -> None:
    app = open_app(archive, "search", q=query)
    app.text_input(key="search.from").set_value(begin)
    app.text_input(key="search.to").set_value(end).run()
    assert not app.exception
    assert sentence in words_of(app).replace("\\", "")


def test_limits_are_written_as_a_historian_writes_dates(archive: Path, open_app: OpenApp) -> None:
    app = open_app(archive, "search", q="pont")
    everything = words_of(app).count("tr-rank")
    app.text_input(key="search.from").set_value("3 mars 1883")
    app.text_input(key="search.to").set_value("March 1883").run()
    assert not app.exception
    assert not app.error
    assert 0 < words_of(app).count("tr-rank") < everything
