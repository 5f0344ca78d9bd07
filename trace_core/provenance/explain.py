"""Why is this document in the list, or why not: its path through the run, in sentences.

Everything said here comes from the run's events: searches with the ranks they recorded,
decisions with their reasons and actors, moves out of the hold pool, second looks, the ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.evidence import Actor, Candidate, Decision
from trace_core.domain.hits import parted_forms
from trace_core.domain.state import RunState, current_ranking
from trace_core.provenance.explain_words import SENTENCES
from trace_core.provenance.record import RunRecord
from trace_core.provenance.words import Words, words

PathKind = Literal["present", "held", "rejected", "unreviewed", "beyond", "outside", "never"]
"""Where a path ends: in the list; at a verdict; found but not judged; ranked below what is judged
(beyond); left out by the run's own limits (outside); or found by no search (never)."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A document's path. `present` says whether it stands in the list as it is now.

    `rank` counts from 1, None when it is not in the list.
    """

    present: bool
    headline: str
    steps: tuple[str, ...]
    kind: PathKind
    rank: int | None = None


Told = Callable[[str, Actor], str]


def as_it_is(reason: str, actor: Actor) -> str:
    """A reason as it was recorded."""
    del actor
    return reason


@dataclass(slots=True)
class _Path:
    """What is gathered on the way through the events."""

    key: DocumentKey
    words: Words
    state: RunState
    told: Told
    steps: list[str] = field(default_factory=list)
    seen: dict[str, dict[int, str]] = field(default_factory=dict)
    verdicts: dict[tuple[str, int], str] = field(default_factory=dict)
    decisions: dict[str, tuple[Decision, str]] = field(default_factory=dict)
    beyond: bool = False

    def say(self, name: str, /, **values: object) -> str:
        """A sentence of the catalogue with its values."""
        return SENTENCES[self.words.language][name].format(**values)

    def add(self, name: str, /, **values: object) -> None:
        """Put a sentence behind the others."""
        self.steps.append(self.say(name, **values))


def explain(
    record: RunRecord, key: DocumentKey, language: str = "en", told: Told = as_it_is
) -> Explanation:
    """The path of one document through a run, from the events alone.

    `told` may put a recorded reason into the reader's language; it is given who wrote it.
    """
    path = _Path(key, words(language), record.state, told)
    for event in record.events:
        _follow(path, event)
    _never_reviewed(path)
    return _conclude(path, record)


def _follow(path: _Path, event: ev.Event) -> None:
    payload = event.payload
    if isinstance(payload, ev.SearchDone):
        _search(path, payload)
    elif isinstance(payload, ev.Decided) and payload.decision.key == path.key:
        _decision(path, payload.decision, event)
    elif isinstance(payload, ev.HoldMoved):
        if payload.chunk in path.seen.get(payload.sub_question, ()):
            path.add(
                "moved", chunk=payload.chunk, sub=payload.sub_question, capacity=payload.capacity
            )
    elif isinstance(payload, ev.HoldsReevaluated):
        _second_look(path, payload)


def _search(path: _Path, search: ev.SearchDone) -> None:
    mine = [c for c in search.candidates if c.key == path.key]
    if mine:
        for candidate in mine:
            _candidate(path, search, candidate)
        return
    name = str(path.key)
    ranks = {ch: ids.index(name) + 1 for ch, ids in search.rankings.items() if name in ids}
    if not ranks:
        return
    values = {
        "search": search.search,
        "what": _what(path, search),
        "ranks": path.words.listed(_rank(path, ch, rank) for ch, rank in ranks.items()),
    }
    if search.sub_question in path.seen:
        path.add("again", **values)
        return
    path.beyond = True
    passages = path.words.count(len(search.candidates), "passage")
    path.add("beyond", **values, passages=passages)


def _candidate(path: _Path, search: ev.SearchDone, candidate: Candidate) -> None:
    path.seen.setdefault(search.sub_question, {})[candidate.chunk] = search.search
    ranks = path.words.listed(_rank(path, f.channel, f.rank) for f in candidate.found)
    path.add(
        "widened" if candidate.widened else "found",
        search=search.search,
        what=_what(path, search),
        ranks=ranks or path.say("no_rank"),
        chunk=candidate.chunk,
        position=candidate.position,
        returned=path.words.count(search.returned, "document"),
    )
    for name, forms in zip(("forms", "doubtful"), parted_forms(candidate.forms), strict=True):
        if forms:
            path.add(name, forms=path.words.listed(path.words.quoted(form) for form in forms))
    if candidate.boosts:
        parts = (_boost(path, candidate, name) for name in candidate.boosts)
        path.add("boosts", boosts=path.words.listed(parts))


def _boost(path: _Path, candidate: Candidate, name: str) -> str:
    value = f"{candidate.boosts[name]:+.4f}"
    near = candidate.neighbour
    if name == "neighbour" and near:
        days = path.words.count(near.days, "day")
        return path.say("boost_lent", neighbour=near.key, days=days, value=value)
    known = f"boost_{name}" in SENTENCES[path.words.language]
    return path.say(f"boost_{name}", value=value) if known else f"{name} ({value})"


def _rank(path: _Path, channel: str, rank: int) -> str:
    return path.say("rank", channel=path.words.channel(channel), rank=rank)


def _what(path: _Path, search: ev.SearchDone) -> str:
    """The search in words: its query, its days, its sub-corpora, its sub-question."""
    action = search.action
    if action.query:
        asked = path.words.quoted(action.query)
    elif action.date_center:
        asked = path.say(
            "around", day=action.date_center, days=path.words.count(action.window_days or 1, "day")
        )
    else:
        asked = path.say("between", low=action.date_from or "…", high=action.date_to or "…")
    stage = "warm" if search.stage == "warm_start" else "loop"
    where = path.words.listed(_corpus_name(path.state, c) for c in search.corpora)
    limits = path.say("inside", where=where) if where else ""
    return path.say(stage, asked=asked, limits=limits, sub=search.sub_question)


def _decision(path: _Path, decision: Decision, event: ev.Event) -> None:
    before = path.decisions.get(decision.replaces)
    name = f"d{event.sequence}"
    actor = path.words.actor(event.actor)
    path.decisions[name] = (decision, actor)
    path.verdicts[decision.sub_question, decision.chunk] = decision.verdict
    path.seen.setdefault(decision.sub_question, {}).setdefault(decision.chunk, decision.search)
    if not decision.reviewed:
        kind = "unread"
    elif decision.stage == "reevaluate_holds":
        kind = "promoted" if decision.verdict == "accept" else "reconsidered"
    elif decision.stage == "undo":
        kind = "undone"
    else:
        kind = "decided"
    why = path.told(decision.reason, event.actor)
    replaced = ""
    if before is not None:
        old, who = before
        replaced = path.say(
            "replaced", old=decision.replaces, verdict=path.words.verdict(old.verdict), who=who
        )
    path.add(
        kind,
        chunk=decision.chunk,
        verdict=path.words.verdict(decision.verdict),
        sub=decision.sub_question,
        who=actor,
        day=event.time[:10],
        id=name,
        replaced=replaced,
        reason=path.say("reason", reason=why) if why else "",
    )


def _second_look(path: _Path, payload: ev.HoldsReevaluated) -> None:
    for chunk in payload.chunks:
        if chunk not in path.seen.get(payload.sub_question, ()):
            continue
        if payload.failed:
            path.add("look_failed", chunk=chunk, sub=payload.sub_question, why=payload.failed)
        elif path.verdicts.get((payload.sub_question, chunk)) == "hold":
            path.add("still_held", chunk=chunk, sub=payload.sub_question, round=payload.round)


def _never_reviewed(path: _Path) -> None:
    for sub, chunks in path.seen.items():
        for chunk, search in chunks.items():
            if (sub, chunk) not in path.verdicts:
                path.add("pending", chunk=chunk, sub=sub, search=search)


def _conclude(path: _Path, record: RunRecord) -> Explanation:
    state, key = record.state, path.key
    lines = current_ranking(state)
    rank = next((n for n, line in enumerate(lines, 1) if line.key == key), None)
    name = f"{_corpus_name(state, key.corpus)}, {key.source_id}"
    if rank is not None:
        line = lines[rank - 1]
        subs = path.words.count(line.confirmations, "sub-question")
        path.add("ranked", subs=subs, ids=path.words.listed(line.sub_questions), rank=rank)
        headline = path.say("is_present", name=name, rank=rank, total=len(lines))
        return Explanation(True, headline, tuple(path.steps), "present", rank)
    kind = _absence(path)
    if kind == "never":
        path.add("nowhere")
    searches = path.words.count(sum(bool(s.channels) for s in state.searches.values()), "search")
    judged = path.words.count(len({chunk for _, chunk in path.verdicts}), "passage")
    headline = path.say(f"is_{kind}", name=name, searches=searches, judged=judged)
    return Explanation(False, headline, tuple(path.steps), kind)


def _absence(path: _Path) -> PathKind:
    """Why the document is not there: held outweighs rejected, since it still can come in."""
    if "hold" in path.verdicts.values():
        return "held"
    if path.verdicts:
        return "rejected"
    if path.seen:
        return "unreviewed"
    if path.beyond:
        return "beyond"
    limits = path.state.scope.corpora
    if limits and path.key.corpus not in limits:
        return "outside"
    return "never"


def _corpus_name(state: RunState, corpus: str) -> str:
    recorded = state.start.corpora if state.start else ()
    names = (str(c.get("name") or corpus) for c in recorded if c.get("id") == corpus)
    return next(names, corpus)
