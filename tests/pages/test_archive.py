"""The archive in the app: how a source is read, twins, a least quality, out of the search."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from tests.pages.test_work import look
from trace_core.domain.corpus import Document, DocumentKey, SubCorpus
from trace_core.ports import NewDocument
from trace_core.service import Service
from trace_core.service.formats import formats
from trace_core.service.sample import INVENTED, load_sample

TEXT = "Le pont de la Scie est emporté par la crue; le conseil municipal se réunit dans la nuit."


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    """A workspace with one text in two documents, one of them badly read."""
    folder = tmp_path / "workspace"
    workspace = Workspace.create(folder)
    workspace.documents.put_corpus(SubCorpus("courrier", "Le Courrier", kind="newspaper"))
    workspace.documents.add(
        [
            NewDocument(
                Document(DocumentKey("courrier", name), 1, name, TEXT, TEXT, "fr", quality=quality),
                ((0, len(TEXT), None),),
                rated=True,
            )
            for name, quality in (("first", 0.95), ("second", 0.95), ("bad", 0.4))
        ]
    )
    service = Service(workspace)
    service.index()
    service.close()
    return folder


def test_every_format_can_be_chosen_and_a_wrong_encoding_is_a_sentence(
    tmp_path: Path, folder: Path, open_app: OpenApp
) -> None:
    table = tmp_path / "cards.csv"
    table.write_bytes("id;date;text\n1;03/04/1883;La crue a tout emporté.\n".encode("latin-1"))
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("import").run()
    titles = [title for _, title in formats()]
    assert app.selectbox(key="import.format").options == ["find out", *titles]
    app.text_input(key="import.path").set_value(str(table))
    app.text_input(key="import.encoding").set_value("no such")
    app.run()
    assert not app.exception
    assert "no such" in app.error[0].value
    app.text_input(key="import.encoding").set_value("latin-1")
    app.selectbox(key="import.day_first").select("day").run()
    assert not app.exception
    assert not app.error
    assert "1883-04-03" in words_of(app)
    assert "emporté" in words_of(app)
    app.selectbox(key="import.day_first").select("month").run()
    assert "1883-03-04" in words_of(app)


def test_a_file_of_metadata_is_read_beside_the_texts(
    tmp_path: Path, folder: Path, open_app: OpenApp
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "one.txt").write_text("La crue a tout emporté.", encoding="utf-8")
    side = tmp_path / "side.csv"
    side.write_text("file,title,date\none.txt,La crue,1883-03-05\n", encoding="utf-8")
    app = open_app(folder, "archive")
    app.segmented_control(key="archive.view").select("import").run()
    app.text_input(key="import.metadata").set_value(str(side))
    app.text_input(key="import.path").set_value(str(texts)).run()
    assert not app.exception
    assert "La crue</td>" in words_of(app)
    assert "1883-03-05" in words_of(app)


def test_the_same_text_stands_under_a_hit_and_under_a_least_quality_not(
    twins: Path, open_app: OpenApp
) -> None:
    app = open_app(twins, "search", q="pont Scie crue")
    assert not app.exception
    assert "The same text in 2 other documents" in words_of(app)
    app.selectbox(key="search.quality").select(90).run()
    assert not app.exception
    assert "1 document is left out by the least quality" in words_of(app)


def test_the_archives_plots_and_list_know_the_quality(twins: Path, open_app: OpenApp) -> None:
    app = open_app(twins, "archive")
    assert not app.exception
    assert any("OCR quality" in str(text.value) for text in app.markdown)
    app.segmented_control(key="archive.view").select("browse").run()
    assert "3 documents" in words_of(app)
    app.selectbox(key="archive.quality_least").select(90).run()
    assert "2 documents" in words_of(app)
    app.selectbox(key="archive.quality_least").select(0).run()
    app.selectbox(key="archive.order").select("quality").run()
    assert not app.exception
    said = words_of(app)
    assert said.index(">bad<") < said.index(">first<") < said.index(">second<")


def test_a_document_leaves_the_search_with_a_reason_and_comes_back(
    twins: Path, open_app: OpenApp
) -> None:
    app = open_app(twins, "document", doc="courrier/bad")
    app.button(key="withdrawing.do").click().run()
    assert len(app.error) == 1
    app.text_input(key="withdrawing.reason").set_value("unreadable <b>")
    app.button(key="withdrawing.do").click().run()
    assert not app.exception
    assert not app.error
    assert app.warning
    service = look(twins)
    key = DocumentKey("courrier", "bad")
    assert service.heads([key])[key].withdrawn
    assert "unreadable &lt;b&gt;" in words_of(app)
    app.text_input(key="withdrawing.reason").set_value("read again")
    app.button(key="withdrawing.do").click().run()
    assert not app.exception
    assert not service.heads([key])[key].withdrawn
    service.close()


def test_a_passage_whose_document_has_changed_since_says_so(twins: Path, open_app: OpenApp) -> None:
    service = look(twins)
    run = service.ask("Que devient le pont de la Scie dans la crue ?")
    service.advance(run, "approve")
    changed = service.evidence(run)[0].key
    text = TEXT + " Corrigé."
    new = Document(changed, 1, "first", text, text, "fr", quality=0.95)
    service.stores.documents.add([NewDocument(new, ((0, len(text), None),), rated=True)])
    service.close()
    app = open_app(twins, "evidence", run=run, doc=f"{changed.corpus}/{changed.source_id}")
    assert not app.exception
    assert any("newer version" in warning.value for warning in app.warning)


def test_how_a_sub_corpus_is_cited_is_written_once(folder: Path, open_app: OpenApp) -> None:
    app = open_app(folder, "archive")
    field = "corpus.herald.citation"
    written = "archive = Archives municipales\nurl = https://example.org/{source_id}"
    app.text_area(key=field).set_value(written)
    _save(app, "herald")
    assert not app.error
    assert _citation(folder) == {
        "archive": "Archives municipales",
        "url": "https://example.org/{source_id}",
    }

    for wrong, said in (("shelf = 12", "citation field 'shelf'"), ("archive", "field = pattern")):
        app.text_area(key=field).set_value(wrong)
        _save(app, "herald")
        assert said in app.error[0].value
    assert app.text_area(key=field).value == "archive"  # nothing that was written is lost
    assert len(_citation(folder)) == 2

    app.text_area(key=field).set_value("archive = Archives municipales")
    _save(app, "herald")
    assert _citation(folder) == {"archive": "Archives municipales"}


def test_a_sub_corpus_of_the_sample_is_described_and_stays_marked(
    tmp_path: Path, open_app: OpenApp
) -> None:
    folder = tmp_path / "workspace"
    with Service(Workspace.create(folder)) as service:
        load_sample(service)
    app = open_app(folder, "archive")
    assert app.text_area(key="corpus.conseil.citation").value == ""
    app.text_area(key="corpus.conseil.citation").set_value("archive = Archives municipales")
    _save(app, "conseil")
    assert not app.error
    with Service(Workspace.open(folder)) as service:
        corpus = service.corpus("conseil")
        assert corpus.citation == {INVENTED: "yes", "archive": "Archives municipales"}


def _save(app: AppTest, corpus: str) -> None:
    next(b for b in app.button if b.form_id == f"corpus.{corpus}").click().run()
    assert not app.exception


def _citation(folder: Path) -> dict[str, str]:
    service = Service(Workspace.open(folder))
    try:
        return dict(service.corpus("herald").citation)
    finally:
        service.close()
