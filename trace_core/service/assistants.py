"""Which assistant works on a run: the rules, or a model as the run's settings name it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trace_core.assistant.chat import ChatRequest, Control
from trace_core.assistant.locality import address_of, is_local
from trace_core.assistant.pricing import price_of
from trace_core.assistant.rules import RulesAssistant
from trace_core.assistant.tasks import ArchiveContext, Assistant
from trace_core.domain.errors import BadInput, BudgetSpent, ModelMisconfigured, ModelTrouble
from trace_core.domain.events import CallMade
from trace_core.domain.state import RunState
from trace_core.service.prompts import PromptRoom
from trace_core.service.views import ModelStatus
from trace_core.settings import Settings
from trace_core.text.tokens import words

if TYPE_CHECKING:
    from trace_core.assistant.llm import LiteLLMModel

_PING = ChatRequest("ping", "Answer with one word.", "Are you there?", {}, 16)


class AssistantRoom(PromptRoom):
    """The part of the façade that knows the assistants."""

    def settings(self) -> Settings:
        """The workspace's settings; TRACE_MODEL and TRACE_API_BASE name a model where none is."""
        settings = super().settings()
        model = settings.model
        changes = {}
        if not model.name and os.environ.get("TRACE_MODEL"):
            changes["name"] = os.environ["TRACE_MODEL"]
            if not model.api_base and os.environ.get("TRACE_API_BASE"):
                changes["api_base"] = os.environ["TRACE_API_BASE"]
        return settings.merged({"model": changes}) if changes else settings

    def check_assistant(self, assistant: str, settings: Settings) -> None:
        """Raise BadInput for an unknown assistant, or a model that is not configured."""
        if assistant not in ("rules", "model"):
            raise BadInput(f"There is no assistant {assistant!r}; choose rules or model.")
        if assistant == "model" and not settings.model.name:
            raise BadInput(
                "No model is set: name one in TRACE_MODEL or in the settings (model.name), or ask "
                "with the assistant rules."
            )

    def rules(self, settings: Settings) -> Assistant:
        """The rules, which need no model."""
        return RulesAssistant(settings)

    def model(self, state: RunState, settings: Settings) -> Assistant:
        """The model of a run, stopped by the run's wish and held to what is left of its budget."""
        from trace_core.assistant.asking import Asker
        from trace_core.assistant.model import ModelAssistant

        run = state.run
        control = Control(
            should_stop=lambda: bool(self.stores.leases.wish(run)),
            pause=lambda reason, seconds: self._say_pause(run, reason, seconds),
            check_budget=lambda calls, tokens: afford(state, calls, tokens),
        )
        model, prompts = self.language_model(settings), self.prompts_of(state)
        return ModelAssistant(Asker(model, prompts, self.stores.calls, run, control), settings)

    def variants_by_model(self, name: str) -> tuple[str, ...]:
        """Other forms of a name or query as the model knows them, in the archive's languages.

        They are proposals: a person keeps some and searches for `Name | form | form`. The call
        is kept outside of all runs. Raises BadInput without a model, ModelTrouble.
        """
        from trace_core.assistant.asking import Asker
        from trace_core.assistant.model import ModelAssistant

        settings = self.settings()
        self.check_assistant("model", settings)
        if not words(name):
            raise BadInput("Write a name to look for its forms.")
        languages = sorted({c.language for c in self.stores.documents.corpora() if c.language})
        model = self.language_model(settings)
        asker = Asker(model, self.prompts(), self.stores.calls, "search")
        return ModelAssistant(asker, settings).variants(name, languages).value or ()

    def language_model(self, settings: Settings) -> LiteLLMModel:
        """The model port as the settings name it."""
        from trace_core.assistant.llm import LiteLLMModel

        return LiteLLMModel(settings.model, self._secrets)

    def judged_by_rules(
        self, assistant: str, settings: Settings, archive: ArchiveContext
    ) -> tuple[str, ...]:
        """Sub-corpora whose text stays on this machine and which rules judge for that reason."""
        if assistant == "rules" or self._local(settings):
            return ()
        return tuple(sorted(filter(archive.find, archive.local_only)))

    def price(self, settings: Settings, tokens_in: int, tokens_out: int) -> float | None:
        """US dollars for that many tokens, None where no price is known.

        LiteLLM's own table counts only once LiteLLM is loaded: importing it takes seconds.
        """
        litellm = sys.modules.get("litellm")
        table = getattr(litellm, "model_cost", {})
        return price_of(settings.model, table, tokens_in, tokens_out)

    def model_status(self, *, ask: bool = False) -> ModelStatus:
        """Whether a model is configured and, when `ask`, whether it answers (one tiny call)."""
        settings = self.settings()
        name = settings.model.name
        if not name:
            sentence = "No model is set; runs are judged by rules. Name one in the settings."
            return ModelStatus(False, "", True, None, sentence)
        local = self._local(settings)
        where = "on this machine" if local else "on another machine"
        if not ask:
            return ModelStatus(True, name, local, None, f"{name}, {where}; not tried yet.")
        try:
            self._ping(settings)
        except ModelTrouble as error:
            return ModelStatus(True, name, local, False, str(error))
        return ModelStatus(True, name, local, True, f"{name}, {where}, answers.")

    def pauses(self, run: str) -> str:
        """Why the model is being waited for just now, "" when it is not."""
        return self._pauses.get(run, "")

    def _say_pause(self, run: str, reason: str, seconds: float) -> None:
        self._pauses[run] = f"{reason} Waiting {seconds:.0f} s." if seconds else ""

    def _local(self, settings: Settings) -> bool:
        address = address_of(settings.model.name, settings.model.api_base)
        return is_local(address, settings.model.name)

    def _ping(self, settings: Settings) -> None:
        from trace_core.assistant.chat import CallFailed, TooLong

        patient = settings.model.model_copy(update={"retries": 0, "timeout": 20.0})
        model = self.language_model(settings.model_copy(update={"model": patient}))
        try:
            model.complete(_PING, Control())
        except CallFailed as failed:
            raise failed.error from None
        except TooLong as error:
            raise ModelMisconfigured(f"The model's context is too small: {error}") from None


def afford(state: RunState, calls: Sequence[CallMade], tokens: int) -> None:
    """Raise BudgetSpent when one more call of that many tokens would go over a cap."""
    totals, caps = state.totals, state.budgets
    made = totals.calls + len(calls)
    if caps.get("model_calls") and made >= caps["model_calls"]:
        raise BudgetSpent(
            f"The budget of {caps['model_calls']:g} model calls is spent; raise it and resume, or "
            "stop the run and keep what it found."
        )
    spent = totals.tokens_in + totals.tokens_out + sum(c.tokens_in + c.tokens_out for c in calls)
    if caps.get("tokens") and spent + tokens > caps["tokens"]:
        raise BudgetSpent(
            f"The budget of {caps['tokens']:g} tokens would be passed ({spent} used); raise it and "
            "resume, or stop the run and keep what it found."
        )
    money = totals.money + sum(c.price or 0.0 for c in calls)
    if caps.get("money") and money >= caps["money"]:
        raise BudgetSpent(
            f"The budget of {caps['money']:g} US dollars is spent; raise it and resume, or stop "
            "the run and keep what it found."
        )
