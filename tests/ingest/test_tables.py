"""Tables of all kinds: found-out dialects, proposed and wished columns, rows that do not fit."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ingest.conftest import problems, records
from tests.ingest.making import save
from trace_core.domain.errors import BadInput
from trace_core.ingest.fields import propose_mapping
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.preview import read_preview
from trace_core.ingest.records import ReadOptions

LONG = "Le conseil a refusé le crédit demandé pour la réparation du pont de la Scie."


def test_excel_csv_with_semicolons_and_a_mark(tmp_path: Path) -> None:
    rows = ["Id;Titre;Date;Texte", f'1;"Le pont; la crue";12/05/1887;{LONG}']
    text = "\r\n".join([*rows, f"2;B;13/05/1887;{LONG}", ""])
    source = save(tmp_path / "gazette.csv", text, "utf-8-sig")
    preview = read_preview(source)
    assert preview.columns == ("Id", "Titre", "Date", "Texte")
    assert dict(preview.dialect)["delimiter"] == "semicolon"
    assert "byte order mark" in dict(preview.dialect)["encoding"]
    assert dict(preview.mapping) == {"id": "Id", "title": "Titre", "date": "Date", "text": "Texte"}
    first, second = records(source)
    assert (first.source_id, first.title, first.text) == ("1", "Le pont; la crue", LONG)
    assert first.corpus.id == "gazette"
    assert read_record_date(second)[0] is not None


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_encoding_and_delimiter_are_found_out(
    tmp_path: Path, encoding: str, delimiter: str
) -> None:
    rows = [["id", "titre", "texte"]] + [[str(n), "Séance, été", LONG] for n in range(5)]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(rows)
    source = save(tmp_path / "t.csv", stream.getvalue(), encoding)
    found = records(source)
    assert [record.text for record in found] == [LONG] * 5
    assert {record.title for record in found} == {"Séance, été"}


def test_the_columns_dates_tell_the_order(tmp_path: Path) -> None:
    rows = "".join(f"{n},{d}/05/1887,{LONG}\n" for n, d in ((1, "03"), (2, "25")))
    first, _ = records(save(tmp_path / "t.csv", "id,date,text\n" + rows))
    date, _ = read_record_date(first)
    assert date is not None
    assert (date.edtf, date.written) == ("1887-05-03", "03/05/1887")


def test_an_ambiguous_order_is_not_guessed(tmp_path: Path) -> None:
    source = save(tmp_path / "t.csv", f"id,date,text\n1,03/05/1887,{LONG}\n")
    (record,) = records(source)
    assert read_record_date(record)[0] is None
    (record,) = records(source, ReadOptions(day_first=False))
    date, _ = read_record_date(record)
    assert date is not None
    assert date.edtf == "1887-03-05"


def test_a_mapping_by_wish(tmp_path: Path) -> None:
    source = save(tmp_path / "t.csv", f"a,b,c\nx,{LONG},12 mai 1887\n")
    options = ReadOptions(mapping={"id": "a", "text": "b", "date": "C"})
    (record,) = records(source, options)
    assert (record.source_id, record.text, record.date_written) == ("x", LONG, "12 mai 1887")


@pytest.mark.parametrize(
    ("mapping", "words"),
    [({"text": "nothing"}, "no column 'nothing'"), ({"body": "a"}, "no field 'body'")],
)
def test_a_wrong_mapping_is_refused(tmp_path: Path, mapping: dict[str, str], words: str) -> None:
    source = save(tmp_path / "t.csv", f"a,b\nx,{LONG}\n")
    with pytest.raises(BadInput, match=words):
        records(source, ReadOptions(mapping=mapping))


def test_rows_that_do_not_fit_the_header(tmp_path: Path) -> None:
    text = f"id,title,text\n1,A\n\n2,B,{LONG},and more\n3,C,{LONG}\n"
    source = save(tmp_path / "t.csv", text)
    found = records(source)
    assert [record.source_id for record in found] == ["1", "2", "3"]
    assert found[0].text == ""
    assert found[1].text == f"{LONG},and more"
    (remark,) = problems(source)
    assert str(remark.location) == "t.csv:4"
    assert "4 cells for 3 columns" in remark.reason


def test_what_excel_writes_before_the_header(tmp_path: Path) -> None:
    text = f"sep=;\r\nid;text\r\n1;{LONG}, oui, non, peut-être\r\n2;{LONG}\r\n"
    found = records(save(tmp_path / "t.csv", text, "utf-8-sig"))
    assert [(r.source_id, r.location.line) for r in found] == [("1", 3), ("2", 4)]


def test_a_quotation_mark_that_is_never_closed_is_noticed(tmp_path: Path) -> None:
    rows = [f"{n},{LONG}" for n in range(300)]
    rows[5] = f'5,"{LONG}'
    source = save(tmp_path / "t.csv", "\n".join(["id,text", *rows, ""]))
    assert len(records(source)) == 6
    (remark,) = problems(source)
    assert (remark.location.line, "quotation mark" in remark.reason) == (7, True)


def test_cells_with_line_breaks_and_quotes(tmp_path: Path) -> None:
    text = f'id,text\n1,"Un ""mot""\nsur deux lignes. {LONG}"\n2,{LONG}\n'
    first, second = records(save(tmp_path / "t.csv", text))
    assert first.text == f'Un "mot"\nsur deux lignes. {LONG}'
    assert second.location.line == 4


def test_a_table_without_a_text_is_written_out(tmp_path: Path) -> None:
    source = save(tmp_path / "t.csv", "cote,titre,lieu\n12 J,Lettre,Paris\n13 J,Carte,Lyon\n")
    first, _ = records(source)
    assert first.text == "cote: 12 J\ntitre: Lettre\nlieu: Paris"
    assert "--map text=COLUMN" in problems(source)[0].reason


def test_a_folder_of_tables_keeps_their_rows_apart(tmp_path: Path) -> None:
    for year in ("1887", "1888"):
        save(tmp_path / "gazette" / f"{year}.csv", f"id,text\n1,{LONG} {year}\n")
    found = records(tmp_path)
    assert [(r.corpus.id, r.source_id) for r in found] == [
        ("gazette", "1887/1"),
        ("gazette", "1888/1"),
    ]


def test_a_named_shape_in_a_table_is_recognised(tmp_path: Path) -> None:
    rows = [["doc_id", "corpus", "date", "title", "text_original"]]
    rows += [["a", "gazette", "1887-05-12", "T", "Court."]]
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    (record,) = records(save(tmp_path / "t.csv", stream.getvalue()))
    assert (record.corpus.id, record.source_id, record.text) == ("gazette", "a", "Court.")


def test_parquet_and_spreadsheet(tmp_path: Path) -> None:
    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"id": [1, 2], "date": ["1887", None], "text": [LONG, LONG + "!"]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Inventaire"])
    sheet.append([])
    for row in (["id", "date", "text"], [1, 1887, LONG], [None, None, None], [2, None, LONG + "!"]):
        sheet.append(row)
    book.save(tmp_path / "b.xlsx")
    for name in ("a.parquet", "b.xlsx"):
        found = records(tmp_path / name)
        assert [(r.source_id, r.date_written, r.text) for r in found] == [
            ("1", "1887", LONG),
            ("2", "", LONG + "!"),
        ]
    assert found[1].location.line == 6


# --- JSON ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", ["lines", "array", "pretty array", "object"])
def test_json_in_four_wrappings(tmp_path: Path, wrap: str) -> None:
    rows = [{"id": str(n), "date": "1887", "text": f"{LONG} {n}", "tags": ["a"]} for n in range(3)]
    texts = {
        "lines": "\n".join(json.dumps(row) for row in rows),
        "array": json.dumps(rows),
        "pretty array": json.dumps(rows, indent=2),
        "object": json.dumps({"documents": rows}, indent=1),
    }
    found = records(save(tmp_path / "gazette.json", texts[wrap]))
    assert [(r.corpus.id, r.source_id, r.text) for r in found] == [
        ("gazette", str(n), f"{LONG} {n}") for n in range(3)
    ]


def test_an_array_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    text = json.dumps([{"id": str(n), "text": LONG} for n in range(5)])
    source = save(tmp_path / "a.json", text[:-30])
    assert len(records(source)) == 4
    (problem,) = problems(source)
    assert "not JSON" in problem.reason


def test_a_broken_member_of_an_array_costs_only_itself(tmp_path: Path) -> None:
    rows = [{"id": str(n), "text": LONG, "people": [{"name": "x"}]} for n in range(6)]
    lines = json.dumps(rows, indent=1).split("\n")
    at = next(n for n, line in enumerate(lines) if '"id": "3"' in line)
    lines[at] = lines[at].replace('"id": ', '"id" ')
    source = save(tmp_path / "a.json", "\n".join(lines))
    assert [record.source_id for record in records(source)] == ["0", "1", "2", "4", "5"]
    (problem,) = problems(source)
    assert problem.location.line == at
    save(source, "\n".join(lines).replace('"id": "4"', '"id": "4'))
    assert [record.source_id for record in records(source)] == ["0", "1", "2", "5"]


def test_a_line_that_is_not_utf8_is_read_and_named(tmp_path: Path) -> None:
    sound = json.dumps({"id": "1", "text": LONG}).encode()
    wrong = '{"id": "2", "text": "Un été"}'.encode("cp1252")
    source = tmp_path / "a.jsonl"
    source.write_bytes(b"\xef\xbb\xbf" + sound + b"\n" + wrong + b"\n")
    assert [r.text for r in records(source)] == [LONG, "Un été"]
    (remark,) = problems(source)
    assert (remark.location.line, remark.kind) == (2, "suspicious")


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_compressed_lines(tmp_path: Path, suffix: str) -> None:
    import bz2
    import gzip
    import lzma

    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    lines = "".join(json.dumps({"id": str(n), "text": LONG}) + "\n" for n in range(2000)).encode()
    source = tmp_path / f"a.jsonl{suffix}"
    source.write_bytes(pack(lines))
    assert len(records(source)) == 2000
    source.write_bytes(pack(lines)[:-20])
    kept = records(source)
    assert len(kept) < 2001
    (problem,) = problems(source)
    assert "cannot be read" in problem.reason or "ends too early" in problem.reason


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.text(min_size=1).filter(lambda t: t.strip()), min_size=1, max_size=5))
def test_any_text_comes_out_of_json_as_it_went_in(tmp_path: Path, texts: list[str]) -> None:
    rows = [
        {"doc_id": str(n), "corpus": "c", "text_original": text} for n, text in enumerate(texts)
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [record.text for record in records(source)] == texts


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["id", "Date", "TEXT", "Titre", "x", "Langue"]), unique=True),
    st.lists(st.lists(st.text(max_size=80), min_size=6, max_size=6), max_size=4),
)
def test_a_proposed_mapping_names_each_column_once(
    columns: list[str], rows: list[list[str]]
) -> None:
    cells = [dict(zip(columns, row, strict=False)) for row in rows]
    mapping = propose_mapping(columns, cells, {})
    assert set(mapping.values()) <= set(columns)
    assert len(set(mapping.values())) == len(mapping)
