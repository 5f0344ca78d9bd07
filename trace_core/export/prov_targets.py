"""Where a provenance graph is written to: PROV-JSON itself, or a document of the `prov` package.

PROV-JSON (W3C Member Submission of 24 April 2013) names each element and gives each relation its
ends, so a graph can be written down as it is built; the package, which looks every name up and
compares every relation with all others, takes ten times as long for a long run. It reads what is
written here as the same graph, and writes PROV-N.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from prov.model import ProvDocument


class Term(NamedTuple):
    """A value that is a name of a vocabulary, as prefix:name."""

    text: str


Value = str | int | bool | datetime | Term
Facts = Mapping[str, Value]

ENDS: Mapping[str, tuple[str, str]] = {
    "used": ("prov:activity", "prov:entity"),
    "wasGeneratedBy": ("prov:entity", "prov:activity"),
    "wasAttributedTo": ("prov:entity", "prov:agent"),
    "wasDerivedFrom": ("prov:generatedEntity", "prov:usedEntity"),
    "wasAssociatedWith": ("prov:activity", "prov:agent"),
    "wasInformedBy": ("prov:informed", "prov:informant"),
    "hadMember": ("prov:collection", "prov:entity"),
}
"""The relations of a graph and what each calls its two ends."""

_TIMES = frozenset({"prov:startTime", "prov:endTime", "prov:time"})
_INT = 2**31


class Target(Protocol):
    """What takes a graph in."""

    def element(self, kind: str, name: str, facts: Facts) -> None:
        """An entity, activity or agent."""

    def relation(self, kind: str, first: str, second: str, facts: Facts) -> None:
        """A relation of `ENDS` between two elements."""


class JsonTarget:
    """Collects a graph as PROV-JSON: `content` is the value of the file."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.content: dict[str, dict[str, Any]] = {"prefix": dict(prefixes)}
        self._relations = 0

    def element(self, kind: str, name: str, facts: Facts) -> None:
        """An entity, activity or agent."""
        self.content.setdefault(kind, {})[name] = {k: _json(k, v) for k, v in facts.items()}

    def relation(self, kind: str, first: str, second: str, facts: Facts) -> None:
        """A relation, under a number of its own."""
        self._relations += 1
        one, other = ENDS[kind]
        made: dict[str, Any] = {one: first, other: second}
        for name, value in facts.items():
            made[name] = _json(name, value)
        self.content.setdefault(kind, {})[f"_:id{self._relations}"] = made


def _json(name: str, value: Value) -> object:
    """A value as PROV-JSON writes it; times that belong to PROV itself are not typed."""
    if isinstance(value, Term):
        return {"$": value.text, "type": "xsd:QName"}
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return {"$": str(value), "type": "xsd:int" if -_INT <= value < _INT else "xsd:long"}
    text = value.isoformat()
    return text if name in _TIMES else {"$": text, "type": "xsd:dateTime"}


class PackageTarget:
    """Collects a graph as a `document` of the `prov` package."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        from prov.constants import PROV_N_MAP
        from prov.model import ProvDocument

        self.document: ProvDocument = ProvDocument()
        for prefix, address in prefixes.items():
            self.document.add_namespace(prefix, address)
        self._kinds = {text: kind for kind, text in PROV_N_MAP.items()}

    def element(self, kind: str, name: str, facts: Facts) -> None:
        """An entity, activity or agent."""
        self.document.new_record(self._kinds[kind], name, self._known(facts))

    def relation(self, kind: str, first: str, second: str, facts: Facts) -> None:
        """A relation between two elements."""
        one, other = ENDS[kind]
        ends = {one: first, other: second}
        self.document.new_record(self._kinds[kind], None, ends, self._known(facts))

    def _known(self, facts: Facts) -> dict[str, Any]:
        name = self.document.valid_qualified_name
        return {k: name(v.text) if isinstance(v, Term) else v for k, v in facts.items()}
