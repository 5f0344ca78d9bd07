"""The import as a whole: counts that add up, nothing lost, nothing doubled, whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.ingest.conftest import adds_up, all_documents
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput, NotFound
from trace_core.ingest.importer import Importer, Progress
from trace_core.ingest.preparing import Prepared, prepare
from trace_core.ingest.records import ReadOptions, SourceRecord
from trace_core.ingest.report import close_interrupted, load_reports, save_report
from trace_core.ports import Wish
from trace_core.settings import IndexSettings

ROOT = Path(__file__).resolve().parents[2]


def line(doc_id: str, text: str = "Le pont tient.", **fields: str) -> str:
    row = {"doc_id": doc_id, "corpus": "gazette", "date": "1887-05-12", "title": "T"}
    return json.dumps({**row, "text_original": text, **fields})


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_parliament_and_two_newspapers(shared: Path, workspace: Workspace) -> None:
    source = shared / "historiqa" / "corpus_dataset.jsonl"
    importer = Importer(workspace.documents, workspace.reports)
    first = importer.run(source)
    assert (first.read, first.new, first.skipped.count) == (131, 131, 0)
    assert sorted(count.new for count in first.corpora.values()) == [34, 36, 61]
    described = {c.name: (c.kind, c.language) for c in workspace.documents.corpora()}
    assert described == {
        "Le Gaulois": ("newspaper", "fr"),
        "L'Intransigeant": ("newspaper", "fr"),
        "Les Débats": ("debates", "fr"),
    }
    second = importer.run(source)
    assert (second.read, second.new, second.unchanged, second.changed) == (131, 0, 131, 0)
    assert adds_up(first)
    assert adds_up(second)


def test_newspapers_in_three_languages(shared: Path, workspace: Workspace) -> None:
    report = Importer(workspace.documents, workspace.reports).run(shared / "hipe/documents.jsonl")
    assert (report.read, report.new, report.undated.count) == (1116, 1116, 30)
    assert all("'NA'" in place.reason for place in report.undated.places)
    dates = [document.date for document in all_documents(workspace)]
    assert len(dates) == 1116
    assert min(date.edtf for date in dates if date)[:4] == "1780"
    languages = {corpus.id: corpus.language for corpus in workspace.documents.corpora()}
    assert languages["sonar-de"] == "de"
    assert languages["topres19th-en"] == "en"


def test_blank_and_broken_lines(importer: Importer, tmp_path: Path) -> None:
    source = write(
        tmp_path / "a.jsonl", line("1"), "", '{"doc_id": "2", "corpus', "[1, 2]", "   ", line("3")
    )
    report = importer.run(source)
    assert (report.read, report.new, report.skipped.count) == (4, 2, 2)
    assert [place.where for place in report.skipped.places] == ["a.jsonl:3", "a.jsonl:4"]
    assert "not JSON" in report.skipped.places[0].reason
    assert adds_up(report)


def test_empty_and_undated_documents_are_kept_and_listed(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", line("1", ""), line("2", date="un beau jour"))
    report = importer.run(source)
    assert (report.new, report.empty.count, report.undated.count) == (2, 1, 1)
    undated = workspace.documents.document(DocumentKey("gazette", "2"))
    assert undated.date is None
    assert "un beau jour" in undated.undated_reason
    assert workspace.documents.chunks_of(DocumentKey("gazette", "1")) == []


def test_a_changed_text_makes_a_version_and_keeps_the_old_one(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", line("1", "Le pout tient."), line("2"))
    importer.run(source)
    write(source, line("1", "Le pont tient."), line("2"))
    report = importer.run(source)
    assert (report.new, report.unchanged, report.changed) == (0, 1, 1)
    key = DocumentKey("gazette", "1")
    assert workspace.documents.versions(key) == [1, 2]
    assert workspace.documents.document(key, 1).text == "Le pout tient."
    assert workspace.documents.document(key).text == "Le pont tient."


def test_two_texts_under_one_id_are_both_kept(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    source = write(
        tmp_path / "a.jsonl", line("1", "Un."), line("1", "Deux."), line("1", "Un."), line("2")
    )
    report = importer.run(source)
    assert (report.read, report.new, report.skipped.count) == (4, 3, 1)
    assert report.suspicious.places[0].where == "a.jsonl:2"
    texts = {d.key.source_id: d.text for d in all_documents(workspace)}
    assert texts == {"1": "Un.", "1~2": "Deux.", "2": "Le pont tient."}
    again = importer.run(source)
    assert (again.unchanged, again.new, again.changed) == (3, 0, 0)
    assert adds_up(report)


def test_one_text_with_two_dates_under_one_id_is_two_documents(
    importer: Importer, tmp_path: Path
) -> None:
    report = importer.run(write(tmp_path / "a.jsonl", line("1"), line("1", date="1887-05-13")))
    assert (report.new, report.skipped.count, report.suspicious.count) == (2, 0, 1)


def test_the_same_id_in_two_sub_corpora_is_two_documents(
    importer: Importer, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", line("1"), line("1", corpus="courrier"))
    report = importer.run(source)
    assert report.new == 2
    assert set(report.corpora) == {"gazette", "courrier"}


def test_what_the_historian_edited_stays(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", line("1", language="fr"))
    importer.run(source)
    (corpus,) = workspace.documents.corpora()
    edited = replace(corpus, name="La Gazette", kind="newspaper", description="Dépouillée.")
    workspace.documents.put_corpus(edited)
    write(source, line("1", language="fr"), line("2", language="fr"))
    importer.run(source)
    assert workspace.documents.corpora() == [edited]


def test_a_mixed_sub_corpus_has_no_language(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    importer.run(
        write(
            tmp_path / "a.jsonl",
            *(line(str(n), language="de" if n % 2 else "fr") for n in range(8)),
        )
    )
    assert workspace.documents.corpora()[0].language == ""


def test_corpus_and_language_by_the_persons_word(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", line("1"))
    importer.run(source, ReadOptions(corpus="mine", language="it"))
    (document,) = all_documents(workspace)
    assert (document.key.corpus, document.language) == ("mine", "it")


def test_pause_and_resume(workspace: Workspace, tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", *(line(str(n), f"Texte {n}.") for n in range(25)))
    importer = Importer(workspace.documents, workspace.reports, batch_documents=10)
    seen: list[Progress] = []

    def pause(progress: Progress) -> Wish:
        seen.append(progress)
        return "pause"

    paused = importer.run(source, progress=pause)
    assert (paused.status, paused.new) == ("paused", 10)
    assert 0 < seen[0].share < 1
    resumed = importer.run(source)
    assert (resumed.status, resumed.unchanged, resumed.new) == ("finished", 10, 15)
    assert [report.status for report in load_reports(workspace.reports)] == ["finished", "paused"]


def test_a_report_left_behind_by_a_crash_is_interrupted(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    report = importer.run(write(tmp_path / "a.jsonl", line("1")))
    process = subprocess.run([sys.executable, "-c", ""], check=True)
    assert process.returncode == 0
    report.status, report.worker = "running", report.worker.split(":")[0] + ":999999:1"
    save_report(workspace.reports, report)
    marked = close_interrupted(workspace.reports)
    assert [m.id for m in marked] == [report.id]
    assert load_reports(workspace.reports)[0].status == "interrupted"


def test_a_source_that_is_not_there(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match="no file or folder"):
        importer.run(tmp_path / "nothing")
    assert load_reports(workspace.reports)[0].status == "failed"


def test_an_unknown_format_is_refused_in_one_sentence(importer: Importer, tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", line("1"))
    with pytest.raises(BadInput, match="no format 'docx'; choose auto or one of"):
        importer.run(source, ReadOptions(format="docx"))


def test_memory_does_not_grow_with_the_number_of_problems(
    importer: Importer, tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", *(["broken"] * 7_000), line("1"))
    report = importer.run(source)
    assert report.skipped.count == 7_000
    assert len(report.skipped.places) == 5_000
    (rest,) = report.skipped.beyond
    assert (rest.count, rest.first, rest.last) == (2_000, "a.jsonl:5001", "a.jsonl:7000")


@pytest.mark.slow
def test_killed_in_the_middle_the_same_import_finishes_the_work(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    write(source, *(line(f"d{n}", f"Texte numéro {n}. " * 20) for n in range(3_000)))
    folder = tmp_path / "workspace"
    Workspace.create(folder).close()
    code = (
        "import sys; from pathlib import Path; from storage.workspace import Workspace;"
        "from trace_core.ingest.importer import Importer;"
        "w = Workspace.open(sys.argv[1]);"
        "Importer(w.documents, w.reports, batch_documents=50).run(Path(sys.argv[2]))"
    )
    for delay in (0.15, 0.4, 0.8):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(folder), str(source)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        _wait_for_documents(folder, process)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with Workspace.open(folder) as workspace:
        before = workspace.documents.stats()[0].documents
        report = Importer(workspace.documents, workspace.reports).run(source)
        assert report.unchanged == before
        assert report.new == 3_000 - before
        assert workspace.documents.stats()[0].documents == 3_000
        assert workspace.documents.stats()[0].chunks == workspace.queue.pending_count("lexical")
        assert {r.status for r in load_reports(workspace.reports)} <= {"finished", "interrupted"}


def _wait_for_documents(folder: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    with Workspace.open(folder) as workspace:
        while time.monotonic() < deadline and process.poll() is None:
            if any(stats.documents for stats in workspace.documents.stats()):
                return
            time.sleep(0.02)


def test_what_is_unchanged_is_not_made_ready_again(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def counting(record: SourceRecord, *rest: Any) -> Prepared:
        made.append(record.source_id)
        return prepare(record, *rest)

    monkeypatch.setattr("trace_core.ingest.importer.prepare", counting)
    importer = Importer(workspace.documents, workspace.reports)
    texts = [line(str(n), f"Le pont numéro {n} tient.") for n in range(20)]
    source = write(tmp_path / "a.jsonl", *texts, line("empty", ""), line("undated", date="?"))
    first = importer.run(source)
    made.clear()
    again = importer.run(source)
    # What has something to be told of it is read again: the report tells it again.
    assert made == ["empty", "undated"]
    assert (again.unchanged, again.empty.count, again.undated.count) == (22, 1, 1)
    assert (again.words, again.chunks) == (first.words, first.chunks)
    assert adds_up(again)
    made.clear()
    texts[3] = line("3", "Le pont tombe.")
    texts[4] = line("4", "Le pont numéro 4 tient.", title="Autre")
    report = importer.run(write(source, *texts))
    assert made == ["3", "4"]
    assert (report.unchanged, report.changed) == (18, 2)
    made.clear()
    settings = IndexSettings(chunk_words=20)
    Importer(workspace.documents, workspace.reports, settings).run(source)
    assert len(made) == 20


def test_ids_that_no_database_holds_are_mended_and_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    rows = [
        {"doc_id": "good", "corpus": "c", "text_original": "Le pont tient."},
        {
            "doc_id": "half\ud800",
            "corpus": "c",
            "text_original": "Le pont \ud83d tient.",
            "k\udc00": 1,
        },
        {
            "doc_id": "half\udbff",
            "corpus": "c",
            "title": "\udc00",
            "text_original": "Un autre pont.",
        },
        {"doc_id": "n\0", "corpus": "d\ud800", "date": "1887\ud800", "text_original": "La crue."},
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = Importer(workspace.documents, workspace.reports).run(source)
    assert (report.read, report.new, report.skipped.count) == (4, 4, 0)
    assert adds_up(report)
    names = {str(head.key) for head in workspace.documents.browse(Scope())}
    assert names == {"c/good", "c/half\ufffd", "c/half\ufffd~2", "d\ufffd/n\ufffd"}
    told = [problem.reason for problem in report.suspicious.places]
    assert sum("cannot be stored" in reason for reason in told) == 3
    assert Importer(workspace.documents, workspace.reports).run(source).unchanged == 4
