"""Folders of plain text: names that carry dates, encodings, pages, what is no document."""

from __future__ import annotations

import itertools
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.workspace import Workspace
from tests.ingest.conftest import all_documents, problems, records
from tests.ingest.making import save
from trace_core.domain.errors import BadInput
from trace_core.ingest.encodings import decode, find_encoding
from trace_core.ingest.importer import Importer
from trace_core.ingest.names import read_name
from trace_core.ingest.reading import read_source
from trace_core.ingest.records import Problem, ReadOptions
from trace_core.ingest.walk import existing


@pytest.mark.parametrize(
    ("name", "stem", "date"),
    [
        ("LT-an-FvR_1834-02-28.txt", "LT-an-FvR_1834-02-28", "1834-02-28"),
        ("Lettre0533_22mai1919.xml", "Lettre0533_22mai1919", "22 mai 1919"),
        ("18870512.txt", "18870512", "1887-05-12"),
        ("gazette_18870512_3.xml.gz", "gazette_18870512_3", "1887-05-12"),
        ("FAL_1762_12_07.pdf", "FAL_1762_12_07", "1762-12-07"),
        ("12.05.1887.txt", "12.05.1887", "1887-05-12"),
        ("1er_janvier_1790.txt", "1er_janvier_1790", "1 janvier 1790"),
        ("brief_1815-10.txt", "brief_1815-10", "1815-10"),
        ("mai_1887.txt", "mai_1887", "mai 1887"),
        ("Polichinelle_1853.txt", "Polichinelle_1853", "1853"),
        ("lettre_1047.txt", "lettre_1047", ""),
        ("img_1734.jpg.txt", "img_1734.jpg", ""),
        ("PPN750717092-00000780.ocr.xml", "PPN750717092-00000780", ""),
        ("gazette/1887/05/12/p1.txt", "p1", "1887-05-12"),
        ("gazette/1887-05-12/p1.txt", "p1", "1887-05-12"),
        ("notes.txt", "notes", ""),
        (".txt", ".txt", ""),
    ],
)
def test_what_a_name_tells(name: str, stem: str, date: str) -> None:
    parts = read_name(name)
    assert (parts.stem, parts.date) == (stem, date)


@given(st.text(max_size=60))
def test_any_name_can_be_read(name: str) -> None:
    parts = read_name(name)
    assert parts.stem or not name.strip("/.")


TEXT = "L'été fut très chaud à la Chambre des députés; « où sommes-nous? », dit M. Goblet. "


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_seen(name: str) -> None:
    text = "Le maire répond : « non ». 😀 " * 60
    for cut in (2000, 1999, 1998, 60):
        assert find_encoding(text.encode(name)[:cut]).name == name


@pytest.mark.parametrize("suffix", ["", ".bin", ".txt"])
def test_a_program_is_no_text(tmp_path: Path, suffix: str) -> None:
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + bytes.fromhex("03003e0001000000d06a") + bytes(6)
    numbers = b"".join(struct.pack("<IHQ", n, n % 7, n * n) for n in range(3000))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"ls{suffix}").write_bytes(header + numbers + b"libc.so.6\0GLIBC_2.3\0")
    items = list(read_source(tmp_path / "in", ReadOptions()))
    assert items
    assert all(isinstance(item, Problem) for item in items)


def test_a_device_is_named_as_what_it_is() -> None:
    with pytest.raises(BadInput, match="a device or a pipe"):
        existing(Path("/dev/zero"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_the_encoding_of_a_text_is_found(tmp_path: Path, encoding: str) -> None:
    (record,) = records(save(tmp_path / "a.txt", TEXT * 5, encoding))
    assert record.text == TEXT * 5


def test_a_german_text_in_an_old_code_page() -> None:
    german = (
        "Die Straßen der Stadt waren voll von Menschen, die Häuser geschmückt. Ökonomie, Übung. "
    )
    text, encoding = decode((german * 4).encode("cp1252"))
    assert (text, encoding.how) == (german * 4, "guessed")


def test_the_person_may_name_the_encoding(tmp_path: Path) -> None:
    source = save(tmp_path / "a.txt", "Žižka a Přemysl", "cp1250")
    (record,) = records(source, ReadOptions(encoding="cp1250"))
    assert record.text == "Žižka a Přemysl"


@given(st.text())
def test_utf8_is_always_recognised(text: str) -> None:
    data = text.encode("utf-8", "replace")
    if not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        assert find_encoding(data, whole=True).name == "utf-8"


@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_text_is_kept_as_it_was_read(tmp_path: Path, text: str) -> None:
    if "\x00" in text or text.startswith("\ufeff"):
        return
    (tmp_path / "a.txt").write_bytes(text.encode("utf-8"))
    (record,) = records(tmp_path / "a.txt")
    assert record.text == text


def test_folders_are_sub_corpora(tmp_path: Path) -> None:
    save(tmp_path / "archive/gazette/1887/a.txt", TEXT)
    save(tmp_path / "archive/lettres/b.txt", TEXT)
    save(tmp_path / "archive/c.txt", TEXT)
    found = {(r.corpus.id, r.source_id) for r in records(tmp_path / "archive")}
    assert found == {("gazette", "1887/a"), ("lettres", "b"), ("archive", "c")}
    # The folder by itself gives the same documents.
    (record,) = records(tmp_path / "archive/gazette")
    assert (record.corpus.id, record.source_id) == ("1887", "a") or record.source_id == "1887/a"


def test_control_characters_and_page_breaks(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    raw = "Un\x08 deux\x00.\r\n\x0cTrois\x0c\x0cQuatre"
    source = tmp_path / "in" / "1887-05-12.txt"
    source.parent.mkdir()
    source.write_bytes(raw.encode())
    report = importer.run(source.parent)
    (document,) = all_documents(workspace)
    assert document.raw == raw
    assert document.text == "Un deux.\n\nTrois\n\nQuatre"
    starts = [page.start for page in document.pages] + [len(document.text)]
    pages = [document.text[a:b].strip() for a, b in itertools.pairwise(starts)]
    assert pages == ["Un deux.", "Trois", "", "Quatre"]
    assert "1 of 4 pages have no text (page 3)" in report.suspicious.places[0].reason


def test_hidden_files_and_workspaces_are_no_sources(
    importer: Importer, workspace: Workspace, tmp_path: Path
) -> None:
    save(tmp_path / "in/.hidden.txt", TEXT)
    save(tmp_path / "in/__MACOSX/a.txt", TEXT)
    save(tmp_path / "in/~$a.txt", TEXT)
    save(tmp_path / "in/a.txt", TEXT)
    assert len(records(tmp_path / "in")) == 1
    report = importer.run(tmp_path)
    assert (report.read, report.new) == (1, 1)
    assert workspace.documents.stats()[0].documents == 1


def test_an_empty_file_is_reported(tmp_path: Path) -> None:
    save(tmp_path / "in/a.txt", "")
    (problem,) = problems(tmp_path / "in")
    assert (str(problem.location), problem.reason) == ("a.txt", "the file is empty")


def test_pictures_beside_texts_are_named_once(importer: Importer, tmp_path: Path) -> None:
    for number in range(3):
        save(tmp_path / f"in/p{number}.jpg", "\x00\x01")
        save(tmp_path / f"in/p{number}.txt", TEXT)
    report = importer.run(tmp_path / "in")
    assert (report.read, report.new, report.skipped.count) == (3, 3, 0)
    assert "3 .jpg" in report.suspicious.places[0].reason
    (problem,) = problems(tmp_path / "in/p0.jpg")
    assert "no reader knows" in problem.reason
