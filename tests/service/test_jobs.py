"""Background work: one after the other, paused, gone on with, stopped; searches meanwhile."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput, NotFound, SearchFailed
from trace_core.ingest.records import ReadOptions
from trace_core.ports import Wish
from trace_core.service import Service
from trace_core.service.indexing import ArchiveJob
from trace_core.service.upkeep import part_of

MANY = 2_500
SECONDS = 120.0


def write(path: Path, number: int) -> Path:
    rows = (
        {"doc_id": f"d{n}", "corpus": "g", "text_original": f"Le quai, feuille {n}."}
        for n in range(number)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def documents(service: Service) -> int:
    return sum(view.stats.documents for view in service.corpora())


@pytest.fixture
def plain(service: Service) -> Service:
    """An empty workspace without vectors."""
    service.save_settings({"index": {"embedder": "none"}})
    return service


Meddle = Callable[[ArchiveJob, Any], None]


def meddling(monkeypatch: pytest.MonkeyPatch, watch: str, meddle: Meddle) -> None:
    """Do something in the midst of a job's work: when its watch is told of a batch."""
    told = getattr(ArchiveJob, watch)

    def telling(job: ArchiveJob, progress: Any) -> Wish:
        meddle(job, progress)
        heard: Wish = told(job, progress)
        return heard

    monkeypatch.setattr(ArchiveJob, watch, telling)


