import csv
import io
import json
import re
import zipfile
from urllib.parse import unquote

import pytest
import run_builders as runs

from trace_core.domain.errors import BadInput
from trace_core.domain.state import current_ranking
from trace_core.export.bundle_zip import unpacked
from trace_core.export.clean import one_line, plain, whole, xml_text
from trace_core.export.columns import COLUMNS, DEFAULT
from trace_core.export.json_text import laid_out
from trace_core.export.options import Options
from trace_core.export.registry import FORMATS, export, format_named

WHOLE = Options(include_held=True, include_rejected=True)


def table(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def titles(record):
    return [record.source(line.key).title for line in current_ranking(record.state)]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_format_writes_every_record_and_the_same_bytes_again(small, nasty, name, language):
    options = Options(include_held=True, include_rejected=True, history=True, language=language)
    for record, again in ((small, runs.small_record()), (nasty, runs.nasty_record())):
        content = export(record, name, options)
        assert content and content == export(again, name, options)
    assert format_named(name).suffix.startswith(".")


def test_a_run_without_a_decision_is_written_too():
    run = runs.RunBuilder()
    run.start(runs.CORPORA)
    record = runs.record(run, runs.FakeShelf(corpora_=list(runs.CORPORA)))
    for name in FORMATS:
        assert isinstance(export(record, name, WHOLE), bytes)


def test_what_the_archive_no_longer_has_is_said():
    run, shelf = runs.small_run()
    shelf.documents.clear()
    shelf.chunks_.clear()
    record = runs.record(run, shelf)
    for name in FORMATS:
        assert isinstance(export(record, name, WHOLE), bytes)
    assert "text no longer in the archive" in export(record, "html", WHOLE).decode()


def test_unknown_names_are_one_sentence(small):
    for options in (Options(columns=("nothing",)), Options(order="nothing"), Options(language="x")):
        with pytest.raises(BadInput):
            export(small, "csv", options)
    with pytest.raises(BadInput):
        export(small, "pdf")


# --- csv, xlsx ---------------------------------------------------------------------------------


def test_csv_has_one_row_a_decision_with_the_columns_asked_for(small):
    rows = table(export(small, "csv"))
    assert list(rows[0]) == list(DEFAULT)
    assert [(r["rank"], r["doc_id"], r["decision"]) for r in rows] == [
        ("1", "a", "accept"),
        ("1", "a", "accept"),
        ("2", "c", "accept"),
        ("3", "e", "accept"),
    ]
    assert rows[0]["date_edtf"] == "1887-05-18"
    assert rows[0]["decided_by"] == "model: local/scripted-1"
    assert rows[3]["decided_by"] == "human: Ada Archivist" and rows[3]["supersedes"] == "d9"
    assert rows[0]["tags"] == "crisis" and rows[0]["starred_by"] == "Ada Archivist"
    assert rows[0]["notes"] == "Ada Archivist: =cite first"
    every = table(export(small, "csv", Options(columns=tuple(COLUMNS))))
    assert list(every[0]) == list(COLUMNS)


def test_csv_adds_held_rejected_and_superseded_on_wish(small):
    held = table(export(small, "csv", Options(include_held=True)))
    assert {r["decision"] for r in held} == {"accept", "hold"}
    history = table(export(small, "csv", Options(history=True, columns=("decision_id",))))
    assert {"d9", "d18"} <= {r["decision_id"] for r in history}
    assert len(table(export(small, "csv", Options(include_held=True, history=True)))) == 8


def test_the_order_can_be_chosen(small):
    def order(name):
        rows = table(export(small, "csv", Options(order=name)))
        return list(dict.fromkeys(r["doc_id"] for r in rows))

    assert order("rank") == ["a", "c", "e"]
    assert order("date") == ["c", "a", "e"]
    assert order("corpus") == ["c", "a", "e"]
    assert order("decided") == ["a", "c", "e"]


def test_csv_begins_with_a_mark_on_wish_only(small):
    assert export(small, "csv", Options(bom=True)).startswith(b"\xef\xbb\xbf")
    assert not export(small, "csv").startswith(b"\xef\xbb\xbf")


def test_no_cell_of_a_table_is_a_formula_and_no_title_is_lost(nasty):
    rows = table(export(nasty, "csv", WHOLE))
    for row in rows:
        for cell in row.values():
            assert not cell.lstrip(" \n").startswith(("=", "+", "-", "@", "\t"))
    got = [row["title"] for row in rows]
    for title, cell in zip(titles(nasty), got, strict=True):
        clean = plain(title).replace("\r\n", "\n").replace("\r", "\n")
        assert cell in (clean, f"'{clean}")


def test_a_workbook_holds_texts_only_and_says_what_it_lost(nasty):
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(export(nasty, "xlsx", WHOLE)))
    sheet = book["Evidence"]
    assert [c.value for c in sheet[1]] == list(DEFAULT)
    column = DEFAULT.index("title") + 1
    cells = [sheet.cell(row, column) for row in range(2, sheet.max_row + 1)]
    assert all(cell.data_type in ("s", "inlineStr") for cell in cells)
    expected = [xml_text(t).replace("\r\n", "\n").replace("\r", "\n") for t in titles(nasty)]
    assert [cell.value for cell in cells] == expected
    about = {row[0].value: row[1].value for row in book["About"].iter_rows()}
    assert int(about["Characters left out because XML forbids them"]) > 0


