"""Every setting with one sentence; the defaults are ours, `preset("paper")` the authors' values.

A run stores the settings that it ran with and their hash; changing a default never changes a
run that exists.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from trace_core.domain.base import Value
from trace_core.domain.errors import BadInput

Changes = Mapping[str, Mapping[str, Any]]
"""Values of settings that differ from others, by group and name."""

_SECRET_PARAMETER = re.compile(r"(?i)(?:^|&)[\w-]*(?:key|token|secret|password)=")


class IndexSettings(Value):
    """How texts are cut and indexed. A change needs `reindex`."""

    chunk_words: int = Field(
        250, ge=20, le=1000, description="Most white-space words in a chunk; it ends at a sentence."
    )
    chunk_overlap: float = Field(
        0.0, ge=0.0, le=0.5, description="Share of a chunk repeated at the start of the next one."
    )
    embedder: str = Field(
        "lsa",
        description=(
            "The dense channel's model: lsa (trained on this archive), none, "
            "st:PATH-OR-NAME (sentence-transformers) or litellm:NAME."
        ),
    )
    embed_query_prefix: str = Field("", description="Put before a query by a prompted embedder.")
    embed_passage_prefix: str = Field(
        "", description="Put before a passage by a prompted embedder."
    )
    lsa_dimensions: int = Field(
        300, ge=16, le=1024, description="Dimensions of the built-in latent semantic index."
    )
    lsa_sample: int = Field(
        20_000, ge=100, description="Most chunks that the latent semantic index is trained on."
    )
    exact_vectors_below: int = Field(
        200_000, ge=0, description="Below this many chunks vectors are compared exactly."
    )


class SearchSettings(Value):
    """How channels search and how their rankings are joined."""

    channel_depth: int = Field(50, ge=1, le=1000, description="Most documents a channel returns.")
    warm_start_depth: int = Field(
        20, ge=1, le=200, description="Most documents that the warm start hands to review."
    )
    rrf_k: float = Field(60.0, gt=0, description="The constant of reciprocal rank fusion.")
    weight_bm25: float = Field(1.0, ge=0, description="Weight of BM25 in the fusion.")
    weight_dense: float = Field(1.0, ge=0, description="Weight of the dense channel.")
    weight_date: float = Field(1.0, ge=0, description="Weight of the date channel.")
    weight_exact: float = Field(1.0, ge=0, description="Weight of the exact channel.")
    weight_fuzzy: float = Field(1.0, ge=0, description="Weight of the OCR-tolerant channel.")
    weights: Literal["earned", "fixed"] = Field(
        "earned",
        description=(
            "Whether a channel counts less where the other channels of this archive seldom agree "
            "with it and it seldom finds passages by their own words (earned), or not (fixed)."
        ),
    )
    fuzzy_least: float = Field(
        0.3,
        ge=0.3,
        le=1.0,
        description="Least similarity (0.3 to 1) of a form that the OCR-tolerant channel takes.",
    )
    date_decay: float = Field(
        0.15, ge=0, description="Decay of the date channel's score with each day of distance."
    )
    date_window: int = Field(
        7, ge=0, le=366, description="Days on either side that the date channel looks at."
    )
    coupling: bool = Field(
        True, description="Whether documents gain from close ones in other targeted sub-corpora."
    )
    coupling_window: int = Field(
        7, ge=0, le=60, description="Most days between two documents that lend each other weight."
    )
    coupling_decay: float = Field(
        0.15, ge=0, description="Decay of that weight with each day between the two."
    )
    coupling_weight: float = Field(
        0.7, ge=0, description="Weight of the neighbour's score beside the document's own."
    )
    routing: bool = Field(
        True, description="Whether the sub-corpora that a question points at are preferred."
    )
    route_kind: float = Field(
        0.7,
        ge=0,
        le=1,
        description="What a sub-corpus of a kind that the question speaks of counts (named: 1).",
    )
    route_other: float = Field(
        0.4, ge=0, le=1, description="What one counts that the question does not point at."
    )
    group_duplicates: bool = Field(
        True, description="Whether a search shows the same text once, with its other places."
    )
    reranker: str = Field(
        "", description="A cross-encoder by path or name that reorders the fused list, or nothing."
    )
    rerank_depth: int = Field(
        20, ge=1, le=200, description="How many of the first documents the cross-encoder reads."
    )


class LoopSettings(Value):
    """The plan, the search and review loop, the holds and the replans."""

    max_sub_questions: int = Field(4, ge=1, le=20, description="Most sub-questions of a run.")
    plan_retries: int = Field(
        2, ge=0, le=5, description="How often an invalid reply is asked again, with its error."
    )
    max_steps: int = Field(13, ge=0, le=50, description="Effective search steps a sub-question.")
    hard_steps: int = Field(15, ge=0, le=60, description="Hard limit of search steps.")
    review_batch: int = Field(8, ge=1, le=50, description="Chunks in one review call.")
    new_chunks: int = Field(
        10, ge=1, le=50, description="Most new chunks of one search that enter review."
    )
    empty_searches: int = Field(
        3, ge=1, description="Empty searches in a row after which the model is told so."
    )
    unreadable_replies: int = Field(
        5, ge=0, description="More unreadable replies than this end the sub-question's loop."
    )
    hold_capacity: int = Field(
        24, ge=1, le=500, description="Most held chunks of a sub-question before the weakest moves."
    )
    second_pass_growth: float = Field(
        0.5, ge=0, description="Growth of the accepted set that triggers a second look at holds."
    )
    memory_slot_words: int = Field(60, ge=5, description="Most words of one memory slot.")
    memory_characters: int = Field(1500, ge=100, description="Most characters of all five slots.")
    action_log_lines: int = Field(8, ge=0, description="Log lines that the model sees.")
    reason_characters: int = Field(120, ge=20, description="Most characters of a reason.")
    date_widening: int = Field(
        1, ge=0, le=7, description="Days added silently at either edge of a date search."
    )
    warm_start: bool = Field(True, description="Whether a sub-question begins with a warm start.")
    decompose: bool = Field(True, description="Whether the question is split into sub-questions.")
    memory: bool = Field(True, description="Whether the loop has its five memory slots.")
    replan: bool = Field(True, description="Whether a briefing may change what remains.")
    reevaluate_holds: bool = Field(True, description="Whether holds are looked at again.")
    second_pass: bool = Field(True, description="Whether holds may be looked at a second time.")
    group_order: Literal["assistant", "reranker"] = Field(
        "assistant",
        description=(
            "Who orders documents of equal confirmations: the assistant by the recorded reasons, "
            "or the cross-encoder of search.reranker by the accepted passages."
        ),
    )


class RulesSettings(Value):
    """How the rules judge where no model does."""

    accept_documents: int = Field(
        12, ge=1, le=100, description="About how many documents a run by rules accepts."
    )
    hold_documents: int = Field(
        12, ge=0, le=100, description="How many documents below those are held in doubt."
    )
    least_evidence: float = Field(
        0.1,
        ge=0,
        le=1,
        description=(
            "Share of the best evidence from which a sub-corpus that the question does not point "
            "at gets a sub-question."
        ),
    )


class BudgetSettings(Value):
    """Caps over the whole run; reaching one makes the run rest with what it has."""

    model_calls: int = Field(200, ge=0, description="Most model calls of the whole run.")
    tokens: int = Field(2_000_000, ge=0, description="Most tokens in and out.")
    money: float = Field(
        0.0, ge=0, description="Most money in US dollars where a price is known; 0 for no cap."
    )
    steps: int = Field(0, ge=0, description="Most search steps of the run; 0 for no cap.")


class ModelSettings(Value):
    """Which model, and how it is spoken to. Keys are never here: they stay in the environment."""

    name: str = Field("", description="The model by its LiteLLM name; empty for rules only.")
    api_base: str = Field("", description="Address of an OpenAI-compatible server.")
    temperature: float = Field(0.1, ge=0, le=2, description="Sampling temperature of every call.")
    context_tokens: int = Field(
        0, ge=0, description="The context window; 0 asks LiteLLM and falls back to 8192."
    )
    plan_tokens: int = Field(2048, ge=64, description="Most tokens of a plan.")
    step_tokens: int = Field(768, ge=64, description="Most tokens of a search step.")
    review_tokens: int = Field(1536, ge=64, description="Most tokens of a review.")
    other_tokens: int = Field(1024, ge=64, description="Most tokens of any other reply.")
    timeout: float = Field(120.0, gt=0, description="Seconds to wait for one reply.")
    retries: int = Field(4, ge=0, le=10, description="Retries on 429, 5xx and timeouts.")
    structured: Literal["auto", "json_schema", "json_object", "text"] = Field(
        "auto", description="How structured output is asked for."
    )
    price_in: float | None = Field(
        None, ge=0, description="US dollars per million tokens in; empty asks LiteLLM's own table."
    )
    price_out: float | None = Field(
        None, ge=0, description="US dollars per million tokens out; empty asks LiteLLM's own table."
    )

    @field_validator("api_base")
    @classmethod
    def _no_key_in_the_address(cls, address: str) -> str:
        """Settings are stored with every run, so no password may come with the address."""
        _, _, rest = address.partition("://")
        place, _, query = rest.partition("?")
        if "@" in place.partition("/")[0] or _SECRET_PARAMETER.search(query):
            raise ValueError("it holds a key or a password; put that into TRACE_API_KEY")
        return address


class CheckpointSettings(Value):
    """At which gates a run waits for a person."""

    plan: bool = Field(True, description="Wait with the plan.")
    replan: bool = Field(True, description="Wait with each changed plan.")
    holds: bool = Field(False, description="Wait with the held chunks of each sub-question.")
    final: bool = Field(True, description="Wait with the final list.")


class Settings(Value):
    """All settings of a run."""

    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    loop: LoopSettings = LoopSettings()
    rules: RulesSettings = RulesSettings()
    budget: BudgetSettings = BudgetSettings()
    model: ModelSettings = ModelSettings()
    checkpoints: CheckpointSettings = CheckpointSettings()

    def hash(self) -> str:
        """SHA-256 over the canonical JSON of all values, as 64 hex digits."""
        return settings_hash(self.model_dump(mode="json"))

    def differences(self) -> Changes:
        """The values that are not the defaults, by group and name: what a workspace keeps."""
        defaults = Settings().model_dump()
        found = {
            group: {name: value for name, value in named.items() if value != defaults[group][name]}
            for group, named in self.model_dump().items()
        }
        return {group: named for group, named in found.items() if named}

    def changed(self, path: str, value: object) -> Settings:
        """A copy with one value changed, named as "group.name". Raises BadInput."""
        return self.merged(_nested(path, value))

    def merged(self, changes: Changes) -> Settings:
        """A copy with the given groups' values changed. Raises BadInput with one sentence."""
        data = self.model_dump(mode="python")
        for group, values in changes.items():
            if group not in data or not isinstance(values, Mapping):
                known = ", ".join(data)
                raise BadInput(f"There is no group of settings {group!r}; the groups are {known}.")
            data[group] |= values
        try:
            return Settings.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BadInput(f"The setting {where} cannot be used: {first['msg']}.") from None


