"""The search step in whole runs: what comes up again, what is said when nothing was searched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.workspace import Workspace
from tests.servers.oracle import Oracle, Passage, stage_of
from tests.servers.scripted import ScriptedServer
from trace_core.domain.errors import SearchFailed
from trace_core.domain.events import ChannelFailed, SearchDone
from trace_core.domain.hits import Ranking
from trace_core.search.bm25 import Bm25Channel
from trace_core.service import Service

OFF = {"plan": False, "replan": False, "holds": False, "final": False}
FINISH = {"action": "finish", "args": {}}


def search(action: str, **args: Any) -> dict[str, Any]:
    return {"thought": "look", "action": action, "args": args}


class Steps:
    """An oracle whose steps are written out; keeps the prompts of every stage."""

    def __init__(self, steps: list[dict[str, Any]], judge: Callable[[Passage], tuple[str, str]]):
        self.steps, self.oracle = list(steps), Oracle(judge=judge)
        self.seen: list[tuple[str, str]] = []

    def __call__(self, request: dict[str, Any]) -> str:
        stage = stage_of(request)
        self.seen.append((stage, request["messages"][-1]["content"]))
        if stage == "step":
            return json.dumps(self.steps.pop(0) if self.steps else FINISH)
        return self.oracle(request)

    def prompts(self, stage: str) -> list[str]:
        return [user for name, user in self.seen if name == stage]


def play(service: Service, script: Any, question: str, **groups: Any) -> str:
    with ScriptedServer(script) as server:
        changes = {
            "model": {"name": "openai/scripted", "api_base": server.url},
            "checkpoints": OFF,
            **groups,
        }
        run = service.ask(question, "model", changes=changes)
        state = service.advance(run)
        assert state.status == "finished", state.rest_reason
    return run


def searches(service: Service, run: str) -> list[SearchDone]:
    return [p for e in service.events(run) if isinstance(p := e.payload, SearchDone)]


@pytest.fixture
def minutes(tmp_path: Path) -> Iterator[Service]:
    """One long document of several chunks: the bridge at its beginning and at its end."""
    filler = " ".join(f"On lit le rapport numéro {n} sur les foins." for n in range(90))
    text = f"Le pont de la Scie, le pont, le pont. {filler} Le pont est emporté par la crue."
    row = {"doc_id": "m1", "corpus": "council", "date": "1883-03-02", "text_original": text}
    (tmp_path / "minutes.jsonl").write_text(json.dumps(row), encoding="utf-8")
    opened = Service(Workspace.create(tmp_path / "workspace"))
    opened.run_import(tmp_path / "minutes.jsonl")
    yield opened
    opened.close()


def test_a_rejected_chunk_leaves_its_documents_other_chunks_findable(minutes: Service) -> None:
    script = Steps(
        [search("search_bm25", query="pont")],
        lambda p: ("accept", "the flood") if "emporté" in p.text else ("reject", "only a name"),
    )
    run = play(minutes, script, "Que sait-on du pont de la Scie ?")

    first, second = searches(minutes, run)[:2]
    assert [c.source_id for c in first.candidates] == [c.source_id for c in second.candidates]
    assert {c.chunk for c in first.candidates}.isdisjoint(c.chunk for c in second.candidates)
    assert second.effective
    assert [v.key.source_id for v in minutes.evidence(run)] == ["m1"]
    verdicts = [r.decision.verdict for r in minutes.decisions(run)]
    assert sorted(verdicts) == ["accept", "reject"]


def test_a_broken_channel_is_not_told_as_an_empty_search(
    shared_town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bm25Channel, "search", _broken)
    script = Steps(
        [search("search_bm25", query=word) for word in ("crue", "pilotis", "crédit", "maire")],
        lambda p: ("hold", "unsure"),
    )
    run = play(shared_town, script, "Que dit Le Conseil de la crue et de la comédie ?")

    loop = [s for s in searches(shared_town, run) if s.stage == "loop"]
    assert [s.channels for s in loop[:4]] == [()] * 4
    assert not any(s.effective for s in loop)
    failed = [e for e in shared_town.events(run) if isinstance(e.payload, ChannelFailed)]
    assert len(failed) >= 4
    told = script.prompts("step")
    assert "could not be searched" in told[1]
    assert not any("search_bm25('crue'): 0 found" in prompt for prompt in told)
    assert not any("brought nothing new" in prompt for prompt in told)


def _broken(self: Any, query: str, scope: Any, limit: int) -> Ranking:
    return Ranking("bm25", query, scope, failure=str(SearchFailed("the index is broken")))


def test_what_only_the_widening_found_tells_the_model_of_no_wider_window(
    shared_town: Service,
) -> None:
    dated = search(
        "search_date", corpus="letters", date_from="1883-03-10", date_to="1883-03-12", query="pont"
    )
    script = Steps([dated], lambda p: ("accept", "seen"))
    run = play(shared_town, script, "Que dit Le Conseil du pont de la Scie ?")

    held = [r for r in shared_town.decisions(run) if r.decision.stage == "search_step"]
    assert held and "widened" in held[0].decision.reason
    for stage, prompt in script.seen:
        assert "widened" not in prompt, stage
        assert "outside the dates" not in prompt, stage
    assert "Held in doubt: 0" in script.prompts("step")[1]


def test_a_query_in_other_capitals_is_the_same_query(shared_town: Service) -> None:
    script = Steps(
        [search("search_bm25", query="la crue"), search("search_bm25", query="La  Crue ")],
        lambda p: ("reject", "not this"),
    )
    run = play(shared_town, script, "Que dit Le Conseil du théâtre ?")
    loop = [s for s in searches(shared_town, run) if s.stage == "loop"]
    assert [s.repeated for s in loop[:2]] == [False, True]


def test_no_log_lines_means_none_in_the_briefing_either(shared_town: Service) -> None:
    script = Steps([search("search_bm25", query="crue")], lambda p: ("accept", "seen"))
    play(
        shared_town,
        script,
        "Que dit Le Conseil du pont de la Scie ?",
        loop={"action_log_lines": 0},
    )
    assert script.prompts("brief")
    assert not any("search_bm25(" in prompt for prompt in script.prompts("brief"))


def test_a_name_that_the_order_invents_is_an_event(shared_town: Service) -> None:
    oracle = Oracle(judge=lambda p: ("accept", "seen"), searches=0)

    def player(request: dict[str, Any]) -> str:
        if stage_of(request) == "order":
            return json.dumps(
                {"order": [{"id": "d77", "reason": "?"}, {"id": "d1", "reason": "!"}]}
            )
        return oracle(request)

    run = play(shared_town, player, "Que dit Le Conseil du pont de la Scie ?")
    named = [e.data for e in shared_town.events(run) if e.type == "unknown_chunk"]
    assert [(n["stage"], n["named"]) for n in named] == [("rank", "d77")]
