from __future__ import annotations

from tests.contracts.building import new
from trace_core.domain.corpus import DocumentKey
from trace_core.ports import Marked, Stores, TwinGroup


def key(source_id: str) -> DocumentKey:
    return DocumentKey("herald", source_id)


def marked(stores: Stores) -> list[int]:
    """Mark everything; the numbers."""
    found = stores.twins.unmarked()
    stores.twins.mark([Marked(u.number, u.version, u.text.encode(), b"s") for u in found])
    return [one.number for one in found]


def test_each_text_is_marked_once(stores: Stores) -> None:
    stores.documents.add([new("d1", "un"), new("d2", "deux"), new("d3", "trois")])
    first = stores.twins.unmarked(limit=2)
    assert [one.text for one in first] == ["un", "deux"]
    assert [one.text for one in stores.twins.unmarked(first[-1].number)] == ["trois"]
    numbers = marked(stores)
    assert stores.twins.unmarked() == []
    kept = stores.twins.marks()
    assert kept == [
        Marked(n, 1, t, b"s") for n, t in zip(numbers, (b"un", b"deux", b"trois"), strict=True)
    ]
    assert stores.twins.marks(numbers[0], 1) == kept[1:2]


def test_a_changed_text_is_marked_anew(stores: Stores) -> None:
    stores.documents.add([new("d1", "un")])
    (number,) = marked(stores)
    stores.documents.add([new("d1", "un et demi")])
    stores.twins.mark([Marked(number, 1, b"late", b"")])
    assert [(one.version, one.text) for one in stores.twins.unmarked()] == [(2, "un et demi")]
    marked(stores)
    assert [mark.fingerprint for mark in stores.twins.marks()] == [b"un et demi"]


def test_groups_are_replaced_and_listed(stores: Stores) -> None:
    stores.documents.add([new(f"d{n}", f"texte {n}") for n in range(6)])
    numbers = marked(stores)
    assert stores.twins.groups() == []
    assert stores.twins.count() == (0, 0)
    stores.twins.put_groups([("near", numbers[4:]), ("exact", numbers[:3])])
    exact = TwinGroup("exact", (key("d0"), key("d1"), key("d2")))
    near = TwinGroup("near", (key("d4"), key("d5")))
    assert stores.twins.groups() == [exact, near]
    assert stores.twins.groups(offset=1, limit=5) == [near]
    assert stores.twins.groups(limit=1) == [exact]
    assert stores.twins.count() == (2, 5)
    found = stores.twins.twins([key("d1"), key("d3"), key("d5"), key("nobody")])
    assert found == {key("d1"): exact, key("d5"): near}
    stores.twins.put_groups([("near", numbers[2:4])])
    assert stores.twins.groups() == [TwinGroup("near", (key("d2"), key("d3")))]


def test_withdrawn_documents_leave_their_group(stores: Stores) -> None:
    stores.documents.add([new(f"d{n}", "texte") for n in range(3)])
    stores.twins.put_groups([("exact", marked(stores))])
    stores.documents.withdraw([key("d1")])
    assert stores.twins.groups() == [TwinGroup("exact", (key("d0"), key("d2")))]
    stores.documents.withdraw([key("d2")])
    assert stores.twins.groups() == []
    assert stores.twins.count() == (0, 0)
    assert stores.twins.twins([key("d0")]) == {}
    stores.documents.withdraw([key("d1"), key("d2")], withdrawn=False)
    assert stores.twins.count() == (1, 3)
