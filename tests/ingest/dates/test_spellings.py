"""Spellings of charters, old prints, letters, databases: what they mean, what is not read."""

from __future__ import annotations

import edtf
import pytest

from trace_core.domain.dates import HistoricalDate, Undated, iso_day
from trace_core.ingest.dates import read_date


def meaning(text: str) -> str:
    date = read_date(text)
    assert isinstance(date, HistoricalDate), date
    edtf.parse_edtf(date.edtf)
    assert date.written == text
    return date.edtf


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10/21 mars 1712", "1712-03-21"),
        ("12./24. Mai 1812", "1812-05-24"),
        ("27 Dec. 1765/7 Jan. 1766", "1766-01-07"),
        ("25 Oct./7 Nov. 1917", "1917-11-07"),
        ("25 octobre (7 novembre) 1917", "1917-11-07"),
        ("12 May 1700 [23 May N.S.]", "1700-05-23"),
        ("10/20 mars 1712", "1712-03-10/1712-03-20"),
        ("12/13 mai 1640", "1640-05-12/1640-05-13"),
        ("Feb. 3, 1698/9", "1699-02-03"),
        ("8 décembre 1793 (vieux style)", "1793-12-08"),
        ("8 décembre 1693 (vieux style)", "1693-12-18"),
        ("5 Dec. 1793 O.S.", "1793-12-16"),
        ("1887 (12 mai)", "1887-05-12"),
    ],
)
def test_days_in_two_calendars(text: str, expected: str) -> None:
    assert meaning(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MDCCLXXXIX", "1789"),
        ("M.DCC.LXXXIX.", "1789"),
        ("M DCC LXXXIX", "1789"),
        ("Anno M.DC.XX.", "1620"),
        ("3 mai MDCCCCIIII", "1904-05-03"),
        ("MDCVIJ", "1607"),
        ("Anno Dom. 1620]", "1620"),
        ("XIV kal. Maii 1350", "1350-04-18"),
        ("a.d. III non. Iulii 1455", "1455-07-05"),
        ("pridie kal. Augusti 1455", "1455-07-31"),
        ("Idibus Martiis 1455", "1455-03-15"),
        ("Kalendis Maii 1455", "1455-05-01"),
        ("le xij mai 1525", "1525-05-12"),
        ("le iij de mai 1525", "1525-05-03"),
        ("XXVIII. Februar 1525", "1525-02-28"),
        ("3 Maij 1525", "1525-05-03"),
        ("A° 1525", "1525"),
        ("ultimo Februarii 1648", "1648-02-29"),
        ("le dernier jour de mai 1650", "1650-05-31"),
        ("letzter Mai 1650", "1650-05-31"),
        ("IV kal. Martii 1456", "1456-02-27"),
        ("IV kal. Martii 1455", "1455-02-26"),
        ("a.d. III Non. Apr. MDXLII", "1542-04-03"),
        ("prid. Id. Oct. 1623", "1623-10-14"),
        ("die 14 mensis Augusti anno Domini 1385", "1385-08-14"),
        ("A.D. 79", "0079"),
    ],
)
def test_roman_years_and_days(text: str, expected: str) -> None:
    assert meaning(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1887-05-00", "1887-05"),
        ("1887-00-00", "1887"),
        ("00/05/1887", "1887-05"),
        ("00.00.1887", "1887"),
        ("xx.05.1887", "1887-05"),
        ("1887-05-XX", "1887-05"),
        ("1887-05-??", "1887-05"),
        ("not after 1525", "../1525"),
        ("1887-05-12+02:00", "1887-05-12"),
        ("1887-05-12Z", "1887-05-12"),
        ("o.J. [1887]", "1887"),
        ("zw. 1887 u. 1889", "1887/1889"),
        ("1887 od. 1888", "[1887,1888]"),
        ("Anf. Mai 1887", "1887-05-01~/1887-05-10~"),
        ("1. Quartal 1887", "1887-01/1887-03"),
        ("premier semestre 1887", "1887-01/1887-06"),
        ("44 a.C.", "-0043"),
        ("III secolo a.C.", "-0299/-0200"),
        ("fin XVIIIe", "1768~/1800~"),
        ("fin XVIIIe - début XIXe siècle", "1768~/1834~"),
        ("XVIIe siècle, 1ère moitié", "1601/1650"),
        ("15. Jh., 2. Hälfte", "1451/1500"),
        ("2. H. 18. Jh.", "1751/1800"),
        ("s. XV ex.", "1468~/1500~"),
        ("secc. XVI-XVII", "1501/1700"),
        ("fine Settecento", "1768~/1800~"),
        ("nicht vor 1520", "1520/.."),
        ("pas après 1520", "../1520"),
        ("au plus tard en 1520", "../1520"),
        ("1887, recte 1888", "1888"),
        ("1887, le 12 mai", "1887-05-12"),
        ("Thu, 12 May 1887 00:00:00 GMT", "1887-05-12"),
    ],
)
def test_spellings_of_databases_and_catalogues(text: str, expected: str) -> None:
    assert meaning(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("22d Decr. 1799", "1799-12-22"),
        ("Bern den 3ten Augstm. 1764", "1764-08-03"),
        ("Jany. 3. 1799", "1799-01-03"),
        ("May ye 3d 1699", "1699-05-03"),
        ("li 3 7mbre 1690", "1690-09-03"),
        ("addì 12 di maggio 1640", "1640-05-12"),
        ("1º de enero de 1690", "1690-01-01"),
        ("l'an IIe de la République française", "1793-09-22/1794-09-21"),
        ("10 vendémiaire, l'an quatrième", "1795-10-02"),
        ("4e jour compl. an 3", "1795-09-20"),
        ("Ier août 1821", "1821-08-01"),
        ("the 12th day of May 1887", "1887-05-12"),
        ("Jahr VII der Republik", "1798-09-22/1799-09-22"),
    ],
)
def test_abbreviations_of_letters(text: str, expected: str) -> None:
    assert meaning(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Pâques 1588", "feast"),
        ("Martini 1588", "feast"),
        ("in vigilia Nativitatis 1455", "feast"),
        ("the 5th inst.", "month of its letter"),
        ("12th ult.", "month of its letter"),
        ("XX. Juli 1525", "No known way"),
        ("Sonntag, 30. Februar 1887", "no day 30"),
        ("1887/8", "not part of a date"),
        ("0000-00-00", "no date is given"),
        ("VIII kal. Ianuarii 1455", "No known way"),
        ("VI kal. Martii 1456", "No known way"),
        ("M. C. Lefèvre", "No known way"),
        ("id. oct. 1887", "No known way"),
        ("S. 15", "No known way"),
        ("Ve République", "not part of a date"),
        ("[1890,1887]", "wrong order"),
        ("MLC", "No known way"),
        ("l'an quatrième du règne", "not part of a date"),
    ],
)
def test_what_would_be_a_guess_is_undated(text: str, reason: str) -> None:
    date = read_date(text)
    assert isinstance(date, Undated), date
    assert reason in date.reason


@pytest.mark.parametrize(
    ("text", "earliest", "latest"),
    [
        ("[1887,1888]", "1887-01-01", "1888-12-31"),
        ("{1887-05-12,1887-05-14}", "1887-05-12", "1887-05-14"),
        ("[1887..1890]", "1887-01-01", "1890-12-31"),
        ("[1887-05-12..]", "1887-05-12", "9999-12-31"),
    ],
)
def test_sets_are_read_as_edtf_writes_them(text: str, earliest: str, latest: str) -> None:
    assert meaning(text) == text
    date = read_date(text)
    assert isinstance(date, HistoricalDate)
    assert (iso_day(date.earliest), iso_day(date.latest)) == (earliest, latest)


@pytest.mark.parametrize(
    "text", ["1887 ou 1888", "12 mai 1887 et 14 mai 1887", "vers 1887-1890", "fin mars 1887"]
)
def test_what_was_read_is_read_again_from_its_edtf(text: str) -> None:
    date = read_date(text)
    assert isinstance(date, HistoricalDate)
    again = read_date(date.edtf)
    assert isinstance(again, HistoricalDate), again
    assert (again.edtf, again.earliest, again.latest) == (date.edtf, date.earliest, date.latest)
