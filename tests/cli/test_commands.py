"""The command line as a person and a machine use it: in one process, over real workspaces."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, write_town
from trace_core.__main__ import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    assert main(["init", "--workspace", str(folder / "w")]) == 0
    source = write_town(folder / "town.jsonl")
    assert main(["import", str(source), "--workspace", str(folder / "w")]) == 0
    return folder / "w"


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, "--workspace", str(workspace)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def test_help_takes_no_heavy_import() -> None:
    script = (
        "import sys, trace_core, trace_core.__main__ as m\n"
        "try: m.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'lancedb','litellm','torch','sqlmodel','tantivy','streamlit','pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stderr.strip() == "[]"
    assert "COMMAND" in done.stdout


def test_search_gives_the_promised_json(call: Call) -> None:
    code, out, _ = call("search", "pont de la Scie", "--json", "--limit", "3")
    view = json.loads(out)
    assert code == 0
    assert [hit["rank"] for hit in view["hits"]] == [1, 2, 3]
    assert set(view["hits"][0]) >= {
        "rank", "corpus", "source_id", "title", "date", "score", "channels", "snippet",
    }  # fmt: skip
    assert "pont" in view["hits"][0]["snippet"]


@pytest.mark.parametrize("channel", ["bm25", "dense", "date", "exact", "fused"])
def test_each_channel_keeps_to_the_scope(call: Call, channel: str) -> None:
    code, out, _ = call(
        "search", "pont du 3 mars 1883", "--channel", channel, "--corpus", "herald", "--json"
    )
    assert code == 0
    assert {hit["corpus"] for hit in json.loads(out)["hits"]} <= {"herald"}


def test_a_date_range_says_how_many_undated_it_leaves_out(call: Call) -> None:
    _, out, _ = call("search", "pont", "--from", "1883", "--to", "1883", "--undated", "leave",
                     "--json")  # fmt: skip
    view = json.loads(out)
    assert view["undated_left_out"] == 1
    assert ("letters", "l3") not in {(h["corpus"], h["source_id"]) for h in view["hits"]}


def test_a_run_by_rules_from_question_to_list(call: Call) -> None:
    code, out, _ = call("ask", "Que dit-on du pont de la Scie ?", "--json", "--approve", "all")
    run = json.loads(out)
    assert code == 0
    assert run["status"] == "finished"
    assert run["evidence"][0]["rank"] == 1
    assert run["evidence"][0]["found_by"][0].keys() >= {"sub_question", "channel", "query", "rank"}
    assert all(line["actor"].startswith("rules") for line in run["evidence"])
    shown = json.loads(call("show", run["run_id"], "--json")[1])
    assert shown["evidence"] == run["evidence"]
    code, out, _ = call("verify", run["run_id"])
    assert code == 0 and "agrees with its record" in out


def test_a_checkpoint_waits_and_takes_a_file_with_edits(call: Call, tmp_path: Path) -> None:
    run = json.loads(call("ask", "Que dit-on du pont ?", "--json")[1])
    assert (run["status"], run["waiting_for"]) == ("waiting", "plan")
    edits = {"sub_questions": [{"id": "", "text": "Le pont dans les lettres", "target": "letters"}]}
    path = tmp_path / "decision.json"
    path.write_text(json.dumps(edits), encoding="utf-8")
    code, out, _ = call("decide", run["run_id"], "--file", str(path), "--person", "Anne", "--json")
    decided = json.loads(out)
    assert code == 0
    assert [(q["text"], q["target"], q["origin"]) for q in decided["sub_questions"]] == [
        ("Le pont dans les lettres", "letters", "human")
    ]
    assert decided["waiting_for"] == "final"
    line = decided["evidence"][0]
    code, out, _ = call(
        "override", run["run_id"], line["chunks"][0], "reject", "--reason", "not it", "--json"
    )
    assert line["source_id"] not in [e["source_id"] for e in json.loads(out)["evidence"]]
    rejected = json.loads(out)["rejected"][-1]["decision"]
    code, out, _ = call("undo", run["run_id"], rejected, "--json")
    assert line["source_id"] in [e["source_id"] for e in json.loads(out)["evidence"]]
    assert call("decide", run["run_id"], "--approve")[0] == 0
    assert json.loads(call("show", run["run_id"], "--json")[1])["status"] == "finished"


BAD_INPUT: list[tuple[list[str], int, str]] = [
    (["ask", " "], 2, "Write a question"),
    (["ask", "x", "--corpus", "nowhere"], 1, "no sub-corpus 'nowhere'"),
    (["ask", "x", "--assistant", "model"], 2, "No model is set"),
    (["ask", "x", "--set", "search.rrf=1"], 2, "search.rrf"),
    (["ask", "x", "--preset", "mine"], 2, "no preset"),
    (["search", "x", "--from", "31 février 1887"], 2, "--from"),
    (["search", "x", "--from", "1890", "--to", "1880"], 2, "--from is later than --to"),
    (["search", "  "], 2, "at least one word"),
    (["search", "x", "--limit", "0"], 2, "at least 1"),
    (["show", "nope"], 1, "no run 'nope'"),
    (["events", "nope"], 1, "no run 'nope'"),
    (["verify", "nope"], 1, "no run 'nope'"),
    (["decide", "nope", "--approve"], 1, "no run 'nope'"),
    (["import", "/does/not/exist"], 1, "/does/not/exist"),
    (["import", "x.csv", "--map", "date"], 2, "--map takes NAME=VALUE"),
    (["corpus", "set"], 2, "Name the sub-corpus"),
    (["corpus", "set", "nowhere", "--name", "x"], 1, "no sub-corpus 'nowhere'"),
    (["settings", "search.rrf_k=-1"], 2, "search.rrf_k"),
    (["settings", "search.rrf_k=Infinity"], 2, "finite number"),
    (["ask", "x", "--set", "budget.money=Infinity"], 2, "finite number"),
    (["ask", "x", "--set", "index.chunk_words=900"], 2, "belong to the archive"),
    (["override", "nope", "c²", "accept"], 2, "named like c42"),
    (["duplicates", "--limit", "-1"], 2, "at least 1"),
    (["serve", "--port", "99999"], 2, "from 1 to 65535"),
    (["reports", "nope"], 1, "no import report"),
]


@pytest.mark.parametrize(("words", "code", "sentence"), BAD_INPUT, ids=lambda v: str(v)[:40])
def test_bad_input_is_answered_with_one_sentence(
    call: Call, words: list[str], code: int, sentence: str
) -> None:
    found, out, err = call(*words)
    assert (found, out) == (code, "")
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


def test_a_folder_that_is_no_workspace_says_what_to_do(tmp_path: Path, capsys: Any) -> None:
    assert main(["status", "--workspace", str(tmp_path)]) == 1
    assert "init" in capsys.readouterr().err


def test_the_same_import_again_adds_nothing(call: Call, workspace: Path) -> None:
    code, out, _ = call("import", str(workspace.parent / "town.jsonl"), "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["read"], report["new"], report["unchanged"]) == (12, 0, 12)
    assert report["undated"] == 0 or report["undated"] == 1


def test_variants_of_a_name_are_listed_and_can_be_searched(call: Call) -> None:
    code, out, _ = call("variants", "Comité", "--json")
    assert code == 0
    assert {"form", "passages", "kind", "similarity"} == set(json.loads(out)[0])
    code, out, _ = call("variants", "Comité")
    assert code == 0 and "trace-archive search" in out
    assert call("variants", "…")[0] != 0
