"""Dates of one field: each way of writing, its EDTF and its bounds; what is refused, and why."""

from __future__ import annotations

import edtf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core.domain.dates import HistoricalDate, Undated, iso_day
from trace_core.ingest.dates import guess_order, read_date

DAY = "1887-05-12"


def read(text: str) -> HistoricalDate:
    date = read_date(text)
    assert isinstance(date, HistoricalDate), date
    edtf.parse_edtf(date.edtf)
    assert date.written == text
    return date


@pytest.mark.parametrize(
    "text",
    [
        "1887-05-12",
        "18870512",
        "1887/05/12",
        "1887.05.12",
        "1887-05-12T00:00:00Z",
        "1887-05-12 00:00:00",
        "12.05.1887",
        "12. 5. 1887",
        "12.V.1887",
        "12-May-1887",
        "le 12 mai 1887",
        "12 MAI 1887",
        "May 12, 1887",
        "May 12th 1887",
        "12th of May 1887",
        "12. Mai 1887",
        "den 12ten Mai 1887",
        "12 maggio 1887",
        "12 Maii 1887",
        "jeudi 12 mai 1887",
        "Donnerstag, den 12. Mai 1887",
        "Thursday, 12 May 1887",
        "Paris, le 12 mai 1887",
        "Bern, 12. Mai 1887",
        "1887, 12 mai",
        "12 [mai] 1887",
        "[12 mai] 1887",
        " 12 mai 1887 ",
        "12 wonnemond 1887",
        "1887 [i.e. 12 mai 1887]",
    ],
)
def test_one_day_in_many_ways(text: str) -> None:
    date = read(text)
    assert date.edtf == DAY
    assert date.is_day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1er mars 1887", "1887-03-01"),
        ("12 7bre 1787", "1787-09-12"),
        ("3 8bre 1787", "1787-10-03"),
        ("3 9bre 1787", "1787-11-03"),
        ("3 Xbre 1787", "1787-12-03"),
        ("12 Januarii 1650", "1650-01-12"),
        ("3. Hornung 1799", "1799-02-03"),
        ("12 Heumonat 1799", "1799-07-12"),
        ("12. Jänner 1887", "1887-01-12"),
        ("1 août 1914", "1914-08-01"),
        ("3 dicembre 1860", "1860-12-03"),
        ("13/05/1887", "1887-05-13"),
        ("05/13/1887", "1887-05-13"),
        ("05/05/1887", "1887-05-05"),
        ("11 frimaire an VII", "1798-12-01"),
        ("11 frimaire an 7 (1er décembre 1798)", "1798-12-01"),
        ("9 thermidor an II de la République française une et indivisible", "1794-07-27"),
        ("3e jour complémentaire an VI", "1798-09-19"),
        ("10 Feb 1700/01", "1701-02-10"),
        ("12 May 1700 O.S.", "1700-05-23"),
        ("12 mai 1700 (julien)", "1700-05-23"),
        ("12. Mai 1700 alten Stils", "1700-05-23"),
        ("29 February 1700 O.S.", "1700-03-11"),
        ("12 mai 1700 (grégorien)", "1700-05-12"),
    ],
)
def test_days_of_other_months_and_calendars(text: str, expected: str) -> None:
    date = read(text)
    assert (date.edtf, iso_day(date.earliest), date.is_day) == (expected, expected, True)


