"""Withdrawn and brought back, renamed and merged: the search changes, the history does not."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.conftest import write_town
from trace_core.__main__ import main
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput, NotFound
from trace_core.domain.events import now
from trace_core.domain.question import ScopeSpec
from trace_core.ports import Part
from trace_core.service import Service

QUESTION = "Que disent Le Héraut et Le Courrier du pont de la Scie ?"
HERALD = DocumentKey("herald", "18830303")
COURIER = DocumentKey("courier", "18830303")


def asked(service: Service, scope: ScopeSpec | None = None) -> str:
    run = service.ask(QUESTION, scope=scope or ScopeSpec(), person="Zoé")
    assert service.advance(run, "approve").status == "finished"
    return run


def found(service: Service, query: str = "pont", channel: str = "bm25") -> set[DocumentKey]:
    return {hit.key for hit in service.search(query, channel, limit=50).hits}


def test_a_withdrawn_document_leaves_the_search_and_keeps_its_history(town: Service) -> None:
    run = asked(town)
    before = [(line.key, line.reason, line.chunk_ids) for line in town.evidence(run)]
    (chunk,) = next(line.chunk_ids for line in town.evidence(run) if line.key == HERALD)
    change = town.withdraw(Part(keys=(HERALD,)), "illisible", "Zoé")
    assert (change.documents, change.already) == (1, 0)
    for channel in ("bm25", "dense", "exact", "fuzzy", "fused"):
        assert HERALD not in found(town, "pont", channel)
    assert HERALD not in found(town, "3 mars 1883", "date")
    assert HERALD not in {head.key for head in town.browse(Scope())}
    assert [(line.key, line.reason, line.chunk_ids) for line in town.evidence(run)] == before
    assert "tombera" in town.passage(chunk).chunk.text
    assert town.passage(chunk).head.withdrawn
    assert town.verify(run).ok
    assert town.health().ok
    assert HERALD not in {line.key for line in town.evidence(asked(town))}
    assert town.withdraw(Part(keys=(HERALD,)), "encore", "Zoé").already == 1
    assert town.bring_back(Part(keys=(HERALD,)), "relu").documents == 1
    assert HERALD in found(town)
    deeds = [(d.kind, d.target, d.person, d.reason) for d in town.deeds() if d.kind != "describe"]
    assert deeds == [
        ("withdraw", "herald/18830303", "Zoé", "illisible"),
        ("restore", "herald/18830303", "historian", "relu"),
    ]


def test_an_import_and_a_sub_corpus(town: Service, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    rows = [
        {"doc_id": "m1", "corpus": "council", "date": "1883-03-02", "text_original": "Le pont."},
        {
            "doc_id": "m9",
            "corpus": "council",
            "date": "1883-03-09",
            "text_original": "Le pont neuf.",
        },
    ]
    more.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = town.run_import(more)
    assert (report.new, report.changed) == (1, 1)
    change = town.withdraw(Part(report=report.id), "mauvais fichier")
    assert (change.documents, change.already, change.stays) == (1, 0, 1)
    assert DocumentKey("council", "m9") not in found(town)
    assert DocumentKey("council", "m1") in found(town)
    assert town.withdraw(Part(corpus="council"), "droits").documents == 3
    assert not [key for key in found(town) if key.corpus == "council"]
    assert town.bring_back(Part(corpus="council"), "droits levés").documents == 4
    with pytest.raises(NotFound):
        town.withdraw(Part(report="import-0"), "x")
    with pytest.raises(NotFound):
        town.withdraw(Part(corpus="nowhere"), "x")


def test_what_is_asked_wrongly(town: Service) -> None:
    with pytest.raises(BadInput, match="Say why"):
        town.withdraw(Part(keys=(HERALD,)), " ")
    with pytest.raises(BadInput, match="one import"):
        town.withdraw(Part(), "x")
    with pytest.raises(NotFound, match="herald/nobody"):
        town.withdraw(Part(keys=(DocumentKey("herald", "nobody"),)), "x")
    with pytest.raises(BadInput, match="one sub-corpus already"):
        town.merge_corpora("herald", "herald", "x")
    town.set_corpus("herald", local_only=True)
    with pytest.raises(BadInput, match="never sent to a far model"):
        town.merge_corpora("herald", "courier", "x")
    assert [deed.kind for deed in town.deeds() if deed.kind != "describe"] == []


def test_a_withdrawn_document_stays_so_when_it_comes_again(town: Service, tmp_path: Path) -> None:
    town.withdraw(Part(keys=(HERALD,)), "illisible")
    assert town.run_import(write_town(tmp_path / "town.jsonl")).unchanged == 12
    assert HERALD not in found(town)


def test_renamed_the_id_stays_and_the_change_is_recorded(town: Service) -> None:
    town.set_corpus("herald", name="Le Nouveau Héraut", person="Max", reason="titre de 1884")
    deed = town.deeds()[-1]
    assert (deed.kind, deed.target, deed.person) == ("describe", "herald", "Max")
    assert dict(deed.details) == {"name": "Le Héraut → Le Nouveau Héraut"}
    assert HERALD in found(town)
    number = len(town.deeds())
    town.set_corpus("herald", name="Le Nouveau Héraut")
    assert len(town.deeds()) == number


def test_a_merge_keeps_old_decisions_and_their_texts(town: Service, tmp_path: Path) -> None:
    run = asked(town)
    lines = {line.key: line for line in town.evidence(run)}
    exported = json.loads(town.export(run, "json"))
    note = town.note(HERALD, "à relire", "Zoé")
    town.star(HERALD, "Zoé")
    done = town.merge_corpora("herald", "courier", "un seul éditeur", "Max")
    assert done.documents == 3
    now = DocumentKey("courier", "18830303~herald")
    assert [(moved.old, moved.new) for moved in done.renamed] == [(HERALD, now)]
    assert town.corpus("herald").id == "courier"
    assert "Le Héraut" in town.corpus("courier").aliases

    assert {line.key: line.chunk_ids for line in town.evidence(run)} == {
        key: line.chunk_ids for key, line in lines.items()
    }
    line = next(line for line in town.evidence(run) if line.key == HERALD)
    assert line.corpus_name == "Le Héraut"
    assert line.head is not None
    view = town.passage(line.chunk_ids[0])
    assert "tombera" in view.chunk.text
    assert (view.chunk.key, view.changed_since) == (now, False)
    assert town.document(HERALD).text == town.document(now).text
    assert town.present_key(HERALD) == now
    assert town.verify(run).ok
    again = json.loads(town.export(run, "json"))
    assert again["events"] == exported["events"]
    assert town.explain(run, HERALD).present

    assert now in found(town)
    assert HERALD not in found(town)
    assert {hit.key for hit in town.search("pont", scope=Scope(("herald",))).hits} == {
        hit.key for hit in town.search("pont", scope=Scope(("courier",))).hits
    }
    assert town.health().ok
    assert town.notes([now]) == town.notes([HERALD])
    assert note in town.notes([now])
    assert town.starred() == {now}
    assert town.starred_among([HERALD, COURIER, now]) == {HERALD, now}
    town.tag(HERALD, "pont", "Zoé")
    assert town.tagged_among([HERALD, COURIER, now]) == {HERALD: ("pont",), now: ("pont",)}

    report = town.run_import(write_town(tmp_path / "town.jsonl"))
    assert (report.unchanged, report.new, report.changed) == (12, 0, 0)
    deed = town.deeds()[-1]
    assert (deed.kind, deed.target, deed.person, deed.reason) == (
        "merge",
        "herald",
        "Max",
        "un seul éditeur",
    )
    assert dict(deed.details) == {"into": "courier", "documents": "3"}


def test_a_merge_taken_back_leaves_every_decision_its_text(town: Service, tmp_path: Path) -> None:
    town.set_corpus("herald", citation={"archive": "AM Valmont"}, language="fr", aliases=("LH",))
    before, stood = town.corpora(), {head.key for head in town.browse(Scope())}
    first = asked(town)
    town.merge_corpora("herald", "courier", "un seul éditeur", "Max")
    town.note(DocumentKey("courier", "18830303~herald"), "à relire", "Zoé")
    town.star(DocumentKey("courier", "18830303~herald"), "Zoé")
    second = asked(town)
    lines = {run: [(v.key, v.chunk_ids) for v in town.evidence(run)] for run in (first, second)}
    meanwhile = DocumentKey("courier", "18830303~herald")
    assert meanwhile in dict(lines[second])
    exported = json.loads(town.export(second, "json"))

    expected = town.unmerge_expected("herald")
    assert (expected.documents, expected.corpus.id, expected.holder.id) == (3, "herald", "courier")
    done = town.unmerge_corpus("herald", "deux rédactions", "Zoé")
    assert (done.documents, done.complete) == (3, True)
    assert town.corpora() == before
    assert {head.key for head in town.browse(Scope())} == stood
    assert HERALD in found(town)
    assert meanwhile not in found(town)
    assert {hit.key for hit in town.search("pont", scope=Scope(("herald",))).hits} == {
        key for key in found(town, channel="fused") if key.corpus == "herald"
    }

    for run in (first, second):
        assert [(v.key, v.chunk_ids) for v in town.evidence(run)] == lines[run]
        assert all(v.head is not None for v in town.evidence(run))
        assert town.verify(run).ok
    (chunk,) = dict(lines[second])[meanwhile]
    view = town.passage(chunk)
    assert "tombera" in view.chunk.text
    assert (view.chunk.key, view.corpus.name, view.changed_since) == (HERALD, "Le Héraut", False)
    assert town.document(meanwhile).text == town.document(HERALD).text
    assert town.explain(second, HERALD).present
    assert town.explain(second, meanwhile).present
    assert json.loads(town.export(second, "json"))["events"] == exported["events"]
    assert [note.text for note in town.notes([HERALD])] == ["à relire", ""]
    assert town.starred() == {HERALD}
    assert town.health().ok

    report = town.run_import(write_town(tmp_path / "town.jsonl"))
    assert (report.unchanged, report.new, report.changed) == (12, 0, 0)
    deed = town.deeds()[-1]
    assert (deed.kind, deed.target, deed.person) == ("unmerge", "herald", "Zoé")
    assert dict(deed.details) == {"out of": "courier", "documents": "3"}


def test_a_run_that_waits_goes_on_after_a_merge_is_taken_back(town: Service) -> None:
    town.merge_corpora("herald", "courier", "un seul éditeur")
    run = town.ask(QUESTION)
    assert town.advance(run, "ask").status == "waiting"
    town.unmerge_corpus("herald", "deux rédactions")
    assert town.advance(run, "approve").status == "finished"
    assert town.evidence(run)
    assert town.verify(run).ok


def test_an_unmerge_that_cannot_be(town: Service) -> None:
    with pytest.raises(NotFound, match="none was merged"):
        town.unmerge_corpus("herald", "x")
    town.merge_corpora("herald", "courier", "un seul éditeur")
    with pytest.raises(BadInput, match="Say why"):
        town.unmerge_corpus("herald", " ")
    town.merge_corpora("courier", "council", "tout ensemble")
    with pytest.raises(BadInput, match="give courier back first"):
        town.unmerge_corpus("herald", "x")
    town.unmerge_corpus("courier", "non")
    assert town.unmerge_corpus("herald", "non").documents == 3
    assert {view.corpus.id for view in town.corpora()} >= {"herald", "courier", "council"}


def test_what_must_stay_here_stays_so_under_its_former_name(town: Service) -> None:
    for corpus in ("herald", "courier"):
        town.set_corpus(corpus, local_only=True)
    town.merge_corpora("herald", "courier", "un seul éditeur")
    # A run that began before has found documents under the old name.
    assert town.archive_context(ScopeSpec()).local_only == {"herald", "courier"}
    meanwhile = now()
    town.set_corpus("council", local_only=True)
    town.merge_corpora("courier", "council", "tout ensemble")
    town.unmerge_corpus("courier", "non")
    town.unmerge_corpus("herald", "non")
    town.set_corpus("courier", local_only=False)
    town.set_corpus("council", local_only=False)
    assert town.archive_context(ScopeSpec()).local_only == {"herald"}
    # One that began in between has found some of them under the names of the others.
    kept = town.archive_context(ScopeSpec(corpora=("council",)), meanwhile).local_only
    assert kept == {"courier", "council"}


def test_a_merge_by_an_earlier_version_gives_back_what_was_kept(
    town: Service, tmp_path: Path
) -> None:
    town.set_corpus("courier", local_only=True, language="fr", aliases=("Le Courrier du soir",))
    town.merge_corpora("herald", "courier", "un seul éditeur")
    with closing(sqlite3.connect(tmp_path / "workspace" / "trace.sqlite")) as raw:
        raw.execute("UPDATE former_corpora SET described = '', gained = '[]'")
        raw.commit()
    done = town.unmerge_corpus("herald", "deux rédactions")
    assert (done.documents, done.complete) == (3, False)
    again = town.corpus("herald")
    # What was not kept is as it was until now, while its texts were in the other one.
    assert (again.name, again.aliases, again.language, again.local_only) == (
        "Le Héraut",
        (),
        "fr",
        True,
    )
    assert town.corpus("courier").aliases == ("Le Courrier du soir",)
    assert "not kept" in town.deeds()[-1].details
    assert HERALD in found(town)


def test_a_run_that_waits_goes_on_after_a_merge(town: Service) -> None:
    run = town.ask(QUESTION)
    assert town.advance(run, "ask").status == "waiting"
    checkpoint = town.state(run).checkpoint
    assert checkpoint is not None
    assert '"target":"herald"' in checkpoint.model_dump_json()
    town.merge_corpora("herald", "courier", "un seul éditeur")
    assert town.advance(run, "approve").status == "finished"
    assert any("~herald" in record.decision.source_id for record in town.decisions(run))


def test_a_merged_archive_goes_out_and_in(town: Service, tmp_path: Path) -> None:
    town.merge_corpora("herald", "courier", "un seul éditeur")
    town.withdraw(Part(keys=(COURIER,)), "double")
    out = tmp_path / "out.jsonl"
    assert town.export_archive(out) == 12
    other = Service(Workspace.create(tmp_path / "other"))
    try:
        assert other.run_import(out).new == 12
        assert found(other) == found(town)
        assert other.document(COURIER).withdrawn
    finally:
        other.close()


def test_on_the_command_line(
    town: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ["--workspace", str(tmp_path / "workspace")]

    def run(*words: str) -> str:
        assert main([*words, *folder]) == 0
        return capsys.readouterr().out

    who = ["--reason", "illisible", "--person", "Zoé"]
    assert json.loads(run("withdraw", "herald/18830303", "letters/l1", *who, "--json")) == {
        "documents": 2,
        "already": 0,
        "stays": 0,
    }
    assert "1 document is brought back" in run("restore-documents", "letters/l1", *who)
    assert main(["withdraw", "herald/18830303", *folder]) == 2
    assert "Say why" in capsys.readouterr().err
    merged = json.loads(run("corpus", "merge", "herald", "courier", *who, "--json"))
    assert merged["documents"] == 3
    assert "  herald/18830303 is" not in run("corpus", "list")
    deeds = json.loads(run("deeds", "--json"))["deeds"]
    assert [deed["kind"] for deed in deeds[-3:]] == ["withdraw", "restore", "merge"]
    assert {deed["person"] for deed in deeds[-3:]} == {"Zoé"}
    assert "illisible" in run("deeds")
    assert main(["corpus", "merge", "courier", *folder]) == 2
    assert town.corpus("herald").id == "courier"
    assert main(["corpus", "unmerge", *folder]) == 2
    assert main(["corpus", "unmerge", "courier", *who, *folder]) == 1
    assert "merged were herald" in capsys.readouterr().err
    assert json.loads(run("corpus", "unmerge", "herald", *who, "--json")) == {
        "documents": 3,
        "corpus": "herald",
        "out_of": "courier",
        "complete": True,
    }
    assert town.corpus("herald").id == "herald"
    run("corpus", "merge", "herald", "courier", *who)
    assert "3 documents are in herald (Le Héraut) again." in run(
        "corpus", "unmerge", "herald", *who
    )
    assert json.loads(run("deeds", "--json"))["deeds"][-1]["kind"] == "unmerge"


@pytest.mark.parametrize("field", ["id", "colour"])
def test_a_sub_corpus_keeps_its_id_and_has_the_fields_it_has(town: Service, field: str) -> None:
    with pytest.raises(BadInput, match=f"name, aliases.*no {field}"):
        town.set_corpus("herald", **{field: "other"})
    assert "other" not in {view.corpus.id for view in town.corpora()}
