"""How a task becomes a prompt that fits, and a reply a value.

In: a task's sections and how its reply is read. Out: an `Outcome`. Sections of data are fenced,
the prompt is filled, and where it would not fit the model's context it is made shorter before
it is sent: first by cutting texts and lists, then by leaving items for a later call. Unreadable
replies are asked again with their error quoted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from trace_core.assistant.chat import ChatModel, ChatReply, ChatRequest, Control, TooLong
from trace_core.assistant.fences import Fence, one_line
from trace_core.assistant.record import Answer, Question, Recorder
from trace_core.assistant.shapes import schema_of
from trace_core.assistant.tasks import Outcome
from trace_core.assistant.tokens import estimate_tokens
from trace_core.domain.characters import whole
from trace_core.domain.errors import ModelMisconfigured
from trace_core.domain.events import CallMade
from trace_core.domain.evidence import Actor
from trace_core.ports import CallLog
from trace_core.prompts.loader import Prompt

T = TypeVar("T")

_TEXT_LIMITS = ((3000, 30), (1500, 12), (800, 6), (400, 3))
_SHRINK = 0.7
_SHRINK_TIMES = 3
_LONGEST_COMPLAINT = 600
_NO_CONTROL = Control()


@dataclass(frozen=True, slots=True)
class Data:
    """A section's part that goes into a fence. `label` is the engine's own word for it."""

    label: str
    text: str


Section = str | Sequence[Data]
"""What stands for a placeholder: plain words of the engine or the historian, or fenced data."""


@dataclass(frozen=True, slots=True)
class Squeeze:
    """How much a prompt may hold: characters a text, lines a list (None: all), items."""

    text: int | None
    lines: int | None
    items: int


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """A task for the model.

    `sections` gives each placeholder of the prompt under a squeeze; `items` counts what may be
    left for a later call (0: nothing may). `read` gets the reply and the squeeze under which it
    was asked, and raises Unreadable. `retries` is how often an unreadable reply is asked again.
    """

    stage: str
    state: str
    max_tokens: int
    items: int
    retries: int
    sections: Callable[[Squeeze], Mapping[str, Section]]
    read: Callable[[ChatReply, Squeeze], T]


class Asker:
    """Asks `model` on behalf of one run and keeps every call in `calls`, under the id `run`."""

    def __init__(
        self,
        model: ChatModel,
        prompts: Mapping[str, Prompt],
        calls: CallLog,
        run: str,
        control: Control = _NO_CONTROL,
    ) -> None:
        self._model, self._prompts = model, prompts
        self._recorder = Recorder(model, calls, run, control)

    @property
    def actor(self) -> Actor:
        """The model, for the record."""
        return Actor(kind="model", name=self._model.name)

    @property
    def local(self) -> bool:
        """Whether the model runs on this machine."""
        return self._model.local

    def ask(self, task: Ask[T]) -> Outcome[T]:
        """The task's outcome. Raises ModelTrouble."""
        turn = _Turn(1, task.max_tokens)
        while True:
            answer, notice = self._send(task, turn)
            calls = turn.calls + answer.calls
            if answer.value is not None:
                notices = (notice,) if notice else ()
                return Outcome(answer.value, self.actor, calls=calls, notices=notices)
            if answer.refused or turn.attempt > task.retries:
                return Outcome(None, self.actor, problem=answer.problem, calls=calls)
            most = max(task.max_tokens, self._model.context_tokens // 3)
            longer = min(2 * turn.max_tokens, most) if answer.cut_off else turn.max_tokens
            turn = _Turn(turn.attempt + 1, longer, answer.problem, calls)

    def _send(self, task: Ask[T], turn: _Turn) -> tuple[Answer[T], str]:
        """One answer, and a notice where the prompt had to be made shorter."""
        context = self._model.context_tokens
        for _ in range(_SHRINK_TIMES):
            request, squeeze = self._fit(task, turn, context)
            question = Question(
                request=request,
                state=task.state,
                prompt_hash=self._prompts[task.stage].hash,
                attempt=turn.attempt,
                read=functools.partial(_read_under, task, squeeze),
            )
            try:
                answer = self._recorder.ask(question, turn.calls)
            except TooLong:
                context = int(context * _SHRINK)
                continue
            return answer, _notice(task, squeeze, self._model.context_tokens)
        raise self._too_long(task.stage, turn)

    def _fit(self, task: Ask[T], turn: _Turn, context: int) -> tuple[ChatRequest, Squeeze]:
        """The longest request that fits into `context` tokens together with its reply."""
        for squeeze in _squeezes(task.items):
            system, user = self._fill(task, squeeze, turn.problem)
            if estimate_tokens(system, user) + turn.max_tokens <= context:
                schema = schema_of(task.stage)
                return ChatRequest(task.stage, system, user, schema, turn.max_tokens), squeeze
        raise self._too_long(task.stage, turn)

    def _fill(self, task: Ask[T], squeeze: Squeeze, problem: str) -> tuple[str, str]:
        sections = task.sections(squeeze)
        fence = Fence(_material(sections))
        values = {name: _written(section, fence) for name, section in sections.items()}
        system, user = self._prompts[task.stage].fill(values | {"data_rule": fence.rule()})
        return whole(system), whole(user + _complaint(problem))

    def _too_long(self, stage: str, turn: _Turn) -> ModelMisconfigured:
        error = ModelMisconfigured(
            f"The prompt of the stage {stage!r} does not fit the model's context of "
            f"{self._model.context_tokens} tokens even when shortened; "
            "set a larger model.context_tokens, fewer reply tokens, or another model."
        )
        error.calls = turn.calls
        return error


@dataclass(frozen=True, slots=True)
class _Turn:
    """Where the asking stands: the attempt, its room for a reply, what was wrong before."""

    attempt: int
    max_tokens: int
    problem: str = ""
    calls: tuple[CallMade, ...] = ()


def _read_under(task: Ask[T], squeeze: Squeeze, reply: ChatReply) -> T:
    return task.read(reply, squeeze)


def _squeezes(items: int) -> Iterator[Squeeze]:
    """From everything to the least that makes sense."""
    yield Squeeze(None, None, items)
    for text, lines in _TEXT_LIMITS:
        yield Squeeze(text, lines, items)
    text, lines = _TEXT_LIMITS[-1]
    for fewer in range(items - 1, 0, -1):
        yield Squeeze(text, lines, fewer)


def _notice(task: Ask[T], squeeze: Squeeze, context: int) -> str:
    if squeeze.text is None:
        return ""
    left = task.items - squeeze.items
    later = f", and {left} of {task.items} passages were left for a later call" if left else ""
    return (
        f"The prompt of the stage {task.stage!r} was shortened to fit a context of {context} "
        f"tokens: texts to at most {squeeze.text} characters{later}."
    )


def _material(sections: Mapping[str, Section]) -> Iterator[str]:
    for section in sections.values():
        if isinstance(section, str):
            yield section
        else:
            yield from (data.text for data in section)


def _written(section: Section, fence: Fence) -> str:
    if isinstance(section, str):
        return section
    return "\n\n".join(fence.wrap(data.label, data.text) for data in section) or "(none)"


def _complaint(problem: str) -> str:
    """The error of the last reply, quoted for the next attempt."""
    if not problem:
        return ""
    shown = one_line(problem)[:_LONGEST_COMPLAINT]
    return (
        f"\n\nYour last reply could not be used: {shown}\n"
        "Reply again with the one JSON object asked for and nothing else."
    )
