"""Wrong input and broken workspaces: one sentence that says what to do, and the right exit code."""

from __future__ import annotations

import errno
import io
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from storage import Workspace
from tests.conftest import ROOT, write_town
from trace_core.__main__ import main
from trace_core.cli.output import sentence_of, speak_safely
from trace_core.domain.events import Draft, RunPaused
from trace_core.domain.evidence import Actor

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    assert main(["init", "--workspace", str(folder / "w")]) == 0
    source = write_town(folder / "town.jsonl")
    assert main(["import", str(source), "--workspace", str(folder / "w")]) == 0
    return folder / "w"


@pytest.fixture
def call(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str, folder: Path = workspace) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, "--workspace", str(folder)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def run_id(call: Call) -> str:
    _, out, _ = call("ask", "Qui savait que le pont tomberait ?", "--approve", "all", "--json")
    return str(json.loads(out)["run_id"])


def test_a_decision_file_that_is_no_text(call: Call, run_id: str, tmp_path: Path) -> None:
    broken = tmp_path / "decision.json"
    broken.write_bytes(b"\xff\xfe\xd0")
    code, _, err = call("decide", run_id, "--file", str(broken))
    assert code == 2
    assert err.strip().endswith("is no text; give a JSON file.")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is no valid JSON"),
        ("{", "is no valid JSON"),
        ("[" * 100_000, "is no valid JSON"),
        ("[]", "cannot be used"),
        ('{"budgets": {"tokens": NaN}}', "budgets.tokens: Input should be a finite number"),
        ('{"budgets": {"tokens": 1e999}}', "budgets.tokens: Input should be a finite number"),
        ('{"verdicts": [{"chunk": "x", "sub_question": "q1"}]}', "named like c42"),
        ('{"sub_questions": [{"text": "a", "target": "nowhere"}]}', "no sub-corpus 'nowhere'"),
    ],
    ids=lambda v: v[:30],
)
def test_a_decision_that_cannot_be_used_changes_nothing(
    call: Call, tmp_path: Path, text: str, sentence: str
) -> None:
    run = json.loads(call("ask", "Que dit-on du pont ?", "--json")[1])
    (tmp_path / "decision.json").write_text(text, encoding="utf-8")
    before = call("events", run["run_id"], "--json")
    code, out, err = call("decide", run["run_id"], "--file", str(tmp_path / "decision.json"))
    assert (code, out) == (2, "")
    assert sentence in err and len(err.splitlines()) == 1
    assert call("events", run["run_id"], "--json") == before


def test_a_decision_names_passages_as_they_are_shown(call: Call, tmp_path: Path) -> None:
    part = {"text": "Le pont dans les lettres", "target": "letters"}
    run = json.loads(call("ask", "Que dit-on du pont ?", "--json")[1])["run_id"]
    path = tmp_path / "decision.json"
    path.write_text(json.dumps({"sub_questions": [part]}), encoding="utf-8-sig")
    decided = json.loads(call("decide", run, "--file", str(path), "--json")[1])
    assert [q["text"] for q in decided["sub_questions"]] == [part["text"]]
    passage = decided["evidence"][0]["chunks"][0]
    where = decided["sub_questions"][0]["id"]
    verdict = {"chunk": passage, "sub_question": where, "verdict": "reject", "reason": "seen"}
    path.write_text(json.dumps({"verdicts": [verdict]}), encoding="utf-8")
    rejected = json.loads(call("decide", run, "--file", str(path), "--json")[1])["rejected"]
    assert rejected[-1]["chunk"] == passage and rejected[-1]["reason"] == "seen"


def test_a_run_tells_whether_anybody_works_on_it(call: Call, workspace: Path) -> None:
    run = json.loads(call("ask", "Que dit-on du pont ?", "--json")[1])["run_id"]
    assert call("decide", run, "--approve", "--then", "rest")[0] == 0
    assert "Nobody works on the run. Go on with `trace-archive resume" in call("show", run)[1]
    with Workspace.open(workspace) as opened:
        worker = opened.leases.worker()
        assert opened.leases.acquire(run, worker)
        assert "A process is working on the run" in call("show", run)[1]
        assert call("resume", run)[0] == 1
        opened.leases.release(run, worker)
    assert call("resume", run)[0] == 0


def test_a_spent_cap_is_raised_where_the_run_goes_on(call: Call, workspace: Path) -> None:
    run = json.loads(call("ask", "Que dit-on du pont ?", "--json")[1])["run_id"]
    assert call("decide", run, "--approve", "--then", "rest")[0] == 0
    paused = RunPaused(reason="The budget of 3 search steps is spent.", cause="budget")
    with Workspace.open(workspace) as opened:
        after = len(opened.events.read(run))
        draft = Draft(Actor(kind="engine", name="test"), paused)
        opened.events.append(run, [draft], after=after)
    assert f"`trace-archive resume {run} --budget NAME=VALUE`" in call("show", run)[1]
    assert call("resume", run, "--budget", "steps=many")[0] == 2
    assert call("resume", run, "--budget", "stairs=4")[0] == 2
    assert call("resume", run, "--budget", "steps=nan")[0] == 2
    assert json.loads(call("show", run, "--json")[1])["status"] == "paused"
    code, out, _ = call("resume", run, "--budget", "steps=50", "--person", "Anna", "--json")
    assert (code, json.loads(out)["status"]) == (0, "waiting")
    events = json.loads(call("events", run, "--json")[1])["events"]
    (changed,) = [e for e in events if e["type"] == "budget_changed"]
    assert "Anna" in changed["actor"]


