"""Real files of many producers give what their description says, counted.

Numbers are those of the files' own description. Words are what stands between white space, before
any hyphenation is joined; lines are those with text.
"""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.readers import alto, page_xml
from trace_core.ingest.readers.mets import READER as METS
from trace_core.ingest.records import ReadOptions, SourceRecord
from trace_core.ingest.source import Source
from trace_core.ingest.walk import Walk
from trace_core.ingest.xml_safe import parse_xml
from trace_core.text.folding import fold

SIGNS = "-¬⸗=\u00ad"


def one(path: Path) -> SourceRecord:
    (record,) = records(path)
    return record


def words(text: str) -> int:
    return len(text.split())


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def ends(text: str) -> tuple[str, str]:
    """The first eight and the last five words."""
    parts = text.split()
    return " ".join(parts[:8]), " ".join(parts[-5:])


def hyphens(text: str) -> int:
    """Lines but the last that end with a hyphen sign."""
    return sum(line.rstrip()[-1] in SIGNS for line in lines(text)[:-1])


def source_of(path: Path) -> Source:
    (source,) = Walk(path).files()
    return source


ALTO = [
    ("FRAD072_12J386_lettre0533_001.xml", 23, 177, 0, None,
     "LETTRE N° 533 . SÉNAT PARIS, 22 Mai", "le Président Nicholas Murray BUTLER."),
    ("FRAD072_12J386_lettre0533_002.xml", 24, 187, 0, None,
     "- 2 - qu'on fait le silence sur", "Président Nicholas Murray BUTLER, NEW-YORK."),
    ("PPN750717092-00000780.ocr.xml", 60, 329, 4, 0.783,
     "676 1896. Dezember 15. Übertrag... Jk 5 125.—", ". . Jk 17 000.—"),
    ("X0000010.xml.gz", 367, 2639, 63, 0.945,
     "• Automobilisme • Boxe • Chasse • Golf,", "tous les mêmes avantages. 1"),
    ("00000171.xml", 27, 153, 0, None,
     "TABLE' DES MATIERES Contenues dans ce Volume. El’itre",
     "’Nouvelles Obſervations critiques ſur diﬀérents"),
    ("1950-10-16_01-00007-alto.xml", 0, 0, 0, None, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "word", "pairs", "sure", "first", "last"), ALTO)
def test_alto(
    shared: Path, name: str, line: int, word: int, pairs: int, sure: float | None, first: str,
    last: str,
) -> None:  # fmt: skip
    path = shared / "formats/alto" / name
    record = one(path)
    assert (len(lines(record.text)), words(record.text)) == (line, word)
    assert ends(record.text) == (first, last)
    assert len(record.pages) == 1
    pages = alto.read_pages(parse_xml(source_of(path)).root)
    placed = [ln for page in pages for ln in page.lines]
    paired = [a for a, b in itertools.pairwise(placed) if a.opens and a.opens == b.closes]
    assert len(paired) == pairs
    # Joined for the index, a text has as many words fewer as it has pairs and plain hyphens.
    assert words(fold(record.text)) <= word - pairs
    if sure is not None:
        assert record.quality == pytest.approx(sure, abs=0.0006)


def test_a_word_whose_hyphen_stands_twice_is_joined_once(shared: Path) -> None:
    record = one(shared / "formats/alto/X0000010.xml.gz")
    assert "auto-\nmobile" in record.text
    assert "auto--" not in record.text
    assert "automobile" in fold(record.text)
    assert record.pages[0].image.endswith("ark:/12148/bpt6k46000007/f10")


def test_a_blank_page_is_kept_and_flagged(shared: Path) -> None:
    record = one(shared / "formats/alto/1950-10-16_01-00007-alto.xml")
    assert record.text == ""
    assert record.pages[0].label == "7"
    date, _ = read_record_date(record)
    assert date is not None
    assert date.edtf == "1950-10-16"


PAGE = [
    ("FRAD072_12J386_lettre0533_001.xml", 23, 177, 1,
     "LETTRE N° 533 . SÉNAT PARIS, 22 Mai", "le Président Nicholas Murray BUTLER."),
    ("FRAD072_12J386_lettre0533_002.xml", 24, 187, 2,
     "- 2 - qu'on fait le silence sur", "Président Nicholas Murray BUTLER, NEW-YORK."),
    ("nzz_17870630_0_0_a1_p1_1.xml", 84, 688, 14,
     "Nr. 52. 1787. Zeitung Zürcher den 30. Brachm.", "aber ich kann nicht lesen.„"),
    ("order.page.xml", 26, 173, 4,
     "79 men. Den andern Tag ersien der eingeladene", "Hier, Mylords, habe 76. Die"),
    ("example.xml", 35, 155, 0,
     "f. 1. Inventaris ende beschrijvinge van naerbeschreven Cleedinge",
     "als boven een glase Lecksteen"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "word", "hyphen", "first", "last"), PAGE)
