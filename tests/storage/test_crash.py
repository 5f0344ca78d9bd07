"""A killed process loses at most what it had not committed, and its work can be finished."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from storage import Workspace
from tests.storage import crash_worker
from trace_core.domain.corpus import DocumentKey, Scope

ROOT = Path(__file__).resolve().parents[2]
KILLS = 10


def start(folder: Path) -> subprocess.Popen[str]:
    """Start the worker and wait until it has opened the workspace."""
    command = [sys.executable, "-m", "tests.storage.crash_worker", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def test_killed_again_and_again(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    Workspace.create(folder).close()
    chance = random.Random(20260101)
    for _ in range(KILLS):
        process = start(folder)
        time.sleep(chance.uniform(0.0, 0.6))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        with Workspace.open(folder) as opened:
            for head in opened.events.runs():
                assert opened.events.verify(head.id) == head.events
            documents, _ = opened.documents.count(Scope())
            heads = opened.documents.browse(Scope(), limit=10_000, withdrawn=True)
            assert len(heads) % crash_worker.BATCH == 0 and documents <= len(heads)
            assert opened.lexical.count() == len(opened.lexical.ids())
    process = start(folder)
    out, _ = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, "done\n")
    check_whole(folder)


def check_whole(folder: Path) -> None:
    """Nothing is missing, nothing is doubled."""
    with Workspace.open(folder) as opened:
        stats = opened.documents.stats()[0]
        withdrawn = len(range(0, crash_worker.DOCUMENTS, 100))
        assert (stats.documents, stats.withdrawn) == (crash_worker.DOCUMENTS - withdrawn, withdrawn)
        chunks = opened.documents.all_chunks(limit=10_000)
        assert len(chunks) == stats.chunks == 2 * stats.documents
        assert opened.lexical.ids() == {chunk.id for chunk in chunks}
        assert opened.lexical.count() == len(chunks)
        assert opened.queue.pending_count("lexical") == 0
        keys = [DocumentKey("herald", f"d{n}") for n in range(crash_worker.DOCUMENTS)]
        assert all(opened.documents.versions(key) == [1] for key in keys)
        assert opened.lexical.search("crue", Scope(), 1000)[0].key in keys
        for head in opened.events.runs():
            assert opened.events.verify(head.id) == crash_worker.EVENTS
            assert [e.sequence for e in opened.events.read(head.id)] == list(
                range(1, crash_worker.EVENTS + 1)
            )
        assert len(opened.events.runs()) == crash_worker.RUNS


def test_one_process_writes_while_another_searches(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    Workspace.create(folder).close()
    with Workspace.open(folder) as reader:
        process = start(folder)
        seen = [0]
        while process.poll() is None:
            found = reader.lexical.search("pont", Scope(), 1000)
            chunks = reader.documents.chunks(hit.chunk_id for hit in found)
            assert len(chunks) == len(found)
            assert all("pont" in chunk.text for chunk in chunks.values())
            reader.documents.stats()
            seen.append(len(found))
            time.sleep(0.01)
        process.communicate()
        assert process.returncode == 0
        assert seen[-1] > 0 or reader.lexical.search("pont", Scope(), 1000)
        assert (
            len(reader.lexical.search("crue", Scope(), 1000))
            == reader.documents.stats()[0].documents
        )
