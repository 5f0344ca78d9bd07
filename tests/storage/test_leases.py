from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from storage import Workspace, leases
from tests.contracts.building import draft
from trace_core.domain import events as ev

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "w")


def dead_worker(folder: Path, run: str) -> str:
    """The name of a worker whose process took a run and ended without giving it back."""
    code = (
        "import sys; from storage import Workspace\n"
        "w = Workspace.open(sys.argv[1]); name = w.leases.worker()\n"
        "print(name, w.leases.acquire(sys.argv[2], name))"
    )
    command = [sys.executable, "-c", code, str(folder), run]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    name, taken = done.stdout.split()
    assert taken == "True"
    return name


def test_a_run_whose_process_died_is_found_and_taken(workspace: Workspace) -> None:
    workspace.events.append("r1", [draft()], after=0)
    dead_worker(workspace.path, "r1")
    assert workspace.leases.orphans() == ["r1"]
    assert workspace.events.runs()[0].owner == ""
    mine = workspace.leases.worker()
    assert workspace.leases.acquire("r1", mine)
    assert workspace.leases.orphans() == []
    assert workspace.events.runs()[0].owner == mine


def test_a_run_that_had_ended_is_no_orphan(workspace: Workspace) -> None:
    workspace.events.append("r1", [draft(), draft(ev.RunStopped(reason="assez"))], after=0)
    dead_worker(workspace.path, "r1")
    assert workspace.leases.orphans() == []


def test_a_living_worker_of_another_process_keeps_its_run(workspace: Workspace) -> None:
    code = (
        "import sys; from storage import Workspace\n"
        "w = Workspace.open(sys.argv[1]); w.leases.acquire('r1', w.leases.worker())\n"
        "print('taken', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(workspace.path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        assert not workspace.leases.acquire("r1", workspace.leases.worker())
        assert workspace.leases.orphans() == []
        process.communicate("")
    assert workspace.leases.acquire("r1", workspace.leases.worker())


def test_a_thread_that_died_in_a_living_process(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert workspace.leases.acquire("r1", workspace.leases.worker())
    later = time.time() + leases.LIVING_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert workspace.leases.orphans() == ["r1"]
    assert workspace.leases.acquire("r1", workspace.leases.worker())


def test_beating_keeps_a_slow_worker_alive(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "BEAT_SECONDS", 0.02)
    mine = workspace.leases.worker()
    assert workspace.leases.acquire("r1", mine)
    later = time.time() + leases.LIVING_SECONDS + 1
    with workspace.leases.beating("r1", mine):
        monkeypatch.setattr(time, "time", lambda: later)
        while workspace.leases.orphans():
            time.sleep(0.01)  # until the next beat, which must come: the test's own time limit
    much_later = later + leases.LIVING_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: much_later)
    assert workspace.leases.orphans() == ["r1"]


def test_another_start_of_the_same_process_id_is_another_worker() -> None:
    name = leases.new_worker()
    pid, started, unique = name.split(":")
    assert leases.is_alive(name, time.time())
    assert not leases.is_alive(f"{pid}:{float(started) - 100:.2f}:{unique}", time.time())
    assert not leases.is_alive(f"999999999:{started}:{unique}", time.time())
    assert leases.is_alive("a name from elsewhere", time.time())
