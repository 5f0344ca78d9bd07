"""Kill -9 at random moments of an import and of a run; then look whether anything was lost.

    python benchmarks/crash.py --kills 30

For each kill the command is started in a process of its own, killed after a random time, the
workspace is opened and checked, and the same command is run to its end. A kill that comes too late
does not count: another one is tried, sooner. The result must be that
of an undisturbed one: as many documents, passages and index entries, no run twice, a chain that
holds, and the same evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "assets" / "sample" / "documents.jsonl"
QUESTION = "Que disent les deux journaux et le conseil municipal du pont ?"


@dataclass
class Outcome:
    """What a series of kills showed. `faults` are sentences; there should be none."""

    tries: int = 0
    kills: int = 0
    faults: list[str] = field(default_factory=list)

    def goes_on(self, wanted: int) -> bool:
        """Whether more kills are to be tried: some always come too late on a busy machine."""
        return self.kills < wanted and self.tries < 5 * wanted


def command(workspace: Path, *words: str) -> list[str]:
    """A command line of the program under test."""
    return [sys.executable, "-m", "trace_core", *words, "--workspace", str(workspace)]


def run(workspace: Path, *words: str) -> Any:
    """The JSON of a command that must succeed."""
    done = subprocess.run(
        command(workspace, *words, "--json"), capture_output=True, text=True, cwd=ROOT, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def kill_after(workspace: Path, seconds: float, *words: str) -> bool:
    """Start a command and kill it after some time; whether it was still at work."""
    process = subprocess.Popen(
        command(workspace, *words),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def length_of(workspace: Path, *words: str) -> float:
    """Seconds that an undisturbed command takes here and now."""
    started = time.monotonic()
    run(workspace, *words)
    return time.monotonic() - started


def crash_imports(folder: Path, kills: int, seed: int) -> Outcome:
    """Kill imports of the sample archive, each into a new workspace."""
    chance, outcome = random.Random(seed), Outcome()
    whole = folder / "whole"
    run(whole, "init")
    length = length_of(whole, "import", str(SAMPLE))
    wanted = _holdings(whole)
    while outcome.goes_on(kills):
        workspace = folder / f"import-{outcome.tries}"
        outcome.tries += 1
        run(workspace, "init")
        moment = chance.uniform(0.1, 1.0) * length
        if not kill_after(workspace, moment, "import", str(SAMPLE)):
            length *= 0.9
            continue
        outcome.kills += 1
        run(workspace, "import", str(SAMPLE))
        found = _holdings(workspace)
        if found != wanted:
            outcome.faults.append(f"killed after {moment:.2f} s: {found} instead of {wanted}")
    return outcome


def crash_runs(folder: Path, kills: int, seed: int) -> Outcome:
    """Kill runs by rules over the sample archive, and resume each."""
    chance, outcome = random.Random(seed), Outcome()
    workspace = folder / "runs"
    run(workspace, "init", "--sample")
    length = length_of(workspace, "ask", QUESTION, "--approve", "all")
    wanted = _evidence(workspace, _newest(workspace))
    while outcome.goes_on(kills):
        outcome.tries += 1
        before = len(run(workspace, "runs")["runs"])
        moment = chance.uniform(0.2, 1.0) * length
        if not kill_after(workspace, moment, "ask", QUESTION, "--approve", "all"):
            length *= 0.9
            continue
        outcome.kills += 1
        if len(run(workspace, "runs")["runs"]) == before:
            continue  # killed before the question was recorded: nothing to lose
        newest = _newest(workspace)
        if run(workspace, "show", newest)["status"] != "finished":
            run(workspace, "resume", newest, "--approve", "all")
        if not run(workspace, "verify", newest)["holds"]:
            outcome.faults.append(f"killed after {moment:.2f} s: the chain of {newest} is broken")
        if (found := _evidence(workspace, newest)) != wanted:
            outcome.faults.append(f"killed after {moment:.2f} s: {found} instead of {wanted}")
    return outcome


def _newest(workspace: Path) -> str:
    return str(run(workspace, "runs")["runs"][0]["id"])


def _evidence(workspace: Path, newest: str) -> list[str]:
    shown = run(workspace, "show", newest)
    return [f"{e['corpus']}/{e['source_id']} {e['reason']}" for e in shown["evidence"]]


def _holdings(workspace: Path) -> tuple[Any, ...]:
    status = run(workspace, "status")
    names = ("documents", "chunks", "lexical", "vectors", "pending_lexical", "pending_vectors")
    return tuple(status[name] for name in names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Both series; 1 when anything was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1887)
    options = parser.parse_args(arguments)
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, series in (("import", crash_imports), ("run", crash_runs)):
            outcome = series(Path(folder), options.kills, options.seed)
            faults += len(outcome.faults)
            print(
                f"{name}: killed {outcome.kills} times at work in {outcome.tries} tries, "
                f"{len(outcome.faults)} faults"
            )
            for fault in outcome.faults:
                print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
