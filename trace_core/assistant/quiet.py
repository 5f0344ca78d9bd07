"""LiteLLM's own book-keeping of a call, switched off: this project keeps its own record.

LiteLLM looks up the price of each reply several times over and builds a payload for log services
that nobody here has; that is a third of its own work. A call may bring the object that does it,
and the one made here does nothing. Should a later LiteLLM know no such object, its calls are
made as usual and only take longer.
"""

from __future__ import annotations

import datetime
import functools
import uuid
from typing import Any

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

        for name in _SILENCED:
            getattr(Logging, name)
    except (ImportError, AttributeError):
        return None
    return type("QuietLogging", (Logging,), dict.fromkeys(_SILENCED, _nothing))


def _nothing(*_: Any, **__: Any) -> None:
    """No price, nothing to log, nothing to do."""
