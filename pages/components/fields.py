"""A setting as a widget, made from its declaration: its type, its limits, its sentence."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from pydantic.fields import FieldInfo

from pages.components import messages
from pages.components.html import md
from pages.components.session import language, t


def sentence(group: str, name: str, field: FieldInfo) -> str:
    """The setting's one sentence, in the person's language where it is translated."""
    key = f"setting.{group}.{name}"
    if messages.has(language(), key):
        return t(key)
    return field.description or ""


def setting(group: str, name: str, field: FieldInfo, value: Any) -> Any:
    """The widget of one setting; returns its present value."""
    default = field.default
    shown = t("settings.none") if default in (None, "") else default
    told = f"{md(sentence(group, name, field))} {md(t('settings.default', value=shown))}"
    key = f"settings.{group}.{name}"
    label = f"`{group}.{name}`" + (f" · {t('settings.changed')}" if value != default else "")
    kind = field.annotation
    if kind is bool:
        chosen: Any = st.toggle(label, value=bool(value), key=key)
    elif get_origin(kind) is Literal:
        options = list(get_args(kind))
        chosen = st.selectbox(label, options, index=options.index(value), key=key)
    elif kind in (int, float) or _optional_float(kind):
        chosen = _number(label, key, field, value, whole=kind is int)
    else:
        chosen = st.text_input(label, value=str(value), key=key)
    st.caption(told)
    return chosen


def _optional_float(kind: Any) -> bool:
    return get_origin(kind) is UnionType and set(get_args(kind)) == {float, NoneType}


def _number(label: str, key: str, field: FieldInfo, value: Any, *, whole: bool) -> Any:
    low, high = _limits(field)
    if whole:
        return st.number_input(
            label,
            min_value=None if low is None else int(low),
            max_value=None if high is None else int(high),
            value=int(value),
            step=1,
            key=key,
        )
    return st.number_input(
        label,
        min_value=low,
        max_value=high,
        value=None if value is None else float(value),
        step=_step(value),
        key=key,
        format="%g",
    )


def _step(value: float | None) -> float:
    return 0.05 if value is not None and abs(value) <= 2 else 1.0


def _limits(field: FieldInfo) -> tuple[float | None, float | None]:
    low: float | None = None
    high: float | None = None
    for rule in field.metadata:
        for name in ("ge", "gt"):
            low = float(getattr(rule, name)) if hasattr(rule, name) else low
        for name in ("le", "lt"):
            high = float(getattr(rule, name)) if hasattr(rule, name) else high
    return low, high
