"""What Streamlit says of its own to the historian: nothing."""

from __future__ import annotations

import tomllib

import pytest

from tests.pages.test_theme import CONFIG


def test_no_word_of_streamlit_itself_stands_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    from streamlit import config

    skills = pytest.importorskip("streamlit.web.skills")
    chosen = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    options = {
        f"{group}.{name}": value
        for group, part in chosen.items()
        if group != "theme"
        for name, value in part.items()
    }
    assert options["server.showEmailPrompt"] is options["browser.gatherUsageStats"] is False
    assert options["client.toolbarMode"] == "minimal"
    options["server.headless"] = False  # as `serve` starts it
    monkeypatch.setattr(config, "get_option", options.get)
    assert skills.nudge_suppression_reason() == "welcome_hidden"
