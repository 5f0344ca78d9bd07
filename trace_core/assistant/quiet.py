"""LiteLLM's own book-keeping of a call, switched off: this project keeps its own record.

LiteLLM looks up the price of each reply several times over and builds a payload for log services
that nobody here has; that is a third of its own work. A call may bring the object that does it,
and the one made here does nothing but mend the server's reply (`mending`) before LiteLLM reads it.
Should a later LiteLLM know no such object, its calls are made as usual and only take longer.
"""

from __future__ import annotations

import datetime
import functools
import uuid
from typing import Any

from trace_core.assistant.mending import mend

_SILENCED = (
    "response_cost_calculator",
    "claim_async_success_log",
    "handle_sync_success_callbacks_for_async_calls",
)


def without_bookkeeping(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `acompletion`, with an object that keeps no books where there can be one."""
    kind = _quiet_kind()
    if kind is None:
        return arguments
    try:
        keeper = kind(
            model=arguments["model"],
            messages=arguments["messages"],
            stream=False,
            call_type="acompletion",
            start_time=datetime.datetime.now(),
            litellm_call_id=str(uuid.uuid4()),
            function_id="",
        )
    except (TypeError, AttributeError):
        return arguments
    return {**arguments, "litellm_logging_obj": keeper}


@functools.cache
def _quiet_kind() -> Any:
    """LiteLLM's class without its prices and its payload; None where it is built otherwise."""
    try:
        from litellm.litellm_core_utils.litellm_logging import Logging

        shown: Any = Logging.post_call
        for name in _SILENCED:
            getattr(Logging, name)
    except (ImportError, AttributeError):
        return None

    def post_call(self: Any, original_response: object, *given: Any, **named: Any) -> Any:
        """The reply as it came, mended before LiteLLM reads it."""
        if isinstance(original_response, dict):
            mend(original_response)
        return shown(self, original_response, *given, **named)

    methods = {**dict.fromkeys(_SILENCED, _nothing), "post_call": post_call}
    return type("QuietLogging", (Logging,), methods)


def _nothing(*_: Any, **__: Any) -> None:
    """No price, nothing to log, nothing to do."""
