"""Corrected OCR is imported again: the search sees the new text, old decisions see the old one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.conftest import write_town
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.service import Service

KEY = DocumentKey("council", "m1")
QUESTION = "Que dit le conseil du pont de la Scie et de Vernaudon ?"


def corrected(path: Path, old: str, new: str) -> Path:
    """The town's file with one word read otherwise."""
    text = write_town(path).read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def asked(service: Service) -> str:
    run = service.ask(QUESTION, person="Zoé")
    assert service.advance(run, "approve").status == "finished"
    return run


def test_a_run_before_and_a_run_after_a_correction(town: Service, tmp_path: Path) -> None:
    before = asked(town)
    lines = {line.key: line for line in town.evidence(before)}
    (old_chunk,) = lines[KEY].chunk_ids
    exported = json.loads(town.export(before, "json"))
    assert not town.passage(old_chunk).changed_since

    source = corrected(tmp_path / "better.jsonl", "Les pilotis sont pourris", "Les pilots sont")
    report = town.run_import(source)
    assert (report.changed, report.unchanged, report.new) == (1, 11, 0)
    assert town.versions(KEY) == [1, 2]

    # Both indexes hold the new passage and no longer the old one.
    (new_chunk,) = [chunk.id for chunk in town.chunks_of(KEY)]
    for ids in (town.stores.lexical.ids(), town.stores.vectors.ids()):
        assert new_chunk in ids
        assert old_chunk not in ids
    assert town.search("pilots", "exact").hits[0].chunk_id == new_chunk
    assert town.search("pilotis", "exact").hits == ()
    for channel in ("bm25", "dense", "fuzzy", "fused"):
        assert old_chunk not in {hit.chunk_id for hit in town.search("pilotis", channel).hits}
    assert town.health().ok

    # The old decision still stands on the text that it was made on, and says so.
    view = town.passage(old_chunk, ["pilotis"])
    assert "pilotis sont pourris" in view.chunk.text
    assert view.spans
    assert (view.chunk.version, view.chunk.current, view.changed_since) == (1, False, True)
    assert view.head.version == 2
    assert lines[KEY].chunk_ids == next(
        line.chunk_ids for line in town.evidence(before) if line.key == KEY
    )
    assert town.verify(before).ok
    again = json.loads(town.export(before, "json"))
    assert again["events"] == exported["events"]
    assert "pilotis sont pourris" in json.dumps(again, ensure_ascii=False)

    after = asked(town)
    fresh = {line.key: line for line in town.evidence(after)}
    assert fresh[KEY].chunk_ids == (new_chunk,)
    assert not town.passage(new_chunk).changed_since


def test_the_old_text_is_readable_in_another_session(town: Service, tmp_path: Path) -> None:
    before = asked(town)
    (old_chunk,) = next(line.chunk_ids for line in town.evidence(before) if line.key == KEY)
    town.run_import(corrected(tmp_path / "better.jsonl", "pourris", "perdus"))
    town.close()
    reopened = Service(Workspace.open(tmp_path / "workspace"))
    try:
        assert "pourris" in reopened.passage(old_chunk).chunk.text
        assert "pourris" in reopened.document(KEY, 1).text
        assert "perdus" in reopened.document(KEY).text
        assert reopened.reader(KEY, 1).versions == (1, 2)
    finally:
        reopened.close()


def test_a_waiting_run_goes_on_over_a_corrected_archive(town: Service, tmp_path: Path) -> None:
    run = town.ask(QUESTION)
    assert town.advance(run, "ask").status == "waiting"
    town.run_import(corrected(tmp_path / "better.jsonl", "pourris", "perdus"))
    assert town.advance(run, "approve").status == "finished"
    (chunk,) = next(line.chunk_ids for line in town.evidence(run) if line.key == KEY)
    assert "perdus" in town.passage(chunk).chunk.text


@pytest.mark.parametrize("word", ["pourris", "perdus"])
def test_a_correction_taken_back_is_a_third_version(
    town: Service, tmp_path: Path, word: str
) -> None:
    town.run_import(corrected(tmp_path / "better.jsonl", "pourris", "perdus"))
    report = town.run_import(write_town(tmp_path / "town.jsonl"))
    assert report.changed == 1
    assert town.versions(KEY) == [1, 2, 3]
    found = [hit.key for hit in town.search(word, "exact", Scope(("council",))).hits]
    assert found == ([KEY] if word == "pourris" else [])
