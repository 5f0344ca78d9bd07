"""W3C PROV: the run as a graph of what was used, made, decided and by whom.

Documents, passages, decisions and the list are entities; searches, reviews and rankings are
activities; models, rules, people and the program are agents. A decision is derived from its
passage, and one that replaces another is a revision of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import SearchDone
from trace_core.domain.evidence import Actor
from trace_core.domain.state import DecisionRecord, current_ranking
from trace_core.export.clean import plain
from trace_core.export.options import Options
from trace_core.provenance.record import ExportInput

if TYPE_CHECKING:
    from prov.identifier import QualifiedName
    from prov.model import ProvDocument

_NAMESPACE = "urn:trace:vocabulary:"
_AGENT_TYPES = {
    "human": "prov:Person",
    "model": "prov:SoftwareAgent",
    "rules": "prov:SoftwareAgent",
    "engine": "prov:SoftwareAgent",
}


def as_prov_json(record: ExportInput, _options: Options) -> bytes:
    """The run's provenance as PROV-JSON."""
    text = prov_document(record).serialize(format="json", indent=1)
    return f"{text}\n".encode()


def as_prov_n(record: ExportInput, _options: Options) -> bytes:
    """The run's provenance in PROV-N."""
    text: str = prov_document(record).get_provn()
    return (text + "\n").encode("utf-8")


def prov_document(record: ExportInput) -> ProvDocument:
    """The run's provenance as a document of the `prov` package."""
    return _Graph(record).made()


