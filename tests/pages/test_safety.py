"""Text from documents and questions never becomes markup on any page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from trace_core.service import Service

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)> $pont$ *pont* :smile: & pont"
RUN_PAGES = ("run", "review", "evidence")


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace whose texts, titles, names and question are all hostile; a finished run."""
    folder = tmp_path_factory.mktemp("evil")
    source = folder / "evil.jsonl"
    lines = [
        {
            "doc_id": f"d{n}",
            "corpus": "evil",
            "date": "1883-03-02",
            "title": f"{EVIL} {n}",
            "text_original": f"{EVIL} numéro {n}",
        }
        for n in range(6)
    ]
    source.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    service = Service(Workspace.create(folder / "workspace"))
    service.run_import(source)
    service.set_corpus("evil", name=EVIL)
    few = {"rules": {"accept_documents": 2, "hold_documents": 3}}
    run = service.ask(f"Que dit {EVIL} du pont ?", changes=few)
    service.advance(run, "approve")
    service.close()
    return folder / "workspace", run


@pytest.mark.parametrize("page", RUN_PAGES)
def test_a_page_of_a_hostile_run(page: str, evil: tuple[Path, str], open_app: OpenApp) -> None:
    folder, run = evil
    app = open_app(folder, page, run=run)
    assert not app.exception
    assert_harmless(words_of(app))


@pytest.mark.parametrize(
    ("page", "place"), [("search", {"q": "pont"}), ("document", {"doc": "evil/d1"}), ("ask", {})]
)
def test_a_page_of_a_hostile_archive(
    page: str, place: dict[str, str], evil: tuple[Path, str], open_app: OpenApp
) -> None:
    app = open_app(evil[0], page, **place)
    assert not app.exception
    assert_harmless(words_of(app))


def assert_harmless(words: str) -> None:
    # An angle bracket behind a backslash is a character to Markdown, no tag.
    shown = words.replace(r"\<", "")
    assert "pont" in words
    assert "<script" not in shown
    assert "<img" not in shown


def test_only_web_addresses_become_links() -> None:
    from pages.components.passage import safe_link

    assert safe_link("https://gallica.bnf.fr/ark:/12148/bpt6k1")
    assert not safe_link("javascript:alert(1)")
    assert not safe_link("data:text/html,<script>")
