"""W3C PROV: the run as a graph of what was used, made, decided and by whom.

Documents, passages, decisions and the list are entities; searches, reviews and rankings are
activities; models, rules, people and the program are agents. A decision is derived from its
passage, and one that replaces another is a revision of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import SearchDone
from trace_core.domain.evidence import Actor
from trace_core.domain.state import DecisionRecord, current_ranking
from trace_core.export.as_json import dump
from trace_core.export.clean import plain
from trace_core.export.options import Options
from trace_core.export.prov_targets import JsonTarget, PackageTarget, Target, Term, Value
from trace_core.provenance.record import RunRecord

if TYPE_CHECKING:
    from prov.model import ProvDocument

_NAMESPACE = "urn:trace:vocabulary:"
_AGENT_TYPES = {
    "human": "prov:Person",
    "model": "prov:SoftwareAgent",
    "rules": "prov:SoftwareAgent",
    "engine": "prov:SoftwareAgent",
}


def as_prov_json(record: RunRecord, _options: Options) -> bytes:
    """The run's provenance as PROV-JSON."""
    target = JsonTarget(_prefixes(record))
    _Graph(record, target).write()
    return dump(target.content)


def as_prov_n(record: RunRecord, _options: Options) -> bytes:
    """The run's provenance in PROV-N."""
    text: str = prov_document(record).get_provn()
    return (text + "\n").encode("utf-8")


def prov_document(record: RunRecord) -> ProvDocument:
    """The run's provenance as a document of the `prov` package."""
    target = PackageTarget(_prefixes(record))
    _Graph(record, target).write()
    return target.document


def _prefixes(record: RunRecord) -> dict[str, str]:
    return {"trace": _NAMESPACE, "run": f"urn:trace:run:{_word(record.run)}:"}