def test_page_xml(
    shared: Path, name: str, line: int, word: int, hyphen: int, first: str, last: str
) -> None:
    record = one(shared / "formats/page" / name)
    assert (len(lines(record.text)), words(record.text)) == (line, word)
    assert hyphens(record.text) == hyphen
    got_first, got_last = ends(record.text)
    assert _private(got_first) == _private(first)
    assert _private(got_last) == _private(last)


def _private(text: str) -> str:
    # The description leaves out the private-use characters that stand for ligatures.
    return "".join(c for c in text if not "\ue000" <= c <= "\uf8ff")


def test_page_regions(shared: Path) -> None:
    path = shared / "formats/page/order.page.xml"
    (page,) = page_xml.read_pages(parse_xml(source_of(path)).root)
    assert [block.id for block in page.blocks] == ["r1163", "r127", "r632", "r1070", "r1144"]


@pytest.mark.parametrize(
    ("name", "word", "hyphen", "sure"),
    [("tess.hocr", 503, 1, 0.901), ("sample.html", 502, 0, None)],
)
def test_hocr(shared: Path, name: str, word: int, hyphen: int, sure: float | None) -> None:
    record = one(shared / "formats/hocr" / name)
    assert (len(lines(record.text)), words(record.text)) == (37, word)
    assert ends(record.text)[0] == "1 Down the Rabbit-Hole Alice was beginning to"
    assert hyphens(record.text) == hyphen
    if sure is None:
        assert record.title == "Alice im Wonderland"
        assert record.meta["author"] == "Lewis Carroll"
    else:
        assert record.quality == pytest.approx(sure, abs=0.0006)


def test_tei_letter(shared: Path) -> None:
    record = one(shared / "formats/tei/Lettre0533_22mai1919.xml")
    assert len(record.pages) == 2
    assert record.text.count("con-\ntribuent") == 1
    assert record.text.count("fran-\nçaise") == 1
    assert words(record.text) == 361 + 2
    assert words(fold(record.text)) == 361
    assert ends(record.text)[0] == "LETTRE N° 533 . SÉNAT PARIS, 22 Mai"
    assert "on égare\nmon pays" in record.text
    assert "contre tous nes Alliés" in record.text
    assert record.title.startswith("Lettre n°533")
    date, _ = read_record_date(record)
    assert date is not None
    assert date.edtf == "1919-05-22"
    assert (record.meta["sender"], record.language) == ("Paul d'Estournelles de Constant", "fr")


def test_tei_play(shared: Path) -> None:
    record = one(shared / "formats/tei/19_F_GUERIN_LesPrussiensEnFrance_FR_GAD.xml")
    assert words(record.text) == 990 + 45
    assert len(record.pages) == 5
    assert "Acte I" in record.text
    assert record.text.endswith("qui emporte les Prussiens.\n\nFin")
    date, _ = read_record_date(record)
    assert date is not None
    assert date.written == "End of 19th century (?)"
    assert date.earliest >= 675_000  # after 1848


def test_tei_debate(shared: Path) -> None:
    path = shared / "formats/tei/KPZONOJFSPD-Redna-021-1998-11-25.xml"
    record = one(path)
    assert words(record.text) == 930 + 24
    assert len(record.meta["speakers"].split(", ")) == 4
    date, _ = read_record_date(record)
    assert date is not None
    assert (date.edtf, date.written) == ("1998-11-25", "25. 11. 1998")
    speeches = records(path, ReadOptions(speeches=True))
    assert len(speeches) == 9
    assert sum(words(speech.text) for speech in speeches) == 930 + 24
    assert speeches[0].meta["speaker"] == "KužnikRafael"


