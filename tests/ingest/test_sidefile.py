"""What lies beside files: metadata by file name, scans by manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from tests.ingest.making import plain_alto, save
from trace_core.domain.errors import BadInput
from trace_core.ingest.importer import Importer
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.records import ReadOptions

CSV = "fichier;titre;date;cote\nlettre1.txt;Première lettre;3 mars 1883;12 J 1\n{}\n"


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    for number in (1, 2):
        save(tmp_path / f"lettres/lettre{number}.txt", f"Lettre {number}.")
    return tmp_path / "lettres"


def test_a_table_by_file_name(letters: Path, tmp_path: Path) -> None:
    side = save(tmp_path / "fiches.csv", CSV.format("lettre9.txt;Perdue;1884;12 J 9"))
    options = ReadOptions(metadata=side)
    first, second = records(letters, options)
    assert (first.title, first.meta["cote"], first.text) == (
        "Première lettre",
        "12 J 1",
        "Lettre 1.",
    )
    date, _ = read_record_date(first)
    assert date is not None
    assert date.edtf == "1883-03-03"
    assert (second.title, second.date_written) == ("lettre2", "")
    reasons = [problem.reason for problem in problems(letters, options)]
    assert reasons == [
        "1 documents are not described in it",
        "this entry describes no file that was read",
    ]


def test_a_table_named_metadata_is_found_by_itself(importer: Importer, letters: Path) -> None:
    save(letters / "metadata.csv", CSV.format("lettre2.txt;Seconde lettre;;"))
    report = importer.run(letters)
    assert (report.read, report.new, report.undated.count) == (2, 2, 1)
    assert [record.title for record in records(letters)] == ["Première lettre", "Seconde lettre"]


def test_json_and_csl_and_ris_beside_files(letters: Path, tmp_path: Path) -> None:
    rows = [
        {"file": "lettre1", "title": "Une", "date": "1883"},
        {"file": "lettre2", "title": "Deux"},
    ]
    save(tmp_path / "a.json", json.dumps(rows))
    csl = [
        {
            "id": "x",
            "type": "personal_communication",
            "call-number": "lettre1",
            "title": "Une",
            "issued": {"date-parts": [["1883"]]},
        }
    ]
    save(tmp_path / "b.json", json.dumps(csl))
    save(
        tmp_path / "c.ris",
        "TY  - PCOMM\nTI  - Une\nDA  - 1883///\nL1  - files/lettre1.txt\nER  - \n",
    )
    save(tmp_path / "d.json", json.dumps({"lettre1.txt": {"title": "Une", "date": "1883"}}))
    named = {"lettre1": {"title": "Une", "date": "1883"}, "lettre2": {"title": "B", "date": ""}}
    save(tmp_path / "e.json", json.dumps(named, indent=1))
    save(
        tmp_path / "f.csv",
        '"Key","Title","Date","File Attachments"\n'
        '"A","Une","1883","C:\\files\\lettre1.txt; C:\\files\\scan.jpg"\n',
    )
    for name in ("a.json", "b.json", "c.ris", "d.json", "e.json", "f.csv"):
        first = records(letters, ReadOptions(metadata=tmp_path / name))[0]
        assert (first.title, first.date_written) == ("Une", "1883")


def test_a_side_file_without_entries_is_refused(letters: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="describes no files"):
        records(letters, ReadOptions(metadata=save(tmp_path / "a.csv", "fichier,titre\n")))


def test_scans_of_a_manifest(tmp_path: Path) -> None:
    canvases = [
        {
            "type": "Canvas",
            "label": {"none": [f"fol. {n}"]},
            "items": [{"items": [{"body": {"id": f"https://x.org/{n}.jpg"}}]}],
        }
        for n in (1, 2)
    ]
    manifest = {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "type": "Manifest",
        "id": "https://x.org/m",
        "label": {"none": ["Brief"]},
        "items": canvases,
    }
    scans = save(tmp_path / "m.json", json.dumps(manifest))
    source = save(tmp_path / "in/brief.xml", plain_alto("Eins", "Zwei"))
    (record,) = records(source, ReadOptions(scans=scans))
    assert [(p.label, p.image) for p in record.pages] == [
        ("fol. 1", "https://x.org/1.jpg"),
        ("fol. 2", "https://x.org/2.jpg"),
    ]
    longer = save(tmp_path / "in/brief.xml", plain_alto("Eins", "Zwei", "Drei"))
    (record,) = records(longer, ReadOptions(scans=scans))
    assert {page.image for page in record.pages} == {""}
    assert "more pages than its manifest" in problems(longer, ReadOptions(scans=scans))[0].reason
