"""Review and re-evaluation by model: passages in fences, and replies made into verdicts.

The model sees chunk ids alone ("c" and the chunk's number). An id that was not shown, and any
other name, is reported and decides nothing; so is a passage judged twice in contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from trace_core.assistant import render
from trace_core.assistant.asking import Ask, Section, Squeeze
from trace_core.assistant.chat import ChatReply
from trace_core.assistant.fences import one_line
from trace_core.assistant.replies import Unreadable, read
from trace_core.assistant.shapes import JudgementEntry, ReevaluateReply, ReviewReply
from trace_core.assistant.tasks import (
    Judgement,
    ReevaluateResult,
    ReevaluateTask,
    ReviewItem,
    ReviewResult,
    ReviewTask,
)
from trace_core.domain.evidence import Verdict
from trace_core.settings import Settings

_CHUNK_NAME = re.compile(r"^[\W_]*(?:source\s+)?c(\d{1,18})[\W_]*$", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"^\d{1,18}$")
_AROUND = " .!\"'`*_[]()"
_LONGEST_QUOTE = 400
_LONGEST_NAME = 80
_VERDICTS: Mapping[str, Verdict] = {
    "accept": "accept",
    "accepted": "accept",
    "hold": "hold",
    "held": "hold",
    "reject": "reject",
    "rejected": "reject",
    # Some models answer in the language of the question in spite of what the prompt says.
    **dict.fromkeys(("accepter", "accepté", "acceptée"), "accept"),
    **dict.fromkeys(("en suspens", "en attente", "suspendre"), "hold"),
    **dict.fromkeys(("rejeter", "rejeté", "rejetée"), "reject"),
    **dict.fromkeys(("annehmen", "angenommen", "akzeptieren", "akzeptiert"), "accept"),
    **dict.fromkeys(("zurückstellen", "zurückgestellt"), "hold"),
    **dict.fromkeys(("ablehnen", "abgelehnt", "verwerfen", "verworfen"), "reject"),
}
_KEPT_HERE = "{} passages stay on this machine and were not shown to the model."


def review(task: ReviewTask, settings: Settings, hidden: frozenset[str]) -> Ask[ReviewResult]:
    """The call that judges pending chunks; those of `hidden` sub-corpora are left out."""
    pending = visible(task.candidates, hidden)
    kept_here = len(task.candidates) - len(pending)

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        return {
            "question": task.question,
            "sub_question": render.sub_question(task.sub_question),
            "archive": render.archive(task.archive),
            "accepted": render.accepted(task.accepted, hidden, squeeze),
            "sources": [render.passage(item, squeeze) for item in pending[: squeeze.items]],
            "reason_characters": str(settings.loop.reason_characters),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> ReviewResult:
        shape = read(reply.text, ReviewReply, cut_off=reply.cut_off)
        if not shape.judgements:
            raise Unreadable("The reply judges none of the passages.")
        shown, unsent = _split(pending, squeeze)
        found = _Reading(shown, settings.loop.reason_characters)
        found.read(shape.judgements, None)
        problems = (*found.problems, *kept_here_problem(kept_here))
        return ReviewResult(found.judgements(), tuple(found.unknown), unsent, problems)

    return Ask(
        stage="review",
        state=task.state,
        max_tokens=settings.model.review_tokens,
        items=len(pending),
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


def reevaluate(
    task: ReevaluateTask, settings: Settings, hidden: frozenset[str]
) -> Ask[ReevaluateResult]:
    """The call that looks again at held chunks; those of `hidden` sub-corpora are left out."""
    items = [held for held in task.held if held.item.candidate.corpus not in hidden]
    kept_here = len(task.held) - len(items)

    def sections(squeeze: Squeeze) -> Mapping[str, Section]:
        passages = [render.passage(h.item, squeeze, h.reason) for h in items[: squeeze.items]]
        return {
            "question": task.question,
            "sub_question": render.sub_question(task.sub_question),
            "archive": render.archive(task.archive),
            "accepted": render.accepted(task.accepted, hidden, squeeze, quotes=True),
            "sources": passages,
            "reason_characters": str(settings.loop.reason_characters),
            "round": str(task.round),
        }

    def result(reply: ChatReply, squeeze: Squeeze) -> ReevaluateResult:
        shape = read(reply.text, ReevaluateReply, cut_off=reply.cut_off)
        shown, unsent = _split([held.item for held in items], squeeze)
        found = _Reading(shown, settings.loop.reason_characters)
        found.read(shape.promotions, "accept")
        problems = (*found.problems, *kept_here_problem(kept_here))
        promoted = tuple(j for j in found.judgements() if j.verdict == "accept")
        return ReevaluateResult(promoted, tuple(found.unknown), unsent, problems)

    return Ask(
        stage="reevaluate",
        state=task.state,
        max_tokens=settings.model.other_tokens,
        items=len(items),
        retries=settings.loop.plan_retries,
        sections=sections,
        read=result,
    )


def visible(items: Iterable[ReviewItem], hidden: frozenset[str]) -> list[ReviewItem]:
    """The items that may be shown to this model."""
    return [item for item in items if item.candidate.corpus not in hidden]


def kept_here_problem(count: int) -> tuple[str, ...]:
    """The sentence for passages that may not leave this machine, if there are any."""
    return (_KEPT_HERE.format(count),) if count else ()


def bounded_reason(text: str, characters: int) -> str:
    """A reason on one line within its length."""
    line = one_line(text)
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


# --- reading -------------------------------------------------------------------------------------


def _split(pending: Sequence[ReviewItem], squeeze: Squeeze) -> tuple[set[int], tuple[int, ...]]:
    """(chunks that were shown, chunks that were not)."""
    chunks = [item.candidate.chunk for item in pending]
    return set(chunks[: squeeze.items]), tuple(chunks[squeeze.items :])


@dataclass(slots=True)
class _Reading:
    """Entries of a reply read one by one, so that a bad one spoils no other."""

    shown: set[int]
    reason_characters: int
    unknown: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _read: dict[int, Judgement] = field(default_factory=dict)
    _contradicted: set[int] = field(default_factory=set)

    def read(self, entries: list[Any], verdict: Literal["accept"] | None) -> None:
        """Take in the entries. Raises Unreadable when none of several could be read."""
        read = [entry for data in entries if (entry := self._shaped(data)) is not None]
        numbers = self._are_numbers([entry.id for entry in read])
        for entry in read:
            self._entry(entry, f"c{entry.id}" if numbers else entry.id, verdict)
        if entries and not (self._read or self.unknown or self._contradicted):
            raise Unreadable(self.problems[0] if self.problems else "No entry could be read.")

    def judgements(self) -> tuple[Judgement, ...]:
        """One judgement a chunk, without those that the reply itself contradicts."""
        return tuple(j for j in self._read.values() if j.chunk not in self._contradicted)

    def _shaped(self, data: object) -> JudgementEntry | None:
        try:
            return JudgementEntry.model_validate(data)
        except ValidationError:
            self.problems.append(f"An entry has no readable id: {one_line(str(data))[:200]}.")
            return None

    def _are_numbers(self, names: list[str]) -> bool:
        """Whether a reply names all its passages by their ids' numbers alone.

        Numbers no higher than the count of the passages may be places in the prompt instead.
        """
        if not names or not all(map(_BARE_NUMBER.match, names)):
            return False
        numbers = {int(name) for name in names}
        return numbers <= self.shown and max(numbers) > len(self.shown)

    def _entry(self, entry: JudgementEntry, name: str, verdict: Literal["accept"] | None) -> None:
        match = _CHUNK_NAME.match(name)
        chunk = int(match.group(1)) if match else -1
        if chunk not in self.shown:
            self.unknown.append(one_line(entry.id)[:_LONGEST_NAME])
            return
        given = _VERDICTS.get(entry.verdict.strip(_AROUND).lower())
        if verdict and not entry.verdict:
            given = verdict
        if given is None:
            self.problems.append(f'c{chunk} has no verdict but "{one_line(entry.verdict)[:80]}".')
        elif not entry.reason.strip():
            self.problems.append(f"c{chunk} is judged without a reason.")
        else:
            self._keep(chunk, given, entry)

    def _keep(self, chunk: int, verdict: Verdict, entry: JudgementEntry) -> None:
        earlier = self._read.get(chunk)
        if earlier is None:
            reason = bounded_reason(entry.reason, self.reason_characters)
            quote = "" if verdict == "reject" else entry.quote.strip()[:_LONGEST_QUOTE]
            self._read[chunk] = Judgement(chunk, verdict, reason, quote)
        elif earlier.verdict != verdict:
            self._contradicted.add(chunk)
            self.problems.append(f"c{chunk} is judged twice, {earlier.verdict} and {verdict}.")
