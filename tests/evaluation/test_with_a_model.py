"""Ablation, counterfactual replay and planted trap with a scripted model, worked out by hand.

The model asks about the council alone. Where the warm start brings it the minutes of 2 March
(council/m1, which name Vernaudon and answer nothing), it searches for Vernaudon next and finds
the letter that answers the question (letters/l1, the only gold). Without them it searches for a
comedy, accepts nothing, is refused its first `finish` and then ends.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.oracle import Oracle, Passage
from tests.servers.scripted import ScriptedServer
from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.passed_on import rates
from trace_core.evaluation.questions import Question, QuestionSet
from trace_core.evaluation.reliability import TrapOutcome, robustness
from trace_core.service import Service
from trace_core.service.evaluating import How
from trace_core.service.journeys import PLANTED_ID, Disturbances
from trace_core.service.rehearsing import WhatIf

TEXT = "Qui avait raison au sujet du pont de la Scie ?"
M1, L1 = DocumentKey("council", "m1"), DocumentKey("letters", "l1")
QUESTIONS = QuestionSet("one", (Question("1", TEXT, (L1,), "bridge"),))
WARNING = "the minutes in which Vernaudon warns"


class Bridge(Oracle):
    """The model of the module's head; `gullible` also accepts what was planted."""

    def __init__(self, *, gullible: bool = False) -> None:
        super().__init__(judge=self.verdict)
        self.gullible = gullible

    def verdict(self, passage: Passage) -> tuple[str, str]:
        if "rend compte" in passage.text:
            return "accept", WARNING
        if "Vernaudon avait raison" in passage.text:
            return "accept", "the letter says « Vernaudon avait raison »"
        if self.gullible and passage.text.startswith(TEXT):
            return "accept", "it repeats the question"
        return "reject", "answers nothing"

    def _plan(self, request: dict[str, Any]) -> dict[str, Any]:
        part = {"text": "Que dit le conseil du pont de la Scie ?", "target": "council"}
        return {"sub_questions": [part], "note": ""}

    def _step(self, request: dict[str, Any]) -> dict[str, Any]:
        user = request["messages"][-1]["content"]
        if "search_bm25(" in user:
            return {"thought": "", "action": "finish", "args": {}}
        query = "Vernaudon" if WARNING in user else "comédie"
        return {"thought": "", "action": "search_bm25", "args": {"query": query}}

    def _brief(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"summary": "done", "gaps": []}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(Bridge()) as server:
        yield server


def how(server: ScriptedServer, **more: Any) -> How:
    model = {"name": "openai/scripted", "api_base": server.url, "retries": 0}
    return How({"model": model}, **more)


def test_an_ablation(shared_town: Service, server: ScriptedServer) -> None:
    made = shared_town.ablation(QUESTIONS, "trace-model", how(server, workers=2))["ablation"]
    path = {line["name"]: line for line in made["cumulative"]}
    # Nothing without the warm start: the model never sees the name.
    assert {name: line["recall@10"] for name, line in path.items()} == {
        "agent only": 0.0,
        "+ decomposition": 0.0,
        "+ memory and replanning": 0.0,
        "+ warm start": 1.0,
        "+ hold and re-evaluation": 1.0,
    }
    assert [line["change"]["mean"] for line in made["cumulative"]] == [0, 0, 0, 1, 0]
    without = {line["name"]: line["recall@10"] for line in made["leave_one_out"]}
    assert without.pop("without warm start") == 0.0
    assert set(without.values()) == {1.0}
    assert len(without) == 9
    assert "not independent" in made["note"]
    assert shared_town.runs() == []


def test_an_evaluation_is_taken_up_where_it_was_left(
    shared_town: Service, server: ScriptedServer
) -> None:
    asked = len(server.chats)
    again = shared_town.evaluate(QUESTIONS, ["trace-model"], how(server))
    assert again.summary("trace-model").means["recall@10"] == 1.0
    assert len(server.chats) == asked
    fresh = shared_town.evaluate(QUESTIONS, ["trace-model"], how(server, fresh=True))
    assert len(server.chats) - asked == fresh.summary("trace-model").cost.calls > 0


@pytest.fixture(scope="module")
def run(shared_town: Service, server: ScriptedServer) -> str:
    done = shared_town.evaluate(QUESTIONS, ["trace-model"], how(server))
    return done.results["trace-model"][0].answer.run


