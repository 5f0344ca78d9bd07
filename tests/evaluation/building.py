"""States of runs for tests, built event by event through the real fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trace_core.domain import events as ev
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.events import GENESIS, Draft, seal
from trace_core.domain.evidence import Actor, Candidate, Decision, RankedDocument, Verdict
from trace_core.domain.question import Action, SubQuestion
from trace_core.domain.state import RunState
from trace_core.domain.transitions import fold

RULES = Actor(kind="rules", name="test")


def key(n: int) -> DocumentKey:
    """The n-th document; its one chunk has the number n."""
    return DocumentKey("paper", f"d{n}")


@dataclass(frozen=True)
class Fate:
    """What befalls a document in a sub-question: found, a candidate, or with a verdict."""

    document: int
    verdict: Verdict | None = None
    reviewed: bool = True
    candidate: bool = True


def candidate(n: int, position: int) -> Candidate:
    """The n-th document as a candidate."""
    return Candidate(
        chunk=n,
        corpus="paper",
        source_id=f"d{n}",
        version=1,
        position=position,
        score=1.0,
        found=(),
    )


def decision(n: int, sub: str, verdict: Verdict, *, reviewed: bool = True) -> Decision:
    """A verdict on the n-th document."""
    return Decision(
        chunk=n,
        corpus="paper",
        source_id=f"d{n}",
        version=1,
        sub_question=sub,
        verdict=verdict,
        reason=f"{verdict} of d{n}",
        search=f"s{sub[1:]}",
        reviewed=reviewed,
    )


def events_of(drafts: Sequence[Draft], run: str = "r") -> list[ev.Event]:
    """Drafts as sealed events."""
    events: list[ev.Event] = []
    for number, draft in enumerate(drafts, start=1):
        previous = events[-1].hash if events else GENESIS
        events.append(seal(run, number, previous, draft, f"2026-01-01T00:00:{number:02}"))
    return events


def run_of(*subs: Sequence[Fate]) -> RunState:
    """A finished run with one sub-question for each list of fates."""
    plan = tuple(SubQuestion(id=f"q{n}", text="?") for n in range(1, len(subs) + 1))
    drafts = [
        Draft(RULES, ev.RunStarted(question="?", assistant="rules")),
        Draft(RULES, ev.PlanAdopted(sub_questions=plan)),
    ]
    for number, (question, fates) in enumerate(zip(plan, subs, strict=True), start=1):
        found = tuple(candidate(f.document, p) for p, f in enumerate(fates, 1) if f.candidate)
        ids = tuple(str(key(f.document)) for f in fates)
        search = ev.SearchDone(
            search=f"s{number}",
            sub_question=question.id,
            step=0,
            stage="warm_start",
            action=Action(name="search_bm25", query="?"),
            channels=("bm25",),
            candidates=found,
            rankings={"bm25": ids},
        )
        drafts += [
            Draft(RULES, ev.SubQuestionStarted(sub_question=question.id)),
            Draft(RULES, search),
        ]
        drafts += [
            Draft(
                RULES,
                ev.Decided(
                    decision=decision(f.document, question.id, f.verdict, reviewed=f.reviewed)
                ),
            )
            for f in fates
            if f.verdict is not None
        ]
    state = fold("r", events_of(drafts))
    ranking = tuple(
        RankedDocument(corpus="paper", source_id=k.source_id, confirmations=1, sub_questions=())
        for k in state.accepted()
    )
    drafts.append(Draft(RULES, ev.RankingMade(ranking=ranking)))
    drafts.append(Draft(RULES, ev.RunFinished(documents=len(ranking), held=0)))
    return fold("r", events_of(drafts))
