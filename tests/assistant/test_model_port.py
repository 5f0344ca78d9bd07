"""The model port: forms of reply, Ollama, prices, places, keys, and prompts that must fit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.assistant.builders import (
    assistant,
    item,
    model,
    plan_task,
    review_task,
    run_stage,
    step_task,
)
from tests.servers.oracle import Oracle, passages
from tests.servers.scripted import Broken, Refusal, Reply
from trace_core.assistant.chat import ChatRequest, Control
from trace_core.assistant.faults import read_fault
from trace_core.assistant.llm import LiteLLMModel
from trace_core.assistant.locality import address_of, is_local
from trace_core.assistant.pricing import context_of, price_of
from trace_core.assistant.secrets import Redactor, find_key, find_own_key
from trace_core.assistant.tokens import estimate_tokens
from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import ModelMisconfigured
from trace_core.domain.question import Briefing
from trace_core.settings import ModelSettings

REQUEST = ChatRequest("brief", "system", "user", {"type": "object", "properties": {}}, 50)
TABLE = {
    "ollama/llama3": {"max_input_tokens": 8192, "input_cost_per_token": 0.0},
    "small": {
        "max_input_tokens": 64_000,
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "litellm_provider": "openai",
    },
}


# --- forms of reply ------------------------------------------------------------------------------


def forms(server: Any) -> list[str]:
    return [seen.body.get("response_format", {}).get("type", "text") for seen in server.chats]


def test_a_refused_form_is_lowered_and_remembered(scripted: Any) -> None:
    server = scripted(["{}"], refuses=["json_schema"])
    chosen = model(server)
    assert chosen.complete(REQUEST, Control()).mode == "json_object"
    assert chosen.complete(REQUEST, Control()).failures == ()
    assert forms(server) == ["json_schema", "json_object", "json_object"]


def test_a_server_without_any_structure_is_asked_in_plain_text(scripted: Any) -> None:
    server = scripted(Oracle(), refuses=["json_schema", "json_object", "temperature"])
    helper = assistant(server)
    assert helper.plan(plan_task()).value is not None
    assert run_stage(helper, "review").value is not None
    assert forms(server) == ["json_schema", "json_object", "text", "text", "text"]
    assert "temperature" not in server.chats[-1].body


def test_a_form_can_be_chosen(scripted: Any) -> None:
    server = scripted(["{}"])
    model(server, structured="text").complete(REQUEST, Control())
    assert forms(server) == ["text"]


def test_the_request_is_what_the_settings_say(scripted: Any) -> None:
    server = scripted(["{}"])
    model(server, temperature=0.7).complete(REQUEST, Control())
    (seen,) = server.requests
    assert seen.path == "/v1/chat/completions"
    assert seen.body["model"] == "scripted"
    assert (seen.body["temperature"], seen.body["max_tokens"]) == (0.7, 50)
    assert seen.headers["authorization"] == "Bearer not-needed"
    assert seen.body["response_format"]["json_schema"]["name"] == "brief"


@pytest.mark.parametrize("name", ["Qwen/Qwen3-8B", "some-model"])
def test_at_ones_own_address_a_bare_name_is_enough(scripted: Any, name: str) -> None:
    server = scripted(["{}"])
    model(server, name=name).complete(REQUEST, Control())
    assert server.chats[0].body["model"] == name


def test_ollama_is_told_its_context_length(scripted: Any) -> None:
    server = scripted(["{}"])
    chosen = model(server, name="ollama_chat/llama3", api_base=server.root, context_tokens=16_384)
    assert chosen.local
    chosen.complete(REQUEST, Control())
    (seen,) = [seen for seen in server.requests if seen.path == "/api/chat"]
    options = seen.body["options"]
    assert (options["num_ctx"], options["num_predict"]) == (16_384, 50)
    assert options["temperature"] == 0.1
    assert seen.body["format"] == REQUEST.schema


# --- tokens and prices ---------------------------------------------------------------------------


def test_a_price_is_unknown_rather_than_nothing(scripted: Any) -> None:
    reply = model(scripted(["{}"])).complete(REQUEST, Control())
    assert reply.price is None and (reply.tokens_in, reply.tokens_out) == (100, 20)


def test_a_price_can_be_set(scripted: Any) -> None:
    reply = model(scripted(["{}"]), price_in=2.0, price_out=10.0).complete(REQUEST, Control())
    assert reply.price == pytest.approx((100 * 2.0 + 20 * 10.0) / 1_000_000)


def test_tokens_that_the_server_does_not_count_are_estimated(scripted: Any) -> None:
    reply = model(scripted([Reply("{}", usage=None)])).complete(REQUEST, Control())
    assert reply.estimated and reply.tokens_in > 0


def test_prices_come_from_the_table_only_at_the_providers_own_address() -> None:
    def price(**settings: Any) -> float | None:
        return price_of(ModelSettings(**settings), TABLE, 1_000_000, 500_000)

    assert price(name="openai/small") == pytest.approx(1.0 + 1.0)
    assert price(name="small") == pytest.approx(2.0)
    assert price(name="other/small") is None
    assert price(name="openai/small", api_base="http://127.0.0.1:1/v1") is None
    assert price(name="ollama/llama3") is None
    assert price(name="nobody/knows") is None


def test_the_context_is_set_known_or_small() -> None:
    assert context_of(ModelSettings(name="openai/small"), TABLE) == 64_000
    assert context_of(ModelSettings(name="openai/small", context_tokens=100), TABLE) == 100
    assert context_of(ModelSettings(name="openai/small", api_base="http://h/v1"), TABLE) == 8192
    assert context_of(ModelSettings(name="ollama/llama3"), TABLE) == 8192


def test_the_estimate_is_on_the_safe_side() -> None:
    text = "Die Brücke über den Fluß ist geſtern eingeſtürzt; l'aſſemblée a été informée. "
    from litellm import token_counter

    assert estimate_tokens(text * 20) > token_counter(model="openai/x", text=text * 20)


# --- what must fit -------------------------------------------------------------------------------


def test_long_passages_are_cut_with_a_mark_before_they_are_sent(scripted: Any) -> None:
    server = scripted(Oracle(judge=lambda p: ("hold", "seen")))
    items = [item(n, "Orlen flood " * 400) for n in range(1, 5)]
    outcome = assistant(server, context_tokens=8192).review(review_task(*items))
    assert outcome.value is not None and len(outcome.value.judgements) == 4
    assert "characters left out …]" in server.chats[0].user
    assert "shortened to fit a context of 8192 tokens" in outcome.notices[0]


def test_passages_without_room_wait_for_a_later_call(scripted: Any) -> None:
    server = scripted(Oracle(judge=lambda p: ("hold", "seen")))
    items = [item(n, "Orlen flood " * 400) for n in range(1, 9)]
    outcome = assistant(server, context_tokens=4096).review(review_task(*items))
    assert outcome.value is not None
    shown = [passage.chunk for passage in passages(server.chats[0].body)]
    assert 0 < len(shown) < 8
    assert [j.chunk for j in outcome.value.judgements] == shown
    assert [*shown, *outcome.value.unsent] == list(range(1, 9))


def test_what_cannot_fit_is_refused_before_it_is_sent(scripted: Any) -> None:
    server = scripted(Oracle())
    with pytest.raises(ModelMisconfigured, match="does not fit the model's context of 1000"):
        assistant(server, context_tokens=1000).review(review_task())
    assert server.requests == []


def test_a_server_that_finds_it_too_long_gets_less(scripted: Any) -> None:
    refusal = Refusal("This model's maximum context length is 4096 tokens")
    server = scripted([refusal, refusal, Oracle(judge=lambda p: ("hold", "seen"))])
    items = [item(n, "Orlen flood " * 200) for n in range(1, 7)]
    outcome = assistant(server, context_tokens=9000).review(review_task(*items))
    assert outcome.value is not None
    sizes = [len(seen.user) for seen in server.chats]
    assert sizes[0] > sizes[-1]


def test_a_step_with_long_notes_still_fits(scripted: Any) -> None:
    server = scripted(Oracle())
    notes = Briefing(summary="word " * 4000)
    outcome = assistant(server, context_tokens=6000).next_action(step_task(briefings=(notes,)))
    assert outcome.value is not None and outcome.notices
    sent = server.chats[0]
    assert estimate_tokens(sent.system, sent.user) + 768 <= 6000


# --- where and with which key --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "name", "local"),
    [
        ("http://127.0.0.1:8000/v1", "openai/x", True),
        ("http://localhost:11434", "ollama/x", True),
        ("http://[::1]:8000/v1", "openai/x", True),
        ("127.0.0.2:80", "openai/x", True),
        ("unix:///run/model.sock", "openai/x", True),
        ("", "openai/x", False),
        ("http://192.168.1.7:8000/v1", "openai/x", False),
        ("http://127.0.0.1.example.org/v1", "openai/x", False),
        ("http://localhost@example.org/v1", "openai/x", False),
        ("http://localhost.example.org/v1", "openai/x", False),
        ("https://api.example.org/127.0.0.1", "openai/x", False),
        ("http://localhost:11434", "ollama/x:120b-cloud", False),
        ("http://[bad", "openai/x", False),
    ],
)
def test_what_stays_on_this_machine(address: str, name: str, local: bool) -> None:
    assert is_local(address, name) is local


def test_the_address_is_the_one_that_will_be_called() -> None:
    assert address_of("ollama/x", "", {}) == "http://127.0.0.1:11434"
    assert address_of("ollama/x", "", {"OLLAMA_HOST": "gpu.example.org:1"}).startswith("http://gpu")
    assert address_of("openai/x", "http://h/v1", {"OPENAI_BASE_URL": "http://o"}) == "http://h/v1"
    assert address_of("openai/x", "127.0.0.1:8000/v1", {}) == "http://127.0.0.1:8000/v1"
    assert address_of("mistral/x", "", {}) == ""
    assert LiteLLMModel(ModelSettings(name="mistral/x")).local is False


def test_keys_come_from_secrets_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "from-environment")
    assert find_key("mistral") == "from-environment"
    assert find_key("mistral", {"MISTRAL_API_KEY": "from-secrets"}) == "from-secrets"
    assert find_key("mistral", {"TRACE_API_KEY": "own"}) == "own"
    assert find_own_key({"MISTRAL_API_KEY": "x"}) is None


def test_a_hosted_providers_key_is_not_sent_to_a_server_on_this_machine(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hosted-0123456789")
    server = scripted(["{}"])
    model(server).complete(REQUEST, Control())
    assert "sk-hosted" not in str(server.requests[0].headers)


def test_a_secret_handed_in_is_sent_and_cut_out_of_what_comes_back(scripted: Any) -> None:
    secrets = {"TRACE_API_KEY": "quite-secret-value"}
    server = scripted(['{"echo": "quite-secret-value"}'], key="quite-secret-value")
    settings = ModelSettings(name="openai/x", api_base=server.url)
    reply = LiteLLMModel(settings, secrets).complete(REQUEST, Control())
    assert reply.text == '{"echo": "[key removed]"}'


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-abcdef0123456789",
        "Authorization: Bearer abc1.def2.ghi-jkl",
        "http://anna:geheim@example.org/v1",
        "https://example.org/?api_key=abcdef123456",
    ],
)
def test_what_looks_like_a_key_is_cut_out(text: str) -> None:
    cleaned = Redactor()(text)
    assert "[key removed]" in cleaned
    assert not any(word in cleaned for word in ("abcdef", "geheim", "ghi-jkl"))


def test_words_of_a_source_are_not_taken_for_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "development")
    text = (
        "The development of key-stakeholders; The Standard Bearer newspaper; risk-averse members."
    )
    assert Redactor()(text) == text


# --- faults --------------------------------------------------------------------------------------


def test_a_server_that_breaks_down_over_the_form_is_asked_in_another(scripted: Any) -> None:
    def play(request: dict[str, Any]) -> Any:
        form = request.get("response_format", {}).get("type", "")
        return Broken(500, "failed to parse grammar") if form == "json_schema" else "{}"

    server = scripted(play)
    assert model(server, retries=0).complete(REQUEST, Control()).mode == "json_object"
    assert len(server.chats) == 2


def test_a_fault_is_told_by_status_and_words() -> None:
    class APIError(Exception):
        def __init__(self, status: int, text: str) -> None:
            super().__init__(text)
            self.status_code = status

    kinds = {
        (401, "key refused"): "key",
        (403, "forbidden"): "key",
        (404, "no model"): "model",
        (408, "slow"): "timeout",
        (429, "wait"): "busy",
        (429, "billing limit"): "quota",
        (500, "Connection error."): "unreachable",
        (503, "overloaded"): "broken",
        (400, "unknown field response_format"): "format",
        (400, "context_length_exceeded"): "long",
        (400, "content_filter"): "refused",
        (422, "nonsense"): "model",
    }
    assert {case: read_fault(APIError(*case)).kind for case in kinds} == kinds


def test_documents_keys_are_never_ids_for_the_model(scripted: Any) -> None:
    server = scripted(Oracle())
    outcome = run_stage(assistant(server), "order")
    assert outcome.value is not None
    assert outcome.value.keys[0] == DocumentKey("gazette", "s1")
    assert "SOURCE d1" in server.chats[0].user and "SOURCE s1" not in server.chats[0].user
