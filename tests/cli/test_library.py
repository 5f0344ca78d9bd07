"""The page on using TRACE from Python runs as it is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from storage import Workspace
from tests.conftest import ROOT
from trace_core.service import Service

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for snippet in SNIPPETS:
        exec(compile(snippet, "docs/library.md", "exec"), names)
    assert (tmp_path / "run.zip").stat().st_size > 0
    assert "courrier" in capsys.readouterr().out
    with Service(Workspace.open(tmp_path / "vaubrenne")) as service:
        assert {head.status for head in service.runs()} == {"finished"}
