"""The prompts' editor, the list of model calls and the leads of a briefing under AppTest."""

from __future__ import annotations

from html import unescape
from pathlib import Path

from streamlit.testing.v1 import AppTest

from storage.workspace import Workspace
from tests.pages.driving import OpenApp, words_of
from tests.servers.oracle import Oracle
from tests.servers.scripted import ScriptedServer
from trace_core.domain.events import BriefingWritten, CallMade
from trace_core.prompts.loader import SPECS, load_prompt
from trace_core.prompts.meanings import MEANINGS
from trace_core.service import Service

QUESTION = "Que disent Le Conseil et Le Courrier du pont de la Scie ?"


def at_prompts(folder: Path, open_app: OpenApp, stage: str) -> AppTest:
    app = open_app(folder, "settings")
    app.segmented_control(key="settings.view").select("prompts").run()
    app.selectbox(key="prompt.at").set_value(stage).run()
    assert not app.exception
    return app


def in_use(folder: Path, stage: str) -> str:
    service = Service(Workspace.open(folder))
    text = service.prompt(stage).text
    service.close()
    return text


def test_a_prompt_is_rewritten_and_put_back(folder: Path, open_app: OpenApp) -> None:
    built_in = load_prompt("review").text
    own = built_in.replace("# user", "Mind the miller.\n\n# user")
    app = at_prompts(folder, open_app, "review")
    assert app.text_area(key="prompt.text.review").value == built_in
    told = unescape(words_of(app))
    assert all(MEANINGS[name] in told for name in SPECS["review"].known)
    app.text_area(key="prompt.text.review").set_value(own).run()
    app.button(key="prompt.save").click().run()
    assert not app.exception
    assert in_use(folder, "review") == own
    assert load_prompt("review", own).hash[:12] in words_of(app)
    app.button(key="prompt.reset").click().run()
    assert in_use(folder, "review") == built_in
    assert app.text_area(key="prompt.text.review").value == built_in
    # The own text is kept as a version, and comes back when it is wanted.
    app.button(key="prompt.take_version").click().run()
    assert app.text_area(key="prompt.text.review").value == own
    assert in_use(folder, "review") == built_in


def test_a_broken_prompt_is_refused_with_one_sentence_and_stays_in_the_editor(
    folder: Path, open_app: OpenApp
) -> None:
    built_in = load_prompt("review").text
    broken = built_in.replace("{{sources}}", "{{sauces}}")
    app = at_prompts(folder, open_app, "review")
    app.text_area(key="prompt.text.review").set_value(broken).run()
    app.button(key="prompt.save").click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert "sauces" in app.error[0].value
    assert in_use(folder, "review") == built_in
    app.selectbox(key="prompt.at").set_value("plan").run()
    app.selectbox(key="prompt.at").set_value("review").run()
    assert app.text_area(key="prompt.text.review").value == broken
    app.button(key="prompt.discard").click().run()
    assert app.text_area(key="prompt.text.review").value == built_in
    assert not app.error


def test_a_kept_text_that_no_longer_works_can_be_put_right_on_the_page(
    folder: Path, open_app: OpenApp
) -> None:
    service = Service(Workspace.open(folder))
    service.stores.shelf.put("prompt", "review", "# system\nx\n# user\n{{gone}}")
    service.close()
    app = at_prompts(folder, open_app, "review")
    assert "gone" in app.error[0].value
    app.button(key="prompt.reset").click().run()
    assert not app.error
    assert in_use(folder, "review") == load_prompt("review").text


def test_the_run_page_shows_calls_what_was_lost_and_leads(folder: Path, open_app: OpenApp) -> None:
    oracle = Oracle(searches=1)

    def player(request: dict[str, object]) -> str:
        """The oracle, which sometimes names a passage that nobody asked about."""
        reply = oracle(request)
        return reply.replace('"judgements": [', '"judgements": [{"id": "c1", "verdict": "fine"},')

    service = Service(Workspace.open(folder))
    with ScriptedServer(player) as server:
        changes = {"model": {"name": "openai/scripted", "api_base": server.url}}
        run = service.ask(QUESTION, "model", changes=changes)
        assert service.advance(run, "approve").status == "finished"
    payloads = [event.payload for event in service.events(run)]
    notes = [note for p in payloads if isinstance(p, CallMade) for note in p.notes]
    leads = [n for p in payloads if isinstance(p, BriefingWritten) for n in p.briefing.leads]
    record = service.calls(run)[-1]
    service.close()
    assert notes and leads
    app = open_app(folder, "run", run=run)
    assert not app.exception
    told = unescape(words_of(app))
    assert notes[0] in told
    assert leads[0] in told
    for hash_ in {call.prompt_hash[:12] for call in calls_of(folder, run)}:
        assert hash_ in told
    number = len(calls_of(folder, run))
    app.selectbox(key="calls.open").set_value(number).run()
    assert not app.exception
    assert record.reply in [block.value for block in app.code]


def calls_of(folder: Path, run: str) -> list[CallMade]:
    service = Service(Workspace.open(folder))
    payloads = [event.payload for event in service.events(run)]
    service.close()
    return [payload for payload in payloads if isinstance(payload, CallMade)]
