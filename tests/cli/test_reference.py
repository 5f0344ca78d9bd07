"""The written reference names every command and every option that there is."""

from __future__ import annotations

import argparse

import pytest

from tests.conftest import ROOT
from trace_core.cli.parser import build_parser
from trace_core.export.registry import FORMATS

REFERENCE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def _commands() -> dict[str, argparse.ArgumentParser]:
    chosen = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(chosen[0].choices)


@pytest.mark.parametrize("name", sorted(_commands()))
def test_every_command_stands_in_the_reference(name: str) -> None:
    assert f"`{name}" in REFERENCE
    missing = [
        action.option_strings
        for action in _commands()[name]._actions
        if action.option_strings and not isinstance(action, argparse._HelpAction)
        if not any(option in REFERENCE for option in action.option_strings)
    ]
    assert missing == []


def test_every_export_format_stands_in_the_reference() -> None:
    assert {name for name in FORMATS if f"`{name}`" not in REFERENCE} == set()
