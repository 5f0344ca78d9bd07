"""The core's own sentences in the person's language.

Records, errors and reasons are written in English, and stay so in the record and in exports. Where
a page shows one, it is looked up in `assets/messages/LANGUAGE-sentences.toml`, whose templates
stand for all sentences of their form; what has no template is shown as it is.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING

from pages.components.messages import FOLDER, has
from pages.components.session import language, t

if TYPE_CHECKING:
    from trace_core.domain.evidence import Actor
    from trace_core.domain.state import DecisionRecord

_PLACE = re.compile(r"\{([a-z]+)\}")
_JOINTS = ("; ", ", ")
_VALUES = {"n": r"\d+", "reason": ".+"}
"""What stands at a place, by its name; at any other, something without a semicolon."""


def said(text: str) -> str:
    """A sentence of the core as the person reads it."""
    return translated(language(), text)


def channel_note(note: str) -> str:
    """What a channel says of its search: its name and its sentence, where the note begins so."""
    channel, colon, sentence = note.partition(": ")
    if colon and has(language(), f"channel.{channel}"):
        return t("search.note", channel=t(f"channel.{channel}"), note=said(sentence))
    return said(note)


def reason(text: str, actor: Actor) -> str:
    """A reason as the person reads it; what a person or a model wrote stays word by word."""
    return said(text) if actor.kind in ("rules", "engine") else text


def why(record: DecisionRecord) -> str:
    """The reason of a decision as the person reads it."""
    return reason(record.decision.reason, record.actor)


@lru_cache(maxsize=4_096)
def translated(tongue: str, text: str) -> str:
    """A sentence in a language: as a whole, else the parts that it is joined of."""
    for pattern, words in _templates(tongue):
        found = pattern.fullmatch(text)
        if found:
            values = {name: translated(tongue, part) for name, part in found.groupdict().items()}
            return words.format(**values)
    for joint in _JOINTS:
        parts = text.split(joint)
        if len(parts) == 1:
            continue
        told = [translated(tongue, part) for part in parts]
        changed = [own != part for own, part in zip(told, parts, strict=True)]
        # A list is one where all its parts are known; else it is a sentence with a comma.
        if all(changed) if joint == ", " else any(changed):
            return (" ; " if joint == "; " and tongue == "fr" else joint).join(told)
    return text


def templates(tongue: str) -> dict[str, str]:
    """The templates of a language: English to its own; none for English."""
    path = FOLDER / f"{tongue}-sentences.toml"
    if not path.exists():
        return {}
    found: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=4)
def _templates(tongue: str) -> list[tuple[re.Pattern[str], str]]:
    """Patterns with their sentences, those that say most first."""
    given = sorted(templates(tongue).items(), key=lambda pair: -len(_PLACE.sub("", pair[0])))
    return [(_pattern(english), own) for english, own in given]


def _pattern(english: str) -> re.Pattern[str]:
    parts = _PLACE.split(english)
    made = [
        re.escape(part) if place % 2 == 0 else f"(?P<{part}>{_value(part)})"
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(made), re.DOTALL)


def _value(name: str) -> str:
    return _VALUES.get(name, "(?:(?!; ).)+?")
