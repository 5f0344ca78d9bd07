"""Every setting is read by something: one that nothing reads would promise what is not done."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.conftest import ROOT
from trace_core.settings import Settings

PLACES = ("trace_core", "storage")
READ_BY_NAME = {"budget"}
"""A run's caps are kept by name in its state (`RunState.budgets`)."""


@pytest.fixture(scope="module")
def read() -> Counter[str]:
    """How often each attribute is read, and each word stands as a string, in the sources."""
    found: Counter[str] = Counter()
    for place in PLACES:
        for file in (ROOT / place).rglob("*.py"):
            if file.name == "settings.py":
                continue
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    found[f".{node.attr}"] += 1
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found[node.value] += 1
    return found


NAMES = [(group, name) for group, values in Settings() for name in type(values).model_fields]


@pytest.mark.parametrize(("group", "name"), NAMES, ids=[f"{g}.{n}" for g, n in NAMES])
def test_a_setting_is_read(read: Counter[str], group: str, name: str) -> None:
    assert read[name if group in READ_BY_NAME else f".{name}"] > 0


@pytest.mark.parametrize(("group", "name"), NAMES, ids=[f"{g}.{n}" for g, n in NAMES])
def test_a_setting_has_its_sentence(group: str, name: str) -> None:
    described = type(getattr(Settings(), group)).model_fields[name].description or ""
    assert described.endswith(".") and len(described.split()) >= 4
