"""The workspace's own prompts: what a model is told at each stage, every version of it kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from trace_core.domain.errors import NotFound, PromptError
from trace_core.domain.events import now
from trace_core.domain.state import RunState
from trace_core.prompts.loader import SPECS, Prompt, load_prompt, load_prompts, prompt_hashes
from trace_core.prompts.meanings import MEANINGS
from trace_core.service.people import PeopleRoom

_OWN = "prompt"
_TEXT = "prompt_version"
_HISTORY = "prompt_history"
"""Kinds on the shelf: texts in use by stage, every text by hash, a stage's versions in order."""


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """A text that a stage was given in this workspace: its hash, when, and by whom."""

    hash: str
    time: str
    person: str = ""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A name that a prompt may hold in double braces, and what the program puts there."""

    name: str
    meaning: str
    required: bool


@dataclass(frozen=True, slots=True)
class PromptView:
    """A stage's prompt as it is in use.

    `own` says that the text is the workspace's. `problem` is empty, or the sentence that says why
    the text cannot be used by this version of the program. `versions` are the workspace's own
    texts, the newest first.
    """

    stage: str
    text: str
    hash: str
    own: bool
    problem: str
    placeholders: tuple[Placeholder, ...]
    versions: tuple[PromptVersion, ...]


@dataclass(frozen=True, slots=True)
class PromptUse:
    """The prompt that a run has at a stage.

    `origin` says whose text it is: the program's, the workspace's own, or one of another version
    of the program. `current` says whether a run that begins now would have the same.
    """

    stage: str
    hash: str
    origin: Literal["built_in", "own", "earlier"]
    current: bool


class PromptRoom(PeopleRoom):
    """The part of the façade that keeps what a model is told."""

    def prompts(self) -> dict[str, Prompt]:
        """The prompts by stage: the workspace's own text where it has one, else the file's.

        Raises PromptError where an own text cannot be used by this version of the program.
        """
        own = {stage: text for stage, text in self.stores.shelf.list(_OWN) if text}
        return load_prompts(own)

    def set_prompt(self, stage: str, text: str, person: str = "") -> PromptView:
        """Give a stage a text of the workspace's own, "" for the built-in one again.

        New runs use it; a run that exists goes on with the prompts that it began with. The text
        that was in use is kept.

        Raises PromptError for an unknown stage or a text that could not work.
        """
        prompt = load_prompt(stage, text or None)
        if text and prompt.hash != load_prompt(stage).hash:
            self._keep_version(prompt, person)
            self.stores.shelf.put(_OWN, stage, prompt.text)
        else:
            self.stores.shelf.put(_OWN, stage, "")
        return self.prompt(stage)

    def prompt(self, stage: str) -> PromptView:
        """The prompt of a stage as it is in use. Raises PromptError for an unknown stage."""
        built_in = load_prompt(stage)
        own = self.stores.shelf.get(_OWN, stage) or ""
        problem, prompt = "", built_in
        try:
            prompt = load_prompt(stage, own or None)
        except PromptError as error:
            problem = str(error)
        return PromptView(
            stage=stage,
            text=own or built_in.text,
            hash="" if problem else prompt.hash,
            own=bool(own),
            problem=problem,
            placeholders=placeholders_of(stage),
            versions=self._versions(stage),
        )

    def prompt_list(self) -> list[PromptView]:
        """Every stage's prompt as it is in use, in the order of the method."""
        return [self.prompt(stage) for stage in SPECS]

    def prompt_version(self, stage: str, version: str) -> str:
        """The text of a version of a stage's prompt, by the beginning of its hash.

        Raises NotFound when no version, or more than one, begins so.
        """
        built_in = load_prompt(stage)
        known = {built_in.hash, *(v.hash for v in self._versions(stage))}
        found = [name for name in known if version and name.startswith(version)]
        if len(found) != 1:
            raise NotFound(
                f"The prompt {stage!r} has no one version {version!r}; "
                f"its versions are {', '.join(sorted(name[:12] for name in known))}."
            )
        if found[0] == built_in.hash:
            return built_in.text
        return self.stores.shelf.get(_TEXT, found[0]) or ""

    # --- what runs use -------------------------------------------------------------------------

    def prompts_of(self, state: RunState) -> dict[str, Prompt]:
        """The prompts that a run began with; today's where a version was not kept."""
        used = state.start.prompts if state.start else {}
        prompts = {}
        for stage in SPECS:
            text = self.stores.shelf.get(_TEXT, used[stage]) if stage in used else None
            if text is None:
                text = self.stores.shelf.get(_OWN, stage) or None
            prompts[stage] = load_prompt(stage, text)
        return prompts

    def prompts_used(self, state: RunState) -> list[PromptUse]:
        """The prompts that a run began with, by stage; none for a run by rules."""
        uses = []
        for stage, used in (state.start.prompts if state.start else {}).items():
            if stage not in SPECS:
                uses.append(PromptUse(stage, used, "earlier", False))
                continue
            view = self.prompt(stage)
            origin: Literal["built_in", "own", "earlier"] = "earlier"
            if used == load_prompt(stage).hash:
                origin = "built_in"
            elif any(version.hash == used for version in view.versions):
                origin = "own"
            uses.append(PromptUse(stage, used, origin, used == view.hash))
        return uses

    def keep_prompts(self) -> None:
        """Keep today's prompts under their hashes, for runs that begin with them."""
        for prompt in self.prompts().values():
            if self.stores.shelf.get(_TEXT, prompt.hash) is None:
                self.stores.shelf.put(_TEXT, prompt.hash, prompt.text)

    def prompt_hashes(self) -> dict[str, str]:
        """The prompts' hashes by stage."""
        return prompt_hashes(self.prompts())

    # --- versions ------------------------------------------------------------------------------

    def _versions(self, stage: str) -> tuple[PromptVersion, ...]:
        kept = json.loads(self.stores.shelf.get(_HISTORY, stage) or "[]")
        return tuple(PromptVersion(**version) for version in reversed(kept))

    def _keep_version(self, prompt: Prompt, person: str) -> None:
        self.stores.shelf.put(_TEXT, prompt.hash, prompt.text)
        kept = json.loads(self.stores.shelf.get(_HISTORY, prompt.stage) or "[]")
        if not kept or kept[-1]["hash"] != prompt.hash:
            kept.append({"hash": prompt.hash, "time": now(), "person": person})
            body = json.dumps(kept, ensure_ascii=False)
            self.stores.shelf.put(_HISTORY, prompt.stage, body)


def placeholders_of(stage: str) -> tuple[Placeholder, ...]:
    """What a stage's prompt must and may hold, by name. Raises PromptError."""
    load_prompt(stage)
    spec = SPECS[stage]
    return tuple(
        Placeholder(name, MEANINGS[name], name in spec.required) for name in sorted(spec.known)
    )
