"""Starting the app."""

from __future__ import annotations

import os
import socket
import sys
from argparse import Namespace
from pathlib import Path

from trace_core.cli.output import warn
from trace_core.domain.errors import BadInput, PortTaken


def serve(workspace: Path, arguments: Namespace) -> int:
    """Start the app; returns when it ends."""
    app = Path(__file__).resolve().parents[2] / "app.py"
    if not app.exists():
        raise BadInput("The app's pages are not installed; install the project from its folder.")
    _check_port(arguments.port)
    os.environ["TRACE_WORKSPACE"] = str(workspace)
    # Streamlit reads its theme from the folder that it is started in.
    os.chdir(app.parent)
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        "--server.port",
        str(arguments.port),
        "--server.headless",
        "true" if arguments.no_browser else "false",
    ]
    warn(f"TRACE is at http://127.0.0.1:{arguments.port} (stop it with Ctrl+C).")
    os.execv(sys.executable, command)


def _check_port(port: int) -> None:
    """Raise BadInput for a number that is no port, PortTaken where something listens already."""
    if not 1 <= port <= 65535:
        raise BadInput(f"A port is a number from 1 to 65535, not {port}.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            why = error.strerror or error
            raise PortTaken(
                f"The port {port} cannot be used ({why}); choose another with --port, for example "
                f"--port {port + 1 if port < 65535 else 8501}."
            ) from None