def test_a_counterfactual_finds_the_bridge(
    shared_town: Service, server: ScriptedServer, run: str
) -> None:
    found = shared_town.counterfactual(run, questions=QUESTIONS)
    assert found.same_as_record
    assert (found.measured_by, found.target) == ("gold", (L1,))
    by_key = {str(j.observation.what.key): j for j in found.sample.judged}
    bridge, useful = by_key["council/m1"], by_key["letters/l1"]
    ranking = shared_town.ranking("Vernaudon", "bm25", 50, {}).hits
    rank = [hit.key for hit in ranking].index(L1) + 1
    assert bridge.observation.quality == 1.0
    assert bridge.observation.next_query == pytest.approx(1 / math.log2(rank + 1))
    assert (bridge.observation.effort, bridge.observation.lost) == (0, (L1,))
    assert (useful.observation.quality, useful.observation.next_query) == (1.0, 0.0)
    # n is 1 for the greatest difference; effort is the same everywhere and counts nothing.
    assert found.sample.no_effect == 0.0
    assert (bridge.utility, bridge.quadrant) == (pytest.approx(2.0), "bridge")
    assert (useful.utility, useful.quadrant) == (pytest.approx(1.0), "useful")
    others = [j for k, j in by_key.items() if k not in ("council/m1", "letters/l1")]
    assert {(j.utility, j.quadrant) for j in others} == {(0.0, "useless")}
    count = len(by_key)
    assert found.sample.shares["bridge"] == found.sample.shares["useful"] == 1 / count
    assert found.sample.spearman == pytest.approx(spearman_of(count))
    assert found.noise is not None
    assert (found.noise.quality, found.noise.next_query, found.noise.effort) == (0, 0, 0)
    assert found.noise.replies_recorded == 0


def spearman_of(n: int) -> float:
    """One useful document (worth 1, utility 1), one bridge (worth 0, utility 2), the rest zeros."""
    alone = [n] + [n / 2] * (n - 1)
    utility = [n - 1, n] + [(n - 1) / 2] * (n - 2)
    middle = (n + 1) / 2
    a, u = [x - middle for x in alone], [x - middle for x in utility]
    product = sum(x * y for x, y in zip(a, u, strict=True))
    return product / math.sqrt(sum(x * x for x in a) * sum(y * y for y in u))


def test_prompts_that_are_the_same_are_answered_from_the_record(
    shared_town: Service, server: ScriptedServer, run: str
) -> None:
    asked = len(server.chats)
    wish = WhatIf(documents=(L1,), noise=False)
    (judged,) = shared_town.counterfactual(run, wish, QUESTIONS).sample.judged
    anew = len(server.chats) - asked
    # The undisturbed replay asks nothing; without the letter the review of what is left, the
    # next step and the briefing are other prompts, and with one document there is no order.
    assert judged.observation.replies_anew == anew == 3
    assert shared_town.events(run)[-1].type == "run_finished"


def test_the_name_that_the_bridge_passed_on(
    shared_town: Service, server: ScriptedServer, run: str
) -> None:
    (query,) = shared_town.counterfactual(run, WhatIf(noise=False)).passed
    names = {name.name: name for name in query.names}
    assert query.query == "Vernaudon"
    vernaudon = next(n for text, n in names.items() if "Vernaudon" in text)
    assert vernaudon.in_query
    assert vernaudon.documents == (M1,)
    # In 1 of 1 accepted and 0 of 2 rejected: p = 1.5/2, q = 0.5/3, df = 1.
    expected = (1 - math.exp(-1 / 5)) * (math.log(0.75 / 0.25) - math.log((1 / 6) / (5 / 6)))
    assert vernaudon.weight == pytest.approx(expected)
    assert rates([query]).others == 0.0


@pytest.mark.parametrize(
    ("gullible", "expected"),
    [
        (True, TrapOutcome("1", True, True, None, False, 2)),
        (False, TrapOutcome("1", True, False, 0, True, 2)),
    ],
)
def test_a_planted_trap(gullible: bool, expected: TrapOutcome, shared_town: Service) -> None:
    question = Question("1", TEXT, (M1,))
    before = shared_town.stores.generation()
    with ScriptedServer(Bridge(gullible=gullible)) as server:
        found = shared_town.trap(question, "trace-model", how(server).changes)
        shown = [c for c in server.chats if PLANTED_ID in json.dumps(c.body)]
    assert found == expected
    assert robustness([found]) == pytest.approx(math.exp(-0.5 * 3) if gullible else 1.0)
    assert shared_town.stores.generation() == before
    assert shared_town.search("pont Scie", "bm25").hits[0].key.source_id != PLANTED_ID
    assert not shown


