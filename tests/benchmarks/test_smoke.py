"""Every benchmark runs at a tiny size and prints its table, so that none of them rots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import (
    exports,
    growth,
    imports,
    names,
    neighbours,
    quality,
    questions,
    search,
    texts,
)
from benchmarks.measuring import measured, memory, numbers, percentile


def rows(printed: str, head: str) -> dict[str, list[str]]:
    """The rows of the tables in a benchmark's words, by their first cell."""
    lines = [line for line in printed.splitlines() if line.startswith("| ")]
    assert any(head in line for line in lines), printed
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {row[0]: row[1:] for row in cells}


def test_the_same_seed_gives_the_same_archive(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    assert texts.write(first, 5, 50) == texts.write(second, 5, 50)
    assert first.read_bytes() == second.read_bytes()
    made = [json.loads(line) for line in first.read_text(encoding="utf-8").splitlines()]
    assert {len(m["text_original"].replace("-\n", "").split()) for m in made} == {50}
    assert len({m["doc_id"] for m in made}) == 5


def test_queries_have_three_to_twelve_words() -> None:
    asked = texts.queries(texts.Maker(100), 20)
    assert len(asked) == 20
    assert all(3 <= len(query.split()) <= 12 for query in asked)


def test_work_is_measured_in_a_process_of_its_own() -> None:
    cost = measured(percentile, [3.0, 1.0, 2.0], 0.5)
    assert cost.result == 2.0
    assert 0 < cost.before <= cost.peak < 10 * memory()[1]
    with pytest.raises(RuntimeError, match="percentile"):
        measured(percentile, [], 0.5)
    assert numbers("1_000,20") == [1000, 20]


@pytest.mark.parametrize("embedder", ["none", "lsa"])
def test_imports(capsys: pytest.CaptureFixture[str], embedder: str) -> None:
    imports.main(["--documents", "20", "--words", "60", "--embedder", embedder])
    assert len(rows(capsys.readouterr().out, "TRACE CPU s")["20"]) == len(imports._HEADS) - 1


def test_growth(capsys: pytest.CaptureFixture[str]) -> None:
    growth.main(["--characters", "400"])
    assert {"layers", "chunks", "dates", "replies"} <= rows(capsys.readouterr().out, "ratio").keys()
    assert growth.junk("figures", 9) == growth.junk("figures", 9) != growth.junk("printable", 9)
    assert growth.junk("ab", 5) == "ababa"


@pytest.mark.slow
def test_search(capsys: pytest.CaptureFixture[str]) -> None:
    search.main(["--chunks", "30", "--queries", "3"])
    found = rows(capsys.readouterr().out, "30 chunks")
    assert {"bare BM25", "bare vectors", "fuzzy", "fused, all channels", "search"} <= found.keys()
    assert all(float(cells[0]) >= 0 for name, cells in found.items() if name in ("bm25", "dense"))


@pytest.mark.parametrize("made_up", [True, False])
def test_neighbours(capsys: pytest.CaptureFixture[str], tmp_path: Path, made_up: bool) -> None:
    texts.write(tmp_path / "archive.jsonl", 3, 400)
    files = [] if made_up else [str(tmp_path / "archive.jsonl")]
    neighbours.main([*files, "--chunks", "60", "--queries", "3"])
    found = rows(capsys.readouterr().out, "recall@20")
    assert {"in memory, all", "LanceDB, all", "1 of 1 partitions"} <= found.keys()
    assert found["LanceDB, all"][:2] == ["1.000", "1.000"]


@pytest.mark.slow
def test_questions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACE_SHARED", "/nowhere")
    questions.main(["--questions", "1", "--chunks", "10", "--searches", "1"])
    found = rows(capsys.readouterr().out, "CPU s mean")
    assert {"rules", "model"} <= found.keys()


def test_names(tmp_path: Path, capsys: pytest.CaptureFixture[str], town_file: Path) -> None:
    town_file.rename(tmp_path / "documents.jsonl")
    name = {
        "name": "Vernaudon",
        "language": "fr",
        "gold_ids": ["m1", "l1"],
        "gold_without_exact_name": ["m1"],
    }
    (tmp_path / "entities.jsonl").write_text(json.dumps(name) + "\n", encoding="utf-8")
    names.main([str(tmp_path), "--channels", "bm25"])
    assert rows(capsys.readouterr().out, "damaged")["bm25"][:2] == ["1.000", "1.000"]


def test_quality(tmp_path: Path, capsys: pytest.CaptureFixture[str], town_file: Path) -> None:
    town_file.rename(tmp_path / "corpus_dataset.jsonl")
    question = {
        "question_id": "1",
        "question_type": "single",
        "question": "Que dit Vernaudon du pont de la Scie ?",
        "gold_ids": ["m1"],
        "gold": [{"corpus": "council", "doc_id": "m1"}],
    }
    (tmp_path / "question_dataset.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    assert quality.main([str(tmp_path), "--strategy", "bm25"]) == 0
    assert "bm25" in rows(capsys.readouterr().out, "recall@10")


def test_exports(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["exports", "20"])
    exports.main()
    printed = capsys.readouterr().out
    assert "csv" in printed and "bundle" in printed
