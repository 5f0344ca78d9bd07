"""The scripted server itself: it plays what it is given, and its oracle knows every stage."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.assistant.builders import TASKS, assistant, run_stage
from tests.servers.oracle import Oracle, stage_of
from tests.servers.scripted import Busy, ScriptedServer, every, named_scripts, scripted

__all__ = ["scripted"]


def post(server: ScriptedServer, **body: Any) -> Any:
    data = json.dumps({"messages": [], **body}).encode()
    request = urllib.request.Request(f"{server.url}/chat/completions", data)
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def test_a_script_is_played_in_order_and_its_last_move_repeated(scripted: Any) -> None:
    server = scripted(["one", Busy("3"), "two"])
    assert post(server) == "one"
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(server)
    assert (caught.value.code, caught.value.headers["Retry-After"]) == (429, "3")
    assert [post(server), post(server)] == ["two", "two"]
    assert len(server.chats) == 4


def test_a_fault_can_come_every_so_often(scripted: Any) -> None:
    server = scripted(every(2, Busy(), lambda request: "fine"))
    assert post(server) == "fine"
    with pytest.raises(urllib.error.HTTPError):
        post(server)
    assert post(server) == "fine"


@pytest.mark.parametrize("stage", sorted(TASKS))
def test_the_oracle_answers_every_stage_whatever_the_form(scripted: Any, stage: str) -> None:
    server = scripted(Oracle(), refuses=["json_schema"])
    assert run_stage(assistant(server), stage).value is not None
    assert stage_of(server.chats[-1].body) == stage


def test_every_named_script_can_be_played() -> None:
    assert {"oracle", "silence", "half", "thinking", "invented"} <= set(named_scripts())


def test_an_unknown_path_still_gets_json(scripted: Any) -> None:
    with urllib.request.urlopen(f"{scripted(['x']).url}/models", timeout=5) as response:
        assert json.load(response)["data"][0]["id"] == "scripted"
