"""Every fault at every stage, over real HTTP: a value, no value with a sentence, or a clear error.

Nothing is ever judged that the reply did not judge, and no key reaches the record.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.assistant.builders import (
    TASKS,
    MemoryCalls,
    assistant,
    model,
    review_task,
    run_stage,
    step_task,
)
from tests.servers.oracle import Oracle
from tests.servers.scripted import (
    Broken,
    Busy,
    HangUp,
    Move,
    Refusal,
    Reply,
    Silence,
    for_ever,
    half,
    thinking,
)
from trace_core.assistant.chat import Control
from trace_core.assistant.tasks import ReevaluateResult, ReviewResult
from trace_core.domain.errors import (
    BudgetSpent,
    ModelMisconfigured,
    ModelUnavailable,
    StopRequested,
)

STAGES = sorted(TASKS)
KEY = "sk-scripted-0123456789abcdef"

PASSING = {
    "busy": Busy("2"),
    "busy without header": Busy(),
    "broken": Broken(),
    "bad gateway": Broken(502, "Bad gateway"),
    "hang-up": HangUp(),
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_passing_fault_is_waited_out(scripted: Any, stage: str, fault: Move) -> None:
    waits: list[float] = []
    control = Control(pause=lambda reason, seconds: waits.append(seconds))
    server = scripted([fault, Oracle()])
    outcome = run_stage(assistant(server, control=control), stage)
    assert outcome.value is not None
    assert [call.ok for call in outcome.calls] == [False, True]
    assert outcome.calls[0].tokens_in == 0 and outcome.calls[0].problem
    assert len(waits) == 2 and waits[0] > 0 and waits[1] == 0
    assert len(server.chats) == 2


@pytest.mark.parametrize("stage", STAGES)
def test_a_fault_that_lasts_makes_the_run_rest(scripted: Any, stage: str) -> None:
    server, calls = scripted([Broken()]), MemoryCalls()
    with pytest.raises(ModelUnavailable, match="Resume the run") as caught:
        run_stage(assistant(server, calls=calls, retries=2), stage, state="s")
    assert len(server.chats) == 3
    assert [call.ok for call in caught.value.calls] == [False] * 3
    assert len(calls.calls("r1")) == 3
    server.script = Oracle()
    assert run_stage(assistant(server, calls=calls), stage, state="s").value is not None


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    "player",
    [Oracle(), thinking(Oracle()), thinking(Oracle(), opening=False)],
    ids=["plain", "thinking", "thinking without the opening tag"],
)
def test_a_reply_is_found_behind_thoughts_and_fences(
    scripted: Any, stage: str, player: Any
) -> None:
    def fenced(request: dict[str, Any]) -> str:
        return (
            f"\ufeff{player(request)}".replace("</think>", "</think>\nHere:\n```json\n") + "\n```"
        )

    plain = run_stage(assistant(scripted(Oracle())), stage)
    found = run_stage(assistant(scripted(fenced)), stage)
    assert found.value is not None and found.value == plain.value


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    "move",
    ["", "I cannot say.", Reply(None), "[]", '{"weather": "fine"}', "null", "{", '{"a": ['],
    ids=["empty", "prose", "null content", "list", "other", "null", "brace", "half"],
)
def test_an_unreadable_reply_gives_no_value(scripted: Any, stage: str, move: Move) -> None:
    server = scripted(for_ever(move))
    outcome = run_stage(assistant(server), stage)
    assert outcome.value is None and outcome.problem.endswith(".")
    tries = 1 if stage == "step" else 3
    assert len(server.chats) == tries == len(outcome.calls)
    if tries > 1:
        assert "could not be used: " + outcome.problem in server.chats[1].user


@pytest.mark.parametrize("stage", STAGES)
def test_half_a_reply_never_decides_more_than_it_says(scripted: Any, stage: str) -> None:
    player = Oracle(judge=lambda p: ("reject", "seen"), promote=lambda p: "the date fits")
    whole = run_stage(assistant(scripted(player)), stage).value
    cut = run_stage(assistant(scripted(half(player))), stage).value
    if isinstance(whole, ReviewResult) and isinstance(cut, ReviewResult):
        assert 0 < len(cut.judgements) < len(whole.judgements)
        assert set(cut.judgements) < set(whole.judgements)
    elif isinstance(whole, ReevaluateResult) and cut is not None:
        assert set(cut.promotions) < set(whole.promotions)
    elif stage in ("plan", "step", "brief", "replan"):
        assert cut is None


def test_a_longer_reply_is_allowed_after_one_that_was_cut_off(scripted: Any) -> None:
    server = scripted([Reply('{"sub_questions": [', "length"), Oracle()])
    assert run_stage(assistant(server, context_tokens=32768), "plan").value is not None
    assert [seen.body["max_tokens"] for seen in server.chats] == [2048, 4096]


def test_a_list_given_as_a_string_is_a_list(scripted: Any) -> None:
    entries = json.dumps([{"id": "c11", "verdict": "hold", "reason": "unclear"}])
    server = scripted([json.dumps({"judgements": entries})])
    outcome = assistant(server).review(review_task())
    assert outcome.value is not None and outcome.value.judgements[0].verdict == "hold"


def test_invented_ids_decide_nothing(scripted: Any) -> None:
    outcome = assistant(scripted(Oracle(invent=True))).review(review_task())
    assert outcome.value is not None
    assert outcome.value.unknown == ("c999999999",)
    assert {j.chunk for j in outcome.value.judgements} == {11, 12, 13}


# --- waiting -------------------------------------------------------------------------------------


def test_retry_after_in_seconds_is_honoured(scripted: Any) -> None:
    slept: list[float] = []
    chosen = model(scripted([Busy("7"), Oracle()]))
    chosen._sleep = slept.append
    waits: list[tuple[str, float]] = []
    control = Control(pause=lambda reason, seconds: waits.append((reason, seconds)))
    reply = chosen.complete(_request(), control)
    assert reply.failures[0].problem == "The model's server asks to wait (429)."
    assert sum(slept) == pytest.approx(7.0, abs=0.01)
    assert waits == [
        ("The model's server asks to wait (429). Trying again, 1 of 4.", 7.0),
        ("", 0.0),
    ]


def test_retry_after_as_a_date_is_honoured(scripted: Any) -> None:
    slept: list[float] = []
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    chosen = model(scripted([Busy(later), Oracle()]))
    chosen._sleep = slept.append
    chosen.complete(_request(), Control())
    assert 25 < sum(slept) <= 31


def test_without_retry_after_the_waits_double(scripted: Any) -> None:
    waits: list[float] = []
    control = Control(pause=lambda reason, seconds: waits.append(seconds))
    server = scripted([Busy(), Busy(), Busy(), Oracle()])
    model(server).complete(_request(), control)
    assert [wait for wait in waits if wait] == [1.0, 2.0, 4.0]


def test_too_long_a_wait_makes_the_run_rest_instead(scripted: Any) -> None:
    with pytest.raises(ModelUnavailable, match="asks to wait 7200 seconds"):
        assistant(scripted([Busy("7200")])).next_action(step_task())


def test_a_used_up_account_is_not_waited_for(scripted: Any) -> None:
    server = scripted([Busy(message="You exceeded your current quota (insufficient_quota)")])
    with pytest.raises(ModelUnavailable, match="used up"):
        assistant(server).next_action(step_task())
    assert len(server.chats) == 1


def test_a_server_that_never_answers_is_given_up(scripted: Any) -> None:
    server = scripted([Silence()])
    with pytest.raises(ModelUnavailable, match="did not answer in time"):
        assistant(server, timeout=0.5, retries=1).next_action(step_task())
    assert len(server.chats) == 2


def test_a_person_can_stop_while_the_model_is_silent(scripted: Any) -> None:
    server = scripted([Silence()])
    control = Control(should_stop=lambda: bool(server.chats))
    with pytest.raises(StopRequested):  # and not ModelUnavailable, which the wait would end in
        assistant(server, control=control).next_action(step_task())
    assert len(server.chats) == 1


def test_a_person_can_stop_during_a_wait(scripted: Any) -> None:
    waits: list[float] = []
    control = Control(
        should_stop=lambda: bool(waits), pause=lambda reason, seconds: waits.append(seconds)
    )
    with pytest.raises(StopRequested) as caught:
        assistant(scripted([Busy("600")]), control=control).next_action(step_task())
    assert waits == [600.0, 0.0]
    assert [call.problem for call in caught.value.calls] == [
        "The model's server asks to wait (429)."
    ]


def test_a_budget_stops_before_the_call_and_keeps_what_was_paid(scripted: Any) -> None:
    def check(calls: Any, tokens: int) -> None:
        assert tokens > 2048
        if calls:
            raise BudgetSpent("The run's cap of 1 model call is reached.")

    server = scripted(["prose"])
    with pytest.raises(BudgetSpent) as caught:
        run_stage(assistant(server, control=Control(check_budget=check)), "plan")
    assert len(server.chats) == 1 == len(caught.value.calls)


# --- wrong settings ------------------------------------------------------------------------------


def test_a_wrong_key_is_not_tried_again_and_appears_nowhere(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "sk-wrong-9876543210fedcba"
    monkeypatch.setenv("TRACE_API_KEY", wrong)
    server, calls = scripted([Oracle()], key=KEY), MemoryCalls()
    with pytest.raises(ModelMisconfigured, match="Set TRACE_API_KEY") as caught:
        assistant(server, calls=calls).next_action(step_task())
    assert len(server.requests) == 1
    assert wrong not in f"{caught.value} {caught.value.calls} {vars(calls)}"
    assert "[key removed]" in str(caught.value)


def test_the_right_key_is_sent_and_recorded_nowhere(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACE_API_KEY", KEY)
    calls = MemoryCalls()
    echo = json.dumps({"thought": f"my key is {KEY}", "action": "finish", "args": {}})
    outcome = assistant(scripted([echo], key=KEY), calls=calls).next_action(step_task())
    assert outcome.value is not None
    assert KEY not in f"{outcome} {vars(calls)}"


def test_an_unknown_model_or_path_is_said_so(scripted: Any) -> None:
    server = scripted([Refusal("model not found", status=404)])
    with pytest.raises(ModelMisconfigured, match="most end in /v1"):
        assistant(server).next_action(step_task())
    assert len(server.chats) == 1


def test_no_server_at_the_address_is_said_so() -> None:
    from tests.servers.scripted import ScriptedServer

    server = ScriptedServer([])
    server.close()
    with pytest.raises(ModelUnavailable, match="cannot be reached; start it"):
        assistant(server, retries=1).next_action(step_task())


def test_no_model_is_said_so(scripted: Any) -> None:
    with pytest.raises(ModelMisconfigured, match="No model is set"):
        assistant(scripted([Oracle()]), name="").next_action(step_task())


def test_a_text_that_the_provider_refuses_is_not_judged(scripted: Any) -> None:
    server = scripted([Refusal("blocked by content_policy", "content_policy_violation")])
    outcome = assistant(server).review(review_task())
    assert outcome.value is None and "refused to read this text" in outcome.problem
    assert len(server.chats) == 1


def _request() -> Any:
    from trace_core.assistant.chat import ChatRequest

    return ChatRequest("step", "system", "user", {"type": "object", "properties": {}}, 100)
