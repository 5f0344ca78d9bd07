import json

import jsonschema
import pytest
import run_builders as runs
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.domain.corpus import DocumentKey, Page, SubCorpus
from trace_core.domain.dates import HistoricalDate, from_iso
from trace_core.domain.errors import BadInput
from trace_core.export.citation import (
    CSL_TYPES,
    Cited,
    check_mapping,
    csl_item,
    permanent_id,
    safe_url,
    scan_link,
)
from trace_core.export.citation_dates import csl_date
from trace_core.export.options import Options
from trace_core.export.registry import export
from trace_core.export.render import Renderer, _simplified
from trace_core.provenance.record import Source

_TEXT = {"type": "string"}
_DATE = {
    "type": "object",
    "properties": {
        "date-parts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
                "type": "array",
                "minItems": 1,
                "maxItems": 3,
                "items": {"type": ["string", "number"]},
            },
        },
        "season": {"type": ["string", "number"]},
        "circa": {"type": ["string", "number", "boolean"]},
        "literal": _TEXT,
    },
    "additionalProperties": False,
}
_NAMES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"literal": _TEXT, "family": _TEXT, "given": _TEXT},
        "additionalProperties": False,
    },
}
_VARIABLES = (
    "title container-title archive archive_collection archive_location archive-place call-number "
    "publisher publisher-place edition section volume issue number genre medium source authority "
    "note language page URL"
)
CSL_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["type", "id"],
        "additionalProperties": False,
        "properties": {
            "id": {"type": ["string", "number"]},
            "type": {"enum": sorted(CSL_TYPES)},
            "issued": _DATE,
            "accessed": _DATE,
            "author": _NAMES,
            "recipient": _NAMES,
            "custom": {"type": "object"},
            **dict.fromkeys(_VARIABLES.split(), _TEXT),
        },
    },
}
"""The part of CSL's csl-data.json that exports use: nothing else is legal in an item."""

WHOLE = Options(include_held=True, include_rejected=True)


def dated(written, edtf, low, high):
    return HistoricalDate(written, edtf, from_iso(low).earliest, from_iso(high).latest)


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        (from_iso("1887-05-18"), {"date-parts": [[1887, 5, 18]]}),
        (from_iso("1887-05"), {"date-parts": [[1887, 5]]}),
        (dated("ca. 1887", "1887~", "1887", "1887"), {"date-parts": [[1887]], "circa": True}),
        (dated("477 BCE", "-0476", "-0476", "-0476"), {"date-parts": [[-477]]}),
        (dated("576", "0576", "0576", "0576"), {"date-parts": [[576]]}),
        (
            dated("An 7", "1798-09-22/1799-09-22", "1798-09-22", "1799-09-22"),
            {"date-parts": [[1798, 9, 22], [1799, 9, 22]]},
        ),
        (
            dated("summer 1887", "1887-22", "1887-06", "1887-08"),
            {"date-parts": [[1887]], "season": 2},
        ),
        (dated("before 1887", "../1887", "0001", "1887"), {"literal": "before 1887"}),
        (dated("the 1880s", "188X", "1880", "1889"), {"literal": "the 1880s"}),
        (dated("1887 or 1889", "[1887,1889]", "1887", "1889"), {"literal": "1887 or 1889"}),
    ],
)
def test_dates_become_csl_dates(date, expected):
    assert csl_date(date) == expected


def test_items_keep_to_the_schema(small, nasty):
    for record in (small, nasty):
        items = json.loads(export(record, "csl-json", WHOLE))
        jsonschema.validate(items, CSL_SCHEMA)
        assert len({item["id"] for item in items}) == len(items)


def test_an_item_has_the_archive_fields_of_its_sub_corpus(small):
    item = json.loads(export(small, "csl-json"))[0]
    assert item["type"] == "article-newspaper"
    assert item["archive"] == "Bibliothèque nationale de France"
    assert item["archive_collection"] == "Gallica"
    assert item["archive_location"] == "Arsenal, 4-LC2-1887"
    assert item["call-number"] == "LC2-3850"
    assert item["URL"] == "https://gallica.example/ark:/12148/a/f1"
    assert item["page"] == "[i]"
    assert item["accessed"] == {"date-parts": [[2026, 6, 1]]}
    assert item["custom"]["trace"]["ark"] == "ark:/12148/a"


