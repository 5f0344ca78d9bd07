"""Prompts: the files are sound, wrong ones are refused, and a change shows in the hash."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from trace_core.domain.errors import PromptError
from trace_core.prompts import loader
from trace_core.prompts.loader import SPECS, load_prompt, load_prompts, prompt_hashes

FOLDER = Path(loader.__file__).parent
GOOD = "# system\n{{data_rule}}\n# user\n{{question}} {{sources}} {{reason_characters}}"


def test_every_stage_has_its_file_and_every_file_its_stage() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(SPECS)


@pytest.mark.parametrize("stage", sorted(SPECS))
def test_a_prompt_says_that_sources_are_data_and_asks_for_json(stage: str) -> None:
    prompt = load_prompt(stage)
    assert "{{data_rule}}" in prompt.system
    assert "Reply with one JSON object and nothing else" in prompt.system
    text = (FOLDER / f"{stage}.md").read_text(encoding="utf-8")
    assert prompt.hash == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("stage", sorted(SPECS))
def test_every_placeholder_of_a_stage_is_used_or_optional(stage: str) -> None:
    prompt = load_prompt(stage)
    used = set(re.findall(r"\{\{(\w+)\}\}", prompt.system + prompt.user))
    assert SPECS[stage].required <= used <= SPECS[stage].known


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD + " {{colour}}", "unknown placeholder 'colour'"),
        (GOOD.replace("{{question}}", ""), "lacks the placeholder 'question'"),
        (GOOD.replace("{{question}}", "{question}"), "two braces"),
        (GOOD.replace("# user", ""), '"# user"'),
        (GOOD + "\n# user\nagain", "each once"),
        ("# system\n# user\n{{question}}", "a text under both"),
    ],
)
def test_a_wrong_prompt_is_refused_when_it_is_loaded(text: str, problem: str) -> None:
    with pytest.raises(PromptError, match=re.escape(problem)):
        load_prompt("order", text)


def test_an_override_changes_its_own_hash_alone() -> None:
    plain, changed = load_prompts(), load_prompts({"order": GOOD})
    before, after = prompt_hashes(plain), prompt_hashes(changed)
    assert {stage for stage in SPECS if before[stage] != after[stage]} == {"order"}
    with pytest.raises(PromptError, match="no prompt 'poem'"):
        load_prompts({"poem": GOOD})


def test_a_value_is_filled_in_once_and_not_read_again() -> None:
    prompt = load_prompt("order", GOOD)
    values = {"data_rule": "rule", "sources": "{{question}}", "reason_characters": "9"}
    system, user = prompt.fill(values | {"question": r"who\1 {{data_rule}}"})
    assert (system, user) == ("rule", r"who\1 {{data_rule}} {{question}} 9")
    with pytest.raises(PromptError, match="Nothing was given for 'question'"):
        prompt.fill(values)


def test_line_ends_of_another_system_make_no_other_prompt() -> None:
    assert load_prompt("order", GOOD.replace("\n", "\r\n")).hash == load_prompt("order", GOOD).hash
