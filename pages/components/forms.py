"""The forms of a name: proposed by rules or by the model, edited by a person, then searched."""

from __future__ import annotations

import streamlit as st

from pages.components.errors import complain, remember
from pages.components.html import md
from pages.components.session import service, t
from trace_core.domain.errors import SearchFailed, TraceError
from trace_core.domain.hits import parted_forms
from trace_core.search.fuzzy_plan import BAR, FEW_WORDS
from trace_core.search.variants import joined
from trace_core.text.tokens import words


def choose_forms(query: str, box: str) -> None:
    """Let a person choose the forms of a short query; the text input `box` gets what was chosen.

    Nothing is shown for a longer query, which is no name.
    """
    name, *chosen = (part.strip() for part in query.split(BAR))
    if not 0 < len(words(name)) <= FEW_WORDS:
        return
    by_model: list[str] = st.session_state.get(_key("model", name), [])
    with st.expander(t("forms.title"), expanded=bool(chosen), icon=":material/spellcheck:"):
        try:
            proposed = service().variants(name)
        except SearchFailed as error:
            complain(error)
            return
        shown = {
            v.form: f"{v.form} · {t('forms.passages', n=v.passages)}"
            for v in proposed
            if v.kind != "exact"
        }
        kept = st.multiselect(
            t("forms.choose", name=name),
            list(dict.fromkeys([*chosen, *shown, *by_model])),
            default=chosen,
            format_func=lambda form: shown.get(form, form),
            accept_new_options=True,
            placeholder=t("forms.add" if shown or by_model else "forms.none"),
            help=t("forms.help"),
            key=_key("kept", query),
        )
        left, right = st.columns(2)
        left.button(t("forms.search"), on_click=_take, args=(box, name, kept), type="primary")
        if service().settings().model.name:
            right.button(t("forms.ask_model"), on_click=_ask_model, args=(name,))


def _take(box: str, name: str, kept: list[str]) -> None:
    st.session_state[box] = joined(name, [form.replace(BAR, " ") for form in kept])


def _ask_model(name: str) -> None:
    try:
        st.session_state[_key("model", name)] = list(service().variants_by_model(name))
    except TraceError as error:
        remember(error)


def _key(part: str, of: str) -> str:
    return f"forms.{part}.{of}"


def forms_line(forms: tuple[str, ...]) -> str:
    """What is written in a hit instead of the words searched for, as Markdown; "" for nothing."""
    sure, doubtful = parted_forms(forms)
    said = [t("forms.matched", forms=", ".join(sure))] if sure else []
    said += [t("forms.doubtful", forms=", ".join(doubtful))] if doubtful else []
    return md(" · ".join(said))