def test_mets_issue(shared: Path) -> None:
    folder = shared / "formats/mets"
    found = records(folder)
    kinds = Counter(record.meta["type"] for record in found)
    assert kinds == {"ARTICLE": 10, "ADVERTISEMENT": 3, "REST": 1}
    assert sum(words(record.text) for record in found) == 7967
    assert problems(folder) == []
    assert {record.date_written for record in found} == {"01.08.1821"}
    date, _ = read_record_date(found[0])
    assert date is not None
    assert date.edtf == "1821-08-01"
    assert found[0].corpus.name == "Le Journal des Débats politiques et littéraires"
    assert (found[0].corpus.kind, found[0].language) == ("newspaper", "fr")
    assert {page.label for record in found for page in record.pages} == {"1", "2", "3", "4"}
    (issue,) = records(folder, ReadOptions(articles=False))
    assert (words(issue.text), len(issue.pages)) == (7967, 4)
    assert len(lines(issue.text)) == 746
    starts = [page.start for page in issue.pages] + [len(issue.text)]
    counts = [words(issue.text[a:b]) for a, b in itertools.pairwise(starts)]
    assert counts == [2059, 1954, 2018, 1936]
    assert METS.claims is not None
    assert len(list(METS.claims(source_of(folder / "18210801_1/18210801_1-METS.xml")))) == 4


TEXTS = [
    ("txt/lettre0533_pec.txt", 47, 363, "", "SÉNAT LETTRE N° 533 . PARIS, 22 Mai"),
    ("txt/BI/LT-an-FvR_1834-02-28.txt", 37, 373, "1834-02-28",
     "265 [28. 2. 34] Geliebter Freund, Daß Sie"),
    ("txt/BI/HvF-an-FvR_1836-11-04.txt", 63, 774, "1836-11-04",
     "267 Dresden den 4ten Nov.{November} 1836. Heute erhielt"),
    ("txt/BI/LT-an-FvR_1840-02-18f.txt", 88, 950, "1840-02-18",
     "279 Tieck an Raumer Den 18 Febr.{Februar} 40{1840}"),
    ("txt/BI/Chamisso_an_Hitzig_1815-10.txt", 191, 2555, "1815-10",
     "16. p 24-28 Wir verliessen Plymouth den 22."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "word", "date", "first"), TEXTS)
def test_txt(shared: Path, name: str, line: int, word: int, date: str, first: str) -> None:
    record = one(shared / "formats" / name)
    assert words(record.text) == word
    assert len(record.text.splitlines()) in (line, line + 1) or len(lines(record.text)) == line
    assert ends(record.text)[0] == first
    assert record.date_written == date


def test_a_folder_of_texts_is_a_sub_corpus(shared: Path) -> None:
    found = records(shared / "formats/txt")
    assert Counter(record.corpus.id for record in found) == {"BI": 4, "txt": 1}


def test_csv_with_a_byte_order_mark(shared: Path) -> None:
    found = records(shared / "formats/csv/correspondence_metadata.csv")
    assert len(found) == 519
    assert (found[0].source_id, found[-1].source_id) == ("1", "605")
    assert "\ufeff" not in "".join("".join(record.meta) for record in found)
    dates = [read_record_date(record)[0] for record in found]
    full = [date for date in dates if date and date.is_day and "/" not in date.edtf]
    assert len(full) == 511
    assert dates[0] is not None
    assert (dates[0].edtf, dates[-1] and dates[-1].edtf) == ("1914-08-15", "1920-01-09")


def test_csv_with_french_dates(shared: Path) -> None:
    found = records(shared / "formats/csv/Avignon.csv")
    assert len(found) == 1269
    assert (found[0].meta["coteArch"], found[-1].meta["coteArch"]) == ("722W", "166Fi")
    assert len({record.meta.get("coteArch") for record in found}) == 986
    assert sum(not record.text.strip() for record in found) == 47
    dates = sorted(date.edtf for record in found if (date := read_record_date(record)[0]))
    assert len(dates) == 1269
    assert (dates[0], dates[-1]) == ("1989-12-31", "2020-07-02")
    assert sum("," in record.meta.get("mlEntree", "") for record in found) == 822


def test_rebuilt_newspaper(shared: Path) -> None:
    found = records(shared / "formats/jsonl/CL-1882/5.json")
    assert len(found) == 65
    assert sum(bool(record.text.strip()) for record in found) == 12
    assert sum(words(record.text) for record in found) == 20759
    assert found[0].source_id == "CL-1882-12-16-a-i0001"
    assert words(found[0].text) == 1972
    assert ends(found[0].text)[0] == "VEVEY (Suisse) SAMEDI 16 DÉCEMBRE 1882 Ire ANNEE"
    assert sum(record.text.count("\n") for record in found) >= 2875 - 65
    assert {record.date_written for record in found} == {"1882-12-16", "1882-12-20", "1882-12-23"}