@pytest.mark.parametrize(
    ("text", "expected", "first", "last"),
    [
        ("mai 1887", "1887-05", "1887-05-01", "1887-05-31"),
        ("Sept. 1887", "1887-09", "1887-09-01", "1887-09-30"),
        ("1887", "1887", "1887-01-01", "1887-12-31"),
        ("[1887?]", "1887?", "1887-01-01", "1887-12-31"),
        ("ca. 1887", "1887~", "1887-01-01", "1887-12-31"),
        ("vers mai 1887", "1887-05~", "1887-05-01", "1887-05-31"),
        ("um 1887", "1887~", "1887-01-01", "1887-12-31"),
        ("[ca. 1887?]", "1887%", "1887-01-01", "1887-12-31"),
        ("s.d. [vers 1887]", "1887~", "1887-01-01", "1887-12-31"),
        ("début mars 1887", "1887-03-01~/1887-03-10~", "1887-03-01", "1887-03-10"),
        ("Anfang März 1887", "1887-03-01~/1887-03-10~", "1887-03-01", "1887-03-10"),
        ("mi-mars 1887", "1887-03-11~/1887-03-20~", "1887-03-11", "1887-03-20"),
        ("late March 1887", "1887-03-21~/1887-03-31~", "1887-03-21", "1887-03-31"),
        ("fin 1887", "1887-09~/1887-12~", "1887-09-01", "1887-12-31"),
        ("été 1887", "1887-22", "1887-06-01", "1887-08-31"),
        ("Winter 1887/88", "1887-12/1888-02", "1887-12-01", "1888-02-29"),
        ("hiver 1887", "1887-24", "1887-01-01", "1888-02-29"),
        ("1880s", "188X", "1880-01-01", "1889-12-31"),
        ("les années 1880", "188X", "1880-01-01", "1889-12-31"),
        ("1880er Jahre", "188X", "1880-01-01", "1889-12-31"),
        ("Mitte der 1880er Jahre", "1884~/1886~", "1884-01-01", "1886-12-31"),
        ("XIXe siècle", "1801/1900", "1801-01-01", "1900-12-31"),
        ("19. Jh.", "1801/1900", "1801-01-01", "1900-12-31"),
        ("5th century BC", "-0499/-0400", "-0499-01-01", "-0400-12-31"),
        ("première moitié du XIXe siècle", "1801/1850", "1801-01-01", "1850-12-31"),
        ("2. Hälfte 19. Jahrhundert", "1851/1900", "1851-01-01", "1900-12-31"),
        ("XVIIIe-XIXe siècle", "1701/1900", "1701-01-01", "1900-12-31"),
        ("18XX", "18XX", "1800-01-01", "1899-12-31"),
        ("188-", "188X", "1880-01-01", "1889-12-31"),
        ("an VII", "1798-09-22/1799-09-22", "1798-09-22", "1799-09-22"),
        ("An 7 [1798/99]", "1798-09-22/1799-09-22", "1798-09-22", "1799-09-22"),
        ("floréal an II", "1794-04-20/1794-05-19", "1794-04-20", "1794-05-19"),
        ("477 BCE", "-0476", "-0476-01-01", "-0476-12-31"),
        ("477 av. J.-C.", "-0476", "-0476-01-01", "-0476-12-31"),
        ("477 v. Chr.", "-0476", "-0476-01-01", "-0476-12-31"),
        ("year 576", "0576", "0576-01-01", "0576-12-31"),
        ("AD 576", "0576", "0576-01-01", "0576-12-31"),
        ("1700/01", "1700/1701", "1700-01-01", "1701-12-31"),
    ],
)
def test_periods(text: str, expected: str, first: str, last: str) -> None:
    date = read(text)
    assert (date.edtf, iso_day(date.earliest), iso_day(date.latest)) == (expected, first, last)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1887-1889", "1887/1889"),
        ("1887-89", "1887/1889"),
        ("1914-18", "1914/1918"),
        ("de 1887 à 1889", "1887/1889"),
        ("zwischen 1887 und 1889", "1887/1889"),
        ("mars-avril 1887", "1887-03/1887-04"),
        ("12-15 mai 1887", "1887-05-12/1887-05-15"),
        ("12 et 13 mai 1887", "1887-05-12/1887-05-13"),
        ("du 12 au 15 mai 1887", "1887-05-12/1887-05-15"),
        ("dal 3 al 7 maggio 1887", "1887-05-03/1887-05-07"),
        ("May 12-15, 1887", "1887-05-12/1887-05-15"),
        ("28 mars - 2 avril 1887", "1887-03-28/1887-04-02"),
        ("28 décembre - 2 janvier 1888", "1887-12-28/1888-01-02"),
        ("1917-12-26 - 1918-02-15", "1917-12-26/1918-02-15"),
        ("1917-12-26/1918-02-15", "1917-12-26/1918-02-15"),
        ("entre le 3 et le 7 mai 1887", "1887-05-03/1887-05-07"),
        ("between May 3 and May 7, 1887", "1887-05-03/1887-05-07"),
        ("1887 ou 1888", "[1887,1888]"),
        ("avant 1887", "../1886"),
        ("vor dem 12. Mai 1887", "../1887-05-11"),
        ("après mai 1887", "1887-06/.."),
        ("nach 1887", "1888/.."),
        ("depuis 1887", "1887/.."),
        ("bis 1887", "../1887"),
        ("1887~/..", "1887~/.."),
        ("1887-21", "1887-21"),
        ("477-431 BC", "-0476/-0430"),
    ],
)
def test_ranges_and_open_intervals(text: str, expected: str) -> None:
    assert read(text).edtf == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("NA", "no date is given"),
        ("s.d.", "no date is given"),
        ("[n.d.]", "no date is given"),
        ("o.D.", "no date is given"),
        ("sans date", "no date is given"),
        ("?", "no date is given"),
        ("31 février 1887", "no day 31"),
        ("1887-02-30", "no day 30"),
        ("30 février 1700 (julien)", "no day 30"),
        ("an 15", "no year 15"),
        ("6e jour complémentaire an VI", "no such day"),
        ("12/05/1887", "day and month"),
        ("12 mai 87", "two digits"),
        ("12/05/87", "two digits"),
        ("80er Jahre", "without its century"),
        ("12 mai", "year is missing"),
        ("12", "bare number"),
        ("1889-1887", "runs backwards"),
        ("10 Oct 1700/01", "double year"),
        ("11 frimaire an VII (3 mai 1887)", "contradict"),
        ("Procès-verbal", "No known way"),
        ("12 mai 1887 copie", "not part of a date"),
        ("x" * 300, "is a text"),
    ],
)
def test_what_cannot_be_read_is_undated_with_the_reason(text: str, reason: str) -> None:
    date = read_date(text)
    assert isinstance(date, Undated)
    assert reason in date.reason
    assert date.reason.endswith(".")


