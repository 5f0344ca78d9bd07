"""The same text twice: found at import, grouped in results, named in the evidence, never lost."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from trace_core.__main__ import main
from trace_core.domain.corpus import DocumentKey
from trace_core.service import Service

WORDS = (
    "le pont de bois fut emporte par la crue une nuit de mars et personne ne voulut croire que "
    "les pilotis etaient pourris depuis longtemps alors que le maire refusait toute reparation"
).split()


def line(doc_id: str, text: str, corpus: str = "courrier", date: str = "1883-03-14") -> str:
    row = {"doc_id": doc_id, "corpus": corpus, "date": date, "text_original": text, "title": doc_id}
    return json.dumps(row) + "\n"


def body(seed: int, misread: float = 0.0) -> str:
    chance, other = random.Random(seed), random.Random(seed + 99)
    words = [chance.choice(WORDS) + str(chance.randint(0, 40)) for _ in range(150)]
    return " ".join(w + "x" if other.random() < misread else w for w in words) + " digue"


@pytest.fixture
def archive(service: Service, tmp_path: Path) -> Service:
    lines = [line(f"d{n}", body(n)) for n in range(8)]
    lines.append(line("copy", body(3).upper(), "herald"))
    lines.append(line("second edition", body(5, 0.06), "herald", "1883-03-15"))
    source = tmp_path / "in.jsonl"
    source.write_text("".join(lines), encoding="utf-8")
    service.run_import(source)
    return service


COPY, SECOND = DocumentKey("herald", "copy"), DocumentKey("herald", "second edition")
D3, D5 = DocumentKey("courrier", "d3"), DocumentKey("courrier", "d5")


def test_exact_and_near_twins_are_found_at_import(archive: Service) -> None:
    groups = archive.duplicates()
    assert [(group.kind, group.keys) for group in groups] == [
        ("exact", (D3, COPY)),
        ("near", (D5, SECOND)),
    ]
    assert archive.count_duplicates() == (2, 4)
    assert archive.index().compared == 0


def test_groups_follow_later_imports(archive: Service, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text(line("third", body(5, 0.02), "lettres") + line("alone", body(77)))
    archive.run_import(more)
    third = DocumentKey("lettres", "third")
    assert [group.keys for group in archive.duplicates()] == [(D3, COPY), (D5, SECOND, third)]
    more.write_text(line("copy", body(500), "herald"))
    archive.run_import(more)
    assert [group.keys for group in archive.duplicates()] == [(D5, SECOND, third)]
    archive.stores.documents.withdraw([SECOND])
    archive.index()
    assert [group.keys for group in archive.duplicates()] == [(D5, third)]


@pytest.mark.parametrize("channel", ["bm25", "dense", "fused", "exact"])
def test_a_search_shows_the_same_text_once_and_names_the_others(
    archive: Service, channel: str
) -> None:
    hits = archive.search("digue", channel, limit=20).hits
    shown = [hit.key for hit in hits]
    assert len(shown) == 8
    assert [hit.rank for hit in hits] == list(range(1, 9))
    everything = {*shown, *(key for hit in hits for key in hit.twins)}
    assert len(everything) == 10
    by_key = {hit.key: hit.twins for hit in hits}
    assert (by_key.get(D3) or by_key.get(COPY)) in ((COPY,), (D3,))
    assert len(archive.search("digue", channel, limit=7).hits) == 7


def test_grouping_can_be_turned_off(archive: Service) -> None:
    archive.save_settings({"search": {"group_duplicates": False}})
    hits = archive.search("digue", "bm25", limit=20).hits
    assert len(hits) == 10
    assert all(hit.twins == () for hit in hits)


def test_the_evidence_names_the_twins(archive: Service) -> None:
    run = archive.ask("Que sait-on de la digue ?")
    archive.advance(run, "approve")
    lines = {line.key: line.twins for line in archive.evidence(run)}
    assert {D3: (COPY,), D5: (SECOND,), COPY: (D3,), SECOND: (D5,)}.items() & lines.items()
    for key, twins in lines.items():
        assert twins == {D3: (COPY,), D5: (SECOND,), COPY: (D3,), SECOND: (D5,)}.get(key, ())


def test_on_the_command_line(
    archive: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "workspace")
    assert main(["duplicates", "--workspace", folder]) == 0
    assert "courrier/d3, herald/copy" in capsys.readouterr().out
    assert main(["duplicates", "--json", "--limit", "1", "--workspace", folder]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["groups"], found["documents"]) == (2, 4)
    assert found["shown"] == [{"kind": "exact", "documents": ["courrier/d3", "herald/copy"]}]
    assert main(["search", "digue", "--json", "--limit", "20", "--workspace", folder]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert sum(len(hit["twins"]) for hit in hits) == 2
    assert archive.count_duplicates() == (2, 4)
