"""What a person says of citing a sub-corpus reaches every citation of its documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trace_core.__main__ import main
from trace_core.service import Service


@pytest.fixture
def folder(town: Service, tmp_path: Path) -> Path:
    town.close()
    return tmp_path / "workspace"


def cite(folder: Path, *fields: str) -> int:
    options = [word for field in fields for word in ("--cite", field)]
    return main(["corpus", "set", "herald", *options, "--workspace", str(folder)])


def test_a_run_cites_its_documents_as_the_sub_corpus_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cite(folder, "archive=Archives municipales", "url=https://example.org/{source_id}") == 0
    assert cite(folder, "location=1 D {box}") == 0
    capsys.readouterr()
    words = ["--approve", "all", "--json", "--workspace", str(folder)]
    assert main(["ask", "Qui disait que le pont de la Scie tomberait ?", *words]) == 0
    run = json.loads(capsys.readouterr().out)["run_id"]
    exported = ["export", run, "--format", "csl-json", "--workspace", str(folder)]
    assert main(exported) == 0
    items = json.loads(capsys.readouterr().out)
    cited = next(item for item in items if item["id"].startswith("herald"))
    assert cited["archive"] == "Archives municipales"
    assert cited["URL"] == "https://example.org/18830303"
    assert "archive_location" not in cited  # no document has a box


def test_an_empty_pattern_takes_a_field_away(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cite(folder, "archive=AM", "url=https://example.org/{source_id}") == 0
    assert cite(folder, "url=") == 0
    capsys.readouterr()
    assert main(["corpus", "list", "--json", "--workspace", str(folder)]) == 0
    corpora = {c["id"]: c for c in json.loads(capsys.readouterr().out)["corpora"]}
    assert corpora["herald"]["citation"] == {"archive": "AM"}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("archiv=AM", "citation field 'archiv'"),
        ("type=newspaper", "type"),
        ("archive", "NAME=VALUE"),
    ],
)
def test_what_cannot_be_cited_by_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], field: str, said: str
) -> None:
    assert cite(folder, field) == 2
    assert said in capsys.readouterr().err
