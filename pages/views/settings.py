"""Settings: the model and its test, every setting with its sentence, prompts, workspaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from pages.components.errors import guarded, remember, told
from pages.components.fields import setting
from pages.components.html import md
from pages.components.prompting import editor
from pages.components.sentences import said
from pages.components.session import enter, has_workspace, house, service, t, workspace
from pages.components.welcome import folder_field, make
from trace_core.domain.errors import TraceError
from trace_core.settings import PRESETS, Settings

VIEWS = ("model", "all", "prompts", "workspace")


def show() -> None:
    """Draw the page."""
    st.title(t("settings.title"), anchor=False)
    told()
    if st.session_state.pop("_settings_saved", False):
        st.toast(t("settings.saved"), icon=":material/check:")
    if not has_workspace():
        _workspaces()
        return
    way = st.segmented_control(
        t("settings.view"),
        VIEWS,
        default="model",
        format_func=lambda name: t(f"settings.view_{name}"),
        required=True,
        key="settings.view",
        label_visibility="collapsed",
    )
    with guarded():
        {"all": _all, "prompts": editor, "workspace": _workspaces}.get(str(way), _model)()


def _model() -> None:
    status = service().model_status()
    if status.configured:
        st.info(md(said(status.sentence)), icon=":material/smart_toy:")
    else:
        st.write(md(t("settings.no_model")))
    if st.button(
        t("settings.test"),
        key="settings.test",
        icon=":material/network_check:",
        disabled=not status.configured,
    ):
        with st.spinner(t("settings.testing")):
            tested = service().model_status(ask=True)
        (st.success if tested.reachable else st.error)(md(said(tested.sentence)))
    st.caption(md(t("settings.keys")))
    _group("model", service().settings())


def _all() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = st.selectbox(
            t("settings.preset"),
            PRESETS,
            format_func=lambda name: t(f"preset.{name}"),
            key="settings.preset",
        )
        st.button(
            t("settings.take_preset"),
            key="settings.take_preset",
            on_click=_take_preset,
            args=(preset,),
        )
    st.caption(md(t("settings.preset_help")))
    settings = service().settings()
    groups = [name for name in Settings.model_fields if name != "model"]
    group = st.pills(
        t("settings.group"),
        groups,
        default=groups[0],
        format_func=lambda name: t(f"settings.group_{name}"),
        required=True,
        key="settings.group",
        label_visibility="collapsed",
    )
    if group == "index":
        st.info(md(t("settings.index_help")))
    _group(str(group or groups[0]), settings)


def _group(name: str, settings: Settings) -> None:
    values = getattr(settings, name)
    fields = type(values).model_fields
    with st.form(f"settings.form.{name}", border=False):
        columns = st.columns(2, gap="large")
        changed: dict[str, Any] = {}
        for place, (field_name, field) in enumerate(fields.items()):
            with columns[place % 2]:
                setting(name, field_name, field, getattr(values, field_name))
            changed[field_name] = f"settings.{name}.{field_name}"
        st.form_submit_button(
            t("save"), type="primary", on_click=_save, args=(name, changed), key=f"save.{name}"
        )


def _save(group: str, keys: dict[str, str]) -> None:
    values = {name: st.session_state[key] for name, key in keys.items()}
    try:
        service().save_settings({group: values})
        st.session_state["_settings_saved"] = True
    except TraceError as error:
        remember(error)


def _take_preset(name: str) -> None:
    try:
        service().save_settings(service().preset_changes(name))
        st.session_state["_settings_saved"] = True
    except TraceError as error:
        remember(error)
        return
    for key in [k for k in st.session_state if isinstance(k, str) and k.startswith("settings.")]:
        if key not in ("settings.view", "settings.group", "settings.preset"):
            del st.session_state[key]


def _workspaces() -> None:
    st.markdown(f"##### {md(t('settings.here'))}")
    st.code(str(workspace().resolve()), language=None)
    left, middle, right = st.columns(3)
    with left.container(border=True, height="stretch"):
        st.markdown(f"##### {md(t('welcome.other'))}")
        folder_field("settings")
        if workspace() != house().default and st.button(t("settings.back"), key="settings.back"):
            enter(house().default)
            st.rerun()
    with middle.container(border=True, height="stretch"):
        st.markdown(f"##### {md(t('welcome.new'))}")
        named = st.text_input(t("settings.new_path"), key="settings.new_path").strip()
        sample = st.checkbox(t("settings.with_sample"), key="settings.with_sample")
        if st.button(t("settings.create"), key="settings.create", width="stretch"):
            if named:
                how = house().create_sample if sample else house().create
                make(Path(named).expanduser(), how)
            else:
                st.warning(md(t("settings.no_folder")))
    with right.container(border=True, height="stretch"):
        st.markdown(f"##### {md(t('settings.backup'))}")
        target = st.text_input(t("settings.backup_path"), key="settings.backup_path").strip()
        pressed = st.button(t("settings.backup_do"), key="settings.backup", width="stretch")
        if pressed and not target:
            st.warning(md(t("settings.no_folder")))
        elif pressed and has_workspace():
            with guarded():
                copy = house().back_up(workspace(), Path(target).expanduser())
                st.success(md(t("settings.backed_up", folder=copy)))


if __name__ == "__main__":
    show()