class _Graph:
    """Builds the graph; each thing is named once, by kind and number."""

    def __init__(self, record: ExportInput) -> None:
        from prov.model import ProvDocument

        self._record = record
        self._out = ProvDocument()
        self._out.add_namespace("trace", _NAMESPACE)
        self._out.add_namespace("run", f"urn:trace:run:{_word(record.run)}:")
        self._names: dict[tuple[str, object], str] = {}
        self._counts: Counter[str] = Counter()
        self._spans: dict[tuple[str, ...], tuple[str, str]] = {}
        for decided in record.state.decisions:
            low, _ = self._spans.get(_batch(decided), (decided.time, ""))
            self._spans[_batch(decided)] = low, decided.time

    def made(self) -> ProvDocument:
        """The whole graph."""
        state = self._record.state
        question = self._out.entity(
            "run:question",
            {"prov:type": self._type("Question"), "prov:value": plain(state.question)},
        )
        if self._record.events:
            self._out.wasAttributedTo(question, self._agent(self._record.events[0].actor))
        for sub in state.plan:
            name = f"run:{sub.id}"
            self._out.entity(
                name, {"prov:type": self._type("SubQuestion"), "prov:value": plain(sub.text)}
            )
            self._out.wasDerivedFrom(name, question)
        for search in state.searches.values():
            self._search(search)
        for decided in state.decisions:
            self._decision(decided)
        self._ranking()
        return self._out

    def _named(self, kind: str, thing: object, make: Callable[[str], None]) -> str:
        """The name of a thing, made at its first mention."""
        known = self._names.get((kind, thing))
        if known is None:
            self._counts[kind] += 1
            known = self._names[kind, thing] = f"run:{kind}-{self._counts[kind]}"
            make(known)
        return known

    def _type(self, name: str) -> QualifiedName | None:
        return self._out.valid_qualified_name(f"trace:{name}")

    def _agent(self, actor: Actor) -> str:
        def make(name: str) -> None:
            facts: dict[str, Any] = {
                "prov:type": self._out.valid_qualified_name(_AGENT_TYPES[actor.kind]),
                "prov:label": plain(actor.name) or actor.kind,
                "trace:kind": actor.kind,
            }
            self._out.agent(name, facts)

        return self._named("agent", (actor.kind, actor.name), make)

    def _document(self, key: DocumentKey, version: int) -> str:
        def make(name: str) -> None:
            source = self._record.source(key, version)
            facts: dict[str, Any] = {
                "prov:type": self._type("Document"),
                "trace:subCorpus": plain(key.corpus),
                "trace:sourceId": plain(key.source_id),
                "trace:version": version,
            }
            if source is not None:
                facts["prov:label"] = plain(source.title) or plain(key.source_id)
                facts["trace:textSha256"] = source.text_hash
            self._out.entity(name, facts)

        return self._named("document", (key, version), make)

    def _passage(self, chunk: int, key: DocumentKey, version: int) -> str:
        def make(name: str) -> None:
            passage = self._record.passages.get(chunk)
            facts: dict[str, Any] = {"prov:type": self._type("Passage"), "trace:chunk": chunk}
            if passage is not None:
                facts |= {
                    "trace:start": passage.chunk.start,
                    "trace:end": passage.chunk.end,
                    "trace:textSha256": passage.text_hash,
                }
            self._out.entity(name, facts)
            self._out.wasDerivedFrom(name, self._document(key, version))

        return self._named("passage", chunk, make)

    def _search(self, search: SearchDone) -> None:
        name = f"run:{search.search}"
        facts: dict[str, Any] = {
            "prov:type": self._type("Search"),
            "trace:query": plain(search.action.query),
            "trace:action": search.action.name,
            "trace:stage": search.stage,
            "trace:channels": " ".join(search.channels),
            "trace:returned": search.returned,
        }
        self._out.activity(name, other_attributes=facts)
        self._out.used(name, f"run:{search.sub_question}")
        for candidate in search.candidates:
            passage = self._passage(candidate.chunk, candidate.key, candidate.version)
            self._out.used(name, passage, other_attributes={"trace:position": candidate.position})

    def _decision(self, decided: DecisionRecord) -> None:
        decision, name = decided.decision, f"run:{decided.id}"
        facts: dict[str, Any] = {
            "prov:type": self._type("Decision"),
            "trace:verdict": decision.verdict,
            "trace:reason": plain(decision.reason),
            "trace:reviewed": decision.reviewed,
            "trace:subQuestion": decision.sub_question,
        }
        if decision.prompt_hash:
            facts["trace:promptSha256"] = decision.prompt_hash
        self._out.entity(name, facts)
        activity = self._judging(decided)
        passage = self._passage(decision.chunk, decision.key, decision.version)
        self._out.used(activity, passage)
        self._out.wasGeneratedBy(name, activity, datetime.fromisoformat(decided.time))
        self._out.wasAttributedTo(name, self._agent(decided.actor))
        self._out.wasDerivedFrom(name, passage)
        if decision.replaces:
            self._out.wasRevisionOf(name, f"run:{decision.replaces}")

    def _judging(self, decided: DecisionRecord) -> str:
        """The activity that brought a decision forth: a batch, or one override of a person."""

        def make(name: str) -> None:
            decision, human = decided.decision, decided.actor.kind == "human"
            low, high = self._spans[_batch(decided)]
            facts: dict[str, Any] = {
                "prov:type": self._type("Override" if human else "Review"),
                "trace:stage": decision.stage,
            }
            if decision.call:
                facts["trace:call"] = plain(decision.call)
            self._out.activity(
                name, datetime.fromisoformat(low), datetime.fromisoformat(high), facts
            )
            self._out.wasAssociatedWith(name, self._agent(decided.actor))
            if decision.search in self._record.state.searches:
                self._out.wasInformedBy(name, f"run:{decision.search}")

        return self._named("judging", _batch(decided), make)

    def _ranking(self) -> None:
        ranking = current_ranking(self._record.state)
        self._out.entity(
            "run:list", {"prov:type": self._type("EvidenceList"), "trace:documents": len(ranking)}
        )
        accepted = self._record.state.accepted()
        for rank, line in enumerate(ranking, 1):
            place = f"run:line-{rank}"
            records = accepted[line.key]
            version = records[-1].decision.version
            self._out.entity(
                place,
                {
                    "prov:type": self._type("Line"),
                    "trace:rank": rank,
                    "trace:confirmations": line.confirmations,
                    "trace:reason": plain(line.reason),
                },
            )
            self._out.hadMember("run:list", place)
            self._out.wasDerivedFrom(place, self._document(line.key, version))
            for decided in records:
                self._out.wasDerivedFrom(place, f"run:{decided.id}")


def _batch(decided: DecisionRecord) -> tuple[str, ...]:
    """What names the act of judging: each override is one, a review is its call or its search."""
    decision, actor = decided.decision, decided.actor
    if actor.kind == "human":
        return (decided.id,)
    return (actor.kind, actor.name, decision.sub_question, decision.call or decision.search)


def _word(text: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in text) or "run"
