"""The model port over LiteLLM: any provider, any OpenAI-compatible server, Ollama.

In: a request. Out: a reply with its tokens, time and price, or an error in one sentence. LiteLLM
is imported at the first call, works from the tables on this machine, and neither retries nor
reports anything by itself. Keys are looked up for each call and never kept.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
import random
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from trace_core.assistant.chat import CallFailed, ChatReply, ChatRequest, Control, Failure, TooLong
from trace_core.assistant.faults import RETRYABLE, UNNAMED, Fault, read_fault
from trace_core.assistant.locality import address_of, is_local, provider_of
from trace_core.assistant.mending import whole_tokens
from trace_core.assistant.pricing import context_of, price_of
from trace_core.assistant.quiet import without_bookkeeping
from trace_core.assistant.secrets import NO_KEY, Redactor, find_key, find_own_key
from trace_core.assistant.tokens import estimate_tokens
from trace_core.domain.errors import (
    ModelMisconfigured,
    ModelTrouble,
    ModelUnavailable,
    StopRequested,
)
from trace_core.settings import ModelSettings

MODES = ("json_schema", "json_object", "text")
LONGEST_WAIT = 900.0
"""Seconds; a server that asks for more makes the run rest instead."""

_LONGEST_BACKOFF = 60.0
_JITTER = 0.25
_POLL = 0.25
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class LiteLLMModel:
    """One model as the settings name it. Its calls may come from any thread.

    `secrets` may hold keys (Streamlit's secrets, say) that go before the environment's; they are
    read at each call. `sleep` and `jitter` exist for tests.
    """

    def __init__(
        self,
        settings: ModelSettings,
        secrets: Mapping[str, object] | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        address = address_of(settings.name, settings.api_base)
        self._settings = settings.model_copy(update={"api_base": address})
        self._secrets = secrets
        self._redact = Redactor(secrets)
        self._sleep, self._jitter = sleep, jitter
        self._mode = 0 if settings.structured == "auto" else MODES.index(settings.structured)
        self._takes_temperature = True

    @property
    def name(self) -> str:
        """The model's name as the settings give it."""
        return self._settings.name

    @property
    def local(self) -> bool:
        """Whether the address that is called is on this machine."""
        return is_local(self._settings.api_base, self.name)

    @property
    def context_tokens(self) -> int:
        """The context window: set, known, or 8192."""
        if self._settings.context_tokens:
            return self._settings.context_tokens
        return context_of(self._settings, _litellm().model_cost)

    def complete(self, request: ChatRequest, control: Control) -> ChatReply:
        """The reply, after as many tries as the settings allow. Raises TooLong or CallFailed."""
        if not self.name:
            raise CallFailed(
                ModelMisconfigured(
                    "No model is set; name one in the settings (model.name) or in TRACE_MODEL."
                )
            )
        failures: list[Failure] = []
        retries = 0
        while True:
            if control.should_stop():
                raise CallFailed(_stopped(), failures)
            _litellm()  # its first import is nobody's waiting time
            started = time.monotonic()
            reply = self._try(request, control, failures)
            if isinstance(reply, ChatReply):
                return reply
            fault = reply
            seconds = time.monotonic() - started
            failures.append(Failure(self._redact(fault.sentence), seconds))
            if self._ask_otherwise(fault):
                continue
            if fault.kind not in RETRYABLE or retries >= self._settings.retries:
                raise CallFailed(self._error(fault, retries), failures)
            retries += 1
            self._wait(fault, retries, control, failures)

    # --- one try ---------------------------------------------------------------------------------

    def _try(
        self, request: ChatRequest, control: Control, failures: list[Failure]
    ) -> ChatReply | Fault:
        import openai

        started = time.monotonic()
        try:
            response = self._send(self._arguments(request), control)
            return self._reply(request, response, time.monotonic() - started, failures)
        except StopRequested as error:
            raise CallFailed(error, failures) from None
        except (openai.OpenAIError, TimeoutError, OSError, ValueError) as error:
            fault = read_fault(error)
            if fault.kind == "long":
                raise TooLong(self._redact(fault.sentence)) from None
            if fault.kind == "refused":
                seconds = time.monotonic() - started
                return ChatReply(
                    "", 0, 0, seconds, refused=fault.sentence, failures=tuple(failures)
                )
            return fault

    def _send(self, arguments: dict[str, Any], control: Control) -> Any:
        litellm = _litellm()
        if self.local:
            _no_proxy_for_loopback()
        limit = self._settings.timeout
        call = litellm.acompletion(**without_bookkeeping(arguments))
        future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(call, limit), _loop())
        while not concurrent.futures.wait([future], timeout=_POLL).done:
            if control.should_stop():
                future.cancel()
                raise _stopped()
        return future.result()

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        settings = self._settings
        provider = provider_of(settings.name)
        arguments: dict[str, Any] = {
            "model": self._called_name(),
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            "max_tokens": request.max_tokens,
            "timeout": settings.timeout,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
        }
        if settings.api_base:
            arguments["api_base"] = settings.api_base
        if self._takes_temperature:
            arguments["temperature"] = settings.temperature
        if provider.startswith("ollama"):
            arguments["num_ctx"] = self.context_tokens
        key = self._key(provider)
        if key is not None:
            arguments["api_key"] = key
        return arguments | self._form(request)

    def _form(self, request: ChatRequest) -> dict[str, Any]:
        mode = MODES[self._mode]
        if mode == "text":
            return {}
        if mode == "json_object":
            return {"response_format": {"type": "json_object"}}
        schema = {"name": request.stage, "strict": True, "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def _called_name(self) -> str:
        """The name for LiteLLM; at an address of one's own a bare name means an OpenAI server."""
        name = self.name
        if self._settings.api_base and provider_of(name) not in _providers():
            return f"openai/{name}"
        return name

    def _key(self, provider: str) -> str | None:
        if self.local:
            return find_own_key(self._secrets) or NO_KEY
        key = find_key(provider or "openai", self._secrets)
        return key or (NO_KEY if self._settings.api_base else None)

    def _reply(
        self, request: ChatRequest, response: Any, seconds: float, failures: list[Failure]
    ) -> ChatReply:
        if not getattr(response, "choices", None):
            raise ValueError("the reply has no choices")
        choice = response.choices[0]
        text = self._redact(choice.message.content or "")
        usage = getattr(response, "usage", None)
        tokens_in = whole_tokens(getattr(usage, "prompt_tokens", 0))
        tokens_out = whole_tokens(getattr(usage, "completion_tokens", 0))
        estimated = not tokens_in
        if estimated:
            tokens_in = estimate_tokens(request.system, request.user)
            tokens_out = tokens_out or estimate_tokens(text)
        filtered = choice.finish_reason == "content_filter"
        return ChatReply(
            text=text,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            seconds=seconds,
            price=price_of(self._settings, _litellm().model_cost, tokens_in, tokens_out),
            estimated=estimated,
            cut_off=choice.finish_reason == "length",
            refused="The model's provider refused to read this text." if filtered else "",
            failures=tuple(failures),
            mode=MODES[self._mode],
        )

    # --- after a failed try ----------------------------------------------------------------------

    def _ask_otherwise(self, fault: Fault) -> bool:
        """Whether the same request may be asked at once without what the server refuses.

        What was refused is remembered for as long as this object lives.
        """
        if fault.parameter == "temperature" and self._takes_temperature:
            self._takes_temperature = False
            return True
        if fault.parameter in ("response_format", UNNAMED) and self._mode < len(MODES) - 1:
            self._mode += 1
            return True
        return False

    def _wait(self, fault: Fault, retry: int, control: Control, failures: list[Failure]) -> None:
        backoff = min(_LONGEST_BACKOFF, 2.0 ** (retry - 1)) * (1 + _JITTER * self._jitter())
        seconds = backoff if fault.wait is None else fault.wait
        if seconds > LONGEST_WAIT:
            error = ModelUnavailable(
                f"The model's server asks to wait {seconds:.0f} seconds; resume the run then."
            )
            raise CallFailed(error, failures)
        control.pause(
            f"{fault.sentence} Trying again, {retry} of {self._settings.retries}.", seconds
        )
        try:
            while seconds > 0:
                if control.should_stop():
                    raise CallFailed(_stopped(), failures)
                self._sleep(min(_POLL, seconds))
                seconds -= _POLL
        finally:
            control.pause("", 0.0)

    def _error(self, fault: Fault, retries: int) -> ModelTrouble:
        sentence = self._redact(fault.sentence)
        where = self._redact(self._settings.api_base)
        if fault.kind == "key":
            variable = f"{(provider_of(self.name) or 'openai').upper()}_API_KEY"
            return ModelMisconfigured(
                f"{sentence} Set TRACE_API_KEY or {variable} in the environment."
            )
        if fault.kind in ("model", "format", "no reply"):
            place = f" and the address {where} (most end in /v1)" if where else ""
            return ModelMisconfigured(f"{sentence} Check the model's name {self.name!r}{place}.")
        if fault.kind == "unreachable" and where:
            sentence = f"The model's server at {where} cannot be reached; start it, then resume."
            return ModelUnavailable(sentence)
        tries = f" It was tried {retries + 1} times." if retries else ""
        return ModelUnavailable(f"{sentence}{tries} Resume the run when it answers again.")


def _stopped() -> StopRequested:
    return StopRequested("The run was asked to pause or stop while it waited for the model.")


# --- LiteLLM, imported once ----------------------------------------------------------------------


@functools.cache
def _litellm() -> Any:
    """LiteLLM, told before its import to fetch nothing and to say nothing."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    litellm.suppress_debug_info = True
    # Of a reply that is not quite in the protocol's form; it is mended, or refused with a sentence.
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    return litellm


@functools.cache
def _providers() -> frozenset[str]:
    return frozenset(str(getattr(p, "value", p)) for p in _litellm().provider_list)


_loop_lock = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The one event loop on which all calls run, in a thread of its own."""
    with _loop_lock:
        return _started_loop(os.getpid())


@functools.cache
def _started_loop(process: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    name = f"trace-model-{process}"
    threading.Thread(target=loop.run_forever, name=name, daemon=True).start()
    return loop


def _no_proxy_for_loopback() -> None:
    """Keep calls to this machine from going out to a proxy and coming back."""
    for variable in ("NO_PROXY", "no_proxy"):
        hosts = [h for h in os.environ.get(variable, "").split(",") if h]
        missing = [h for h in _LOOPBACK if h not in hosts]
        if missing:
            os.environ[variable] = ",".join([*hosts, *missing])
