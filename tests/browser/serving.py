"""A server of the app on a free port, always stopped, and what the browser tests share."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("TRACE_CHROMIUM", "/usr/bin/chromium")
START_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `log` holds what it said."""

    port: int
    log: Path

    def address(self, page: str = "", **parts: str) -> str:
        """The address of a page."""
        query = f"?{urlencode(parts)}" if parts else ""
        return f"http://127.0.0.1:{self.port}/{page}{query}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(workspace: Path, log: Path, **environment: str) -> Iterator[Server]:
    """Start the app for a workspace in a process of its own and stop that process at the end."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    command += ["--server.port", str(port), "--", str(workspace)]
    with log.open("ab") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=said, stderr=said, env={**os.environ, **environment}
        )
    try:
        _wait(port, process, log)
        yield Server(port, log)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    last = time.monotonic() + START_SECONDS
    while time.monotonic() < last:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended at once: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"The server did not answer: {log.read_text()[-2000:]}")
