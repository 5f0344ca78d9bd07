"""What a call costs and how much a model reads, from tables on this machine alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trace_core.settings import ModelSettings

FALLBACK_CONTEXT = 8192
_PER_MILLION = 1_000_000


def table_entry(name: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    """LiteLLM's entry for a model: by its whole name, or by its name at that same provider."""
    provider, _, rest = name.partition("/")
    entry = table.get(name)
    if not isinstance(entry, Mapping) and rest:
        entry = table.get(rest)
        if isinstance(entry, Mapping) and entry.get("litellm_provider") != provider:
            entry = None
    return entry if isinstance(entry, Mapping) else {}


def context_of(settings: ModelSettings, table: Mapping[str, Any]) -> int:
    """The context window in tokens: the setting, else the table, else 8192.

    A model on a server of one's own may be run with any window, so the table counts only for
    models that are called at their provider's own address.
    """
    if settings.context_tokens:
        return settings.context_tokens
    if settings.api_base or settings.name.startswith("ollama"):
        return FALLBACK_CONTEXT
    known = table_entry(settings.name, table).get("max_input_tokens")
    return known if isinstance(known, int) and known > 0 else FALLBACK_CONTEXT


def price_of(
    settings: ModelSettings, table: Mapping[str, Any], tokens_in: int, tokens_out: int
) -> float | None:
    """US dollars of one call, None when unknown.

    The prices set by hand go first. LiteLLM's zero for models on one's own machine is not a
    price, and its prices do not hold at another address than the provider's.
    """
    price_in, price_out = settings.price_in, settings.price_out
    if price_in is not None or price_out is not None:
        return (tokens_in * (price_in or 0.0) + tokens_out * (price_out or 0.0)) / _PER_MILLION
    if settings.api_base:
        return None
    entry = table_entry(settings.name, table)
    cost_in, cost_out = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not cost_in and not cost_out:
        return None
    return tokens_in * float(cost_in or 0.0) + tokens_out * float(cost_out or 0.0)