class _Graph:
    """Builds the graph; each thing is named once, by kind and number."""

    def __init__(self, record: RunRecord, target: Target) -> None:
        self._record = record
        self._element = target.element
        self._relation = target.relation
        self._names: dict[tuple[str, object], str] = {}
        self._counts: Counter[str] = Counter()
        self._spans: dict[tuple[str, ...], tuple[str, str]] = {}
        for decided in record.state.decisions:
            low, _ = self._spans.get(_batch(decided), (decided.time, ""))
            self._spans[_batch(decided)] = low, decided.time

    def write(self) -> None:
        """The whole graph."""
        state = self._record.state
        question = "run:question"
        facts: dict[str, Value]
        facts = {"prov:type": Term("trace:Question"), "prov:value": plain(state.question)}
        self._element("entity", question, facts)
        if self._record.events:
            self._relate("wasAttributedTo", question, self._agent(self._record.events[0].actor))
        for sub in state.plan:
            facts = {"prov:type": Term("trace:SubQuestion"), "prov:value": plain(sub.text)}
            self._element("entity", f"run:{sub.id}", facts)
            self._relate("wasDerivedFrom", f"run:{sub.id}", question)
        for search in state.searches.values():
            self._search(search)
        for decided in state.decisions:
            self._decision(decided)
        self._ranking()

    def _relate(self, kind: str, first: str, second: str, **facts: Value) -> None:
        self._relation(kind, first, second, {f"prov:{k}": v for k, v in facts.items()})

    def _named(self, kind: str, thing: object, make: Callable[[str], None]) -> str:
        """The name of a thing, made at its first mention."""
        known = self._names.get((kind, thing))
        if known is None:
            self._counts[kind] += 1
            known = self._names[kind, thing] = f"run:{kind}-{self._counts[kind]}"
            make(known)
        return known

    def _agent(self, actor: Actor) -> str:
        def make(name: str) -> None:
            facts: dict[str, Value] = {
                "prov:type": Term(_AGENT_TYPES[actor.kind]),
                "prov:label": plain(actor.name) or actor.kind,
                "trace:kind": actor.kind,
            }
            self._element("agent", name, facts)

        return self._named("agent", (actor.kind, actor.name), make)

    def _document(self, key: DocumentKey, version: int) -> str:
        def make(name: str) -> None:
            source = self._record.source(key, version)
            facts: dict[str, Value] = {
                "prov:type": Term("trace:Document"),
                "trace:subCorpus": plain(key.corpus),
                "trace:sourceId": plain(key.source_id),
                "trace:version": version,
            }
            if source is not None:
                facts["prov:label"] = plain(source.title) or plain(key.source_id)
                facts["trace:textSha256"] = source.text_hash
            self._element("entity", name, facts)

        return self._named("document", (key, version), make)

    def _passage(self, chunk: int, key: DocumentKey, version: int) -> str:
        def make(name: str) -> None:
            passage = self._record.passages.get(chunk)
            facts: dict[str, Value] = {"prov:type": Term("trace:Passage"), "trace:chunk": chunk}
            if passage is not None:
                facts |= {
                    "trace:start": passage.chunk.start,
                    "trace:end": passage.chunk.end,
                    "trace:textSha256": passage.text_hash,
                }
            self._element("entity", name, facts)
            self._relate("wasDerivedFrom", name, self._document(key, version))

        return self._named("passage", chunk, make)

    def _search(self, search: SearchDone) -> None:
        name = f"run:{search.search}"
        facts: dict[str, Value] = {
            "prov:type": Term("trace:Search"),
            "trace:query": plain(search.action.query),
            "trace:action": search.action.name,
            "trace:stage": search.stage,
            "trace:channels": " ".join(search.channels),
            "trace:returned": search.returned,
        }
        self._element("activity", name, facts)
        self._relate("used", name, f"run:{search.sub_question}")
        for candidate in search.candidates:
            passage = self._passage(candidate.chunk, candidate.key, candidate.version)
            self._relation("used", name, passage, {"trace:position": candidate.position})

    def _decision(self, decided: DecisionRecord) -> None:
        decision, name = decided.decision, f"run:{decided.id}"
        facts: dict[str, Value] = {
            "prov:type": Term("trace:Decision"),
            "trace:verdict": decision.verdict,
            "trace:reason": plain(decision.reason),
            "trace:reviewed": decision.reviewed,
            "trace:subQuestion": decision.sub_question,
        }
        if decision.prompt_hash:
            facts["trace:promptSha256"] = decision.prompt_hash
        self._element("entity", name, facts)
        activity = self._judging(decided)
        passage = self._passage(decision.chunk, decision.key, decision.version)
        self._relate("used", activity, passage)
        moment = datetime.fromisoformat(decided.time)
        self._relate("wasGeneratedBy", name, activity, time=moment)
        self._relate("wasAttributedTo", name, self._agent(decided.actor))
        self._relate("wasDerivedFrom", name, passage)
        if decision.replaces:
            before = f"run:{decision.replaces}"
            self._relate("wasDerivedFrom", name, before, type=Term("prov:Revision"))

    def _judging(self, decided: DecisionRecord) -> str:
        """The activity that brought a decision forth: a batch, or one override of a person."""

        def make(name: str) -> None:
            decision, human = decided.decision, decided.actor.kind == "human"
            low, high = self._spans[_batch(decided)]
            facts: dict[str, Value] = {
                "prov:startTime": datetime.fromisoformat(low),
                "prov:endTime": datetime.fromisoformat(high),
                "prov:type": Term("trace:Override" if human else "trace:Review"),
                "trace:stage": decision.stage,
            }
            if decision.call:
                facts["trace:call"] = plain(decision.call)
            self._element("activity", name, facts)
            self._relate("wasAssociatedWith", name, self._agent(decided.actor))
            if decision.search in self._record.state.searches:
                self._relate("wasInformedBy", name, f"run:{decision.search}")

        return self._named("judging", _batch(decided), make)

    def _ranking(self) -> None:
        ranking = current_ranking(self._record.state)
        facts: dict[str, Value] = {
            "prov:type": Term("trace:EvidenceList"),
            "trace:documents": len(ranking),
        }
        self._element("entity", "run:list", facts)
        accepted = self._record.state.accepted()
        for rank, line in enumerate(ranking, 1):
            place = f"run:line-{rank}"
            records = accepted[line.key]
            version = records[-1].decision.version
            facts = {
                "prov:type": Term("trace:Line"),
                "trace:rank": rank,
                "trace:confirmations": line.confirmations,
                "trace:reason": plain(line.reason),
            }
            self._element("entity", place, facts)
            self._relate("hadMember", "run:list", place)
            self._relate("wasDerivedFrom", place, self._document(line.key, version))
            for decided in records:
                self._relate("wasDerivedFrom", place, f"run:{decided.id}")


def _batch(decided: DecisionRecord) -> tuple[str, ...]:
    """What names the act of judging: each override is one, a review is its call or its search."""
    decision, actor = decided.decision, decided.actor
    if actor.kind == "human":
        return (decided.id,)
    return (actor.kind, actor.name, decision.sub_question, decision.call or decision.search)


def _word(text: str) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in text) or "run"
