"""Does a run's record agree with itself? Every disagreement by name, from the events alone.

The chain of hashes is re-derived, the state folded again, and everything that one event says
about others is held against them: decisions against the candidates of the searches, counts
against what they count, rankings against the decisions that stood when they were made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import TraceError
from trace_core.domain.evidence import Candidate, Decision
from trace_core.domain.state import RunState, current_ranking
from trace_core.domain.transitions import apply
from trace_core.settings import settings_hash

FindingKind = Literal[
    "container",
    "file",
    "manifest",
    "chain",
    "event",
    "state",
    "candidate",
    "decision",
    "count",
    "ranking",
    "settings",
    "call",
    "passage",
    "evidence",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement. `where` names the event, file or line; `sentence` says what is wrong."""

    kind: FindingKind
    where: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found. `last_hash` is the recorded hash of the last event that was read.

    `note` says what could not be checked, "" where everything was.
    """

    run: str
    events: int
    documents: int
    last_hash: str
    findings: tuple[Finding, ...]
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.findings

    @property
    def sentence(self) -> str:
        """The outcome in one sentence."""
        if self.ok:
            return (
                f"Run {self.run} agrees with its record: {self.events} events in an unbroken "
                f"chain that ends in {self.last_hash}, {self.documents} documents in the list."
            )
        first = self.findings[0].sentence
        more = len(self.findings) - 1
        return first if not more else f"{first} ({more} more of {more + 1} findings)"


@dataclass(slots=True)
class _Check:
    """What is gathered while the events are read once, in order."""

    state: RunState
    findings: list[Finding] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    since_review: Counter[str] = field(default_factory=Counter)
    promoted: Counter[str] = field(default_factory=Counter)

    def find(self, kind: FindingKind, event: ev.Event, sentence: str) -> None:
        """Note a disagreement of an event."""
        where = f"event {event.sequence}"
        self.findings.append(Finding(kind, where, f"Event {event.sequence} {sentence}"))


def verify(run: str, events: Sequence[ev.Event]) -> Report:
    """Check a run from its events alone."""
    chain = chain_findings(run, events)
    check = _Check(RunState(run))
    for event in events:
        try:
            _look(check, event)
            apply(check.state, event)
        except (TraceError, LookupError, ValueError, TypeError, AttributeError) as error:
            check.find("state", event, f"cannot follow the events before it: {error}")
            break
    return Report(
        run=run,
        events=len(events),
        documents=len(current_ranking(check.state)),
        last_hash=events[-1].hash if events else ev.GENESIS,
        findings=(*chain, *check.findings),
    )


def chain_findings(run: str, events: Sequence[ev.Event]) -> list[Finding]:
    """Every break of the hash chain, not only the first."""
    found: list[Finding] = []
    if not events:
        return [Finding("chain", "events", f"Run {run} has no events.")]
    previous, count = ev.GENESIS, 0
    for event in events:
        count += 1
        where = f"event {event.sequence}"
        if event.run != run:
            found.append(Finding("chain", where, f"Event {count} belongs to run {event.run}."))
        if event.sequence != count:
            found.append(Finding("chain", where, _misplaced(event.sequence, count)))
            count = event.sequence
        if event.previous_hash != previous:
            sentence = f"Event {event.sequence} does not follow the event before it."
            found.append(Finding("chain", where, sentence))
        if ev.event_hash(event) != event.hash:
            sentence = f"Event {event.sequence} was changed after it was written."
            found.append(Finding("chain", where, sentence))
        previous = event.hash
    return found


def _misplaced(sequence: int, expected: int) -> str:
    if sequence > expected:
        gone = f"event {expected} is" if sequence == expected + 1 else f"{expected} and more are"
        return f"Event {sequence} stands where event {expected} should: {gone} missing."
    return f"Event {sequence} stands behind event {expected - 1}: the order was changed."


def _look(check: _Check, event: ev.Event) -> None:
    """Hold one event against the state before it."""
    payload = event.payload
    if isinstance(payload, ev.RunStarted):
        _settings(check, payload, event)
    elif isinstance(payload, ev.SearchDone):
        _search(check, payload, event)
    elif isinstance(payload, ev.Decided):
        _decision(check, payload.decision, event)
    elif isinstance(payload, ev.ReviewDone):
        _review(check, payload, event)
    elif isinstance(payload, ev.HoldsReevaluated):
        if payload.promoted != check.promoted.pop(payload.sub_question, 0):
            check.find("count", event, "counts other promotions than were decided.")
    elif isinstance(payload, ev.HoldMoved):
        if payload.chunk not in check.state.sub(payload.sub_question).pool:
            check.find("state", event, f"moves passage c{payload.chunk}, which was not held.")
    elif isinstance(payload, ev.RankingMade):
        _ranking(check, payload, event)
    elif isinstance(payload, ev.CallMade):
        check.calls.add(payload.call)
    elif isinstance(payload, ev.RunFinished):
        _finished(check, payload, event)


def _settings(check: _Check, payload: ev.RunStarted, event: ev.Event) -> None:
    if payload.settings_hash and settings_hash(payload.settings) != payload.settings_hash:
        check.find("settings", event, "records settings that do not have the recorded hash.")


def _search(check: _Check, payload: ev.SearchDone, event: ev.Event) -> None:
    if payload.search in check.state.searches:
        check.find("state", event, f"uses the name {payload.search} of an earlier search again.")
    for candidate in payload.candidates:
        if any(found.search != payload.search for found in candidate.found):
            check.find("candidate", event, f"has c{candidate.chunk} found by another search.")


def _decision(check: _Check, decision: Decision, event: ev.Event) -> None:
    sub = check.state.sub(decision.sub_question)
    candidate = sub.candidates.get(decision.chunk)
    if candidate is None:
        check.find(
            "decision",
            event,
            f"decides on passage c{decision.chunk}, which no search brought up for "
            f"{decision.sub_question}.",
        )
    elif not _same(candidate, decision):
        check.find("decision", event, f"names another document for c{decision.chunk}.")
    if decision.search and decision.search not in check.state.searches:
        check.find("decision", event, f"refers to search {decision.search}, which never ran.")
    standing = sub.verdicts.get(decision.chunk)
    if decision.replaces and (standing is None or standing.id != decision.replaces):
        check.find(
            "decision", event, f"replaces {decision.replaces}, which did not stand at that time."
        )
    if not decision.replaces and standing is not None:
        check.find("decision", event, f"stands beside {standing.id} without replacing it.")
    if decision.call and decision.call not in check.calls:
        check.find("call", event, f"rests on call {decision.call}, which is not recorded.")
    if decision.stage == "review":
        check.since_review[f"{decision.sub_question}/{decision.verdict}"] += 1
    if decision.stage == "reevaluate_holds":
        check.promoted[decision.sub_question] += 1


def _same(candidate: Candidate, decision: Decision) -> bool:
    return candidate.key == decision.key and candidate.version == decision.version


def _review(check: _Check, payload: ev.ReviewDone, event: ev.Event) -> None:
    counted = {
        verdict: check.since_review.pop(f"{payload.sub_question}/{verdict}", 0)
        for verdict in ("accept", "hold", "reject")
    }
    said = {"accept": payload.accepted, "hold": payload.held, "reject": payload.rejected}
    if counted != said:
        check.find("count", event, f"counts {said}, but {counted} were decided.")


def _ranking(check: _Check, payload: ev.RankingMade, event: ev.Event) -> None:
    confirmed = _confirmed(check.state)
    ranked = [line.key for line in payload.ranking]
    if len(set(ranked)) < len(ranked):
        check.find("ranking", event, "ranks a document twice.")
    for key in confirmed.keys() - set(ranked):
        check.find("ranking", event, f"leaves out {key}, which was accepted.")
    for line in payload.ranking:
        subs = confirmed.get(line.key)
        if subs is None:
            check.find("ranking", event, f"ranks {line.key}, which was not accepted.")
        elif subs != set(line.sub_questions) or line.confirmations != len(subs):
            check.find("ranking", event, f"gives {line.key} other confirmations than it has.")
    counts = [line.confirmations for line in payload.ranking]
    if counts != sorted(counts, reverse=True):
        check.find("ranking", event, "ranks a document above one with more confirmations.")


def _confirmed(state: RunState) -> dict[DocumentKey, set[str]]:
    return {
        key: {record.decision.sub_question for record in records}
        for key, records in state.accepted().items()
    }


def _finished(check: _Check, payload: ev.RunFinished, event: ev.Event) -> None:
    state = check.state
    if payload.documents != len(state.accepted()) or payload.held != len(state.held()):
        check.find(
            "count",
            event,
            f"counts {payload.documents} documents and {payload.held} holds, but "
            f"{len(state.accepted())} and {len(state.held())} stood.",
        )
