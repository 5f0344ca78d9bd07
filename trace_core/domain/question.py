"""What is asked: the question, the plan of sub-questions, and the memory between steps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trace_core.domain.base import Value

AssistantName = Literal["rules", "model"]
"""Who does the tasks of a run: rules on this machine, or the language model of its settings."""


class ScopeSpec(Value):
    """The limits a historian sets on a whole run: sub-corpora by id (none = all) and ISO days.

    `min_quality` leaves out documents whose OCR quality, from 0 to 1, is known to be lower.
    """

    corpora: tuple[str, ...] = ()
    date_from: str | None = None
    date_to: str | None = None
    include_undated: bool = True
    min_quality: float | None = Field(default=None, ge=0, le=1)


class SubQuestion(Value):
    """One part of a question, aimed at one sub-corpus.

    `id` is given once per run ("q1", "q2", …) and never reused. `target` is a sub-corpus id, ""
    for the whole archive. `origin` says whether the plan or a replan made it, or a person.
    """

    id: str
    text: str
    target: str = ""
    entities: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    origin: Literal["plan", "spawned", "human"] = "plan"
    why: str = ""


class Memory(Value):
    """The five slots that the search loop carries from step to step; replaced, never appended."""

    prior_findings: str = ""
    question_analysis: str = ""
    evidence: str = ""
    gaps: str = ""
    next_steps: str = ""


class Briefing(Value):
    """The only thing that passes from one sub-question to the next.

    `leads` are names that tell its accepted passages from the rejected ones; they are counted,
    not written by the assistant.
    """

    summary: str = ""
    confirmed_facts: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    search_hints: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()


ActionName = Literal[
    "search_bm25", "search_semantic", "search_date", "search_exact", "search_fuzzy", "finish"
]


class Action(Value):
    """One step of the search loop, as asked for by the assistant.

    `corpus` is a sub-corpus id or "" for all. `date_from`/`date_to` are ISO days, inclusive;
    alternatively `date_center` with `window_days` (1 to 60).
    """

    name: ActionName
    query: str = ""
    corpus: str = ""
    date_from: str | None = None
    date_to: str | None = None
    date_center: str | None = None
    window_days: int | None = Field(default=None, ge=1, le=60)
    thought: str = ""

    def signature(self) -> str:
        """What makes two searches the same search: everything but the thought.

        Capitals and white space of the query make no other search.
        """
        query = " ".join(self.query.casefold().split())
        return self.model_copy(update={"query": query}).model_dump_json(exclude={"thought"})
