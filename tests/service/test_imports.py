"""Imports that are broken off, paused, watched from another process, or strange."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.conftest import ROOT
from trace_core.domain.corpus import Scope
from trace_core.domain.dates import from_iso
from trace_core.service import Service

MANY = 3_000


def write(path: Path, number: int, text: str = "Le pont de la Scie numéro {n} tient bon. ") -> Path:
    with path.open("w", encoding="utf-8") as stream:
        for n in range(number):
            row = {"doc_id": f"d{n}", "corpus": "g", "date": "1883-03-02"}
            stream.write(json.dumps(row | {"text_original": text.format(n=n) * 8}) + "\n")
    return path


def command(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "trace_core", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    Workspace.create(tmp_path / "w").close()
    yield tmp_path / "w"


def documents(service: Service) -> int:
    return sum(view.stats.documents for view in service.corpora())


def wait_for_documents(service: Service, process: subprocess.Popen[str], least: int) -> None:
    deadline = time.monotonic() + 120
    while documents(service) < least and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.05)


def test_ctrl_c_leaves_a_report_and_the_same_command_goes_on(folder: Path, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", MANY)
    words = ("import", str(source), "--workspace", str(folder), "--json")
    service = Service(Workspace.open(folder))
    service.save_settings({"index": {"embedder": "none"}})
    process = command(*words)
    wait_for_documents(service, process, 1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "the same command goes on" in error
    (report,) = service.reports()
    assert report.status in ("interrupted", "finished")
    stored = documents(service)
    assert 0 < stored <= MANY
    again = command(*words)
    out, error = again.communicate(timeout=300)
    assert again.returncode == 0, error
    result = json.loads(out)
    assert (result["unchanged"], result["new"]) == (stored, MANY - stored)
    assert documents(service) == MANY
    assert service.health().ok, service.health().sentence
    service.close()


@pytest.mark.slow
def test_another_process_searches_during_an_import(folder: Path, tmp_path: Path) -> None:
    service = Service(Workspace.open(folder))
    service.save_settings({"index": {"embedder": "none"}})
    first = write(tmp_path / "first.jsonl", 50, "La digue est haute. ")
    service.run_import(first)
    source = write(tmp_path / "in.jsonl", MANY)
    process = command("import", str(source), "--corpus", "h", "--workspace", str(folder), "--json")
    searches = 0
    try:
        wait_for_documents(service, process, 51)
        while process.poll() is None:
            assert len(service.search("digue", "bm25", limit=60).hits) == 1
            assert service.search("digue", "bm25").hits[0].twins
            searches += 1
            time.sleep(0.05)
    finally:
        _, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    assert searches > 0
    assert service.search("numéro 77", "bm25", Scope(("h",))).hits
    assert service.health().ok
    service.close()


@pytest.fixture
def dated(service: Service, tmp_path: Path) -> Service:
    dates = {"d1": "1883-03-02", "d2": "1883-03-09", "d3": "1890-01-01", "u1": "", "u2": "?"}
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(
            json.dumps(
                {
                    "doc_id": n,
                    "corpus": "g",
                    "date": date,
                    "text_original": f"Le pont de mars, {n}, vu du mars.",
                }
            )
            + "\n"
            for n, date in dates.items()
        )
    )
    service.run_import(source)
    return service


@pytest.mark.parametrize("channel", ["bm25", "dense", "exact", "fuzzy", "fused"])
def test_a_date_filter_says_what_it_leaves_out_in_every_channel(
    dated: Service, channel: str
) -> None:
    month = from_iso("1883-03")
    scope = Scope((), month.earliest, month.latest)
    view = dated.search("pont de mars", channel, scope)
    assert {hit.key.source_id for hit in view.hits} == {"d1", "d2"}
    assert view.undated_left_out == 2
    kept = Scope((), month.earliest, month.latest, include_undated=True)
    view = dated.search("pont de mars", channel, kept)
    assert {hit.key.source_id for hit in view.hits} == {"d1", "d2", "u1", "u2"}
    assert view.undated_left_out == 0


def test_the_date_channel_finds_no_undated_document_and_says_so(dated: Service) -> None:
    month = from_iso("1883-03")
    scope = Scope((), month.earliest, month.latest)
    view = dated.search("le pont le 2 mars 1883", "date", scope)
    assert view.hits[0].key.source_id == "d1"
    assert view.undated_left_out == 2
    kept = Scope((), month.earliest, month.latest, include_undated=True)
    view = dated.search("le pont le 2 mars 1883", "date", kept)
    assert not any(hit.key.source_id.startswith("u") for hit in view.hits)
    fused = dated.search("le pont le 2 mars 1883", "fused", kept)
    assert {"u1", "u2"} <= {hit.key.source_id for hit in fused.hits}


@pytest.mark.slow
def test_a_document_of_ten_megabytes(service: Service, tmp_path: Path) -> None:
    service.save_settings({"index": {"embedder": "none"}})
    words = "Le pont de la Scie tient encore, dit-on en ville. "
    text = words * (10_000_000 // len(words)) + "Et la girouette tourne."
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1883-03-02.txt").write_text(text, encoding="utf-8")
    report = service.run_import(tmp_path / "in")
    assert (report.new, report.skipped.count) == (1, 0)
    (hit,) = service.search("girouette", "bm25").hits
    assert "girouette" in service.passage(hit.chunk_id).chunk.text
    assert service.document(hit.key).text == text
    assert service.run_import(tmp_path / "in").unchanged == 1


def test_thousands_of_tiny_documents(service: Service, tmp_path: Path) -> None:
    service.save_settings({"index": {"embedder": "none"}})
    source = tmp_path / "in.csv"
    rows = "".join(f"{n},mot{n} bref\n" for n in range(5_000))
    source.write_text("id,text\n" + rows, encoding="utf-8")
    assert service.run_import(source).new == 5_000
    assert [h.key.source_id for h in service.search("mot4321", "exact").hits] == ["4321"]
    assert service.count_duplicates() == (0, 0)
