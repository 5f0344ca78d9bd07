from __future__ import annotations

from pathlib import Path

import pytest

from trace_core.ingest.options_text import as_text, from_text
from trace_core.ingest.records import ReadOptions


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(),
        ReadOptions(format="csv", corpus="c", language="fr", encoding="cp1252", delimiter="\t"),
        ReadOptions(mapping={"text": "a=b, c", "id": "mapping.id"}, day_first=False),
        ReadOptions(metadata=Path("/a b/c.csv"), scans=Path("m.json"), pages="folder"),
        ReadOptions(day_first=True, articles=False, speeches=True, unpacked_bytes=7),
    ],
)
def test_the_options_come_back_as_they_were(options: ReadOptions) -> None:
    assert from_text(as_text(options)) == options


def test_a_report_of_an_earlier_version_is_read_and_what_is_unknown_left_out() -> None:
    said = {"mapping": "text=body, date=day", "corpus": "c", "colour": "red"}
    wanted = ReadOptions(corpus="c", mapping={"text": "body", "date": "day"})
    assert from_text(said) == wanted