# --- quotations --------------------------------------------------------------------------------


def test_only_what_stands_in_the_passage_is_exported_as_a_quotation(small):
    rows = {r["decision_id"]: r for r in table(export(small, "csv", Options(history=True)))}
    assert rows["d7"]["quote"] == "remis hier ſa démiſſion"
    assert rows["d7"]["quote_verified"] == "yes"
    assert rows["d7"]["reason"] == "says «sa démission»"
    assert (rows["d9"]["quote"], rows["d9"]["quote_verified"]) == ("", "no")
    assert rows["d9"]["reason"] == "another war [not found in the passage]"
    for name in ("csv", "xlsx", "md", "docx", "html", "json", "csl-json", "ris", "bibtex"):
        content = export(small, name, Options(include_rejected=True, history=True))
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                content = b"".join(archive.read(n) for n in archive.namelist())
        assert b"the war is over" not in content, name
        assert "«war»".encode() not in content, name


def test_a_passage_is_the_stored_text_character_by_character(small):
    lines = json.loads(export(small, "json", WHOLE))["lines"]
    for line in lines:
        for passage in line["passages"]:
            chunk = small.passages[int(passage["chunk_id"][1:])].chunk
            assert passage["passage"] == chunk.text


# --- documents to read -------------------------------------------------------------------------


def visible_text(content):
    from lxml import html

    return html.fromstring(content.decode()).text_content()


def test_html_stands_alone_and_takes_nothing_for_markup(nasty):
    content = export(nasty, "html", WHOLE)
    text = content.decode()
    assert "<script" not in text
    assert not re.search(r'(?:src|href)="(?!https?://)', text)
    shown = visible_text(content)
    for title in titles(nasty):
        assert one_line(xml_text(whole(title))) in " ".join(shown.split())


def test_html_without_texts_gives_hashes(small):
    from trace_core.provenance.record import without_texts

    shown = visible_text(export(without_texts(small), "html"))
    assert "[text withheld; SHA-256 " in shown and "Goblet" not in shown
    assert "not checked against the passage" in shown


@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("xlsx", "docx")])
def test_no_format_gives_texts_that_are_withheld(small, name):
    content = export(small, name, Options(without_texts=True))
    files = unpacked(content) if content[:2] == b"PK" else {name: content}
    for part in files.values():
        assert b"Goblet" not in part and b"judge: " not in part


def test_json_has_an_element_a_line(small):
    text = export(small, "json").decode()
    value = json.loads(text)
    assert laid_out(value) == text
    inside = [line for line in text.splitlines() if line.startswith("  {")]
    assert len(inside) == len(value["lines"]) + len(value["sub_questions"])
    assert laid_out({"b": 1, "a": {"d": [], "c": {"e": 2}}}, sort=True) == (
        '{\n "a": {\n  "c": {"e": 2},\n  "d": []\n },\n "b": 1\n}\n'
    )


def test_markdown_shows_titles_as_they_are(nasty):
    from markdown_it import MarkdownIt

    rendered = MarkdownIt().render(export(nasty, "md", WHOLE).decode())
    shown = " ".join(visible_text(f"<div>{rendered}</div>".encode()).split())
    for title in titles(nasty):
        assert one_line(title) in shown
    assert "<script" not in rendered


def test_docx_opens_with_its_headings_and_table(nasty):
    from docx import Document

    document = Document(io.BytesIO(export(nasty, "docx", WHOLE)))
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 2"]
    expected = [
        f"{n}. {' '.join(xml_text(title).split())}" for n, title in enumerate(titles(nasty), 1)
    ]
    assert headings == expected
    assert len(document.tables[0].rows) == len(expected) + 1
    assert {p.style.name for p in document.paragraphs} >= {"Title", "Quote", "Caption"}
    assert document.core_properties.title.startswith('Why "nasty"')


