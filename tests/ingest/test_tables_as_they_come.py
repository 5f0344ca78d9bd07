"""Tables as spreadsheets and archives save them, web pages, annotated tokens, files of no use."""

from __future__ import annotations

import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from tests.ingest.conftest import problems, records
from tests.ingest.making import save
from trace_core.ingest.preparing import read_record_date
from trace_core.text.layers import layer

LONG = "Le conseil décide que la fontaine de la place sera réparée avant l'hiver."


def days(path: Path) -> list[str]:
    found = [read_record_date(record)[0] for record in records(path)]
    return [day.edtf if day else "" for day in found]


def ids(path: Path) -> list[str]:
    return [record.source_id for record in records(path)]


@pytest.mark.parametrize(
    "header",
    [
        "Item Id,Dublin Core:Title,Dublin Core:Date,Item Type Metadata:Text,file",
        "o:id,dcterms:title,dcterms:date,bibo:content,thumbnail",
        "id,dc.title[fr],dc.date.issued[],dc.description.fulltext,url",
        "№,Название,Дата,Текст,Ссылка",
    ],
)
def test_columns_that_bear_the_name_of_their_vocabulary(tmp_path: Path, header: str) -> None:
    rows = "".join(f'{n},Lettre {n},1887-05-1{n},"{LONG}",http://x.org/{n}\n' for n in (2, 3))
    path = save(tmp_path / "t.csv", f"{header}\n{rows}")
    assert days(path) == ["1887-05-12", "1887-05-13"]
    assert [(r.title, r.text) for r in records(path)] == [("Lettre 2", LONG), ("Lettre 3", LONG)]


def test_what_differs_in_each_row_names_no_sub_corpus(tmp_path: Path) -> None:
    rows = "".join(f'{n},AN F/7/{n},"{LONG}"\n' for n in range(20))
    path = save(tmp_path / "t.csv", f"id,source,text\n{rows}")
    assert {record.corpus.id for record in records(path)} == {"t"}


@pytest.mark.parametrize(
    "above",
    ["Verzeichnis der Briefe,,\n", "Verzeichnis\n,,\nStand: 1990,,\n", ",,\n", "sep=,\nTitel,,\n"],
)
def test_titles_above_the_header(tmp_path: Path, above: str) -> None:
    text = f'{above}id,date,text\na,1887-05-12,"{LONG}"\nb,1887-05-13,"{LONG}"\n'
    path = save(tmp_path / "t.csv", text)
    assert (ids(path), days(path), problems(path)) == (["a", "b"], ["1887-05-12", "1887-05-13"], [])
    assert records(path)[1].location.line == above.count("\n") + 3


def test_column_names_that_stand_twice(tmp_path: Path) -> None:
    path = save(tmp_path / "t.csv", f"id,date,note,note,text\na,1887-05-12,x,y,{LONG}\n")
    (record,) = records(path)
    assert (record.text, record.meta["note"], record.meta["note 2"]) == (LONG, "x", "y")


def test_a_header_that_stands_again_is_no_document(tmp_path: Path) -> None:
    path = save(tmp_path / "t.csv", f"id,text\na,{LONG}\nid,text\nb,{LONG}\n")
    assert ids(path) == ["a", "b"]
    (left_out,) = problems(path)
    assert (left_out.location.line, left_out.kind) == (3, "skipped")


def test_a_table_without_rows_says_so(tmp_path: Path) -> None:
    (nothing,) = problems(save(tmp_path / "t.csv", "id,date,text\n"))
    assert "no rows" in nothing.reason


def test_a_table_without_names_gives_its_dates(tmp_path: Path) -> None:
    path = save(tmp_path / "t.csv", f"a,1887-05-12,{LONG}\nb,1887-05-13,{LONG}\n")
    assert days(path) == ["1887-05-12", "1887-05-13"]


def test_a_date_in_three_columns(tmp_path: Path) -> None:
    text = f"id,day,month,year,text\na,12,5,1887,{LONG}\nb,,5,1887,{LONG}\nc,,,1887,{LONG}\n"
    assert days(save(tmp_path / "t.csv", text)) == ["1887-05-12", "1887-05", "1887"]


def test_rows_behind_an_open_quotation_mark_are_told(tmp_path: Path) -> None:
    path = save(
        tmp_path / "t.csv", 'id,date,text\na,1887,"never closed\nb,1888,two\nc,1889,three\n'
    )
    (remark,) = problems(path)
    assert "goes on to line 4" in remark.reason
    prose = save(tmp_path / "p.csv", 'id,date,text\na,1887,"one, two\nand three"\n')
    assert not problems(prose)


def test_unicode_text_as_excel_saves_it(tmp_path: Path) -> None:
    text = f'Nr\tDatum\tTitel\tText\r\n1\t03.05.1887\tBrunnen\t"{LONG}\nUnd ""mehr"""\r\n'
    text += "".join(f"{n}\t0{n}.05.1887\tT\t{LONG}\r\n" for n in (4, 5))
    path = save(tmp_path / "Tabelle.txt", text, "utf-16")
    assert (ids(path), days(path)[0]) == (["1", "4", "5"], "1887-05-03")
    assert records(path)[0].text == f'{LONG}\nUnd "mehr"'


