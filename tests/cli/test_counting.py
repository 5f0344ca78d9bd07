"""Numbers with their nouns, as a person reads them."""

from __future__ import annotations

import pytest

from trace_core.cli.output import counted


@pytest.mark.parametrize(
    ("number", "verb", "said"),
    [
        (0, "", "0 documents"),
        (1, "", "1 document"),
        (2, "", "2 documents"),
        (12_345, "", "12,345 documents"),
        (1, "held", "1 document is held"),
        (2, "held", "2 documents are held"),
    ],
)
def test_one_is_one_and_more_are_more(number: int, verb: str, said: str) -> None:
    assert counted(number, "document", verb) == said
