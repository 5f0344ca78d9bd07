"""Values that the assistant's tests are made of: a small archive, tasks, an assistant."""

from __future__ import annotations

from typing import Any

from tests.servers.scripted import ScriptedServer
from trace_core.assistant.asking import Asker
from trace_core.assistant.chat import Control
from trace_core.assistant.llm import LiteLLMModel
from trace_core.assistant.model import ModelAssistant
from trace_core.assistant.tasks import (
    AcceptedItem,
    ArchiveContext,
    BriefTask,
    CorpusView,
    HeldItem,
    OrderItem,
    OrderTask,
    PlanTask,
    ReevaluateTask,
    ReplanTask,
    ReviewItem,
    ReviewTask,
    StepTask,
)
from trace_core.domain.corpus import DocumentKey, SubCorpus
from trace_core.domain.dates import day_ordinal
from trace_core.domain.evidence import Candidate, Found
from trace_core.domain.question import Briefing, Memory, SubQuestion
from trace_core.evaluation.replay import MemoryCalls
from trace_core.prompts.loader import load_prompts
from trace_core.settings import ModelSettings, Settings

QUESTION = "How did the Harbour Gazette and the council report the flood of the Orlen bridge?"


def archive(*, local_only: bool = False) -> ArchiveContext:
    gazette = SubCorpus("gazette", "Harbour Gazette", ("the Gazette",), "newspaper", "en")
    council = SubCorpus(
        "council", "Council minutes", (), "minutes", "fr", "Minutes of a town.", local_only
    )
    return ArchiveContext(
        (
            CorpusView(gazette, 120, 400, day_ordinal(1880, 1, 1), day_ordinal(1889, 12, 31)),
            CorpusView(council, 40, 90, day_ordinal(1881, 3, 2), day_ordinal(1888, 5, 4)),
        )
    )


def part(id: str = "q1", target: str = "gazette", text: str = "The flood in the paper") -> Any:
    return SubQuestion(id=id, text=text, target=target, entities=("Orlen",))


def item(chunk: int, text: str = "The bridge over the Orlen fell.", **more: Any) -> ReviewItem:
    corpus = more.pop("corpus", "gazette")
    candidate = Candidate(
        chunk=chunk,
        corpus=corpus,
        source_id=more.pop("source_id", f"s{chunk}"),
        version=1,
        position=1,
        score=0.5,
        found=(Found(search="w1", channel="bm25", query="Orlen", rank=1),),
    )
    values = {"title": f"Issue {chunk}", "date": "1882-04-05", "corpus_name": "Harbour Gazette"}
    return ReviewItem(candidate, text, **(values | more))


def accepted(chunk: int = 90, corpus: str = "gazette", **more: Any) -> AcceptedItem:
    values = {"title": "Issue of 6 April", "date": "1882-04-06", "reason": "names the bridge"}
    return AcceptedItem(chunk, DocumentKey(corpus, f"s{chunk}"), **(values | more))


def plan_task(**more: Any) -> PlanTask:
    return PlanTask(QUESTION, archive(), 4, {"gazette": 3.0, "council": 1.0}, **more)


def step_task(**more: Any) -> StepTask:
    memory = Memory(gaps="no minutes yet")
    values: dict[str, Any] = {"log": ("step 1: search_bm25 Orlen: 4 new",), "steps_left": 5}
    return StepTask(QUESTION, part(), archive(), memory, **(values | more))


def review_task(*items: ReviewItem, **more: Any) -> ReviewTask:
    given = items or (item(11), item(12, "Prices of hay."), item(13, "A bridge, it is said."))
    return ReviewTask(QUESTION, part(), more.pop("archive", archive()), given, **more)


def reevaluate_task(**more: Any) -> ReevaluateTask:
    held = (HeldItem(item(21), "name unclear"), HeldItem(item(22), "date unclear"))
    return ReevaluateTask(QUESTION, part(), archive(), (accepted(),), held, **more)


def brief_task(**more: Any) -> BriefTask:
    values: dict[str, Any] = {"accepted": (accepted(),), "gap": "no minutes"}
    return BriefTask(QUESTION, part(), archive(), **(values | more))


def replan_task(**more: Any) -> ReplanTask:
    remaining = (part("q2", "council", "The flood in the minutes"),)
    briefing = Briefing(summary="The bridge fell on 5 April.", dates=("1882-04-05",))
    return ReplanTask(QUESTION, archive(), (part(),), remaining, briefing, 4, **more)


def order_task(**more: Any) -> OrderTask:
    documents = tuple(
        OrderItem(DocumentKey("gazette", f"s{n}"), f"Issue {n}", "1882-04-05", 1, (f"reason {n}",))
        for n in (1, 2, 3)
    )
    return OrderTask(QUESTION, archive(), documents, **more)


TASKS: dict[str, tuple[str, Any]] = {
    "plan": ("plan", plan_task),
    "step": ("next_action", step_task),
    "review": ("review", review_task),
    "reevaluate": ("reevaluate", reevaluate_task),
    "brief": ("brief", brief_task),
    "replan": ("replan", replan_task),
    "order": ("order", order_task),
}
"""Stage to the assistant's method and a task for it."""


def model(server: ScriptedServer, **settings: Any) -> LiteLLMModel:
    values = {"name": "openai/scripted", "api_base": server.url, "timeout": 20.0} | settings
    return LiteLLMModel(ModelSettings(**values), sleep=lambda seconds: None, jitter=lambda: 0.0)


def assistant(
    server: ScriptedServer,
    *,
    calls: MemoryCalls | None = None,
    control: Control | None = None,
    **settings: Any,
) -> ModelAssistant:
    chosen = model(server, **settings)
    whole = Settings().merged({"model": settings}) if settings else Settings()
    log = MemoryCalls() if calls is None else calls
    asker = Asker(chosen, load_prompts(), log, "r1", control or Control())
    return ModelAssistant(asker, whole)


def run_stage(assistant: ModelAssistant, stage: str, **more: Any) -> Any:
    """Ask the assistant this stage's task."""
    method, task = TASKS[stage]
    return getattr(assistant, method)(task(**more))
