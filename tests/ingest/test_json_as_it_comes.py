"""JSON of IIIF, impresso and other projects: nested fields, embedded transcriptions, bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.ingest.conftest import problems, records
from tests.ingest.making import save
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.preview import read_preview

IIIF = "http://iiif.io/api/presentation/{}/context.json"


def saved(path: Path, *values: Any) -> Path:
    return save(path, "\n".join(json.dumps(value, ensure_ascii=False) for value in values))


def canvas(label: str, body: dict[str, Any], annotations: list[Any]) -> dict[str, Any]:
    painted = {"items": [{"motivation": "painting", "body": body}]}
    return {
        "type": "Canvas",
        "label": {"none": [label]},
        "items": [painted],
        "annotations": annotations,
    }


def transcribed(text: str, motivation: str = "supplementing") -> dict[str, Any]:
    return {"motivation": motivation, "body": {"type": "TextualBody", "value": text}}


def test_a_transcription_inside_a_manifest_is_its_text(tmp_path: Path) -> None:
    lines = [transcribed("Première li-"), transcribed("gne"), transcribed("belle !", "commenting")]
    choice = {"type": "Choice", "items": [{"id": "https://x.org/2.jpg"}]}
    manifest = {
        "@context": IIIF.format(3),
        "id": "https://x.org/m",
        "type": "Manifest",
        "label": {"fr": ["Registre"]},
        "metadata": [{"label": {"fr": ["Langue"]}, "value": {"fr": ["français"]}}],
        "items": [
            canvas("1r", {"id": "https://x.org/1.jpg"}, [{"items": lines}]),
            canvas("1v", choice, [{"id": "https://x.org/list"}]),
        ],
    }
    path = saved(tmp_path / "m.json", manifest)
    (record,) = records(path)
    assert (record.text, record.language) == ("Première li-\ngne", "fr")
    assert [(p.label, p.image) for p in record.pages] == [
        ("1r", "https://x.org/1.jpg"),
        ("1v", "https://x.org/2.jpg"),
    ]
    (remark,) = problems(path)
    assert "names 1 texts" in remark.reason


def test_a_transcription_in_version_2(tmp_path: Path) -> None:
    text = {"motivation": "sc:painting", "resource": {"chars": "Lieber Freund"}}
    page = {"@type": "sc:Canvas", "label": "1", "otherContent": [{"resources": [text]}]}
    manifest = {
        "@context": IIIF.format(2),
        "@type": "sc:Manifest",
        "label": "Brief",
        "sequences": [{"canvases": [page]}],
    }
    assert [r.text for r in records(saved(tmp_path / "m.json", manifest))] == ["Lieber Freund"]


def test_a_list_of_articles_without_text_is_refused(tmp_path: Path) -> None:
    issue = {"id": "GDL-1887-05-12-a", "i": [{"m": {"t": "UN TITRE"}}], "pp": ["GDL-1-p0001"]}
    path = saved(tmp_path / "issues.jsonl", issue)
    assert not records(path)
    assert "import its pages" in problems(path)[0].reason


def test_fields_inside_fields(tmp_path: Path) -> None:
    record = {
        "id": 7,
        "metadata": {"date": "1887-05-12", "title": "Titre", "id": "x"},
        "pages": [{"n": 1, "text": "Première page d'un registre assez long"}, {"text": "seconde"}],
    }
    (read,) = records(saved(tmp_path / "a.jsonl", record, {"id": 8}))[:1]
    assert (read.source_id, read.title, read.date_written) == ("7", "Titre", "1887-05-12")
    assert read.text == "Première page d'un registre assez long\n\nseconde"
    assert read.meta["metadata.id"] == "x"


def test_records_by_their_names(tmp_path: Path) -> None:
    value = {"doc1": {"title": "A", "text": "eins"}, "doc2": {"title": "B", "text": "zwei"}}
    for indent in (None, 2):
        path = save(tmp_path / f"{indent}.json", json.dumps(value, indent=indent))
        assert [(r.source_id, r.text) for r in records(path)] == [
            ("doc1", "eins"),
            ("doc2", "zwei"),
        ]


def test_texts_as_bytes_in_parquet(tmp_path: Path) -> None:
    texts = pa.array(["Été".encode(), "Été".encode("cp1252")])
    pq.write_table(pa.table({"id": ["a", "b"], "text": texts}), tmp_path / "t.parquet")
    assert [record.text for record in records(tmp_path / "t.parquet")] == ["Été", "Été"]


def test_records_in_a_list_however_the_file_is_wrapped(tmp_path: Path) -> None:
    value = {
        "total": 2,
        "items": [
            {
                "key": "A",
                "title": "Brief",
                "date": "1887-05-12",
                "creators": [{"name": "N. N. " * 12}],
            },
            {"key": "B", "title": "Karte", "date": "1888"},
        ],
    }
    for indent in (None, 2):
        path = save(tmp_path / f"{indent}.json", json.dumps(value, indent=indent))
        assert [(r.source_id, r.title) for r in records(path)] == [("A", "Brief"), ("B", "Karte")]
        assert all(r.text.startswith("key: ") for r in records(path))


def test_an_empty_list_is_told(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.json", {"total": 0, "items": []})
    assert not records(path)
    assert [p.reason for p in problems(path)] == ["the list 'items' is empty"]


def test_a_record_that_holds_a_list_stays_one(tmp_path: Path) -> None:
    record = {"id": "a", "text": "Ein Text", "items": [{"n": 1}]}
    assert [r.text for r in records(saved(tmp_path / "a.jsonl", record))] == ["Ein Text"]


def test_items_of_tropy(tmp_path: Path) -> None:
    note = {"text": {"@value": "Monsieur le préfet,", "@language": "fr"}, "language": "fr"}
    photos = [
        {"@type": "Photo", "note": [note]},
        {"@type": "Photo", "selection": [{"transcription": [{"text": "veuillez"}]}]},
        {"@type": "Photo"},
    ]
    item = {
        "@type": "Item",
        "title": "Lettre",
        "date": "12 mai 1887",
        "tag": ["x"],
        "photo": photos,
    }
    bare = {"@type": "Item", "identifier": "F 7", "photo": []}
    (read, second) = records(
        saved(tmp_path / "a.json", {"@context": {"title": "x"}, "@graph": [item, bare]})
    )
    assert (read.title, read.date_written, read.language) == ("Lettre", "12 mai 1887", "fr")
    assert read.text == "Monsieur le préfet,\n\nveuillez"
    assert [page.start for page in read.pages] == [0, 21, 29]
    assert second.source_id == "F 7"


def test_a_season_of_a_citation_goes_before_its_year(tmp_path: Path) -> None:
    items = [
        {"id": str(n), "type": "book", "title": "T", "issued": {"date-parts": [[1887]], **more}}
        for n, more in enumerate([{"season": "Summer"}, {"season": 3}, {}])
    ]
    found = [read_record_date(record)[0] for record in records(saved(tmp_path / "a.json", items))]
    assert [date and date.edtf for date in found] == ["1887-22", "1887-23", "1887"]


def test_the_preview_shows_the_fields_that_are_read(tmp_path: Path) -> None:
    record = {"id": "a", "metadata": {"date": "1887", "title": "T"}, "text": "Ein Text"}
    preview = read_preview(saved(tmp_path / "a.json", {"items": [record]}))
    assert preview.columns == ("id", "date", "title", "text")
    assert dict(preview.mapping)["date"] == "date"