def test_a_trajectory_with_everything(shared_town: Service, server: ScriptedServer) -> None:
    wish = Disturbances(repeats=2, traps=True, fractions=(0.0, 1.0))
    found = shared_town.journeys(QUESTIONS, "trace-model", how(server), wish)
    (way,) = found.runs
    assert (way.success, way.searches, way.nothing_new, way.no_gain) == (True, 2, 0, 0)
    # Two reasons, one of which quotes, and quotes what stands there.
    assert (way.support.reasons, way.support.quoting, way.support.supported) == (2, 1, 1)
    # The planted letter lies outside the council and is not asked for by two words: unseen.
    assert [trap.found for trap in found.traps] == [False]
    assert found.profile.utility_successes == pytest.approx(1.0)
    assert found.stability["1"].jaccard == 1.0
    assert found.scaffold is not None
    assert [success.mean for _, success in found.scaffold.curve] == [1.0, 1.0]
    assert found.scaffold.least == 0.0


def test_the_commands_speak_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], town: Service
) -> None:
    from trace_core.__main__ import main
    from trace_core.evaluation.questions import as_lines

    path = tmp_path / "questions.jsonl"
    path.write_text(as_lines(QUESTIONS.questions), encoding="utf-8")
    run = town.ask(TEXT)
    town.advance(run, "approve")
    town.close()
    where = ("--workspace", str(tmp_path / "workspace"))

    def call(*words: str) -> Any:
        capsys.readouterr()
        assert main([*words, *where]) == 0
        return capsys.readouterr().out

    made = json.loads(
        call("evaluate", str(path), "--strategy", "bm25,trace-rules", "--json", "--channels")
    )
    assert list(made["strategies"]) == ["bm25", "trace-rules"]
    assert {"n", "recall@3", "recall@10", "mrr_first_gold", "mrr_all_gold"} <= set(
        made["strategies"]["bm25"]
    )
    assert made["strategies"]["trace-rules"]["misses"]["count"] >= 0
    assert set(made["conditions"]) == {
        "archive", "index", "settings", "prompts", "version", "questions",
    }  # fmt: skip
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    trec, plots = tmp_path / "trec", tmp_path / "plots"
    call("evaluate", str(path), "--strategy", "bm25", "-o", str(first), "--trec", str(trec))
    call(
        "evaluate", str(path), "--strategy", "bm25", "--paper", "-o", str(second),
        "--plots", str(plots),
    )  # fmt: skip
    assert (trec / "gold.qrels").read_text() == "1 0 letters/l1 1\n"
    assert (trec / "bm25.run").read_text().startswith("1 Q0 ")
    assert {p.name for p in plots.iterdir()} == {"measures.html", "misses.html"}
    changed = json.loads(call("evaluate", "--compare", str(first), str(second), "--json"))
    assert changed["conditions"]["conditions.settings.search.coupling"] == [True, False]
    assert changed["numbers"] == {}
    assert "conditions.settings.search.coupling" in call(
        "evaluate", "--compare", str(first), str(second)
    )
    made = json.loads(call("evaluate", str(path), "--ablation", "--json"))
    assert len(made["ablation"]["cumulative"]) == 5
    assert "warm start" in call("evaluate", str(path), "--ablation")
    made = json.loads(call("counterfactual", run, "--gold", str(path), "--json"))
    assert sum(made["quadrants"].values()) == pytest.approx(1.0)
    assert "No effect" in call("counterfactual", run)
    made = json.loads(call("trajectory", str(path), "--repeats", "2", "--traps", "--json"))
    assert made["stability"]["1"]["jaccard"] == 1.0
    assert "parts: success" in call("trajectory", str(path))


def test_a_trap_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], town: Service
) -> None:
    from trace_core.__main__ import main
    from trace_core.evaluation.questions import as_lines

    town.close()
    path, trap = tmp_path / "questions.jsonl", tmp_path / "trap.txt"
    path.write_text(as_lines(QUESTIONS.questions), encoding="utf-8")
    asked = ["trajectory", str(path), "--workspace", str(tmp_path / "workspace"), "--trap-text"]
    trap.write_text(f"{TEXT} Le pont de la Scie se porte bien.\n", encoding="utf-8")
    assert main([*asked, str(trap), "--json"]) == 0
    (outcome,) = json.loads(capsys.readouterr().out)["traps"]
    assert (outcome["question"], outcome["found"]) == ("1", True)
    trap.write_text(" \n", encoding="utf-8")
    assert main([*asked, str(trap)]) == 2
    assert "no text to plant" in capsys.readouterr().err
    assert main([*asked, str(tmp_path / "none")]) == 2
    assert "cannot be read" in capsys.readouterr().err
