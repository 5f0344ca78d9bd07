"""The interface's words: one TOML file a language in `assets/messages/`, the same keys in each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "messages"

LANGUAGES = {"en": "English", "fr": "Français"}
"""Language codes with the language's own name."""


@lru_cache(maxsize=8)
def catalogue(language: str) -> Mapping[str, str]:
    """All messages of a language by dotted key."""
    data = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return dict(_flat("", data))


def has(language: str, key: str) -> bool:
    """Whether the language has this message."""
    return key in catalogue(language)


def message(language: str, key: str, /, **values: object) -> str:
    """A message with its values put in.

    A message that counts (`n`) may have a form for one under `key_one`; French takes it for
    zero too. Raises KeyError for an unknown key, so that a typing error cannot reach a person.
    """
    words = catalogue(language)
    count = values.get("n")
    if isinstance(count, int):
        single = count in ((0, 1) if language == "fr" else (1,))
        if single and f"{key}_one" in words:
            key = f"{key}_one"
        values["n"] = number(language, count)
    return words[key].format(**values) if values else words[key]


def number(language: str, value: int) -> str:
    """A whole number with the language's separator of thousands (a narrow space in French)."""
    text = f"{value:,}"
    return text.replace(",", "\u202f") if language == "fr" else text


def _flat(prefix: str, data: Mapping[str, Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in data.items():
        key = f"{prefix}.{name}" if prefix else name
        found += _flat(key, value) if isinstance(value, dict) else [(key, str(value))]
    return found
