"""The command line's door: joins the façade with the storage."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from trace_core.cli.output import sentence_of, speak_safely
from trace_core.cli.parser import build_parser
from trace_core.domain.errors import BadInput, TraceError

if TYPE_CHECKING:
    from trace_core.service import Service

COMMANDS = {
    "import": "import_commands:imported",
    "archive-export": "import_commands:exported",
    "duplicates": "upkeep_commands:duplicates",
    "withdraw": "upkeep_commands:withdraw",
    "restore-documents": "upkeep_commands:bring_back",
    "deeds": "upkeep_commands:deeds",
    "corpus": "upkeep_commands:corpus",
    "status": "workspace_commands:status",
    "reindex": "workspace_commands:reindex",
    "restore": "workspace_commands:index_restored",
    "reports": "import_commands:reports",
    "settings": "workspace_commands:settings",
    "prompts": "prompt_commands:prompts",
    "search": "search_commands:search",
    "variants": "search_commands:variants",
    "ask": "run_commands:ask",
    "runs": "run_commands:runs",
    "show": "run_commands:show",
    "events": "run_commands:events",
    "verify": "run_commands:verify",
    "decide": "run_commands:decide",
    "override": "run_commands:override",
    "undo": "run_commands:undo",
    "resume": "run_commands:resume",
    "pause": "run_commands:pause",
    "stop": "run_commands:stop",
    "evaluate": "evaluation_commands:evaluate",
    "counterfactual": "trajectory_commands:counterfactual",
    "trajectory": "trajectory_commands:trajectory",
    "export": "export_commands:export",
    "explain": "export_commands:explain",
    "methods": "export_commands:methods",
    "agreement": "export_commands:agreement",
}
"""Commands over an open workspace; imported only when called, so that --help stays quick."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; its exit code: 0 done, 1 could not be done, 2 called wrongly."""
    speak_safely(sys.stdout, sys.stderr)
    arguments = build_parser().parse_args(argv)
    try:
        refuse_broken_text(arguments)
        return _run(arguments)
    except BadInput as error:
        print(str(error), file=sys.stderr)
        return 2
    except TraceError as error:
        print(str(error), file=sys.stderr)
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # The reader (`head`, say) has seen enough; that is no error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(sentence_of(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Broken off. What was saved is kept; the same command goes on.", file=sys.stderr)
        return 1


def refuse_broken_text(arguments: Namespace) -> None:
    """Raise BadInput for words whose bytes are no UTF-8: no record could hold them."""
    for name, value in vars(arguments).items():
        if isinstance(value, str) and not _is_text(value):
            raise BadInput(f"The {name} holds bytes that are no UTF-8 text; write it anew.")


def _run(arguments: Namespace) -> int:
    folder = workspace_folder(arguments)
    if arguments.command == "init":
        return _init(folder, arguments)
    if arguments.command == "serve":
        return _serve(folder, arguments)
    if arguments.command in ("open", "backup") or _names_bundle(arguments):
        return _without_service(folder, arguments)
    if arguments.command == "restore":
        from storage.backup import restore

        with restore(arguments.source, folder) as made:
            arguments.made = made.path
    module, _, name = COMMANDS[arguments.command].partition(":")
    command: Callable[[Service, Namespace], int] = getattr(
        import_module(f"trace_core.cli.{module}"), name
    )
    with open_service(folder) as service:
        return command(service, arguments)


def workspace_folder(arguments: Namespace) -> Path:
    """The folder that is meant: the option, the environment, or ./workspace."""
    given = arguments.workspace or os.environ.get("TRACE_WORKSPACE") or "workspace"
    folder = Path(given).expanduser().resolve()
    if not _is_text(str(folder)):
        raise BadInput(
            "The workspace's folder has a name that is no text in this system's encoding; choose "
            "another folder, or set LANG to a UTF-8 locale (C.UTF-8)."
        )
    return folder


def _is_text(name: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def open_service(folder: Path) -> Service:
    """The façade over a workspace folder. Raises WorkspaceError with what to do."""
    from storage.workspace import Workspace
    from trace_core.service import Service

    return Service(Workspace.open(folder))


def _init(folder: Path, arguments: Namespace) -> int:
    from storage.workspace import Workspace
    from trace_core.service import Service
    from trace_core.service.sample import load_sample

    with Service(Workspace.create(folder)) as service:
        if arguments.sample:
            load_sample(service)
    if arguments.json:
        from trace_core.cli.output import write_json

        write_json({"workspace": str(folder), "sample": bool(arguments.sample)})
    else:
        print(f"The workspace {folder} is ready.")
    return 0


def _names_bundle(arguments: Namespace) -> bool:
    if arguments.command != "verify":
        return False
    named = Path(arguments.run)
    return named.suffix == ".zip" or named.is_file()


def _without_service(folder: Path, arguments: Namespace) -> int:
    """Commands that need no open façade: bundles, copies."""
    from trace_core.cli import export_commands

    if arguments.command == "open":
        return export_commands.open_bundle(arguments)
    if arguments.command == "verify":
        return export_commands.verify_bundle(Path(arguments.run), arguments)
    from storage.backup import backup
    from storage.workspace import Workspace

    with Workspace.open(folder) as workspace:
        copy = backup(workspace, arguments.target)
    if arguments.json:
        from trace_core.cli.output import write_json

        write_json({"workspace": str(folder), "copy": str(copy), "indexes": False})
    else:
        print(
            f"The workspace is copied to {copy}, without its indexes: "
            f"`restore {copy} --workspace FOLDER` makes a workspace of it and builds them."
        )
    return 0


def _serve(folder: Path, arguments: Namespace) -> int:
    from trace_core.cli.serving import serve

    if not (folder / "workspace.toml").exists():
        if not arguments.sample:
            raise BadInput(
                f"There is no workspace in {folder}; make one with `trace-archive init`, or start "
                "with the sample archive by `trace-archive serve --sample`."
            )
        _init(folder, arguments)
    return serve(folder, arguments)


if __name__ == "__main__":
    sys.exit(main())
