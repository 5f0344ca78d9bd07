"""Zip and tar archives: the same as their folders, and never more than they may be."""

from __future__ import annotations

import io
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from tests.ingest.making import plain_alto, save
from trace_core.ingest.importer import Importer
from trace_core.ingest.records import ReadOptions

TEXT = "Le pont est tombé."


def zipped(path: Path, members: dict[str, bytes | str], compress: bool = True) -> Path:
    kind = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_an_archive_gives_what_its_folder_gives(importer: Importer, tmp_path: Path) -> None:
    folder = tmp_path / "fonds"
    save(folder / "gazette/1887-05-12.txt", TEXT)
    save(folder / "gazette/1887-05-13.xml", plain_alto(TEXT))
    save(folder / "lettres/a.txt", TEXT)
    assert importer.run(folder).new == 3
    archive = zipped(
        tmp_path / "fonds.zip",
        {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()},
    )
    report = importer.run(archive)
    assert (report.unchanged, report.new, report.skipped.count) == (3, 0, 0)
    with tarfile.open(tmp_path / "fonds.tar.gz", "w:gz") as tar:
        tar.add(folder, arcname="")
    report = importer.run(tmp_path / "fonds.tar.gz")
    assert (report.unchanged, report.new, report.skipped.count) == (3, 0, 0)


def test_places_inside_an_archive_are_named(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"b/c.jsonl": '{"id": "1", "text": "x"}\nbroken\n'})
    (problem,) = problems(archive)
    assert str(problem.location) == "a.zip/b/c.jsonl:2"


@pytest.mark.parametrize(
    "name", ["../out.txt", "/tmp/out.txt", "a/../../out.txt", "..\\out.txt", "C:\\out.txt"]
)
def test_a_path_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    before = set(Path(tempfile.gettempdir()).glob("out.txt"))
    archive = zipped(tmp_path / "a.zip", {name: TEXT, "sound.txt": TEXT})
    assert [r.source_id for r in records(archive)] == ["sound"]
    (problem,) = problems(archive)
    assert "leads outside" in problem.reason
    assert set(Path(tempfile.gettempdir()).glob("out.txt")) == before
    assert not list(tmp_path.parent.glob("out.txt"))


def test_links_are_not_followed(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("link.txt")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert "is a link" in problems(tmp_path / "a.zip")[0].reason
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        member = tarfile.TarInfo("link.txt")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(member)
        sound = tarfile.TarInfo("a.txt")
        sound.size = len(TEXT.encode())
        tar.addfile(sound, io.BytesIO(TEXT.encode()))
    assert "no plain file" in problems(tmp_path / "b.tar")[0].reason
    assert [r.text for r in records(tmp_path / "b.tar")] == [TEXT]


@pytest.mark.parametrize("name", ["x" * 300 + ".txt", "first.txt/inside.txt"])
def test_a_member_that_no_disk_can_hold_costs_no_other(tmp_path: Path, name: str) -> None:
    members = {"first.txt": TEXT, name: TEXT, "last.txt": TEXT}
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        for member, text in members.items():
            info = tarfile.TarInfo(member)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    for path in (zipped(tmp_path / "a.zip", members), tmp_path / "b.tar"):
        assert [record.source_id for record in records(path)] == ["first", "last"]
        (told,) = problems(path)
        assert "cannot be unpacked" in told.reason
        assert told.location.record == name


def test_a_bomb_is_refused(importer: Importer, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    zipped(source / "bomb.zip", {f"{n}.txt": b"\0" * 20_000_000 for n in range(8)})
    save(source / "sound.txt", TEXT)
    assert (source / "bomb.zip").stat().st_size < 200_000
    report = importer.run(source)
    assert (report.new, report.skipped.count) == (1, 1)
    assert "possible bomb" in report.skipped.places[0].reason


def test_the_limit_is_the_persons(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.txt": TEXT * 100}, compress=False)
    assert len(records(archive)) == 1
    (problem,) = problems(archive, ReadOptions(unpacked_bytes=1000))
    assert "was refused" in problem.reason


def test_an_archive_that_lies_about_its_size(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.txt": TEXT * 1000})
    data = bytearray(archive.read_bytes())
    size = len((TEXT * 1000).encode()).to_bytes(4, "little")
    for _ in range(2):
        at = data.index(size)
        data[at : at + 4] = (10).to_bytes(4, "little")
    archive.write_bytes(bytes(data))
    assert records(archive) == []
    assert problems(archive)


def test_archives_inside_archives_have_an_end(tmp_path: Path) -> None:
    content: bytes = TEXT.encode()
    name = "a.txt"
    for depth in range(5):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr(name, content)
        content, name = stream.getvalue(), f"{depth}.zip"
    (tmp_path / "outer.zip").write_bytes(content)
    assert records(tmp_path / "outer.zip") == []
    assert "inside one another" in problems(tmp_path / "outer.zip")[0].reason


def test_an_archive_that_breaks_off(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.txt": TEXT * 50})
    archive.write_bytes(archive.read_bytes()[:-40])
    (problem,) = problems(archive)
    assert "damaged or incomplete" in problem.reason


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    before = set(Path(tempfile.gettempdir()).glob("trace-import-*"))
    records(zipped(tmp_path / "a.zip", {"a.txt": TEXT}))
    assert set(Path(tempfile.gettempdir()).glob("trace-import-*")) == before