def test_an_import_is_paused_while_it_reads_and_goes_on(
    plain: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        meddling(patch, "reading", lambda job, _: plain.pause_job(job.id))
        job_id = plain.start_import(write(tmp_path / "in.jsonl", MANY))
        job = plain.wait_for_job(job_id, SECONDS)
    assert job.status == "paused"
    (report,) = plain.reports()
    assert report.status == "paused"
    assert 0 < documents(plain) == report.new < MANY
    plain.resume_job(job_id)
    assert plain.wait_for_job(job_id, SECONDS).status == "finished"
    last, first = plain.reports()
    assert (last.new, last.unchanged) == (MANY - first.new, first.new)
    assert plain.health().ok
    assert plain.search(f"feuille {MANY - 1}", "exact").hits


def test_a_job_paused_while_it_indexes_does_not_read_its_source_again(
    plain: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in.jsonl", 50)
    with monkeypatch.context() as patch:
        meddling(patch, "indexing", lambda job, _: plain.pause_job(job.id))
        job_id = plain.start_import(source)
        job = plain.wait_for_job(job_id, SECONDS)
    assert job.status == "paused"
    assert [report.status for report in plain.reports()] == ["finished"]
    source.unlink()
    plain.resume_job(job_id)
    assert plain.wait_for_job(job_id, SECONDS).status == "finished"
    assert len(plain.reports()) == 1
    assert plain.health().ok
    assert plain.search("feuille 49", "exact").hits


def test_a_stopped_import_is_gone_on_with_from_its_report(
    plain: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in.csv"
    rows = "".join(f"{n},Le quai n° {n},a\n" for n in range(MANY))
    source.write_text('no.,"=words, all",what\n' + rows)
    options = ReadOptions(corpus="cards", mapping={"id": "no.", "text": "=words, all"})
    with monkeypatch.context() as patch:
        meddling(patch, "reading", lambda job, _: plain.stop_job(job.id))
        job = plain.wait_for_job(plain.start_import(source, options), SECONDS)
    assert job.status == "stopped"
    (report,) = plain.reports()
    assert report.status == "cancelled"
    assert 0 < documents(plain) < MANY
    again = plain.wait_for_job(plain.resume_import(report.id), SECONDS)
    assert again.status == "finished"
    assert documents(plain) == MANY
    assert plain.document(DocumentKey("cards", "7")).text == "Le quai n° 7"
    with pytest.raises(BadInput, match="finished"):
        plain.resume_import(plain.reports()[0].id)
    with pytest.raises(NotFound):
        plain.resume_import("none")


def test_work_on_the_archive_is_done_one_after_the_other(plain: Service, tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", 3)
    with plain._turn:
        first = plain.start_import(source)
        second = plain.start_index("index")
        assert [plain.job(job).status for job in (first, second)] == ["waiting", "waiting"]
        plain.pause_job(second)
        assert plain.wait_for_job(second, SECONDS).status == "paused"
        assert plain.archive_at_work()
        assert documents(plain) == 0
    assert plain.wait_for_job(first, SECONDS).status == "finished"
    assert not plain.archive_at_work()
    plain.resume_job(second)
    assert plain.wait_for_job(second, SECONDS).status == "finished"
    assert [job.id for job in plain.archive_jobs()] == [second, first]


def test_searches_go_on_while_the_indexes_follow_and_say_so(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def search(job: ArchiveJob, progress: Any) -> None:
        view = town.search("pont de la Scie")
        assert view.at_work
        assert view.hits
        assert not view.failures
        steps.append(progress.stage)

    meddling(monkeypatch, "indexing", search)
    change = town.withdraw(part_of(corpus="herald"), "rights", "Zoé", wait=False)
    town.wait_for_job(town.archive_jobs()[0].id, SECONDS)
    merge = town.merge_corpora("courier", "council", "one", wait=False)
    town.wait_for_job(town.archive_jobs()[0].id, SECONDS)
    assert (change.documents, merge.documents > 0) == (3, True)
    kinds = [(job.kind, job.about, job.status) for job in town.archive_jobs()]
    assert kinds == [("merge", "courier", "finished"), ("withdraw", "herald", "finished")]
    assert "words" in steps
    town.unmerge_corpus("courier", "two", wait=False)
    town.bring_back(part_of(corpus="herald"), "cleared", wait=False)
    for job in town.archive_jobs():
        assert town.wait_for_job(job.id, SECONDS).status == "finished", job.message
    view = town.search("pont de la Scie")
    assert not view.at_work
    assert {"courier", "herald"} <= {hit.key.corpus for hit in view.hits}
    assert town.health().ok


def test_the_records_change_before_the_indexes_do(town: Service) -> None:
    key = DocumentKey("herald", "18830303")
    with town._turn:
        town.withdraw(part_of([key]), "rights", wait=False)
        assert town.heads([key])[key].withdrawn
        (job,) = town.archive_jobs()
        assert job.status == "waiting"
    town.wait_for_job(job.id, SECONDS)
    assert key not in {hit.key for hit in town.search("pont", "bm25", limit=50).hits}


def test_a_job_that_fails_says_why_and_can_be_tried_again(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise SearchFailed("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(town.stores.lexical, "clear", full)
        job = town.wait_for_job(town.start_index("reindex"), SECONDS)
    assert (job.status, job.message) == ("failed", "The disk is full.")
    town.resume_job(job.id)
    assert town.wait_for_job(job.id, SECONDS).status == "finished"
    assert town.health().ok
    with pytest.raises(BadInput, match="not at work"):
        town.pause_job(job.id)
    with pytest.raises(BadInput, match="nothing to go on"):
        town.resume_job(job.id)
    town.dismiss_job(job.id)
    assert town.archive_jobs() == []
    with pytest.raises(NotFound, match=job.id):
        town.stop_job(job.id)


def test_closing_lets_the_jobs_come_to_rest(plain: Service, tmp_path: Path) -> None:
    with plain._turn:
        job = plain.job(plain.start_import(write(tmp_path / "in.jsonl", 3)))
        plain.close()
    assert job.status == "paused"


def test_an_import_whose_process_died_is_found_and_gone_on_with(
    plain: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        meddling(patch, "reading", lambda job, _: plain.stop_job(job.id))
        plain.wait_for_job(plain.start_import(write(tmp_path / "in.jsonl", MANY)), SECONDS)
    (report,) = plain.reports()
    report.status, report.worker = "running", f"{platform.node()}:999999999:1"
    plain.stores.reports.save(report.id, report.model_dump_json())
    (found,) = plain.reports()
    assert found.status == "interrupted"
    assert plain.wait_for_job(plain.resume_import(found.id), SECONDS).status == "finished"
    assert documents(plain) == MANY
