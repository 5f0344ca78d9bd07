"""What leaves the house is named as the run knew it, with the twins that the archive knows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.conftest import write_town
from trace_core.__main__ import main
from trace_core.domain.corpus import DocumentKey
from trace_core.export.bundle_verify import verify_bytes
from trace_core.export.options import Options
from trace_core.export.registry import FORMATS
from trace_core.ports import Part
from trace_core.service import Service

QUESTION = "Que disent Le Héraut et Le Courrier du pont de la Scie ?"
HERALD = DocumentKey("herald", "18830303")
NOW = DocumentKey("courier", "18830303~herald")
ALL = Options(include_held=True, include_rejected=True)


def asked(service: Service) -> str:
    run = service.ask(QUESTION, person="Zoé")
    assert service.advance(run, "approve").status == "finished"
    return run


def rows(service: Service, run: str) -> dict[str, dict[str, str]]:
    table = service.export(run, "csv", ALL).decode()
    return {f"{r['sub_corpus']}/{r['doc_id']}": r for r in csv.DictReader(io.StringIO(table))}


def test_a_merged_sub_corpus_keeps_its_name_in_every_export(town: Service) -> None:
    run = asked(town)
    town.note(HERALD, "noté avant", "Zoé")
    before = json.loads(town.export(run, "json", ALL))["lines"]
    town.merge_corpora("herald", "courier", "un seul éditeur", "Max")
    town.note(NOW, "noté après", "Zoé")
    after = json.loads(town.export(run, "json", ALL))["lines"]
    for old, new in zip(before, after, strict=True):
        assert (old["rank"], old["doc_id"]) == (new["rank"], new["doc_id"])
        assert old["sub_corpus_name"] == new["sub_corpus_name"]
        assert old["citation"] == new["citation"]
        assert old["csl"] == new["csl"]
        assert [p["passage"] for p in old["passages"]] == [p["passage"] for p in new["passages"]]
    (line,) = (n for n in after if (n["sub_corpus"], n["doc_id"]) == HERALD)
    assert line["sub_corpus_name"] == "Le Héraut" and line["csl"]["type"] == "article-newspaper"
    assert [n["text"] for n in line["notes"]] == ["noté avant", "noté après"]
    assert b"H\xc3\xa9raut" in town.export(run, "ris", ALL)


def test_a_bundle_of_a_run_from_before_a_merge_agrees(town: Service) -> None:
    run = asked(town)
    town.merge_corpora("herald", "courier", "un seul éditeur", "Max")
    report = verify_bytes(town.export(run, "bundle"))
    assert report.ok, report.findings


def test_a_document_is_explained_under_any_of_its_keys(town: Service) -> None:
    run = asked(town)
    said = town.explain(run, HERALD)
    town.merge_corpora("herald", "courier", "un seul éditeur", "Max")
    assert said.present
    assert town.explain(run, HERALD) == said
    assert town.explain(run, NOW) == said


def test_twins_are_named_in_every_list(service: Service, tmp_path: Path) -> None:
    file = write_town(tmp_path / "town.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    copy = next(x for x in lines if (x["corpus"], x["doc_id"]) == HERALD)
    lines.append(copy | {"doc_id": "again", "corpus": "courier"})
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    service.run_import(file)
    run = asked(service)
    found = rows(service, run)
    assert found["herald/18830303"]["twins"] == "courier/again"
    assert {
        r["twins"] for k, r in found.items() if k not in ("herald/18830303", "courier/again")
    } == {""}
    listed = json.loads(service.export(run, "json", ALL))["lines"]
    twins = {(x["sub_corpus"], x["doc_id"]): (x["twins"], x["more_twins"]) for x in listed}
    assert twins[HERALD] == ([["courier", "again"]], 0)
    for name in FORMATS.keys() & {"md", "html"}:
        assert "courier/again" in service.export(run, name, ALL).decode(), name
    assert "The same text, or nearly, in: courier/again" in service.export(run, "ris", ALL).decode()
    bundle = service.export(run, "bundle")
    assert verify_bytes(bundle).ok
    service.withdraw(Part(keys=(DocumentKey("courier", "again"),)), "double", "Zoé")
    assert rows(service, run)["herald/18830303"]["twins"] == ""


def test_a_restored_workspace_finds_at_once(
    town: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = asked(town)
    before = {hit.key for hit in town.search("pont", limit=50).hits}
    folder, copy, again = (str(tmp_path / name) for name in ("workspace", "copy.zip", "again"))
    assert main(["backup", copy, "--workspace", folder]) == 0
    assert f"restore {copy} --workspace FOLDER" in capsys.readouterr().out
    assert main(["restore", copy, "--workspace", again]) == 0
    assert "12 documents, 12 passages indexed" in capsys.readouterr().out
    restored = Service(Workspace.open(again))
    try:
        assert restored.health().ok
        assert {hit.key for hit in restored.search("pont", limit=50).hits} == before
        for name in ("bm25", "dense", "fuzzy", "exact"):
            found = [hit.key for hit in restored.search("pont", name, limit=50).hits]
            assert found == [hit.key for hit in town.search("pont", name, limit=50).hits], name
        assert restored.export(run, "bundle") == town.export(run, "bundle")
    finally:
        restored.close()
    assert main(["backup", str(tmp_path / "workspace" / "copy"), "--workspace", folder]) == 2
    assert "lies inside the workspace" in capsys.readouterr().err


def test_two_people_are_compared_on_the_command_line(
    town: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, folder = asked(town), str(tmp_path / "workspace")
    chunk = next(line.chunk_ids[0] for line in town.evidence(run) if line.key == HERALD)
    for person, verdict in (("Ada", "accept"), ("Ben", "reject")):
        args = ["override", run, f"c{chunk}", verdict, "--person", person, "--workspace", folder]
        assert main(args) == 0
    capsys.readouterr()
    asks = ["agreement", run, "Ada", "Ben", "--workspace", folder]
    assert main(asks) == 0
    said = capsys.readouterr().out
    assert "over 1 passage that both decided" in said
    assert said.splitlines()[-1].split() == [f"c{chunk}", "herald/18830303", "accept", "reject"]
    assert main([*asks, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["table"] == [{"first": "accept", "second": "reject", "passages": 1}]
    (one,) = value["disagreements"]
    assert (one["chunk"], one["second"]["verdict"]) == (f"c{chunk}", "reject")


def test_decisions_are_found_by_the_title_of_their_document(town: Service) -> None:
    run = town.ask("Que disent Le Conseil et Le Courrier du pont de la Scie ?")
    town.advance(run, "approve")
    first = town.decisions(run)[-1]
    title = town.heads([first.decision.key])[first.decision.key].title
    assert title
    found = town.decisions(run, text=title.upper())
    assert first in found
    assert {town.heads([r.decision.key])[r.decision.key].title for r in found} == {title}
    assert town.decisions(run, text="no such words") == []
