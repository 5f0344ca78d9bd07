"""Pages and issues in the habits of further producers: Transkribus, eScriptorium, Tesseract,
the Internet Archive, docWorks at the British Library, Kitodo and the DFG viewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from tests.ingest.making import alto, block, line, page, save, string
from trace_core.text.folding import fold

PAGE_NS = 'xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2013-07-15"'


def pcgts(body: str, head: str = "") -> str:
    return f"<PcGts {PAGE_NS}><Metadata>{head}</Metadata>{body}</PcGts>"


def text_line(text: str) -> str:
    return f"<TextLine><TextEquiv><Unicode>{text}</Unicode></TextEquiv></TextLine>"


def region(name: str, *lines: str, custom: str = "") -> str:
    return (
        f'<TextRegion id="{name}" custom="{custom}">{"".join(map(text_line, lines))}</TextRegion>'
    )


# --- ALTO ----------------------------------------------------------------------------------------


def test_a_reading_order_of_alto_4_goes_before_the_order_of_the_file(tmp_path: Path) -> None:
    order = '<ReadingOrder><OrderedGroup><ElementRef REF="b"/><ElementRef REF="a"/></OrderedGroup>'
    text = alto(page(block("a", line(string("zweitens"))), block("b", line(string("erstens")))))
    text = text.replace("<Layout>", f"{order}</ReadingOrder><Layout>")
    assert records(save(tmp_path / "p.xml", text))[0].text == "erstens\n\nzweitens"


def test_blocks_follow_the_one_that_names_them_as_its_next(tmp_path: Path) -> None:
    text = alto(
        page(
            block("head", line(string("Kopf"))),
            block("b", line(string("zweitens"))),
            block("a", line(string("erstens"))).replace("<TextBlock", '<TextBlock IDNEXT="b"'),
            block("loop", line(string("Rest"))).replace("<TextBlock", '<TextBlock IDNEXT="loop"'),
        )
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.text.split("\n\n") == ["Kopf", "erstens", "zweitens", "Rest"]


def test_confidences_with_a_decimal_comma(tmp_path: Path) -> None:
    text = alto(page(block("b", line(string("un", WC="0,5"), string("deux", WC="0.9")))))
    assert records(save(tmp_path / "p.xml", text))[0].quality == pytest.approx(0.7)


def test_a_confidence_that_is_no_number_says_nothing(tmp_path: Path) -> None:
    text = alto(page(block("b", line(string("un", WC="nan"), string("deux", WC="0.9")))))
    assert records(save(tmp_path / "p.xml", text))[0].quality == pytest.approx(0.9)


# --- PAGE ----------------------------------------------------------------------------------------


def test_tables_are_read_row_by_row_at_their_place(tmp_path: Path) -> None:
    cells = [(1, 0, "Wein"), (0, 1, "Gulden"), (0, 0, "Ware"), (1, 1, "12 fl.")]
    table = "".join(
        f'<TableCell row="{row}" col="{col}" id="c{row}{col}">{text_line(text)}</TableCell>'
        for row, col, text in cells
    )
    order = "".join(
        f'<RegionRefIndexed index="{n}" regionRef="{name}"/>' for n, name in enumerate("rts")
    )
    body = (
        f'<Page imageFilename="1.jpg"><ReadingOrder><OrderedGroup>{order}</OrderedGroup>'
        f"</ReadingOrder>{region('s', 'Summe')}{region('r', 'Rechnung')}"
        f'<TableRegion id="t">{table}</TableRegion></Page>'
    )
    (record,) = records(save(tmp_path / "p.xml", pcgts(body)))
    assert record.text == "Rechnung\n\nWare\nGulden\n\nWein\n12 fl.\n\nSumme"


def test_a_region_around_others_is_not_read_twice(tmp_path: Path) -> None:
    inner = region("a", "Der Anfang") + region("b", "und das Ende")
    whole = "<TextEquiv><Unicode>Der Anfang\nund das Ende</Unicode></TextEquiv>"
    body = f'<Page imageFilename="1.jpg"><TextRegion id="r">{inner}{whole}</TextRegion></Page>'
    (record,) = records(save(tmp_path / "p.xml", pcgts(body)))
    assert record.text == "Der Anfang\n\nund das Ende"


def test_regions_without_a_place_follow_those_that_have_one(tmp_path: Path) -> None:
    body = region("m", "am Rand") + region("p", "Haupttext", custom="readingOrder {index:0;}")
    (record,) = records(save(tmp_path / "p.xml", pcgts(f'<Page imageFilename="x">{body}</Page>')))
    assert record.text == "Haupttext\n\nam Rand"


def test_words_and_glyphs_and_the_confidence_of_the_reading_that_holds(tmp_path: Path) -> None:
    glyphs = "".join(
        f"<Glyph><TextEquiv><Unicode>{c}</Unicode></TextEquiv></Glyph>" for c in ("j", "our")
    )
    readings = (
        '<TextEquiv index="1" conf="0.2"><Unicode>bom</Unicode></TextEquiv>'
        '<TextEquiv index="0" conf="0.9"><Unicode>bon</Unicode></TextEquiv>'
    )
    words = f"<TextLine><Word>{readings}</Word><Word>{glyphs}</Word></TextLine>"
    body = (
        f'<Page imageFilename="x"><TextRegion primaryLanguage="French">{words}</TextRegion></Page>'
    )
    (record,) = records(save(tmp_path / "p.xml", pcgts(body)))
    assert (record.text, record.quality, record.language) == ("bon jour", 0.9, "fr")


def test_a_scan_and_page_number_on_the_transkribus_server(tmp_path: Path) -> None:
    head = '<TranskribusMetadata pageNr="3" imgUrl="https://files.example.org/Get?id=A&amp;f=v"/>'
    text = pcgts(f'<Page imageFilename="IMG_4711.jpg">{region("r", "Text")}</Page>', head)
    (record,) = records(save(tmp_path / "0003_IMG_4711.xml", text))
    assert (record.pages[0].label, record.pages[0].image) == (
        "3",
        "https://files.example.org/Get?id=A&f=v",
    )


# --- hOCR ----------------------------------------------------------------------------------------


def hocr(body: str) -> str:
    return f"<html><head><meta name='ocr-system' content='x'/></head><body>{body}</body></html>"


def ocr_line(*words: str, between: str = " ") -> str:
    spans = between.join(f"<span class='ocrx_word'>{word}</span>" for word in words)
    return f"<span class='ocr_line'>{spans}</span>"


def test_characters_in_boxes_make_words(tmp_path: Path) -> None:
    boxed = [
        "".join(f"\n  <span class='ocrx_cinfo' title='x_conf 98'>{c}</span>" for c in word)
        for word in ("The", "town", "hall")
    ]
    pages = [
        f"<div class='ocr_page' title='ppageno {n}; lpageno {label}'>{ocr_line(*boxed)}</div>"
        for n, label in enumerate(("i", "ii", "1"))
    ]
    (record,) = records(save(tmp_path / "book_chocr.html", hocr("".join(pages))))
    assert record.text.split("\n\n") == ["The town hall"] * 3
    assert [p.label for p in record.pages] == ["i", "ii", "1"]


def test_words_stand_apart_where_no_blank_does(tmp_path: Path) -> None:
    body = f"<div class='ocr_page'>{ocr_line('Fig.', '2', between='')}</div>"
    assert records(save(tmp_path / "a.hocr", hocr(body)))[0].text == "Fig. 2"


def test_every_file_of_one_page_has_the_number_of_its_name(tmp_path: Path) -> None:
    body = f"<div class='ocr_page' title='ppageno 0'>{ocr_line('a')}</div>"
    (record,) = records(save(tmp_path / "scan_0007.hocr", hocr(body)))
    assert record.pages[0].label == "7"


def test_lines_inside_a_heading_stay_lines(tmp_path: Path) -> None:
    heading = f"<p class='ocr_header'>{ocr_line('Chro-')}\n{ocr_line('nique')}</p>"
    alone = "<span class='ocr_caption'><span class='ocrx_word'>Fig.</span></span>"
    (record,) = records(
        save(tmp_path / "a.hocr", hocr(f"<div class='ocr_page'>{heading}{alone}</div>"))
    )
    assert record.text.split() == ["Chro-", "nique", "Fig."]
    assert "chronique" in fold(record.text)


def test_a_page_without_what_is_around_it(tmp_path: Path) -> None:
    page = f"\n<div class='ocr_page' title='ppageno 2'>{ocr_line('Un', 'mot')}</div>"
    assert [r.text for r in records(save(tmp_path / "a.hocr", page))] == ["Un mot"]


def test_characters_that_xhtml_names_are_read(tmp_path: Path) -> None:
    dtd = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "xhtml1.dtd">'
    body = f"<div class='ocr_page'>{ocr_line('Re&shy;', '&amp;', 'Th&eacute;&acirc;tre')}</div>"
    text = hocr(body)
    text = text.replace("<html", f"{dtd}<html", 1)
    assert records(save(tmp_path / "a.hocr", text))[0].text == "Re\u00ad & Théâtre"


def test_paragraphs_are_read_where_there_are_no_lines(tmp_path: Path) -> None:
    body = (
        "<div class='ocr_page'><p class='ocr_par'>Ein Absatz</p><p class='ocr_par'>Zwei</p></div>"
    )
    assert records(save(tmp_path / "a.hocr", hocr(body)))[0].text == "Ein Absatz\nZwei"


# --- METS ----------------------------------------------------------------------------------------

_METS_OF_ONE_PAGE = (
    '<mets xmlns:xlink="http://www.w3.org/1999/xlink"><dmdSec ID="D"><mods>{}</mods></dmdSec>'
    '<fileSec><fileGrp><file ID="F"><FLocat xlink:href="p.xml"/></file></fileGrp></fileSec>'
    '<structMap TYPE="PHYSICAL"><div><div ORDER="1"><fptr FILEID="F"/></div></div></structMap>'
    "</mets>"
)

_METS = (
    '<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:mods="http://www.loc.gov/mods/v3" '
    'xmlns:xlink="http://www.w3.org/1999/xlink">'
)


def dmd(name: str, title: str, date: str = "", language: str = "") -> str:
    return (
        f'<mets:dmdSec ID="{name}"><mods:mods><mods:titleInfo><mods:title>{title}</mods:title>'
        f"</mods:titleInfo><mods:dateIssued>{date}</mods:dateIssued>"
        f"<mods:languageTerm>{language}</mods:languageTerm></mods:mods></mets:dmdSec>"
    )


def file(name: str, *links: str) -> str:
    located = "".join(f'<mets:FLocat xlink:href="{link}"/>' for link in links)
    return f'<mets:file ID="{name}" MIMETYPE="text/xml">{located}</mets:file>'


def group(use: str, *files: str) -> str:
    return f'<mets:fileGrp USE="{use}">{"".join(files)}</mets:fileGrp>'


def physical_page(number: int, text: str, inside: str = "") -> str:
    return (
        f'<mets:div ID="p{number}" ORDER="{number}" ORDERLABEL="{number}" TYPE="page">'
        f'<mets:fptr FILEID="{text}"/>{inside}</mets:div>'
    )


def page_area(name: str, text: str, begin: str, end: str) -> str:
    area = f'<mets:area FILEID="{text}" BEGIN="{begin}" END="{end}"/>'
    return f'<mets:div ID="{name}" TYPE="pagearea"><mets:fptr>{area}</mets:fptr></mets:div>'


def linked(*names: str) -> str:
    ends = "".join(f'<mets:smLocatorLink xlink:href="#{name}"/>' for name in names)
    return f"<mets:smLinkGrp>{ends}</mets:smLinkGrp>"


def numbered(*lines: tuple[str, str]) -> str:
    return alto(page(block("t", *(line(string(text, ID=name)) for name, text in lines))))


def test_articles_by_structural_links_to_ranges_of_words(tmp_path: Path) -> None:
    areas = page_area("pa1", "a1", "w2", "w3") + page_area("pa2", "a1", "w4", "w4")
    mets = (
        _METS
        + dmd("I", "The Harbour Monitor.", "1811-01-27")
        + dmd("A", "", language="en")
        + dmd("B", "HOUSE OF LORDS.", language="en")
        + group("Fulltext", *(file(f"a{n}", f"m_000{n}.xml") for n in (1, 2, 3)))
        + '<mets:structMap TYPE="LOGICAL"><mets:div TYPE="ISSUE" DMDID="I">'
        '<mets:div ID="art1" TYPE="ARTICLE" DMDID="A"/>'
        '<mets:div ID="art2" TYPE="ARTICLE" DMDID="B"/></mets:div></mets:structMap>'
        '<mets:structMap TYPE="PHYSICAL"><mets:div ID="p0">'
        + physical_page(1, "a1", areas)
        + physical_page(2, "a2")
        + physical_page(3, "a3", page_area("pa3", "a3", "x1", "x1"))
        + "</mets:div></mets:structMap><mets:structLink>"
        + linked("art1", "pa1")
        + linked("art2", "pa2", "p3")
        + "</mets:structLink></mets:mets>"
    )
    save(tmp_path / "m_mets.xml", mets)
    words = (("w1", "HARBOUR"), ("w2", "The ship"), ("w3", "came in."), ("w4", "My Lords,"))
    save(tmp_path / "m_0001.xml", numbered(*words))
    save(tmp_path / "m_0002.xml", alto(page()))
    save(tmp_path / "m_0003.xml", numbered(("x1", "the question")))
    first, second, rest = records(tmp_path)
    assert (first.text, first.language) == ("The ship\ncame in.", "en")
    assert second.title == "The Harbour Monitor, 1811-01-27: HOUSE OF LORDS"
    assert second.text == "My Lords,\n\nthe question"
    assert [p.label for p in second.pages] == ["1", "3"]
    assert rest.text == "HARBOUR"


@pytest.mark.parametrize(
    "link",
    [
        "https://digi.example.org/book/FULLTEXT/0001.xml",
        "file:///srv/out/FULLTEXT/0001.xml",
        r"file://C:\out\FULLTEXT\0001.xml",
        r".\FULLTEXT\0001.xml",
    ],
)
def test_text_files_are_found_by_links_to_other_places(tmp_path: Path, link: str) -> None:
    pages = f'<mets:structMap TYPE="PHYSICAL">{physical_page(1, "f")}</mets:structMap>'
    mets = _METS + dmd("D", "Stadtbuch", "1764") + group("FULLTEXT", file("f", link)) + pages
    save(tmp_path / "book" / "mets.xml", f"{mets}</mets:mets>")
    save(tmp_path / "book" / "FULLTEXT" / "0001.xml", numbered(("w", "Erstes Capitel")))
    (record,) = records(tmp_path / "book")
    assert (record.text, record.source_id) == ("Erstes Capitel", "book")


def test_a_local_file_goes_before_the_same_on_the_network(tmp_path: Path) -> None:
    links = ("https://example.org/9", "OCR-D-OCR/0001.xml")
    mets = _METS + dmd("D", "Stadtbuch") + group("OCR-D-OCR", file("f", *links))
    save(tmp_path / "mets.xml", f"{mets}</mets:mets>")
    save(tmp_path / "OCR-D-OCR" / "0001.xml", numbered(("w", "Text")))
    assert [record.text for record in records(tmp_path)] == ["Text"]


def test_two_readings_of_the_same_pages_are_read_once(tmp_path: Path) -> None:
    pages = "".join(
        f'<mets:div ORDER="{n}"><mets:fptr><mets:area FILEID="P{n}"/></mets:fptr>'
        f'<mets:fptr><mets:area FILEID="A{n}"/></mets:fptr></mets:div>'
        for n in (2, 1)
    )
    mets = (
        _METS
        + group("PAGEXML", *(file(f"P{n}", f"page/{n}.xml") for n in (1, 2)))
        + group("ALTOXML", *(file(f"A{n}", f"alto/{n}.xml") for n in (1, 2)))
        + f'<mets:structMap TYPE="MANUSCRIPT">{pages}</mets:structMap></mets:mets>'
    )
    save(tmp_path / "mets.xml", mets)
    for n in (1, 2):
        save(tmp_path / f"page/{n}.xml", pcgts(f"<Page>{region('r', f'Seite {n}')}</Page>"))
        save(tmp_path / f"alto/{n}.xml", numbered(("w", "anders")))
    (record,) = records(tmp_path)
    assert record.text == "Seite 1\n\nSeite 2"
    (remark,) = problems(tmp_path)
    assert "2 more text files" in remark.reason


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (("OCR-D-SEG-PAGE", "OCR-D-OCR-TESS", "OCR-D-SEG-LINE-PAGE"), "OCR-D-OCR-TESS"),
        (("OCR-D-OCR-TESS", "OCR-D-OCR-CALA"), "OCR-D-OCR-CALA"),
        (("OCR-D-GT-PAGE", "OCR-D-OCR-TESS"), "OCR-D-GT-PAGE"),
        (("OCR-D-GT-SEG-PAGE", "OCR-D-OCR-TESS"), "OCR-D-OCR-TESS"),
    ],
)
def test_of_many_steps_the_best_with_text_is_read(
    tmp_path: Path, groups: tuple[str, ...], expected: str
) -> None:
    pointers = "".join(f'<mets:fptr FILEID="{name}"/>' for name in groups)
    mets = (
        _METS
        + "".join(group(name, file(name, f"{name}/1.xml")) for name in groups)
        + f'<mets:structMap TYPE="PHYSICAL"><mets:div ORDER="1">{pointers}</mets:div>'
        + "</mets:structMap></mets:mets>"
    )
    save(tmp_path / "mets.xml", mets)
    for name in groups:
        words = () if "SEG" in name else (name,)
        save(tmp_path / f"{name}/1.xml", pcgts(f"<Page>{region('r', *words)}</Page>"))
    (record,) = records(tmp_path)
    assert record.text == expected


def test_a_mets_file_as_a_harvester_wraps_it(tmp_path: Path) -> None:
    mets = _METS + dmd("D", "Stadtbuch", "1764") + group("FULLTEXT", file("f", "alto/0001.xml"))
    text = f"<OAI-PMH><GetRecord><metadata>{mets}</mets:mets></metadata></GetRecord></OAI-PMH>"
    save(tmp_path / "oai.xml", text)
    save(tmp_path / "alto" / "0001.xml", numbered(("w", "Text")))
    (record,) = records(tmp_path)
    assert (record.title, record.text) == ("Stadtbuch, 1764", "Text")


def test_issues_whose_title_is_their_date(tmp_path: Path) -> None:
    for number, day in (("46162", "1915-12-01"), ("46163", "1915-12-02")):
        pages = physical_page(1, "ocr.1").replace('ORDERLABEL="1"', 'ORDERLABEL="NP"')
        mets = (
            _METS
            + dmd("DMD.2", f"{day} (Année 12, Numéro 78)", day)
            + group("ocr", file("ocr.1", "ocr/X1.xml"))
            + f'<mets:structMap TYPE="physical">{pages}</mets:structMap></mets:mets>'
        )
        save(tmp_path / "Oeuvre" / number / "manifest.xml", mets)
        save(tmp_path / "Oeuvre" / number / "ocr" / "X1.xml", numbered(("w", day)))
    found = records(tmp_path)
    assert [(r.corpus.id, r.source_id) for r in found] == [("Oeuvre", "46162"), ("Oeuvre", "46163")]
    assert found[0].title == "1915-12-01 (Année 12, Numéro 78)"
    assert found[0].pages[0].label == ""


def test_a_mets_file_is_read_before_its_pages_whatever_its_name(tmp_path: Path) -> None:
    mets = _METS + dmd("D", "Stadtbuch", "1764") + group("FULLTEXT", file("f", "0001.xml"))
    save(tmp_path / "PPN7.xml", f'<?xml version="1.0"?>\n{mets}</mets:mets>')
    save(tmp_path / "0001.xml", numbered(("w", "Text")))
    assert [record.title for record in records(tmp_path)] == ["Stadtbuch, 1764"]


def test_the_language_of_lines(tmp_path: Path) -> None:
    lines = line(string("eins")).replace("<TextLine", '<TextLine LANG="de"')
    text = alto(page(block("b", lines, lines, line(string("two")))))
    assert records(save(tmp_path / "p.xml", text))[0].language == "de"


def test_pages_of_one_name_are_told_by_their_folders(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / "batch/sn83045462/1918/06/11/ed-1" / f"seq-{number}"
        save(folder / "ocr.xml", alto(page(block("b", line(string("WAR"))))))
    found = records(tmp_path / "batch")
    assert [(r.title, r.pages[0].label) for r in found] == [
        ("1918/06/11/ed-1/seq-1", "1"),
        ("1918/06/11/ed-1/seq-2", "2"),
    ]
    assert {r.date_written for r in found} == {"1918-06-11"}


def test_the_date_is_never_that_of_the_pictures(tmp_path: Path) -> None:
    dates = (
        '<originInfo eventType="digitization"><dateIssued>2014</dateIssued></originInfo>'
        "<originInfo><edition>[Electronic ed.]</edition><dateIssued>2015</dateIssued></originInfo>"
        "<originInfo><dateCaptured>2013</dateCaptured></originInfo>{}"
    )
    printed = (
        "<originInfo><dateCreated>1886</dateCreated>"
        '<dateIssued keyDate="yes">1887-05-12</dateIssued></originInfo>'
    )
    for name, own, expected in (("a", printed, "1887-05-12"), ("b", "", "")):
        save(tmp_path / name / "p.xml", alto(page(block("b", line(string("x"))))))
        text = _METS_OF_ONE_PAGE.format(dates.format(own))
        (record,) = records(save(tmp_path / name / "mets.xml", text).parent)
        assert record.date_written == expected


def test_a_document_of_transkribus_has_its_own_title(tmp_path: Path) -> None:
    head = "<trpDocMetadata><docId>7</docId><title>Ratsmanual</title></trpDocMetadata>"
    text = _METS_OF_ONE_PAGE.format("").replace("<fileSec>", f"<amdSec>{head}</amdSec><fileSec>")
    save(tmp_path / "7/p.xml", pcgts(f"<Page>{region('r', 'Den 12ten')}</Page>"))
    (record,) = records(save(tmp_path / "7/mets.xml", text).parent)
    assert (record.title, record.corpus.id) == ("Ratsmanual", "7")
