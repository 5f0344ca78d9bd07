"""TEI: breaks inside words, choices, dates of the source, debates, corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ingest.conftest import problems, records
from tests.ingest.making import save
from trace_core.ingest.preparing import read_record_date
from trace_core.ingest.records import ReadOptions, SourceRecord
from trace_core.text.folding import fold
from trace_core.text.layers import layer


def tei(body: str, header: str = "", front: str = "") -> str:
    return (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f"<title>Titre</title></titleStmt></fileDesc>{header}</teiHeader>"
        f"<text>{front}<body>{body}</body></text></TEI>"
    )


def read(tmp_path: Path, text: str, options: ReadOptions | None = None) -> list[SourceRecord]:
    return records(save(tmp_path / "a.xml", text), options)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>puis<lb break='no'/>qu'ils</p>", "puis\u00ad\nqu'ils"),
        ("<p>con-<lb break='no'/>\n   tribuer</p>", "con-\ntribuer"),
        ("<p>un<lb/>deux</p>", "un\ndeux"),
        ("<p>un<pb n='2'/>deux</p>", "un\ndeux"),
        ("<p>on é<subst>\n <del>x</del>\n <add>ga</add>\n</subst>re</p>", "on égare"),
        ("<p>il <choice><sic>et</sic><corr>est</corr></choice> là</p>", "il et là"),
        ("<p><choice><abbr>M.</abbr><expan>Monsieur</expan></choice> X</p>", "M. X"),
        ("<p>un<note>deux</note>trois</p>", "un deux trois"),
        ("<u><seg>un<vocal><desc>(oh)</desc></vocal>deux</seg></u>", "un (oh) deux"),
        ("<u><seg>un</seg><kinesic><desc>(rit)</desc></kinesic></u>", "un\n\n(rit)"),
        ("<p>un</p><p>deux</p>", "un\n\ndeux"),
        ("<lg><l>un</l><l>deux</l></lg>", "un\ndeux"),
        ("<sp><speaker>A</speaker><p>un</p></sp>", "A\n\nun"),
        ("<p>un <hi>deux</hi>trois <gap/>quatre</p>", "un deuxtrois quatre"),
        ("<p>&#233;t&#233; <!-- rien -->chaud<?pi x?></p>", "été chaud"),
        (
            "<table><row><cell>a</cell><cell>b</cell></row><row><cell>c</cell></row></table>",
            "a b\nc",
        ),
    ],
)
def test_the_running_text(tmp_path: Path, body: str, expected: str) -> None:
    (record,) = read(tmp_path, tei(body))
    assert record.text == expected


def test_a_word_over_a_page_break_is_joined_and_its_page_known(tmp_path: Path) -> None:
    body = "<pb n='1' facs='https://x.org/1.jpg'/><p>puis<pb n='2' break='no' facs='#z'/>sance</p>"
    text = tei(body).replace(
        "<text>",
        "<facsimile><surface xml:id='z'><graphic url='https://x.org/2.jpg'/></surface></facsimile>"
        "<text>",
    )
    (record,) = read(tmp_path, text)
    assert fold(record.text) == "puissance"
    assert [(p.label, p.image) for p in record.pages] == [
        ("1", "https://x.org/1.jpg"),
        ("2", "https://x.org/2.jpg"),
    ]
    assert record.text[record.pages[1].start :] == "sance"


DATES = [
    ("<profileDesc><creation><date when='1887-05'/></creation></profileDesc>", "1887-05"),
    (
        "<profileDesc><settingDesc><setting><date from='1887-05-01' to='1887-05-03'/></setting>"
        "</settingDesc></profileDesc>",
        "1887-05-01/1887-05-03",
    ),
    (
        "<profileDesc><correspDesc><correspAction type='received'><date when='1919-06-01'/>"
        "</correspAction><correspAction type='sent'><date when='1919-05-22'/></correspAction>"
        "</correspDesc></profileDesc>",
        "1919-05-22",
    ),
    (
        "<publicationStmt><date when='2020'/></publicationStmt>"
        "<sourceDesc><bibl><date>12 mai 1887</date></bibl></sourceDesc>",
        "1887-05-12",
    ),
]


@pytest.mark.parametrize(("header", "edtf"), DATES)
def test_the_date_is_that_of_the_source(tmp_path: Path, header: str, edtf: str) -> None:
    (record,) = read(tmp_path, tei("<p>x</p>", header))
    date, _ = read_record_date(record)
    assert date is not None
    assert date.edtf == edtf


def test_the_date_of_the_edition_is_no_date(tmp_path: Path) -> None:
    header = "<publicationStmt><date when='2020'/></publicationStmt>"
    (record,) = read(tmp_path, tei("<p>x</p>", header))
    assert read_record_date(record)[0] is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("<surname>Goethe</surname><forename>J. W.</forename>", "Goethe, J. W."),
        ("<forename>Jean</forename><nameLink>de</nameLink><surname>X</surname>", "Jean de X"),
        ("Jean <hi>Dup</hi>ont", "Jean Dupont"),
    ],
)
def test_a_name_in_parts_is_put_together(tmp_path: Path, name: str, expected: str) -> None:
    author = f"</title><author><persName>{name}</persName></author>"
    (record,) = read(tmp_path, tei("<p>x</p>").replace("</title>", author))
    assert record.meta["author"] == expected


def test_speeches_with_what_stands_between_them(tmp_path: Path) -> None:
    body = (
        "<div><head>Séance</head><u who='#goblet'><seg>Un.</seg></u>"
        "<note>Applaudissements.</note><u who='#ferry'><seg>Deux.</seg></u><note>Fin.</note></div>"
    )
    (whole,) = read(tmp_path, tei(body))
    assert (whole.corpus.kind, whole.meta["speakers"]) == ("debates", "goblet, ferry")
    first, second = read(tmp_path, tei(body), ReadOptions(speeches=True))
    assert first.text == "Séance\n\nUn."
    assert second.text == "Applaudissements.\n\nDeux.\n\nFin."
    assert (second.meta["speaker"], second.source_id) == ("ferry", "a#u2")


def test_a_corpus_of_texts(tmp_path: Path) -> None:
    two = tei("<p>un</p>") + tei("<p>deux</p>").replace("<TEI ", '<TEI xml:id="zwei" ')
    found = read(tmp_path, f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">{two}</teiCorpus>')
    assert [(r.source_id, r.text) for r in found] == [("a#1", "un"), ("a#zwei", "deux")]


def test_named_characters_without_a_declaration(tmp_path: Path) -> None:
    (record,) = read(tmp_path, tei("<p>l'&eacute;t&eacute; &amp; l&#8217;hiver&nbsp;!</p>"))
    assert record.text == "l'été & l’hiver !"


def test_tei_that_breaks_off(tmp_path: Path) -> None:
    source = save(tmp_path / "a.xml", tei("<p>un</p>\n<p>deux")[:-20])
    (problem,) = problems(source)
    assert problem.location.line == 2


def test_tokens_are_put_together_as_they_were_written(tmp_path: Path) -> None:
    body = (
        '<u who="#A"><seg><s><w>Ich</w>\n<w>eröffne</w>\n<name><w>die</w>\n'
        '<w join="right">Sitzung</w></name>\n<pc>.</pc>\n</s>\n<s><pc join="right">„</pc>\n'
        '<w join="right">Zum<w norm="zu"/><w norm="dem"/></w>\n<pc join="left">!</pc></s></seg></u>'
    )
    assert records(save(tmp_path / "a.xml", tei(body)))[0].text == "Ich eröffne die Sitzung. „Zum!"


def test_forme_work_between_the_halves_of_a_word(tmp_path: Path) -> None:
    body = (
        '<p>Der Zug und das Ver-<lb/>hältnis der Men-<lb/><fw type="catch">schen</fw>'
        '<pb n="4"/><fw type="header">Reise</fw>schen in<lb/>Europa.</p>'
    )
    (record,) = records(save(tmp_path / "a.xml", tei(body)))
    assert "verhaltnis der menschen in\nreise\neuropa" in layer(record.text).indexed
    assert record.text.count("schen") == 2
    assert record.text[record.pages[0].start :] == "schen in\nReise\nEuropa."


def test_the_sign_of_early_english_editions_for_a_broken_word(tmp_path: Path) -> None:
    (record,) = records(save(tmp_path / "a.xml", tei("<p>A SER\u2223MON vn\u2223to you</p>")))
    assert layer(record.text).indexed == "a sermon vnto you"


def test_a_transcription_by_surfaces_is_read(tmp_path: Path) -> None:
    text = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><sourceDoc><surface><zone>'
        "<line>vers un</line><line>vers deux</line></zone></surface></sourceDoc></TEI>"
    )
    assert records(save(tmp_path / "a.xml", text))[0].text == "vers un\nvers deux"


def test_the_switches_of_an_old_edition_are_no_danger(tmp_path: Path) -> None:
    old = (
        "<!DOCTYPE TEI.2 PUBLIC 'x' 'tei2.dtd' [<!ENTITY % TEI.prose 'INCLUDE'>\n"
        '<!ENTITY % TEI.XML "INCLUDE"> ]>\n'
    )
    body = "<TEI.2><teiHeader/><text><body><p>&Eacute;crit.</p></body></text></TEI.2>"
    assert records(save(tmp_path / "a.xml", old + body))[0].text == "Écrit."
    bomb = old.replace(" ]>", '<!ENTITY a "&#x61;&#x61;"> ]>') + body
    (refused,) = problems(save(tmp_path / "b.xml", bomb))
    assert "entities" in refused.reason


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>ein <app><lem>Text</lem><rdg wit='#B'>Texte</rdg></app>.</p>", "ein Text."),
        ("<p>ein <app><rdg>Wort</rdg><rdg>Worte</rdg></app>.</p>", "ein Wort."),
        ("<p>ein<space/>Wort</p>", "ein Wort"),
    ],
)
def test_readings_and_spaces(tmp_path: Path, body: str, expected: str) -> None:
    assert read(tmp_path, tei(body))[0].text == expected


def test_an_edition_of_several_letters_has_the_dates_of_all(tmp_path: Path) -> None:
    def letter(date: str, when: str = "") -> str:
        given = f' when="{when}"' if when else ""
        return f"<div><opener><dateline><date{given}>{date}</date></dateline></opener></div>"

    dated = letter("3. März 1848", "1848-03-03") + letter("4. Mai 1848", "1848-05-04")
    date, _ = read_record_date(read(tmp_path, tei(dated))[0])
    assert date is not None
    assert (date.edtf, date.written) == ("1848-03-03/1848-05-04", "3. März 1848 … 4. Mai 1848")
    alone, _ = read_record_date(read(tmp_path, tei(letter("3. März 1848")))[0])
    assert alone is not None
    assert alone.edtf == "1848-03-03"
    plain = letter("3. März 1848") + letter("4. Mai 1848")
    none, reason = read_record_date(read(tmp_path, tei(plain))[0])
    assert none is None
    assert "3. März 1848" in reason
