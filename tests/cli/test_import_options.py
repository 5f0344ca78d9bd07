"""The options of reading on the command line, and the way out of the archive and in again."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_town
from trace_core.__main__ import main
from trace_core.cli.import_options import add_import_options, import_options, size_in_bytes
from trace_core.domain.errors import BadInput
from trace_core.ingest.records import ReadOptions


def parsed(*words: str) -> ReadOptions:
    parser = ArgumentParser()
    add_import_options(parser)
    return import_options(parser.parse_args(list(words)))


def test_nothing_said_means_find_out() -> None:
    assert parsed() == ReadOptions()


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["--pages", "folder"], "pages", "folder"),
        (["--no-articles"], "articles", False),
        (["--speeches"], "speeches", True),
        (["--scans", "m.json"], "scans", Path("m.json")),
        (["--day-first", "no"], "day_first", False),
        (["--day-first", "yes"], "day_first", True),
        (["--encoding", "latin-1"], "encoding", "latin-1"),
        (["--delimiter", "tab"], "delimiter", "\t"),
        (["--delimiter", ";"], "delimiter", ";"),
        (["--unpacked-bytes", "500M"], "unpacked_bytes", 500 * 1024**2),
        (["--map", "text=body", "--map", "page=p"], "mapping", {"text": "body", "page": "p"}),
    ],
)
def test_every_option_reaches_the_reader(words: list[str], field: str, value: Any) -> None:
    options = parsed(*words)
    assert getattr(options, field) == value


@pytest.mark.parametrize(
    "words",
    [
        ["--encoding", "klingon"],
        ["--delimiter", "ab"],
        ["--unpacked-bytes", "much"],
        ["--unpacked-bytes", "0"],
        ["--map", "weather=sun"],
        ["--map", "text"],
    ],
)
def test_what_cannot_be_is_refused_with_what_can(words: list[str]) -> None:
    with pytest.raises(BadInput, match=r"write|takes|choose"):
        parsed(*words)


def test_sizes() -> None:
    assert size_in_bytes("", "-") is None
    assert [size_in_bytes(t, "-") for t in ("12", "3k", "2 GB", "1TiB")] == [
        12,
        3072,
        2 * 1024**3,
        1024**4,
    ]


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_out_of_the_archive_and_in_again(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    out, again = tmp_path / f"out{suffix}", tmp_path / f"again{suffix}"
    source, one = str(write_town(tmp_path / "town.jsonl")), tmp_path / f"one{suffix}"
    for command in (
        ["init", "--workspace", first],
        ["import", source, "--workspace", first],
        ["archive-export", str(out), "--workspace", first, "--json"],
        ["init", "--workspace", second],
        ["import", str(out), "--workspace", second],
        ["archive-export", str(again), "--workspace", second],
        ["archive-export", str(one), "--corpus=letters", "--workspace", second, "--json"],
    ):
        assert main(command) == 0
    assert out.read_bytes() == again.read_bytes()
    assert one.stat().st_size > 0
    assert '"documents": 12' in capsys.readouterr().out
    assert main(["import", str(out), "--workspace", first, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["unchanged"], report["new"], report["changed"]) == (12, 0, 0)


def test_another_suffix_or_place_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "a")
    assert main(["init", "--workspace", folder]) == 0
    assert main(["archive-export", str(tmp_path / "a.txt"), "--workspace", folder]) == 2
    assert main(["archive-export", str(tmp_path / "no/a.jsonl"), "--workspace", folder]) == 2
    assert "name another place" in capsys.readouterr().err