def book(path: Path, *sheets: list[list[Any]], epoch: datetime | None = None) -> Path:
    made = openpyxl.Workbook()
    if epoch:
        made.epoch = epoch
    for number, rows in enumerate(sheets):
        sheet = made.worksheets[0] if not number else made.create_sheet(f"S{number}")
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_two_rows_of_headings_in_a_spreadsheet(tmp_path: Path) -> None:
    rows = [
        ["Brief", None, "Inhalt"],
        ["Nr", "Datum", "Titel", "Text"],
        [1, date(1887, 5, 12), "T", LONG],
    ]
    (record,) = records(book(tmp_path / "b.xlsx", rows))
    assert (record.source_id, record.title, record.text) == ("1", "T", LONG)


def test_a_spreadsheet_with_a_column_name_twice_loses_no_row(tmp_path: Path) -> None:
    path = book(tmp_path / "b.xlsx", [["id", "date", "date", "text"], ["a", 1887, "x", LONG]])
    assert (ids(path), days(path)) == (["a"], ["1887"])


def test_dates_counted_from_1904(tmp_path: Path) -> None:
    rows = [["id", "date", "text"], ["a", datetime(1914, 8, 1), LONG]]
    assert days(book(tmp_path / "b.xlsx", rows, epoch=CALENDAR_MAC_1904)) == ["1914-08-01"]


def test_formulas_without_results_and_hidden_sheets_are_told(tmp_path: Path) -> None:
    path = book(tmp_path / "b.xlsx", [["id", "text"], ["a", "=A1"]], [["id", "text"], ["b", LONG]])
    made = openpyxl.load_workbook(path)
    made.worksheets[1].sheet_state = "hidden"
    made.save(path)
    reasons = [problem.reason for problem in problems(path)]
    assert "(1 of them)" in reasons[0]
    assert "hidden" in reasons[1]
    assert ids(path) == ["a", "b"]


# --- web pages and tokens ------------------------------------------------------------------------


def test_raw_text_of_a_library_with_its_description(tmp_path: Path) -> None:
    text = (
        "<!DOCTYPE html><html><head><title>x | y</title></head><body><p>Titre : Le Phare</p>"
        "<p>Date d'édition : 1887-05-12</p><p>Langue : français</p><p>Le taux de reconnaissance "
        "de ce document est de 96 %.</p><hr/><p>LE PHARE</p><p>la fon-<br/>taine : un mot.</p>"
        "<script>var x = 1;</script></body></html>"
    )
    (record,) = records(save(tmp_path / "a.texteBrut.html", text))
    assert (record.title, record.date_written, record.language) == ("Le Phare", "1887-05-12", "fr")
    assert (record.text, record.quality) == ("LE PHARE\n\nla fon-\ntaine : un mot.", 0.96)


def test_any_other_web_page(tmp_path: Path) -> None:
    text = (
        '<html lang="de"><head><title>Ein Artikel</title><meta name="DC.date" content="1901-03-04">'
        "</head><body><nav>Menü</nav>Ein <b>fett</b>es Wort<ul><li>eins<li>zwei</ul>"
        "<table><tr><td>a</td><td>b</td></tr></table></body></html>"
    )
    (record,) = records(save(tmp_path / "a.html", text))
    assert record.text == "Ein fettes Wort\n\neins\nzwei\n\na b"
    assert (record.title, record.date_written, record.language) == (
        "Ein Artikel",
        "1901-03-04",
        "de",
    )


def test_tokens_of_the_hipe_evaluations(tmp_path: Path) -> None:
    text = (
        "TOKEN\tNE\tMISC\n# hipe2022:document_id = GDL-1\n# hipe2022:date = 1887-05-12\n"
        "# hipe2022:language = fr\nLe\tO\t_\ncon\tO\tNoSpaceAfter\n¬\tO\tNoSpaceAfter|EndOfLine\n"
        "seil\tO\tNoSpaceAfter\n.\tO\tEndOfLine\n\n# hipe2022:document_id = GDL-2\nLa\tO\t_\n"
    )
    first, second = records(save(tmp_path / "h.tsv", text))
    assert layer(first.text).indexed == "le conseil."
    assert (first.source_id, first.date_written, first.language) == ("GDL-1", "1887-05-12", "fr")
    assert (second.source_id, second.text) == ("GDL-2", "La")


def test_tokens_of_conll_u(tmp_path: Path) -> None:
    def row(number: str, form: str, misc: str = "_") -> str:
        return "\t".join([number, form, *["_"] * 7, misc])

    rows = [
        row("1", "Il"),
        row("2-3", "du"),
        row("2", "de"),
        row("3", "le"),
        row("4", "lac", "SpaceAfter=No"),
    ]
    text = "\n".join(["# newdoc id = d1", *rows, row("5", "."), "", row("1", "Oui"), ""])
    (record,) = records(save(tmp_path / "a.conllu", text))
    assert (record.source_id, record.text) == ("d1", "Il du lac.\nOui")


@pytest.mark.parametrize(
    ("name", "head", "word"),
    [
        ("a.7z", b"7z\xbc\xaf'\x1c", "unpack"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office"),
        ("a.rtf", b"{\\rtf1 Bonjour}", "plain text"),
        ("page.txt", b"\xff\xd8\xff\xe0", "OCR"),
    ],
)
def test_files_of_no_use_are_named(tmp_path: Path, name: str, head: bytes, word: str) -> None:
    (tmp_path / name).write_bytes(head + b"\0\1\2" * 100)
    (problem,) = problems(tmp_path / name)
    assert word in problem.reason


def test_a_text_document_is_no_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as made:
        made.writestr("[Content_Types].xml", "<Types/>")
        made.writestr("word/document.xml", "<w/>")
    (problem,) = problems(tmp_path / "a.docx")
    assert "plain text" in problem.reason