def test_the_order_of_day_and_month_is_never_guessed_silently() -> None:
    assert isinstance(read_date("12/05/1887"), Undated)
    first = read_date("12/05/1887", order="dmy")
    second = read_date("12/05/1887", order="mdy")
    assert isinstance(first, HistoricalDate)
    assert isinstance(second, HistoricalDate)
    assert (first.edtf, second.edtf) == ("1887-05-12", "1887-12-05")
    assert isinstance(read_date("12/13/1887", order="dmy"), Undated)


def test_a_column_shows_its_order() -> None:
    assert guess_order(["01/02/1887", "13/02/1887"]) == "dmy"
    assert guess_order(["01/02/1887", "02/13/1887", "mai 1887"]) == "mdy"
    assert guess_order(["01/02/1887", "03/04/1887"]) is None
    assert guess_order(["13/02/1887", "02/13/1887"]) is None
    assert guess_order(["13.02.1887"]) is None


def test_a_default_year_completes_days_and_months() -> None:
    day = read_date("12 mai", default_year=1887)
    republican = read_date("11 frimaire", default_year=1798)
    assert isinstance(day, HistoricalDate)
    assert isinstance(republican, HistoricalDate)
    assert (day.edtf, republican.edtf) == ("1887-05-12", "1798-12-01")


@given(st.text(max_size=60))
def test_any_field_gives_a_date_or_a_reason(text: str) -> None:
    date = read_date(text)
    assert isinstance(date, HistoricalDate | Undated)


@given(st.dates())
def test_every_iso_day_is_read_as_itself(day: object) -> None:
    date = read_date(str(day))
    assert isinstance(date, HistoricalDate)
    assert date.edtf == str(day)


_FRAGMENTS = (
    "12 mai 1887 an VII frimaire / - . , ( ) [ ] ? vers ca entre et le du au avant siècle XIX 19 e "
    "s 1880 er Jahre début mi été 88 av J C v Chr 7 bre May th of O.S. 576 31 février 10 01"
)
_WORDS = st.sampled_from(_FRAGMENTS.split())


@given(st.lists(_WORDS, max_size=9), st.sampled_from(["", " "]))
def test_whatever_is_read_is_valid_edtf(words: list[str], joint: str) -> None:
    date = read_date(joint.join(words))
    if isinstance(date, HistoricalDate):
        edtf.parse_edtf(date.edtf)
