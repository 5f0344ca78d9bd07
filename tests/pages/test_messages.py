from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from pages.components import messages
from trace_core.prompts.loader import SPECS
from trace_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "pages").rglob("*.py"))


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_every_language_has_the_same_keys() -> None:
    english = set(messages.catalogue("en"))
    explained = ("setting.", "placeholder.")
    french = {key for key in messages.catalogue("fr") if not key.startswith(explained)}
    own_form_for_one = {key for key in english ^ french if not key.endswith("_one")}
    assert own_form_for_one == set()


def test_every_message_takes_the_same_values_in_every_language() -> None:
    english, french = messages.catalogue("en"), messages.catalogue("fr")
    different = [k for k in english if k in french]
    assert [k for k in different if placeholders(english[k]) != placeholders(french[k])] == []


def test_every_setting_is_explained_in_french() -> None:
    french = messages.catalogue("fr")
    wanted = {
        f"setting.{group}.{name}"
        for group, field in Settings.model_fields.items()
        for name in type(field.default).model_fields
    }
    assert {key for key in french if key.startswith("setting.")} == wanted


def test_every_placeholder_of_a_prompt_is_explained_in_french() -> None:
    wanted = {f"placeholder.{name}" for spec in SPECS.values() for name in spec.known}
    french = messages.catalogue("fr")
    assert {key for key in french if key.startswith("placeholder.")} == wanted


def test_every_key_that_a_page_names_exists() -> None:
    known = set(messages.catalogue("en"))
    named = {
        key
        for source in SOURCES
        for key in re.findall(r"""\bt\(\s*["']([a-z_.0-9 ]+)["']""", source.read_text())
    }
    assert len(named) > 150
    assert named - known == set()


def test_every_family_of_keys_that_a_page_names_exists() -> None:
    known = set(messages.catalogue("en"))
    families = {
        family
        for source in SOURCES
        for family in re.findall(r"""\bt\(\s*f["']([a-z_.0-9]+)\{""", source.read_text())
    }
    assert {f for f in families if not any(key.startswith(f) for key in known)} == set()


@pytest.mark.parametrize(
    ("language", "n", "expected"),
    [
        ("en", 0, "0 documents"),
        ("en", 1, "1 document"),
        ("en", 12_345, "12,345 documents"),
        ("fr", 0, "0 document"),
        ("fr", 2, "2 documents"),
        ("fr", 12_345, "12\u202f345 documents"),
    ],
)
def test_counts_follow_the_language(language: str, n: int, expected: str) -> None:
    assert messages.message(language, "corpus.documents", n=n) == expected


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(KeyError):
        messages.message("en", "no.such.key")
