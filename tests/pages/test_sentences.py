"""What the core says in English is read in French, and in English stays what it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pages.components import messages, session
from pages.components.sentences import reason, templates, translated
from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import QUESTION, look
from trace_core.domain.evidence import Actor
from trace_core.service import Service

ROOT = Path(__file__).resolve().parents[2]
PLACE = re.compile(r"\{[a-z]+\}")
FRENCH = templates("fr")


def constants() -> str:
    """All string constants of the core and the storage, those of f-strings piece by piece."""
    sources = [*(ROOT / "trace_core").rglob("*.py"), *(ROOT / "storage").rglob("*.py")]
    return "\n".join(
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def test_the_core_still_says_every_sentence_that_is_translated() -> None:
    said = constants().lower()
    pieces = {
        template: [piece.strip(" ;,.:").lower() for piece in PLACE.split(template)]
        for template in FRENCH
    }
    # "BM25" is a name in the core, "rank" the word behind it; a short piece tells nothing.
    gone = {
        template: [piece for piece in parts if len(piece) > 3 and piece not in said]
        for template, parts in pieces.items()
    }
    names = {"bm25 rank", "dense rank", "fuzzy rank", "exact rank", "date rank"}
    assert {t: g for t, g in gone.items() if set(g) - names} == {}


def test_a_translation_uses_what_its_template_finds() -> None:
    for english, french in FRENCH.items():
        assert set(PLACE.findall(french)) <= set(PLACE.findall(english)), english


@pytest.mark.parametrize(
    ("english", "french"),
    [
        (
            "in doubt: BM25 rank 2, fuzzy rank 8; names Tanneurs, Cassegrain; not of 1883-02; "
            "has pont",
            "dans le doute : mots (BM25) rang 2, tolérant à l'OCR rang 8 ; nomme Tanneurs, "
            "Cassegrain ; pas de 1883-02 ; contient pont",
        ),
        (
            "3 days from accepted courrier/18830218; names Scie",
            "à 3 jours de courrier/18830218 (retenu) ; nomme Scie",
        ),
        (
            "There is no file or folder /a/b, c; check the path.",
            "Il n'y a ni fichier ni dossier /a/b, c ; vérifiez le chemin.",
        ),
        (
            "cards/3: '32/13/1883' is not read as a date: There is no month 13.",
            "cards/3 : '32/13/1883' ne se lit pas comme une date : Il n'y a pas de mois 13.",
        ),
        ("An old friend, undated", "An old friend, undated"),
        ("Nobody has translated this.", "Nobody has translated this."),
    ],
)
def test_sentences_and_their_parts(english: str, french: str) -> None:
    assert translated("fr", english) == french
    assert translated("en", english) == english


def test_a_run_by_rules_is_read_in_french(
    folder: Path, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = look(folder)
    run = service.ask(QUESTION)
    service.advance(run, "approve")
    reasons = {line.reason for line in service.evidence(run)}
    service.close()
    assert all(" rank " in one for one in reasons)
    monkeypatch.setattr(messages, "LANGUAGES", {"fr": "Français"})
    monkeypatch.setattr(session, "_language_wanted", lambda: "fr")
    for page, said in (("evidence", "rang 1"), ("run", "retenus,")):
        app = open_app(folder, page, run=run)
        assert not app.exception
        words = words_of(app)
        assert said in words
        assert " rank " not in words
        assert "accepted" not in words


def test_what_a_person_wrote_is_not_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.components.sentences.language", lambda: "fr")
    assert reason("undated", Actor(kind="rules", name="rules-1")) == "sans date"
    assert reason("undated", Actor(kind="human", name="Ada")) == "undated"


def test_the_path_of_a_document_is_told_with_its_reason_in_french(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.sentences.language", lambda: "fr")
    run = town.ask(QUESTION)
    town.advance(run, "approve")
    key = town.evidence(run)[0].key
    steps = " ".join(town.explain(run, key, "fr", reason).steps)
    assert "Motif donné : " in steps
    assert " rank " not in steps
    assert " rank " in " ".join(town.explain(run, key, "fr").steps)
