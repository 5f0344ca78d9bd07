"""`prompts` as a person and a machine use it, and what `show` says of a run's prompts."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.servers.oracle import Oracle
from tests.servers.scripted import ScriptedServer
from trace_core.__main__ import main
from trace_core.prompts.loader import SPECS, load_prompt
from trace_core.service import Service

Call = Callable[..., tuple[int, str, str]]
OWN = load_prompt("review").text.replace("# user", "Mind the miller.\n\n# user")


@pytest.fixture
def call(folder: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, "--workspace", str(folder)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def folder(town: Service, tmp_path: Path) -> Path:
    town.close()
    return tmp_path / "workspace"


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.md"
    path.write_text(OWN, encoding="utf-8")
    return str(path)


def test_list_and_show_tell_what_is_in_use(call: Call) -> None:
    code, out, _ = call("prompts", "--json")
    listed = json.loads(out)["prompts"]
    assert code == 0
    assert [one["stage"] for one in listed] == list(SPECS)
    assert {one["own"] for one in listed} == {False}
    _, out, _ = call("prompts", "show", "review")
    assert out.rstrip("\n") == load_prompt("review").text.rstrip("\n")
    _, out, _ = call("prompts", "show", "review", "--json")
    shown = json.loads(out)
    required = {one["name"] for one in shown["placeholders"] if one["required"]}
    assert required == SPECS["review"].required
    assert all(one["meaning"] for one in shown["placeholders"])


def test_set_show_a_version_and_reset(call: Call, own: str) -> None:
    code, out, _ = call("prompts", "set", "review", "--file", own, "--person", "Ada", "--json")
    view = json.loads(out)
    assert code == 0
    assert view["own"] and view["text"] == OWN
    assert [version["person"] for version in view["versions"]] == ["Ada"]
    assert call("prompts", "reset", "review")[0] == 0
    assert json.loads(call("prompts", "show", "review", "--json")[1])["own"] is False
    version = view["hash"][:8]
    assert "Mind the miller." in call("prompts", "show", "review", "--version", version)[1]
    assert call("prompts", "set", "review", "--version", version)[0] == 0
    assert "own" in call("prompts")[1]


def test_what_is_shown_can_be_set_again_and_is_then_the_built_in_one(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text, _ = call("prompts", "show", "plan")
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    code, out, _ = call("prompts", "set", "plan", "--file", "-", "--json")
    assert code == 0
    assert json.loads(out)["own"] is False


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show"], "Name a stage"),
        (["show", "poem"], "no prompt 'poem'"),
        (["set", "review"], "Name a file"),
        (["set", "review", "--file", "/no/such/file"], "/no/such/file"),
        (["show", "review", "--version", "zz"], "no one version 'zz'"),
    ],
)
def test_a_wrong_call_is_answered_with_one_sentence(
    words: list[str], told: str, call: Call
) -> None:
    code, out, err = call("prompts", *words)
    assert code in (1, 2)
    assert out == ""
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("just words", '"# system"'),
        (OWN.replace("{{sources}}", "{{sauces}}"), "'sauces'"),
        (OWN.replace("{{sources}}", ""), "'sources'"),
        (OWN.replace("{{sources}}", "{sources} {{sources}}"), "{{sources}}"),
    ],
)
def test_a_text_that_could_not_work_is_refused_and_changes_nothing(
    text: str, told: str, call: Call, tmp_path: Path
) -> None:
    path = tmp_path / "broken.md"
    path.write_text(text, encoding="utf-8")
    before = call("prompts", "--json")[1]
    code, _, err = call("prompts", "set", "review", "--file", str(path))
    assert code in (1, 2)
    assert told in err
    assert err.count("\n") == 1
    assert call("prompts", "--json")[1] == before


def test_a_file_that_is_no_text_is_refused(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "picture.md"
    path.write_bytes(b"\xff\xfe\x00")
    code, _, err = call("prompts", "set", "review", "--file", str(path))
    assert code == 2
    assert "UTF-8" in err


def test_show_says_which_prompts_a_run_had(call: Call, folder: Path, own: str) -> None:
    with ScriptedServer(Oracle(searches=0)) as server:
        setting = ["--set", "model.name=openai/x", "--set", f"model.api_base={server.url}"]
        asked = ["ask", "Le pont de la Scie", "--assistant", "model", "--approve", "all", *setting]
        before = json.loads(call(*asked, "--json")[1])
        call("prompts", "set", "review", "--file", own)
        after = json.loads(call(*asked, "--json")[1])
    origins = {use["stage"]: use["origin"] for use in after["prompts"]}
    assert {use["origin"] for use in before["prompts"]} == {"built_in"}
    assert origins.pop("review") == "own"
    assert set(origins.values()) == {"built_in"}
    assert "built in" in call("show", before["run_id"])[1]
    assert load_prompt("review", OWN).hash[:12] in call("show", after["run_id"])[1]
    old = json.loads(call("show", before["run_id"], "--json")[1])["prompts"]
    assert [use["stage"] for use in old if not use["current"]] == ["review"]


def test_a_text_that_no_longer_works_is_named_and_can_be_reset(call: Call, folder: Path) -> None:
    with Workspace.open(folder) as workspace:
        workspace.shelf.put("prompt", "review", "# system\nx\n# user\n{{gone}}")
    assert "'gone'" in call("prompts")[1]
    assert call("prompts", "reset", "review")[0] == 0
    assert "gone" not in call("prompts")[1]
