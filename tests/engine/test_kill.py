"""A process that is killed in the middle of a run, for good: what the next one finds and pays for.

The run is asked and gone on with by the command line, each time in a process of its own, against
a server on loopback that kills its caller: while a stage waits for its reply (the reply is lost
and has to be asked again), or just after the reply has come (it may be on record or not).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.conftest import ROOT, open_town
from tests.engine.comparing import content_of
from tests.engine.test_whole_method import EXPECTED, QUESTION, Script
from tests.servers.oracle import stage_of
from tests.servers.scripted import Move, ScriptedServer, Silence
from trace_core.service import Service

STAGES = ("plan", "step", "review", "reevaluate", "brief", "replan", "order")
AT_LONGEST = 300.0


class Killer:
    """Plays the script, the same reply to the same question; kills its caller where told.

    `waiting` are the stages whose first question is never answered, `answered` the numbers of
    the replies after which the caller dies.
    """

    def __init__(self, waiting: tuple[str, ...] = (), answered: tuple[int, ...] = ()) -> None:
        self.script, self.known = Script(), {}  # type: tuple[Script, dict[str, str]]
        self.waiting, self.answered = list(waiting), set(answered)
        self.asked: list[str] = []
        self.lost: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None

    def __call__(self, request: dict[str, Any]) -> Move:
        question, stage = json.dumps(request["messages"]), stage_of(request)
        self.asked.append(question)
        if stage in self.waiting:
            self.waiting.remove(stage)
            self.lost.append(question)
            self.kill()
            return Silence()
        if question not in self.known:
            self.known[question] = self.script(request)
            if len(self.known) in self.answered:
                self.lost.append(question)
                threading.Timer(0.02, self.kill).start()
        return self.known[question]

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)


def work(killer: Killer, folder: Path, url: str, *arguments: str) -> int:
    """One process of the command line, until it ends or is killed; its exit code."""
    environment = os.environ | {
        "TRACE_MODEL": "openai/scripted",
        "TRACE_API_BASE": url,
        "TRACE_OFFLINE": "1",
    }
    killer.process = subprocess.Popen(
        [sys.executable, "-m", "trace_core", *arguments, "--workspace", str(folder)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return killer.process.wait(AT_LONGEST)


def killed_again_and_again(killer: Killer, folder: Path, url: str) -> tuple[str, int]:
    """Ask, and go on after each death; the run, and how often its process was killed."""
    code = work(killer, folder, url, "ask", QUESTION, "--assistant", "model", "--approve", "all")
    deaths = 0
    while code == -signal.SIGKILL:
        deaths += 1
        killer.lost.append(killer.asked[-1])  # whatever was under way when it died
        service = Service(Workspace.open(folder))
        run = service.runs()[0].id
        state = service.state(run)
        found = service.interrupted()
        service.close()
        assert state.status in ("planning", "running")
        # The dead process's run is found, by this process and by the command `status`.
        assert found == [run]
        code = work(killer, folder, url, "resume", run, "--approve", "all")
    assert code == 0
    service = Service(Workspace.open(folder))
    run = service.runs()[0].id
    service.close()
    return run, deaths


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[str, str]]]:
    """The events of the same run when nobody dies."""
    folder = tmp_path_factory.mktemp("undisturbed")
    open_town(folder).close()
    killer = Killer()
    with ScriptedServer(killer) as server:
        run, deaths = killed_again_and_again(killer, folder / "workspace", server.url)
    assert deaths == 0
    yield contents(folder / "workspace", run)


def contents(folder: Path, run: str) -> list[tuple[str, str]]:
    """What the run in a folder has in common with others; its chain must hold."""
    service = Service(Workspace.open(folder))
    assert service.verify(run).ok
    found = content_of(service, run)
    service.close()
    return found


def test_the_undisturbed_run_by_command_line_is_the_whole_method(
    undisturbed: list[tuple[str, str]],
) -> None:
    told = [kind for kind, _ in undisturbed if not kind.startswith("checkpoint")]
    assert told == EXPECTED


@pytest.mark.slow
def test_killed_while_each_stage_waits_the_run_ends_the_same(
    tmp_path: Path, undisturbed: list[tuple[str, str]]
) -> None:
    open_town(tmp_path).close()
    killer = Killer(waiting=STAGES)
    with ScriptedServer(killer) as server:
        run, deaths = killed_again_and_again(killer, tmp_path / "workspace", server.url)
    assert deaths == len(STAGES)
    assert contents(tmp_path / "workspace", run) == undisturbed
    twice = {question for question, times in Counter(killer.asked).items() if times > 1}
    assert twice == set(killer.lost)
    assert max(Counter(killer.asked).values()) == 2


@pytest.mark.slow
def test_killed_just_after_a_reply_the_run_ends_the_same(
    tmp_path: Path, undisturbed: list[tuple[str, str]]
) -> None:
    open_town(tmp_path).close()
    killer = Killer(answered=(2, 9))
    with ScriptedServer(killer) as server:
        run, deaths = killed_again_and_again(killer, tmp_path / "workspace", server.url)
    assert deaths >= 1
    assert contents(tmp_path / "workspace", run) == undisturbed
    # Only a reply that the dead process had no time to keep may have been asked for again.
    twice = {question for question, times in Counter(killer.asked).items() if times > 1}
    assert twice <= set(killer.lost)