def test_canonical_pages(shared: Path) -> None:
    found = records(shared / "formats/jsonl/luxzeit1858-1858-12-07-a-pages.jsonl.bz2")
    assert [record.pages[0].index for record in found] == [0, 1, 3, 2]
    assert sum(words(record.text) for record in found) == 8036
    assert sum(len(lines(record.text)) for record in found) == 1159
    path = shared / "formats/jsonl/luxzeit1858-1858-12-07-a-pages.jsonl.bz2"
    (issue,) = records(path, ReadOptions(pages="name"))
    assert [page.index for page in issue.pages] == [0, 1, 2, 3]
    assert ends(issue.text) == (
        "Nr. 288.— Dinstag, 7. Dezember 1858. N° 288.—Mardi,",
        "1858. (1283) Sixties SBolff, S*o*«-",
    )


def test_pdf(shared: Path) -> None:
    record = one(shared / "formats/pdf/FAL_1762_12_07.pdf")
    assert len(record.pages) == 2
    cut = record.pages[1].start
    assert words(record.text[:cut]) == pytest.approx(328, rel=0.03)
    assert words(record.text[cut:]) == pytest.approx(509, rel=0.03)
    assert record.date_written == "1762-12-07"
    assert ends(record.text) == (")( 91 X A N N O N", "rafer, frifer, & i qui")


def test_xlsx(shared: Path) -> None:
    path = shared / "formats/xlsx/inventaire.xlsx"
    found = records(path)
    assert Counter(record.meta["sheet"] for record in found) == {
        "Pièces non transcrites": 95,
        "Transcription collaborative": 15,
        "Transcription automatique": 85,
        "Réserve (non prioritaire)": 29,
    }
    assert not any("&apos;" in value for record in found for value in record.meta.values())
    assert [problem.location.record for problem in problems(path)] == ["légende anthologie"]


def test_iiif(shared: Path) -> None:
    old = one(shared / "formats/iiif/bl-manifest.json")
    assert (len(old.pages), old.title) == (20, "Anzac bulletin Number 24(1917:Jun.)")
    assert (old.language, old.text) == ("en", "")
    assert all(page.image.startswith("https://api.bl.uk/image/iiif/") for page in old.pages)
    assert all(page.label == "" for page in old.pages)
    new = one(shared / "formats/iiif/nlw-newspaper-manifest.json")
    assert [page.label for page in new.pages] == ["[1]", "[2]", "[3]", "[4]"]
    assert (new.title, new.date_written) == ("Cambrian (1804-01-28)", "1804-01-28")
    (remark,) = problems(shared / "formats/iiif/nlw-newspaper-manifest.json")
    assert "14 texts on the network" in remark.reason


def test_ris(shared: Path) -> None:
    found = records(shared / "formats/ris/PublicHistoryTheses.ris")
    assert Counter(record.meta["type"] for record in found) == {"THES": 100}
    assert found[0].title.startswith("How nations mourn:the memorialisation")
    assert found[-1].title.startswith('"That was my home": Voices from the Noongar camps')
    assert sum("abstract:" not in record.text for record in found) == 7
    assert all(read_record_date(record)[0] for record in found)


def test_csl(shared: Path) -> None:
    found = records(shared / "formats/csl/bibliography-daniel-sanders.json")
    assert Counter(record.meta["type"] for record in found) == {
        "book": 57,
        "chapter": 7,
        "article-journal": 122,
        "article-newspaper": 14,
    }
    assert Counter(record.date_edtf.count("-") for record in found) == {2: 63, 1: 3, 0: 134}
    assert found[0].title.startswith("Neugriechische Volks- und Freiheitslieder")
    assert found[-1].title == "Der Zopf in der Amtssprache"


def test_one_letter_in_four_formats(shared: Path) -> None:
    folder = shared / "formats"
    options = ReadOptions(pages="name")
    name = "FRAD072_12J386_lettre0533"
    letters = {}
    for kind in ("alto", "page"):
        found = {record.source_id: record for record in records(folder / kind, options)}
        letters[kind] = found[name]
    assert [words(letter.text) for letter in letters.values()] == [364, 364]
    assert [len(letter.pages) for letter in letters.values()] == [2, 2]
    assert letters["alto"].text.split() == letters["page"].text.split()