def test_a_port_that_is_taken_is_said(call: Call) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, out, err = call("serve", "--port", str(port), "--no-browser")
    assert (code, out) == (1, "")
    assert f"The port {port} cannot be used" in err and "--port" in err


def test_any_limit_is_borne(call: Call) -> None:
    code, out, _ = call("search", "pont", "--limit", "9" * 30, "--json")
    assert code == 0
    assert len(json.loads(out)["hits"]) > 3


def test_a_date_that_is_none_gets_one_sentence(call: Call) -> None:
    code, _, err = call("search", "pont", "--from", "hier")
    assert code == 2
    assert ".;" not in err
    assert err.strip().endswith("Write 1887-05-12 or 1887.")


def test_an_import_of_nothing_is_no_success(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, out, err = call("import", str(tmp_path / "empty"), "--json")
    assert code == 1
    assert json.loads(out)["read"] == 0
    assert "holds no file to read" in err
    (tmp_path / "empty.txt").touch()
    code, _, err = call("import", str(tmp_path / "empty.txt"))
    assert code == 1
    assert "the report says why" in err


def test_a_document_that_there_is_not_is_not_explained(call: Call, run_id: str) -> None:
    code, _, err = call("explain", run_id, "council/m99")
    assert code == 1
    assert "The archive has no document council/m99" in err


def test_under_json_no_other_format_goes_to_standard_output(call: Call, run_id: str) -> None:
    code, out, err = call("export", run_id, "--format", "csv", "--json")
    assert (code, out) == (2, "")
    assert "give one with -o" in err


def test_what_people_decided_is_shown_with_the_id_that_undo_takes(call: Call, run_id: str) -> None:
    shown = json.loads(call("show", run_id, "--json")[1])
    passage = shown["evidence"][0]["chunks"][0]
    _, out, _ = call("override", run_id, passage, "reject", "--person", "Anna", "--reason", "seen")
    line = next(line for line in out.splitlines() if " Anna: reject " in line)
    assert line.endswith(": seen")
    code, _, _ = call("undo", run_id, line.split()[0], "--person", "Anna")
    assert code == 0


def test_status_says_that_all_is_well(call: Call) -> None:
    code, out, _ = call("status")
    assert code == 0
    assert "The records and both indexes agree." in out


def test_a_search_over_a_lost_index_says_so(call: Call, workspace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    shutil.rmtree(copy / "lexical")
    code, out, _ = call("search", "pont", "--channel", "bm25", "--json", folder=copy)
    view = json.loads(out)
    assert code == 0
    assert any("`reindex`" in note for note in view["notes"])
    assert call("ask", "Qui savait ?", folder=copy)[2].count("`reindex`") == 1
    assert call("reindex", folder=copy)[0] == 0
    mended = json.loads(call("search", "pont", "--channel", "bm25", "--json", folder=copy)[1])
    assert not any("`reindex`" in note for note in mended["notes"])


def test_words_that_are_no_text_are_refused(call: Call) -> None:
    before = json.loads(call("runs", "--json")[1])
    code, out, err = call("ask", "pont \udcff")
    assert (code, out) == (2, "")
    assert err.strip() == "The question holds bytes that are no UTF-8 text; write it anew."
    assert json.loads(call("runs", "--json")[1]) == before


def test_a_language_is_a_code(call: Call) -> None:
    code, _, err = call("corpus", "set", "council", "--language", "klingon")
    assert code == 2
    assert "written as its code" in err
    code, out, _ = call("corpus", "set", "council", "--language", "FR", "--json")
    assert code == 0
    assert [c["language"] for c in json.loads(out)["corpora"] if c["id"] == "council"] == ["fr"]


def test_errors_of_the_system_are_one_sentence() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "trace.sqlite")
    assert sentence_of(full).startswith("The disk is full (trace.sqlite); make room")
    assert "permission" in sentence_of(PermissionError(errno.EACCES, "Permission denied"))


def test_output_bears_what_is_no_text() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    speak_safely(stream)
    print("é \udcff", file=stream, flush=True)
    assert raw.getvalue() == b"\\xe9 \\udcff\n"


def test_the_vector_index_is_made_without_a_word(tmp_path: Path) -> None:
    source = write_town(tmp_path / "town.jsonl")
    script = (
        "import sys; from trace_core.__main__ import main; w = ['--workspace', sys.argv[1]]\n"
        "sys.exit(main(['init', *w]) or main(['import', sys.argv[2], '--json', *w]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "w"), str(source)],
        capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert done.stderr == ""


def test_damaged_vectors_are_told_and_mended(call: Call, workspace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    for path in (copy / "vectors").rglob("*"):
        if path.is_file():
            path.write_bytes(b"garbage")
    code, out, _ = call("status", folder=copy)
    assert code == 1
    assert "The vector index could not be read" in out
    code, out, _ = call("search", "pont", "--json", folder=copy)
    view = json.loads(out)
    assert code == 0
    assert "dense" in [failure["channel"] for failure in view["failures"]]
    assert len(view["hits"]) > 3
    assert call("reindex", folder=copy)[0] == 0
    assert call("status", folder=copy)[0] == 0
    assert (
        "dense"
        in json.loads(call("search", "pont", "--json", folder=copy)[1])["hits"][0]["channels"]
    )
