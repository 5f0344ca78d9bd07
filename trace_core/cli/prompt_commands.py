"""The commands about prompts: what a model is told at each stage, rewritten and put back."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trace_core.cli.output import write_json, write_line, write_table
from trace_core.domain.errors import BadInput

if TYPE_CHECKING:
    from trace_core.service import Service
    from trace_core.service.prompts import PromptView

_SHORT = 12
_LONGEST = 200_000


def prompts(service: Service, arguments: Namespace) -> int:
    """List the prompts, or show, set or reset one."""
    if arguments.action == "list":
        return _list(service, arguments)
    if not arguments.stage:
        names = ", ".join(view.stage for view in service.prompt_list())
        raise BadInput(f"Name a stage: `prompts {arguments.action} STAGE`, one of {names}.")
    if arguments.action == "show":
        return _show(service, arguments)
    text = _given(service, arguments) if arguments.action == "set" else ""
    view = service.set_prompt(arguments.stage, text, arguments.person)
    if arguments.json:
        write_json(_json(view))
    elif view.own:
        write_line(f"The stage {view.stage} has the prompt {view.hash[:_SHORT]} in new runs.")
    else:
        write_line(f"The stage {view.stage} has its built-in prompt in new runs.")
    return 0


def _list(service: Service, arguments: Namespace) -> int:
    views = service.prompt_list()
    if arguments.json:
        write_json({"prompts": [_json(view, texts=False) for view in views]})
        return 0
    rows = [
        (
            view.stage,
            "own" if view.own else "built in",
            view.hash[:_SHORT] or "unusable",
            len(view.versions),
        )
        for view in views
    ]
    write_table(("stage", "text", "hash", "own versions"), rows)
    for view in views:
        if view.problem:
            write_line(f"{view.problem} Set it anew, or `prompts reset {view.stage}`.")
    return 0


def _show(service: Service, arguments: Namespace) -> int:
    view = service.prompt(arguments.stage)
    text = view.text
    if arguments.version:
        text = service.prompt_version(arguments.stage, arguments.version)
    if arguments.json:
        write_json(_json(view) | {"text": text})
        return 0
    write_line(text.rstrip("\n"))
    if sys.stdout.isatty():
        write_line()
        for name in view.placeholders:
            need = "must stand there" if name.required else "may stand there"
            write_line(f"{{{{{name.name}}}}} ({need}): {name.meaning}")
        for version in view.versions:
            write_line(f"version {version.hash[:_SHORT]} of {version.time[:16]} {version.person}")
    return 0


def _given(service: Service, arguments: Namespace) -> str:
    """The text to set: a file, standard input for "-", or a kept version."""
    if arguments.version:
        return service.prompt_version(arguments.stage, arguments.version)
    if arguments.file is None:
        raise BadInput(f"Name a file: `prompts set {arguments.stage} --file FILE`.")
    text = sys.stdin.read() if str(arguments.file) == "-" else _read(arguments.file)
    if not text.strip():
        raise BadInput(f"{arguments.file} is empty; `prompts reset` brings the built-in text back.")
    return text


def _read(path: Path) -> str:
    data = path.read_bytes()
    if len(data) > _LONGEST:
        raise BadInput(f"{path} has {len(data):,} bytes; a prompt has at most {_LONGEST:,}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not UTF-8 text; save it as UTF-8 and set it again.") from None


def _json(view: PromptView, *, texts: bool = True) -> dict[str, Any]:
    shown = asdict(view)
    if not texts:
        del shown["text"], shown["placeholders"]
    return shown