def test_a_field_whose_pattern_has_no_value_is_left_out():
    corpus = SubCorpus(id="c", name="C", citation={"archive_location": "box {box}, {date}"})
    source = Source(DocumentKey("c", "a"), 1, "T", "", meta={"box": "7"})
    assert "archive_location" not in csl_item(Cited(source.key, source, corpus), "")
    whole = Source(source.key, 1, "T", "", date=from_iso("1887-05-18"), meta={"box": "7"})
    item = csl_item(Cited(source.key, whole, corpus), "")
    assert item["archive_location"] == "box 7, 1887-05-18"


def test_a_mapping_is_checked_with_a_sentence_for_each_fault():
    good = {"archive": "BnF", "url": "https://x/{source_id}", "location": "box {box}"}
    assert check_mapping(good, frozenset({"box"})) == []
    bad = {"archiv": "x", "url": "https://x/{nothing}", "type": "newspaper"}
    found = check_mapping(bad, frozenset({"box"}))
    assert len(found) == 3
    assert check_mapping(bad) == [found[0], found[2]]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "", "//x", "data:text/html,x", "x"]
)
def test_only_web_addresses_become_links(address):
    assert safe_url(address) == ""
    corpus = SubCorpus(id="c", name="C", citation={"url": address})
    page = Page(0, 0, "1", address)
    assert scan_link(Cited(DocumentKey("c", "a"), None, corpus, page)) == ""


def test_ids_are_put_into_addresses_with_their_signs_escaped():
    corpus = SubCorpus(id="c", name="C", citation={"url": "https://x/{source_id}"})
    link = scan_link(Cited(DocumentKey("c", 'a b"<é>?&#'), None, corpus))
    assert link == "https://x/a%20b%22%3C%C3%A9%3E%3F%26%23"
    assert permanent_id(Cited(DocumentKey("c", "a"), None, corpus)) == "c/a"


WORDS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Z")), min_size=1, max_size=25
)


@settings(max_examples=60)
@given(
    title=WORDS,
    archive=WORDS,
    day=st.dates(),
    style=st.sampled_from(["archival-note", "harvard-cite-them-right"]),
    language=st.sampled_from(["en", "fr"]),
    label=st.sampled_from(["", "3", "[i]", "3-4", "xii"]),
)
def test_a_form_filled_in_is_what_the_processor_itself_writes(
    title, archive, day, style, language, label
):
    corpus = SubCorpus(id="c", name="Le Matin", kind="newspaper", citation={"archive": archive})
    if "{" in archive:
        return
    source = Source(DocumentKey("c", "a"), 1, title, "", date=from_iso(day.isoformat()))
    item = csl_item(Cited(source.key, source, corpus, Page(0, 0, label)), "2026-06-01")
    renderer = RENDERERS.setdefault((style, language), Renderer(style, language))
    assert renderer.citation(item) == renderer._render(_simplified(item, ""))


RENDERERS: dict = {}


def test_citations_read_as_a_historian_writes_them(small):
    lines = json.loads(export(small, "json"))["lines"]
    assert lines[0]["citation"] == (
        "‘Le cabinet tombe’, Le Matin, 18 May 1887, p. [i]; Bibliothèque nationale de France, "
        "Gallica, Arsenal, 4-LC2-1887, LC2-3850; https://gallica.example/ark:/12148/a/f1 "
        "(accessed 1 June 2026)."
    )
    french = json.loads(export(small, "json", Options(language="fr")))["lines"]
    assert "18 mai 1887" in french[0]["citation"]
    harvard = json.loads(export(small, "json", Options(style="harvard-cite-them-right")))
    assert harvard["lines"][0]["citation"].startswith("Le Matin (1887)")


def test_an_uncertain_date_is_cited_as_it_was_written():
    corpus = SubCorpus(id="c", name="C", kind="newspaper")
    date = dated("ca. 1887", "1887~", "1887", "1887")
    source = Source(DocumentKey("c", "a"), 1, "T", "", date=date)
    item = csl_item(Cited(source.key, source, corpus), "")
    assert "ca. 1887" in Renderer("archival-note", "en").citation(item, "ca. 1887")


def test_an_unknown_style_or_a_broken_one_is_one_sentence(small, tmp_path):
    broken = tmp_path / "broken.csl"
    broken.write_text("<style>", encoding="utf-8")
    for style in ("no-such-style", str(broken), str(tmp_path / "none.csl")):
        with pytest.raises(BadInput):
            export(small, "json", Options(style=style))
    assert runs.NASTY
