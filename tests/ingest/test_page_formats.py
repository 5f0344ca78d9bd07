"""ALTO, PAGE, hOCR and METS in the habits of several producers, sound and broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from tests.ingest.making import (
    ALTO_NS,
    alto,
    block,
    half,
    line,
    page,
    plain_alto,
    save,
    string,
)
from trace_core.ingest.importer import Importer
from trace_core.ingest.records import ReadOptions
from trace_core.text.folding import fold
from trace_core.text.layers import layer

HYP = '<HYP CONTENT="-"/>'


def words(text: str) -> list[str]:
    return fold(text).replace(",", " ").replace(".", " ").split()


# --- ALTO ----------------------------------------------------------------------------------------


def test_a_word_split_by_a_line_end_is_indexed_once(tmp_path: Path) -> None:
    text = alto(
        page(
            block(
                "b1",
                line(string("sont"), half("favo", 1, "favorables") + HYP),
                line(half("rables", 2, "favorables"), string("au"), string("pont")),
            )
        )
    )  # fmt: skip
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.text == "sont favo-\nrables au pont"
    assert words(record.text) == ["sont", "favorables", "au", "pont"]
    layers = layer(record.text)
    start = layers.indexed.index("favorables")
    begin, end = layers.to_shown(start, start + len("favorables"))
    assert record.text[begin:end] == "favo-\nrables"


def test_a_footnote_between_the_halves_of_a_word(tmp_path: Path) -> None:
    text = alto(
        page(
            block("column", line(string("sont"), half("favo-", 1, "favorables"))),
            block("note", line(string("(1)"), string("Voir"), string("plus"), string("haut"))),
            block("next", line(half("rables", 2, "favorables"), string("au"), string("pont"))),
        )
    )  # fmt: skip
    (record,) = records(save(tmp_path / "p.xml", text))
    assert "favo-\nrables au pont" in record.text
    assert "(1) Voir plus haut" in record.text
    assert words(record.text).count("favorables") == 1


def test_a_word_that_goes_on_over_the_page(tmp_path: Path) -> None:
    text = alto(
        page(
            block("a", line(string("Fin")), line(string("très"), half("favo-", 1, "favorables"))),
            block("foot", line(string("note"))),
        ),
        page(
            block("head", line(string("LA"), string("GAZETTE"))),
            block("b", line(half("rables", 2, "favorables"), string("au"), string("pont"))),
        ),
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert "favorables" in words(record.text)
    second = record.pages[1].start
    assert record.text[second:].startswith("rables au pont")
    assert "note" in record.text[:second]
    assert "LA GAZETTE" in record.text[second:]


def test_a_quotation_mark_repeated_in_each_line_parts_no_word(tmp_path: Path) -> None:
    text = alto(
        page(
            block("a", line(string("sont"), half("favo-", 1, "favorables"))),
            block("note", line(string("(1)"), string("Voir"))),
            block("b", line(string("»"), half("rables", 2, "favorables"), string("au"))),
        )
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.text.startswith("sont favo-\n» rables au")
    assert words(record.text)[:3] == ["sont", "favorables", "au"]


def test_pairs_are_found_by_their_whole_word(tmp_path: Path) -> None:
    text = alto(
        page(
            block("a", line(half("auto-", 1, "automobile")), line(half("mobile", 2, "automobile"))),
            block("b", line(half("bi", 1, "bicyclette")), line(half("cyclette", 2, "bicyclette"))),
            block("c", line(half("auto-", 1, "automobile"))),
        )
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert words(record.text)[:2] == ["automobile", "bicyclette"]
    assert record.text.startswith("auto-\nmobile\n\nbi\u00ad\ncyclette")


def test_confidences_in_parts_and_in_percent(tmp_path: Path) -> None:
    text = alto(page(block("b", line(string("un", WC="0.5"), string("deux", WC="90")))))
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.quality == pytest.approx((0.5 + 0.9) / 2)


@pytest.mark.parametrize(
    ("stated", "quality"),
    [
        ('PC="0.8"', 0.8),
        ('ACCURACY="65,5"', 0.655),
        ('PC="9" ACCURACY="50"', 0.5),
        ('PC="?"', None),
    ],
)
def test_the_confidence_of_a_page_where_its_words_have_none(
    tmp_path: Path, stated: str, quality: float | None
) -> None:
    text = plain_alto("un deux", "trois").replace("<Page>", f"<Page {stated}>", 1)
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.quality == (None if quality is None else pytest.approx(quality))
    assert [page.confidence for page in record.pages] == [record.quality, None]
    rated = text.replace('CONTENT="trois"', 'CONTENT="trois" WC="0.4"')
    assert records(save(tmp_path / "p.xml", rated))[0].quality == pytest.approx(0.4)


def test_both_halves_of_a_word_in_one_line(tmp_path: Path) -> None:
    halves = (half("favo", 1, "favorables"), half("rables", 2, "favorables"))
    text = alto(page(block("a", line(string("sont"), *halves, string("au")))))
    (record,) = records(save(tmp_path / "p.xml", text))
    assert words(record.text) == ["sont", "favorables", "au"]


def test_a_word_over_three_lines(tmp_path: Path) -> None:
    text = alto(
        page(
            block(
                "a",
                line(half("gou-", 1, "gouvernement")),
                line(half("verne", 2, "gouvernement") + HYP),
                line(string("ment"), string("va")),
            )
        )
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert words(record.text) == ["gouvernement", "va"]


@pytest.mark.parametrize(
    "namespace",
    ["", ALTO_NS, 'xmlns="http://schema.ccs-gmbh.com/ALTO"', 'xmlns="urn:wrong"'],
)
def test_the_namespace_does_not_matter(tmp_path: Path, namespace: str) -> None:
    text = alto(page(block("b", line(string("Texte")))), namespace=namespace)
    assert records(save(tmp_path / "p.xml", text))[0].text == "Texte"


def test_prefixed_elements_are_read(tmp_path: Path) -> None:
    text = plain_alto("Texte").replace("<alto ", "<alto:alto ").replace("</alto>", "</alto:alto>")
    text = text.replace("xmlns=", "xmlns:alto=")
    for name in ("Layout", "Page", "PrintSpace", "TextBlock", "TextLine", "String"):
        text = text.replace(f"<{name}", f"<alto:{name}").replace(f"</{name}", f"</alto:{name}")
    assert records(save(tmp_path / "p.xml", text))[0].text == "Texte"


def test_a_page_without_text_in_the_middle_is_flagged(importer: Importer, tmp_path: Path) -> None:
    source = save(tmp_path / "1887-05-12.xml", plain_alto("Un", "", "Trois"))
    report = importer.run(source)
    assert (report.new, report.empty.count) == (1, 0)
    (remark,) = report.suspicious.places
    assert "1 of 3 pages have no text (page 2)" in remark.reason
    assert remark.page == 2


def test_pages_of_one_letter_are_put_together_if_wanted(tmp_path: Path) -> None:
    for number in range(1, 12):
        save(tmp_path / f"lettre_{number}.xml", plain_alto(f"Page {number}"))
    save(tmp_path / "1887-05-12.xml", plain_alto("Un jour"))
    save(tmp_path / "1887-05-13.xml", plain_alto("Un autre"))
    found = {r.source_id: r for r in records(tmp_path, ReadOptions(pages="name"))}
    assert set(found) == {"1887-05-12", "1887-05-13", "lettre"}
    assert found["lettre"].text.split("\n\n") == [f"Page {n}" for n in range(1, 12)]
    assert [p.label for p in found["lettre"].pages] == [str(n) for n in range(1, 12)]


# --- dangers and damage --------------------------------------------------------------------------

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE alto [<!ENTITY a "aaaaaaaaaa">'
    '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;">]>'
)
FETCH = '<?xml version="1.0"?><!DOCTYPE alto [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("head", [BOMB, FETCH])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(tmp_path: Path, head: str, encoding: str) -> None:
    source = save(tmp_path / "p.xml", alto(page(), head=head), encoding)
    assert records(source) == []
    (problem,) = problems(source)
    assert "declares entities" in problem.reason
    assert str(problem.location) == "p.xml"


def test_a_truncated_file_says_where_it_breaks_off(importer: Importer, tmp_path: Path) -> None:
    whole = plain_alto("Un", "Deux").replace("<Page>", "\n<Page>")
    save(tmp_path / "a.xml", whole)
    save(tmp_path / "b.xml", whole[:-60])
    report = importer.run(tmp_path)
    assert (report.read, report.new, report.skipped.count) == (2, 1, 1)
    (place,) = report.skipped.places
    assert place.where == "b.xml:4"
    assert "breaks off" in place.reason


def test_the_bytes_are_believed_before_the_declaration(tmp_path: Path) -> None:
    wrong = '<?xml version="1.0" encoding="{}"?>'
    text = page(block("b", line(string("Été à la Chambre des députés"))))
    says_utf8 = save(tmp_path / "a.xml", alto(text, head=wrong.format("UTF-8")), "cp1252")
    says_latin = save(tmp_path / "b.xml", alto(text, head=wrong.format("ISO-8859-1")), "utf-8")
    true_latin = save(tmp_path / "c.xml", alto(text, head=wrong.format("ISO-8859-1")), "latin-1")
    for source in (says_utf8, says_latin, true_latin):
        assert records(source)[0].text == "Été à la Chambre des députés"
    assert "not; it was read as cp1252" in problems(says_utf8)[0].reason
    assert "its bytes are UTF-8" in problems(says_latin)[0].reason
    assert problems(true_latin) == []


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.xml", b"", "the file is empty"),
        ("a.xml", b"<alto><Layout/></alto>", "holds no page"),
        ("a.xml", b"<rss><channel/></rss>", "no reader knows"),
        ("a.pdf", b"%PDF-1.4\nnothing", "cannot be opened"),
        ("a.xlsx", b"PK\x03\x04 broken", "cannot be opened"),
        ("a.parquet", b"PAR1 broken", "cannot be opened"),
        ("a.zip", b"PK\x03\x04 broken", "damaged or incomplete"),
        ("a.bin", bytes(range(256)), "no reader knows"),
        ("a.jsonl.gz", b"\x1f\x8b\x08\x00broken", ""),
    ],
)
def test_one_sentence_for_what_cannot_be_read(
    importer: Importer, tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "sound.txt").write_text("Texte.")
    report = importer.run(tmp_path)
    assert (report.read, report.new, report.skipped.count) == (2, 1, 1)
    (place,) = report.skipped.places
    assert place.file.startswith(name)
    assert expected in place.reason


# --- PAGE, hOCR, METS ----------------------------------------------------------------------------


def region(name: str, *lines: str, custom: str = "") -> str:
    inner = "".join(
        f"<TextLine id='{name}{n}'><TextEquiv><Unicode>{text}</Unicode></TextEquiv></TextLine>"
        for n, text in enumerate(lines)
    )
    return f'<TextRegion id="{name}" custom="{custom}">{inner}</TextRegion>'


def pcgts(*parts: str, order: str = "") -> str:
    return f"<PcGts><Page imageFilename='a.jpg'>{order}{''.join(parts)}</Page></PcGts>"


def test_page_reading_order_with_groups(tmp_path: Path) -> None:
    order = (
        "<ReadingOrder><OrderedGroup>"
        '<RegionRefIndexed index="2" regionRef="c"/>'
        '<OrderedGroupIndexed index="0"><RegionRefIndexed index="1" regionRef="b"/>'
        '<RegionRefIndexed index="0" regionRef="d"/></OrderedGroupIndexed>'
        "</OrderedGroup></ReadingOrder>"
    )
    text = pcgts(*(region(n, n.upper()) for n in "abcd"), order=order)
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.text.split() == ["D", "B", "C", "A"]


def test_page_order_by_custom_attribute(tmp_path: Path) -> None:
    parts = [region(n, n, custom=f"readingOrder {{index:{i};}}") for n, i in (("a", 1), ("b", 0))]
    (record,) = records(save(tmp_path / "p.xml", pcgts(*parts)))
    assert record.text.split() == ["b", "a"]


def test_page_takes_the_lowest_text_and_words_only_without_one(tmp_path: Path) -> None:
    text = (
        "<PcGts><Page><TextRegion id='r'><TextLine id='1'>"
        "<Word><TextEquiv conf='0.5'><Unicode>wrrd</Unicode></TextEquiv></Word>"
        "<TextEquiv index='1'><Unicode>second</Unicode></TextEquiv>"
        "<TextEquiv index='0'><Unicode>first</Unicode></TextEquiv></TextLine>"
        "<TextLine id='2'><Word><TextEquiv conf='0.7'><Unicode>only</Unicode></TextEquiv></Word>"
        "<Word><TextEquiv><Unicode>words</Unicode></TextEquiv></Word></TextLine>"
        "</TextRegion></Page></PcGts>"
    )
    (record,) = records(save(tmp_path / "p.xml", text))
    assert record.text == "first\nonly words"
    assert record.quality == pytest.approx(0.6)


def test_hocr_that_is_no_xml(tmp_path: Path) -> None:
    text = (
        "<html><head><meta name='ocr-system' content='x'></head><body>"
        "<div class='ocr_page' title='image \"a.png\"; ppageno 0'><p class='ocr_par'>"
        "<span class='ocr_line'>Un <b>deux</b><br>trois</span>"
        "<span class='ocr_line'>quatre &eacute;t&eacute;</span></p></div>"
        "<div class='ocr_page' title='ppageno 1'></div></body></html>"
    )
    (record,) = records(save(tmp_path / "p.html", text))
    assert record.text.split("\n")[1] == "quatre été"
    assert [p.label for p in record.pages] == ["1", "2"]


METS = """<mets xmlns:xlink="http://www.w3.org/1999/xlink" LABEL="La Gazette">
<dmdSec ID="D1"><mdWrap><xmlData><mods><titleInfo><title>La Gazette</title></titleInfo>
<originInfo><dateIssued>1887-05-12</dateIssued></originInfo></mods></xmlData></mdWrap></dmdSec>
<fileSec><fileGrp USE="FULLTEXT">
<file ID="F1" MIMETYPE="text/xml"><FLocat xlink:href="{first}"/></file>
<file ID="F2" MIMETYPE="text/xml"><FLocat xlink:href="{second}"/></file>
</fileGrp></fileSec>
<structMap TYPE="PHYSICAL"><div TYPE="issue">
<div ORDER="2" ORDERLABEL="II"><fptr FILEID="F2"/></div>
<div ORDER="1" ORDERLABEL="I"><fptr FILEID="F1"/></div></div></structMap>
<structMap TYPE="LOGICAL"><div TYPE="Newspaper"><div TYPE="ISSUE" DMDID="D1">
<div TYPE="ARTICLE" ID="A1" LABEL="Le pont">
<div><fptr><area FILEID="F1" BEGIN="b2"/></fptr></div>
<div><fptr><area FILEID="F2" BEGIN="b1"/></fptr></div></div></div></div></structMap></mets>"""


def issue(folder: Path, first: str = "alto/p1.xml", second: str = "alto/p2.xml") -> Path:
    one = page(block("b1", line(string("LA GAZETTE"))), block("b2", line(string("Le pont"))))
    save(folder / "alto/p1.xml", alto(one))
    save(folder / "alto/p2.xml", alto(page(block("b1", line(string("est tombé"))))))
    save(folder / "mets.xml", METS.format(first=first, second=second))
    return folder


def test_mets_articles_and_what_lies_outside_them(tmp_path: Path) -> None:
    found = {r.meta["type"]: r for r in records(issue(tmp_path))}
    assert found["ARTICLE"].text == "Le pont\n\nest tombé"
    assert found["ARTICLE"].title == "La Gazette, 1887-05-12: Le pont"
    assert [(p.index, p.label) for p in found["ARTICLE"].pages] == [(0, "I"), (1, "II")]
    assert found["REST"].text == "LA GAZETTE"
    assert set(found) == {"ARTICLE", "REST"}


def test_mets_with_a_missing_page(importer: Importer, tmp_path: Path) -> None:
    folder = issue(tmp_path, second="alto/p9.xml")
    report = importer.run(folder)
    # The page that the METS file does not name is a document of its own: nothing is lost.
    assert (report.new, report.skipped.count) == (3, 0)
    assert any("alto/p9.xml is not beside" in p.reason for p in report.suspicious.places)


def test_mets_never_leaves_its_folder(tmp_path: Path) -> None:
    save(tmp_path / "secret.xml", plain_alto("geheim"))
    folder = issue(tmp_path / "in", first="../secret.xml", second="http://example.org/p.xml")
    texts = [r.text for r in records(folder)]
    assert "geheim" not in "".join(texts)


def test_mets_under_a_linked_folder_reads_each_page_once(tmp_path: Path) -> None:
    issue(tmp_path / "store/gazette")
    (tmp_path / "linked").symlink_to(tmp_path / "store", target_is_directory=True)
    direct = [(r.meta["type"], r.text) for r in records(tmp_path / "store/gazette")]
    assert [(r.meta["type"], r.text) for r in records(tmp_path / "linked/gazette")] == direct


def test_mets_does_not_follow_a_link_out_of_its_folder(tmp_path: Path) -> None:
    save(tmp_path / "secret.xml", plain_alto("geheim"))
    folder = issue(tmp_path / "in", first="alto/out.xml")
    (folder / "alto/out.xml").symlink_to(tmp_path / "secret.xml")
    articles = [r.text for r in records(folder) if r.meta.get("type") == "ARTICLE"]
    assert "geheim" not in "".join(articles)
