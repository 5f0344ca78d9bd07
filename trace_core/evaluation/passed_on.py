"""Which names a run passes on: from the passages it has judged to its next query.

In: the passages judged before a query, accepted and rejected, and the query. Out: their names
with the observed entity relevance (`trace_core.search.bridge`), and which of them the query takes
up. In the paper (arXiv 2607.15253) names of positive weight stood in the next query 6.1 % of the
time against 1.5 %; its claim that bridge documents pass on more names than useful ones did not
hold, and nothing here builds on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.state import RunState
from trace_core.search.bridge import entity_weight
from trace_core.search.names import find_names
from trace_core.text.tokens import words as words_in

PAPER_RATES = (0.061, 0.015)
"""How often, in the paper, names of positive weight and others stood in the next query."""


@dataclass(frozen=True, slots=True)
class PassedName:
    """A name of the judged passages: its weight, whether the next query has it, and where from."""

    name: str
    weight: float
    in_query: bool
    documents: tuple[DocumentKey, ...]


@dataclass(frozen=True, slots=True)
class PassedOn:
    """One query with the names before it."""

    search: str
    query: str
    names: tuple[PassedName, ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """How often names stand in the next query: of positive weight, and others; None for none."""

    positive: float | None
    others: float | None
    positive_names: int
    other_names: int


def passed_on(state: RunState, texts: Mapping[int, str]) -> list[PassedOn]:
    """Every search behind the first with the names of what was judged before it.

    `texts` are the passages by chunk. Searches whose query is the sub-question's own text (the
    warm starts) are left out: nobody chose their words.
    """
    found = []
    order = list(state.searches.values())
    for place, search in enumerate(order):
        if place == 0 or search.stage != "loop" or not search.action.query:
            continue
        earlier = {s.search for s in order[:place]}
        names = _names(state, earlier, texts, search.action.query)
        found.append(PassedOn(search.search, search.action.query, names))
    return found


def rates(found: Iterable[PassedOn]) -> Rates:
    """Both rates over all queries."""
    names = [name for one in found for name in one.names]
    positive = [n.in_query for n in names if n.weight > 0]
    others = [n.in_query for n in names if n.weight <= 0]
    return Rates(_share(positive), _share(others), len(positive), len(others))


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _names(
    state: RunState, earlier: set[str], texts: Mapping[int, str], query: str
) -> tuple[PassedName, ...]:
    accepted: dict[int, DocumentKey] = {}
    others: dict[int, DocumentKey] = {}
    for record in state.decisions:
        decision = record.decision
        if decision.search in earlier and decision.chunk in texts:
            accepted.pop(decision.chunk, None)
            others.pop(decision.chunk, None)
            group = accepted if decision.verdict == "accept" else others
            group[decision.chunk] = decision.key
    in_accepted, in_others = _holders(accepted, texts), _holders(others, texts)
    said = set(words_in(query))
    made = []
    for words in dict.fromkeys([*in_accepted, *in_others]):
        spelling, first = in_accepted.get(words, ("", []))
        other_spelling, second = in_others.get(words, ("", []))
        weight = entity_weight((len(first), len(accepted)), (len(second), len(others)))
        documents = tuple(dict.fromkeys([*first, *second]))
        made.append(PassedName(spelling or other_spelling, weight, set(words) <= said, documents))
    return tuple(sorted(made, key=lambda n: (-n.weight, n.name)))


def _holders(
    passages: Mapping[int, DocumentKey], texts: Mapping[int, str]
) -> dict[tuple[str, ...], tuple[str, list[DocumentKey]]]:
    """By a name's words: its first spelling, and one document a passage that has it."""
    found: dict[tuple[str, ...], tuple[str, list[DocumentKey]]] = {}
    for chunk, key in passages.items():
        here = {n.words: n.text for n in find_names(texts[chunk]) if n.certain and n.kind == "name"}
        for words, text in here.items():
            found.setdefault(words, (text, []))[1].append(key)
    return found
