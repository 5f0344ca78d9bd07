import json
from dataclasses import asdict

import pytest

from trace_core.domain.corpus import Chunk, DocumentKey, SubCorpus
from trace_core.export.typed import as_type
from trace_core.ports import Note

CHUNK = Chunk(3, DocumentKey("a", "b"), 1, 0, 5, 9, "text", None)
DATA = json.loads(json.dumps(asdict(CHUNK)))


def test_a_value_comes_back_as_it_was() -> None:
    assert as_type(Chunk, DATA) == CHUNK
    assert as_type(Chunk, DATA | {"page": 4}).page == 4
    corpus = SubCorpus("a", "A", ("x",), citation={"archive": "BnF"})
    data = {"id": "a", "name": "A", "aliases": ["x"], "citation": {"archive": "BnF"}}
    assert as_type(SubCorpus, data) == corpus


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "3"), ("id", True), ("id", 3.0), ("id", None), ("key", ["a"]), ("key", "ab"),
        ("key", ["a", 1]), ("text", 1), ("text", []), ("page", "x"), ("current", 1), ("other", 1),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_named(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=field):
        as_type(Chunk, DATA | {field: value})


@pytest.mark.parametrize("value", [None, [], "x", 1, {}, {"id": "n"}])
def test_what_is_no_such_value_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        as_type(Note, value)
    with pytest.raises(ValueError):
        as_type(Note, {"id": "n", "kind": "poem", "author": "", "time": "", "key": ["a", "b"]})
