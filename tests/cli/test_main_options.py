"""What every command takes may stand before its name or behind it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from trace_core.__main__ import main


@pytest.mark.parametrize("before", [True, False])
def test_workspace_and_json_stand_on_either_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: bool
) -> None:
    named = ["--workspace", str(tmp_path / "mine"), "--json"]
    for command in ("init", "status"):
        capsys.readouterr()
        assert main([*named, command] if before else [command, *named]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["workspace"] == "mine"
    assert found["documents"] == 0


def test_the_word_behind_the_command_counts(tmp_path: Path) -> None:
    named = ["--workspace", str(tmp_path / "no"), "init", "--workspace", str(tmp_path / "yes")]
    assert main(named) == 0
    assert (tmp_path / "yes").is_dir()
    assert not (tmp_path / "no").exists()


def test_a_folder_whose_name_is_no_text_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    assert main(["init", "--workspace", str(folder)]) == 2
    assert "no text in this system's encoding" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
