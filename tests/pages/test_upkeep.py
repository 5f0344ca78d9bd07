"""Whole parts of the archive in the app: taken out, brought back, merged, given back, recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import look
from trace_core.domain.corpus import Document, DocumentKey, Page, SubCorpus
from trace_core.ports import NewDocument, Part
from trace_core.service import Service


def done(app: object) -> str:
    return " ".join(toast.value for toast in app.toast)  # type: ignore[attr-defined]


def test_a_sub_corpus_is_taken_out_and_brought_back(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "archive")
    app.segmented_control(key="upkeep.herald.way").select("withdraw").run()
    assert "3 documents will leave the lists" in app.info[0].value
    app.button(key="upkeep.herald.do").click().run()
    assert "Say why" in app.error[0].value
    app.text_input(key="upkeep.herald.reason").set_value("rights <b>")
    app.button(key="upkeep.herald.do").click().run()
    assert not app.exception
    assert not app.error
    assert "3 documents were taken out" in done(app)
    assert any("3 taken out of the search" in box.label for box in app.expander)
    assert app.segmented_control(key="upkeep.herald.way").value is None
    app.segmented_control(key="upkeep.herald.way").select("restore").run()
    assert "3 documents will be found again" in app.info[0].value
    app.text_input(key="upkeep.herald.reason").set_value("cleared")
    app.button(key="upkeep.herald.do").click().run()
    assert not app.exception
    service = look(folder)
    assert service.change_expected(Part(corpus="herald"), withdraw=True).documents == 3
    service.close()
    app.segmented_control(key="archive.view").select("deeds").run()
    assert not app.exception
    said = words_of(app)
    assert "Le Héraut: brought back into the search" in said
    assert "rights &lt;b&gt;" in said
    assert "<b>rights" not in said
    app.selectbox(key="deeds.kind").select("restore").run()
    assert "rights" not in words_of(app)


def test_two_sub_corpora_become_one_and_two_again(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "archive")
    app.segmented_control(key="upkeep.herald.way").select("merge").run()
    app.selectbox(key="upkeep.herald.into").select("courier").run()
    assert not app.exception
    assert "3 documents will move to Le Courrier" in app.info[0].value
    assert "1 of them will get another id" in app.info[0].value
    app.text_input(key="upkeep.herald.reason").set_value("one paper")
    app.button(key="upkeep.herald.do").click().run()
    assert not app.exception
    assert "3 documents are in Le Courrier now" in done(app)
    service = look(folder)
    assert service.corpus("herald").id == "courier"
    assert any("Le Héraut · now in Le Courrier" in box.label for box in app.expander)
    assert any("will go back to Le Héraut" in info.value for info in app.info)
    app.text_input(key="upkeep.former.herald.reason").set_value("two papers")
    app.button(key="upkeep.former.herald.do").click().run()
    assert not app.exception
    assert "3 documents are in Le Héraut again" in done(app)
    assert service.corpus("herald").id == "herald"
    service.close()
    app.segmented_control(key="archive.view").select("deeds").run()
    assert "Le Héraut: merged into Le Courrier" in words_of(app)
    assert "Le Héraut: given back out of Le Courrier" in words_of(app)


def test_what_cannot_be_merged_or_given_back_yet_is_said(folder: Path, open_app: OpenApp) -> None:
    service = look(folder)
    service.set_corpus("herald", local_only=True)
    service.merge_corpora("courier", "council", "x")
    service.merge_corpora("council", "letters", "y")
    service.close()
    app = open_app(folder, "archive")
    assert not app.exception
    assert any("give council back first" in info.value for info in app.info)
    app.segmented_control(key="upkeep.herald.way").select("merge").run()
    assert "never sent to a far model" in app.error[0].value


def test_an_import_is_taken_out_from_its_report(
    tmp_path: Path, folder: Path, open_app: OpenApp
) -> None:
    more = tmp_path / "more.jsonl"
    row = {"doc_id": "m9", "corpus": "council", "date": "1883-03-09", "text_original": "Un quai."}
    more.write_text(json.dumps(row) + "\n")
    service = look(folder)
    report = service.run_import(more)
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("reports").run()
    key = f"upkeep.{report.id}"
    app.segmented_control(key=f"{key}.way").select("withdraw").run()
    assert "1 document will leave the lists" in app.info[-1].value
    app.text_input(key=f"{key}.reason").set_value("wrong file")
    app.button(key=f"{key}.do").click().run()
    assert not app.exception
    quay = DocumentKey("council", "m9")
    assert service.heads([quay])[quay].withdrawn
    assert app.segmented_control(key=f"{key}.way").options == ["Bring back into the search"]
    app.segmented_control(key="archive.view").select("deeds").run()
    assert f"Import of {more}: taken out" in words_of(app)
    app.segmented_control(key="archive.view").select("browse").run()
    assert "12 documents" in words_of(app)
    app.checkbox(key="archive.withdrawn").check().run()
    assert "13 documents" in words_of(app)
    assert "withdrawn" in words_of(app)
    service.close()


def test_stars_and_tags_stay_on_documents_that_have_moved(folder: Path, open_app: OpenApp) -> None:
    service = look(folder)
    run = service.ask("Que disent Le Héraut et Le Courrier du pont de la Scie ?", person="Zoé")
    service.advance(run, "approve")
    (old,) = {line.key for line in service.evidence(run) if line.key.corpus == "herald"} & {
        DocumentKey("herald", "18830303")
    }
    service.merge_corpora("herald", "courier", "x")
    service.close()
    app = open_app(folder, "evidence", run=run, doc="herald/18830303")
    app.button(key="evidence.star").click().run()
    assert not app.exception
    assert app.button(key="evidence.star").label == "Take the star off"
    assert any(button.label.endswith("★") for button in app.button)
    app = open_app(folder, "document", doc="herald/18830303")
    app.multiselect(key="tags.herald.18830303").set_value(["bridge"]).run()
    assert not app.exception
    assert app.multiselect(key="tags.herald.18830303").value == ["bridge"]
    service = look(folder)
    assert service.tagged_among([old])[old] == ("bridge",)
    service.close()


@pytest.fixture
def scanned(tmp_path: Path) -> Path:
    """A workspace with one document of three pages, one of them badly read."""
    folder = tmp_path / "workspace"
    workspace = Workspace.create(folder)
    workspace.documents.put_corpus(SubCorpus("courrier", "Le Courrier", kind="newspaper"))
    text = "Le pont.\nLc p0nt.\nLe quai."
    pages = tuple(
        Page(place, number, label, "", quality)
        for number, (place, label, quality) in enumerate(
            [(0, "", 0.96), (9, "iv", 0.41), (18, "", 0.9)]
        )
    )
    document = Document(
        DocumentKey("courrier", "a"), 1, "A", text, text, "fr", pages=pages, quality=0.76
    )
    other = Document(DocumentKey("courrier", "b"), 1, "B", "Un.", "Un.", "fr", quality=0.9)
    workspace.documents.add(
        [
            NewDocument(document, ((0, 26, 0),), rated=True),
            NewDocument(other, ((0, 3, None),), rated=True),
        ]
    )
    service = Service(workspace)
    service.index()
    service.close()
    return folder


def test_quality_by_sub_corpus_and_by_page(scanned: Path, open_app: OpenApp) -> None:
    app = open_app(scanned, "archive")
    assert not app.exception
    row = next(element for element in app.get("html") if "worst tenth" in element.proto.body)
    for cell in ("83 %", "76 %", "76 % – 90 %"):
        assert f">{cell}</td>" in row.proto.body
    app = open_app(scanned, "document", doc="courrier/a")
    assert not app.exception
    said = words_of(app)
    assert "OCR by page: from 41 % to 96 %" in said.replace("\\", "")
    assert "OCR 41 %" in said
    worst = said[said.index("Worst read") :]
    assert worst.index("41 %") < worst.index("90 %") < worst.index("96 %")
    app = open_app(scanned, "document", doc="courrier/b")
    assert "Worst read" not in words_of(app)


def test_an_archive_to_which_nothing_was_done(scanned: Path, open_app: OpenApp) -> None:
    app = open_app(scanned, "archive")
    app.segmented_control(key="archive.view").select("deeds").run()
    assert not app.exception
    assert "Nothing was taken out" in words_of(app)
