"""A workspace's own prompts: checked, kept in every version; a run keeps those it began with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.oracle import Oracle, stage_of
from tests.servers.scripted import ScriptedServer
from trace_core.domain.errors import PromptError
from trace_core.service import Service

QUESTION = "Que disent Le Conseil et Le Courrier du pont de la Scie ?"


def test_a_changed_prompt_is_a_new_version_for_new_runs_only(town: Service) -> None:
    seen: list[tuple[str, str]] = []
    oracle = Oracle(searches=0)

    def player(request: dict[str, Any]) -> str:
        seen.append((stage_of(request), request["messages"][0]["content"]))
        return oracle(request)

    own = town.prompts()["review"].text.replace("# user", "Mind the miller.\n\n# user")
    with ScriptedServer(player) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        before = town.ask(QUESTION, "model", changes={"model": model})
        town.set_prompt("review", own)
        after = town.ask(QUESTION, "model", changes={"model": model})
        for run, changed in ((before, False), (after, True)):
            seen.clear()
            assert town.advance(run, "approve").status == "finished"
            told = [system for stage, system in seen if stage == "review"]
            assert told and all(("Mind the miller." in s) == changed for s in told)
            start = town.state(run).start
            used = {c.stage: c.prompt_hash for c in town.calls(run)}
            assert start is not None
            assert used.items() <= start.prompts.items()
            assert (town.record(run).prompts["review"].text == own) == changed
    town.set_prompt("review", "")
    assert "Mind the miller." not in town.prompts()["review"].text


def test_a_run_goes_on_with_its_prompts_where_todays_no_longer_work(town: Service) -> None:
    with ScriptedServer(Oracle(searches=0)) as server:
        model = {"name": "openai/scripted", "api_base": server.url}
        run = town.ask(QUESTION, "model", changes={"model": model})
        town.stores.shelf.put("prompt", "review", "# system\nx\n# user\n{{gone}}")
        assert town.advance(run, "approve").status == "finished"
        with pytest.raises(PromptError, match="gone"):
            town.ask(QUESTION, "model", changes={"model": model})
    assert town.prompt("review").problem
    assert not town.set_prompt("review", "").problem


def test_a_prompt_that_could_not_work_is_refused_and_changes_nothing(town: Service) -> None:
    before = town.prompt_hashes()
    for stage, text in (("review", "# system\nx\n# user\n{{nonsense}}"), ("poem", "x")):
        with pytest.raises(PromptError):
            town.set_prompt(stage, text)
    assert town.prompt_hashes() == before
