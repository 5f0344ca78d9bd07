"""Reads prompts and refuses what could not work: an unknown, a missing or a mistyped placeholder.

A prompt file has the headings `# system` and `# user`, each alone on its line, and placeholders
written `{{name}}`. What each stage fills in is declared here. A workspace may give its own text
for a stage; it is checked the same way, and its hash tells a run which text it used.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from trace_core.domain.errors import PromptError

_PLACEHOLDER = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_LONE = re.compile(r"(?<!\{)\{([a-z_]+)\}(?!\})")
_HEADING = re.compile(r"^# (system|user)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PromptSpec:
    """What a stage fills in. `required` must occur in the text, `optional` may."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()

    @property
    def known(self) -> frozenset[str]:
        """All names that may occur."""
        return self.required | self.optional


def _spec(required: str, optional: str = "") -> PromptSpec:
    return PromptSpec(frozenset(required.split()), frozenset(optional.split()))


SPECS: Mapping[str, PromptSpec] = MappingProxyType(
    {
        "plan": _spec("data_rule question archive max_sub_questions problem", "hits"),
        "step": _spec(
            "data_rule question sub_question archive memory log accepted notices",
            "briefings hints held step steps_left slot_words memory_characters",
        ),
        "review": _spec(
            "data_rule question sub_question sources reason_characters", "accepted archive"
        ),
        "reevaluate": _spec(
            "data_rule question sub_question accepted sources reason_characters", "round archive"
        ),
        "brief": _spec(
            "data_rule question sub_question accepted held", "memory briefings log gap archive"
        ),
        "replan": _spec("data_rule question archive done remaining briefing max_total max_new"),
        "order": _spec("data_rule question sources reason_characters", "archive"),
        "variants": _spec("data_rule query languages"),
    }
)
"""Each stage's prompt with its placeholders. `data_rule` says that sources are data."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A checked prompt. `hash` is the SHA-256 of its whole `text`, as 64 hex digits."""

    stage: str
    system: str
    user: str
    hash: str
    text: str = ""

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """(system text, user text) with every placeholder replaced, once and not again inside.

        Raises PromptError when a value for a placeholder of the text is missing.
        """
        return _fill(self.stage, self.system, values), _fill(self.stage, self.user, values)


def load_prompt(stage: str, text: str | None = None) -> Prompt:
    """The prompt of a stage from its file, or from `text`. Raises PromptError."""
    spec = SPECS.get(stage)
    if spec is None:
        known = ", ".join(SPECS)
        raise PromptError(f"There is no prompt {stage!r}; the prompts are {known}.")
    if text is None:
        text = (Path(__file__).parent / f"{stage}.md").read_text(encoding="utf-8")
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    system, user = _parts(stage, text)
    _check(stage, spec, system + "\n" + user)
    return Prompt(stage, system, user, hashlib.sha256(text.encode()).hexdigest(), text)


def load_prompts(overrides: Mapping[str, str] | None = None) -> dict[str, Prompt]:
    """All prompts by stage, those named in `overrides` with the text given there.

    Raises PromptError for an override of an unknown stage or with a wrong placeholder.
    """
    overrides = overrides or {}
    for stage in overrides:
        if stage not in SPECS:
            load_prompt(stage)
    return {stage: load_prompt(stage, overrides.get(stage)) for stage in SPECS}


def prompt_hashes(prompts: Mapping[str, Prompt]) -> dict[str, str]:
    """Stage to hash, as a run records it."""
    return {stage: prompt.hash for stage, prompt in prompts.items()}


def _parts(stage: str, text: str) -> tuple[str, str]:
    headings = list(_HEADING.finditer(text))
    if [h.group(1) for h in headings] != ["system", "user"]:
        raise PromptError(
            f'The prompt {stage!r} needs the line "# system" and then the line "# user", each once.'
        )
    first, second = headings
    system, user = text[first.end() : second.start()].strip(), text[second.end() :].strip()
    if not system or not user:
        raise PromptError(f"The prompt {stage!r} needs a text under both of its headings.")
    return system, user


def _check(stage: str, spec: PromptSpec, text: str) -> None:
    used = set(_PLACEHOLDER.findall(text))
    unknown = sorted(used - spec.known)
    if unknown:
        raise PromptError(
            f"The prompt {stage!r} has the unknown placeholder {unknown[0]!r}; "
            f"it may use {', '.join(sorted(spec.known))}."
        )
    lone = sorted(set(_LONE.findall(text)) & spec.known)
    if lone:
        raise PromptError(
            f"The prompt {stage!r} writes {{{lone[0]}}}; "
            f"a placeholder has two braces: {{{{{lone[0]}}}}}."
        )
    missing = sorted(spec.required - used)
    if missing:
        raise PromptError(
            f"The prompt {stage!r} lacks the placeholder {missing[0]!r}; "
            f"write {{{{{missing[0]}}}}} where it belongs."
        )


def _fill(stage: str, text: str, values: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            raise PromptError(f"Nothing was given for {name!r} in the prompt {stage!r}.")
        return values[name]

    return _PLACEHOLDER.sub(value, text)