def test_docx_keeps_the_lines_of_a_passage(small):
    from docx import Document

    document = Document(io.BytesIO(export(small, "docx")))
    quotes = [p.text for p in document.paragraphs if p.style.name == "Quote"]
    assert small.passages[1].chunk.text in quotes


# --- citations read back -----------------------------------------------------------------------


def test_ris_is_read_back_by_rispy_with_nothing_lost(small, nasty):
    import rispy

    for record in (small, nasty):
        found = rispy.loads(export(record, "ris", WHOLE).decode())
        listed = json.loads(export(record, "csl-json", WHOLE))
        assert len(found) == len(listed)
        for entry, item in zip(found, listed, strict=True):
            assert entry["title"] == item["title"].strip()
            assert entry["id"] == item["id"]
            for field, name in (
                ("name_of_database", "archive"),
                ("accession_number", "archive_location"),
                ("call_number", "call-number"),
                ("custom1", "archive_collection"),
                ("start_page", "page"),
                ("secondary_title", "container-title"),
            ):
                assert entry.get(field) == item.get(name), field
            assert entry.get("urls", [None])[0] == item.get("URL")
            assert any(note.startswith("Decision d") for note in entry["notes"])
    first = rispy.loads(export(small, "ris").decode())[0]
    assert first["type_of_reference"] == "NEWS"
    assert (first["year"], first["date"]) == ("1887", "1887/05/18/")
    assert first["access_date"] == "2026/06/01/"
    assert first["keywords"] == ["crisis"]


def test_bibtex_is_read_back_by_bibtexparser_with_nothing_lost(small, nasty):
    import bibtexparser
    from bibtexparser.middlewares import LatexDecodingMiddleware

    for record in (small, nasty):
        text = export(record, "bibtex", WHOLE).decode()
        library = bibtexparser.parse_string(text, append_middleware=[LatexDecodingMiddleware()])
        assert not library.failed_blocks
        listed = json.loads(export(record, "csl-json", WHOLE))
        assert len(library.entries) == len(listed)
        assert len({e.key for e in library.entries}) == len(listed)
        for entry, item in zip(library.entries, listed, strict=True):
            fields = {f.key: f.value for f in entry.fields}
            read = fields["title"].replace("ˆ", "^")  # how its decoder reads \\textasciicircum
            assert read == item["title"]
            for field, name in (
                ("archive", "archive"),
                ("collection", "archive_collection"),
                ("location", "archive_location"),
                ("lccn", "call-number"),
                ("pages", "page"),
            ):
                assert fields.get(field) == item.get(name), field
            assert unquote(fields.get("url", "")) == unquote(item.get("URL", ""))
        assert text.count("{") == text.count("}")


def test_a_trec_run_is_read_by_ir_measures(small):
    import ir_measures

    text = export(small, "trec").decode()
    read = list(ir_measures.read_trec_run(text))
    read.sort(key=lambda scored: -scored.score)
    assert [scored.doc_id for scored in read] == ["matin/a", "debates/c", "letters/e"]
    assert {scored.query_id for scored in read} == {"r1"}


# --- graphs ------------------------------------------------------------------------------------


def test_prov_is_read_back_equal(small, nasty):
    from prov.model import ProvDocument

    from trace_core.export.as_prov import prov_document

    for record in (small, nasty):
        made = prov_document(record)
        text = export(record, "prov").decode()
        assert ProvDocument.deserialize(content=text, format="json") == made
        assert made.get_provn() + "\n" == export(record, "prov-n").decode()
    text = export(small, "prov").decode()
    assert "wasDerivedFrom" in text and "prov:Revision" in text
    assert "Ada Archivist" in text and "prov:Person" in text


def test_an_ro_crate_is_read_back_whole(small, tmp_path):
    from rocrate.rocrate import ROCrate

    path = tmp_path / "crate.zip"
    path.write_bytes(export(small, "ro-crate"))
    crate = ROCrate(path)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    described = {e.id for e in crate.get_entities() if e.type == "File"}
    assert names - {"ro-crate-metadata.json"} == described
    root = crate.root_dataset
    assert root["name"].startswith("TRACE run r1") and root["datePublished"] == "2026-06-01"
    assert [p["name"] for p in root["author"]] == ["Ada Archivist"]
