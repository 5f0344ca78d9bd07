"""The editor of prompts: stage by stage, with placeholders and versions; nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import messages
from pages.components.errors import complain
from pages.components.html import clean, md
from pages.components.html import show as show_html
from pages.components.runs import when
from pages.components.session import language, person, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.service.prompts import Placeholder, PromptView

SHORT = 12
_DRAFTS = "_prompt_drafts"
_PROBLEM = "_prompt_problem"


def editor() -> None:
    """Choose a stage, read what a model is told there, rewrite it, put it back."""
    st.write(md(t("prompt.help")))
    views = {view.stage: view for view in service().prompt_list()}
    stage = st.selectbox(
        t("prompt.stage"),
        list(views),
        format_func=lambda name: t(f"prompt.stage_{name}"),
        key="prompt.at",
    )
    view = views[str(stage)]
    _marks("prompt.own", [name for name, one in views.items() if one.own])
    _marks("prompt.unsaved", list(_drafts()))
    st.caption(md(_in_use(view)))
    if view.problem:
        st.error(md(f"{view.problem} {t('prompt.unusable')}"), icon=":material/error:")
    _text(view)
    _buttons(view)
    _placeholders(view.placeholders)
    _versions(view)


def used(state: RunState) -> None:
    """The prompts that a run has, with whose they are."""
    uses = service().prompts_used(state)
    if not uses:
        return
    rows = "".join(
        f"<tr><th>{clean(t(f'prompt.stage_{use.stage}'))}</th>"
        f"<td><code>{clean(use.hash[:SHORT])}</code></td>"
        f"<td>{clean(t(f'prompt.origin_{use.origin}'))}"
        f"{'' if use.current else ' · ' + clean(t('prompt.not_current'))}</td></tr>"
        for use in uses
        if messages.has("en", f"prompt.stage_{use.stage}")
    )
    st.markdown(f"**{md(t('prompt.used'))}**")
    show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')


# --- one stage ---------------------------------------------------------------------------------


def _marks(key: str, stages: list[str]) -> None:
    if stages:
        st.caption(md(t(key, stages=", ".join(t(f"prompt.stage_{name}") for name in stages))))


def _in_use(view: PromptView) -> str:
    if not view.own:
        return t("prompt.in_use_built_in", hash=view.hash[:SHORT])
    known = [version for version in view.versions if version.hash == view.hash]
    since = when(known[0].time) if known else "?"
    who = known[0].person if known else ""
    return t("prompt.in_use_own", hash=view.hash[:SHORT], when=since, who=who or "?")


def _text(view: PromptView) -> None:
    key = _key(view.stage)
    if key not in st.session_state:
        st.session_state[key] = _drafts().get(view.stage, view.text)
    st.text_area(
        t("prompt.text"), key=key, height=420, on_change=_keep, args=(view.stage, view.text)
    )
    failed = st.session_state.get(_PROBLEM)
    if failed and failed[0] == view.stage and view.stage in _drafts():
        complain(failed[1])
        st.caption(md(t("prompt.kept")))


def _buttons(view: PromptView) -> None:
    changed = view.stage in _drafts()
    with st.container(horizontal=True):
        st.button(
            t("save"),
            type="primary",
            key="prompt.save",
            icon=":material/save:",
            on_click=_save,
            args=(view.stage,),
        )
        st.button(
            t("prompt.discard"),
            key="prompt.discard",
            disabled=not changed,
            on_click=_show_text,
            args=(view.stage, view.text),
        )
        st.button(
            t("prompt.reset"),
            key="prompt.reset",
            icon=":material/undo:",
            disabled=not view.own,
            on_click=_reset,
            args=(view.stage,),
        )


def _placeholders(listed: tuple[Placeholder, ...]) -> None:
    st.markdown(f"**{md(t('prompt.placeholders'))}**")
    rows = "".join(
        f"<tr><th><code>{{{{{clean(one.name)}}}}}</code></th><td>{clean(_meaning(one))}</td>"
        f"<td>{clean(t('prompt.required' if one.required else 'prompt.optional'))}</td></tr>"
        for one in listed
    )
    show_html(f'<table class="tr-table"><tbody>{rows}</tbody></table>')


def _meaning(one: Placeholder) -> str:
    key = f"placeholder.{one.name}"
    return t(key) if messages.has(language(), key) else one.meaning


def _versions(view: PromptView) -> None:
    if not view.versions:
        return
    known = {version.hash: version for version in view.versions}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            t("prompt.versions"),
            list(known),
            format_func=lambda h: f"{h[:SHORT]} · {when(known[h].time)} {known[h].person}".strip(),
            key=f"prompt.version.{view.stage}",
        )
        st.button(
            t("prompt.take_version"),
            key="prompt.take_version",
            on_click=_take,
            args=(view.stage, chosen, view.text),
        )


# --- what buttons do ---------------------------------------------------------------------------


def _key(stage: str) -> str:
    return f"prompt.text.{stage}"


def _drafts() -> dict[str, str]:
    """What was typed and not saved, by stage; it stays while the session lives."""
    drafts: dict[str, str] = st.session_state.setdefault(_DRAFTS, {})
    return drafts


def _keep(stage: str, saved: str) -> None:
    typed = str(st.session_state[_key(stage)])
    if typed == saved:
        _drafts().pop(stage, None)
    else:
        _drafts()[stage] = typed


def _save(stage: str) -> None:
    typed = str(st.session_state.get(_key(stage), ""))
    st.session_state.pop(_PROBLEM, None)
    try:
        view = service().set_prompt(stage, typed or " ", person())
    except TraceError as error:
        _drafts()[stage] = typed
        st.session_state[_PROBLEM] = (stage, error)
        return
    _show_text(stage, view.text)
    st.session_state["_settings_saved"] = True


def _reset(stage: str) -> None:
    view = service().set_prompt(stage, "")
    _show_text(stage, view.text)
    st.session_state["_settings_saved"] = True


def _take(stage: str, version: str, saved: str) -> None:
    """Put an earlier text into the editor; it counts when it is saved."""
    st.session_state[_key(stage)] = service().prompt_version(stage, version)
    _keep(stage, saved)


def _show_text(stage: str, text: str) -> None:
    _drafts().pop(stage, None)
    st.session_state.pop(_PROBLEM, None)
    st.session_state[_key(stage)] = text