def joined(*several: Changes) -> dict[str, dict[str, Any]]:
    """Changes one after another; a later one wins."""
    result: dict[str, dict[str, Any]] = {}
    for changes in several:
        for group, values in changes.items():
            result.setdefault(group, {}).update(values)
    return result


def settings_hash(values: dict[str, Any]) -> str:
    """The hash of settings as plain JSON data, as a run records them."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _nested(path: str, value: object) -> Changes:
    group, dot, name = path.partition(".")
    if not dot:
        raise BadInput(f"Name a setting as group.name (for example search.rrf_k), not {path!r}.")
    return {group: {name: value}}


_PAPER: Changes = {
    "index": {"chunk_words": 1000, "chunk_overlap": 0.12},
    "search": {"weight_fuzzy": 0.0, "weights": "fixed", "coupling": False, "routing": False},
}

_LOCAL: Changes = {
    "loop": {"review_batch": 6, "unreadable_replies": 2},
    "model": {
        "plan_tokens": 2048,
        "step_tokens": 1024,
        "review_tokens": 3072,
        "other_tokens": 2048,
        "timeout": 600.0,
    },
}

PRESETS = ("default", "paper", "local")
"""`default` is ours, `paper` the method's authors', `local` ours for small local models."""


def preset(name: str) -> Settings:
    """The settings of a preset. Raises BadInput for an unknown name."""
    if name == "default":
        return Settings()
    if name == "paper":
        return Settings().merged(_PAPER)
    if name == "local":
        return Settings().merged(_LOCAL)
    raise BadInput(f"There is no preset {name!r}; choose one of {', '.join(PRESETS)}.")
