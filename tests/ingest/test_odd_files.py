"""Names and files that a disk or an archive holds and no library meant: links, pipes, old names."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.ingest.conftest import adds_up, problems, records
from tests.ingest.making import plain_alto, save
from trace_core.ingest.importer import Importer
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.reading import read_source
from trace_core.ingest.records import Problem, ReadOptions, SourceRecord


def test_links_and_pipes_are_told_and_not_read(importer: Importer, tmp_path: Path) -> None:
    secret = save(tmp_path / "secret.txt", "not of this folder")
    folder = tmp_path / "folder"
    save(folder / "a.txt", "eins")
    (folder / "out.txt").symlink_to(secret)
    (folder / "gone.txt").symlink_to("nowhere")
    (folder / "loop").symlink_to("..")
    (folder / "same.txt").symlink_to("a.txt")
    os.mkfifo(folder / "pipe.txt")
    assert [record.text for record in records(folder)] == ["eins", "eins"]
    told = {p.location.file: p.reason for p in problems(folder)}
    assert "leads out" in told["out.txt"]
    assert "nowhere" in told["gone.txt"]
    assert "folder" in told["loop"]
    assert "pipe" in told["pipe.txt"]
    report = importer.run(folder)
    assert adds_up(report)
    assert report.skipped.count == 4


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "a.txt", "eins")
    save(tmp_path / "closed" / "b.txt", "zwei")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert [record.text for record in records(tmp_path)] == ["eins"]
    (told,) = problems(tmp_path)
    assert (told.location.file, "Permission denied" in told.reason) == ("closed", True)


def test_a_file_that_goes_while_the_folder_is_read(tmp_path: Path) -> None:
    for name in "abc":
        save(tmp_path / f"{name}.txt", name)
    items = read_source(tmp_path, ReadOptions())
    first = next(items)
    assert isinstance(first, SourceRecord)
    (tmp_path / "b.txt").unlink()
    rest = list(items)
    assert [i.text for i in rest if isinstance(i, SourceRecord)] == ["c"]
    (told,) = (i for i in rest if isinstance(i, Problem))
    assert "has gone" in told.reason


def test_names_that_are_no_unicode(importer: Importer, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    save(folder / "line\nbreak.txt", "Umbruch")
    save(Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9_1887.txt")), "Text")
    assert {r.source_id for r in records(folder)} == {"caf\u00e9_1887", "line break"}
    assert importer.run(folder).new == 2


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("cp437", "Bücher"), ("cp1252", "Bücher"), ("utf-8", "Büche"), ("cp437", "Straße")],
)
def test_names_in_archives_of_old_programs(tmp_path: Path, encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("X" * len(raw), "Text")
    path.write_bytes(path.read_bytes().replace(b"X" * len(raw), raw))
    assert [record.source_id for record in records(path)] == [name]


def test_two_members_of_one_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("a.txt", "alt")
        with pytest.warns(UserWarning, match="Duplicate"):
            made.writestr("a.txt", "neu")
    assert [record.text for record in records(tmp_path / "a.zip")] == ["neu"]
    (told,) = problems(tmp_path / "a.zip")
    assert "of this name" in told.reason


def test_utf_16_without_a_mark(tmp_path: Path) -> None:
    path = save(tmp_path / "a.txt", "Sommer in Genf, 1887\r\n", "utf-16-le")
    assert [record.text for record in records(path)] == ["Sommer in Genf, 1887\r\n"]


def test_one_damaged_byte_costs_no_other_letter(tmp_path: Path) -> None:
    text = "Les évêques dînèrent à l'hôtel, où l'été brûlait. "
    damaged = text.encode() + b"Gen\xe8ve"
    path = tmp_path / "a.txt"
    path.write_bytes(damaged)
    assert records(path)[0].text == f"{text}Gen\ufffdve"
    assert "1 characters" in problems(path)[0].reason
    page = plain_alto("X").encode().replace(b"X", damaged)
    (tmp_path / "b.xml").write_bytes(page)
    assert records(tmp_path / "b.xml")[0].text == f"{text}Gen\ufffdve"
    assert "1 characters" in problems(tmp_path / "b.xml")[0].reason


def test_compressed_files_that_libraries_read_by_path(tmp_path: Path) -> None:
    table = pa.table({"id": ["a"], "text": ["Un texte"]})
    pq.write_table(table, tmp_path / "t.parquet")
    packed = tmp_path / "t.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    (record,) = records(packed)
    assert (record.source_id, record.text, record.location.file) == ("a", "Un texte", packed.name)
    bounded = ReadOptions(unpacked_bytes=100)
    assert not records(packed, bounded)
    assert "unpacks to more than 100 bytes" in problems(packed, bounded)[0].reason


@pytest.mark.parametrize("text", ["[]", "[ ]\n"])
def test_a_file_that_gives_nothing_is_told(tmp_path: Path, text: str) -> None:
    path = save(tmp_path / "a.json", text)
    assert [problem.reason for problem in problems(path)] == [
        "the file holds no record that its reader (jsonl) knows"
    ]


def test_control_characters_cost_no_page(tmp_path: Path) -> None:
    page = plain_alto("un X deux &#x2;&#12; trois&#10;").encode().replace(b"X", b"\x0c\x00")
    (tmp_path / "a.xml").write_bytes(page)
    (record,) = records(tmp_path / "a.xml")
    assert record.text.split() == ["un", "deux", "trois"]
    assert [p.reason for p in problems(tmp_path / "a.xml")] == [
        "4 control characters that XML does not know were left out"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "iso-8859-1"])
def test_blank_lines_before_the_declaration(tmp_path: Path, encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    page = plain_alto("été").replace('encoding="UTF-8"', f'encoding="{declared}"')
    path = save(tmp_path / "a.xml", f"\n \n{page}", encoding)
    assert [record.text for record in records(path)] == ["été"]
    broken = save(tmp_path / "b.xml", f"\n\n{page}</alto>", encoding)
    assert problems(broken)[0].location.line == 4


def test_xml_that_no_reader_knows_is_named(tmp_path: Path) -> None:
    (told,) = problems(save(tmp_path / "metadata.xml", "<?xml version='1.0'?><ead><a/></ead>"))
    assert "root element ead" in told.reason


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("3.3.1848", "1848-03-03"),
        ("1848-3-5", "1848-03-05"),
        ("Sitzung_vom_3._Mai_1848", "1848-05-03"),
        ("Lettre de Jean 1887", "1887"),
        ("scan_1887", ""),
        ("Le_Temps_12_13_1887", "1887-12-13"),
        ("Le_Temps_13_12_1887", "1887-12-13"),
        ("1848-03-03_bis_1848-03-05", "1848-03-03/1848-03-05"),
        ("1650-1660_Rechnungen", "1650/1660"),
        ("Protokolle 1887-88", "1887/1888"),
        ("1887-95", ""),
        ("lettre du 11 frimaire an VII", "1798-12-01"),
        ("IMG_20210503_101010", ""),
        ("ISSN1234-1987", ""),
    ],
)
def test_dates_of_file_names(tmp_path: Path, name: str, expected: str) -> None:
    (record,) = records(save(tmp_path / f"{name}.txt", "Text"))
    date, _ = read_record_date(record)
    assert (date.edtf if date else "") == expected


def test_a_name_with_day_and_month_in_either_order_is_not_guessed(tmp_path: Path) -> None:
    path = save(tmp_path / "Le_Temps_05_12_1887.txt", "Text")
    date, reason = read_record_date(records(path)[0])
    assert date is None
    assert "set the order" in reason
    date, _ = read_record_date(records(path, ReadOptions(day_first=True))[0])
    assert date is not None
    assert date.edtf == "1887-12-05"


@pytest.mark.parametrize("encoding", ["cp1252", "cp850"])
def test_a_few_accents_are_western(tmp_path: Path, encoding: str) -> None:
    path = save(tmp_path / "a.txt", "Müller; 3. März", encoding)
    assert records(path)[0].text == "Müller; 3. März"


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.jsonl.gz", '{"id": 1, "text": "eins"}\n{"id": 2, "text": "'),
        ("b.csv.gz", "id,text\n1,x\n2,"),
    ],
)
def test_a_line_without_end_in_a_small_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: str
) -> None:
    monkeypatch.setattr("trace_core.ingest.source.LINE", 100_000)
    (tmp_path / name).write_bytes(gzip.compress(head.encode() + b"x" * 1_000_000))
    assert len(records(tmp_path / name)) == 1
    (told,) = (p for p in problems(tmp_path / name) if p.kind == "skipped")
    assert "longer than" in told.reason


def test_the_rows_before_a_break_in_a_packed_table_are_kept(tmp_path: Path) -> None:
    rows = "".join(f"{n},{os.urandom(200).hex()}\n" for n in range(500))
    packed = gzip.compress(f"id,text\n{rows}".encode())
    (tmp_path / "a.csv.gz").write_bytes(packed[: len(packed) // 3])
    assert len(records(tmp_path / "a.csv.gz")) > 50
    (told,) = (p for p in problems(tmp_path / "a.csv.gz") if p.kind == "skipped")
    assert "from here on" in told.reason
    assert told.location.line is not None
