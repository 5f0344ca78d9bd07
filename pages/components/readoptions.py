"""How a source is read, as far as a person wants to say it; what is left alone is found out."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pages.components.sentences import said
from pages.components.session import t
from trace_core.domain.errors import BadInput
from trace_core.ingest.records import ReadOptions
from trace_core.service.formats import formats

AUTO = "auto"
DELIMITERS = ("", ",", ";", "\t", "|")
DAY_FIRST: dict[str, bool | None] = {"auto": None, "day": True, "month": False}
GROUPINGS = ("file", "name", "folder")


def draw() -> None:
    """All options, in two parts: what is often said, and what seldom needs to be."""
    with st.expander(t("import.options"), icon=":material/tune:"):
        _often()
    with st.expander(t("import.more_options"), icon=":material/settings_suggest:"):
        _seldom()


def _often() -> None:
    titles = dict(formats())
    first, second, third = st.columns(3)
    first.selectbox(
        t("import.format"),
        (AUTO, *titles),
        format_func=lambda name: t("import.auto") if name == AUTO else said(titles[name]),
        key="import.format",
    )
    second.text_input(t("import.corpus"), key="import.corpus", help=t("import.corpus_help"))
    third.text_input(t("import.language"), key="import.language", placeholder="fr, de, en")


def _seldom() -> None:
    first, second = st.columns(2)
    first.text_input(
        t("import.metadata"),
        key="import.metadata",
        help=t("import.metadata_help"),
        placeholder="/home/…/metadata.csv",
    )
    second.text_input(
        t("import.scans"),
        key="import.scans",
        help=t("import.scans_help"),
        placeholder="/home/…/manifest.json",
    )
    first, second, third = st.columns(3)
    first.selectbox(
        t("import.day_first"),
        DAY_FIRST,
        format_func=lambda name: t("import.auto" if name == AUTO else f"import.{name}_first_is"),
        key="import.day_first",
    )
    second.text_input(
        t("import.encoding"), key="import.encoding", placeholder="utf-8, latin-1, cp1252"
    )
    third.selectbox(
        t("import.delimiter"),
        DELIMITERS,
        format_func=lambda sign: {"": t("import.auto"), "\t": t("import.tab")}.get(sign, sign),
        key="import.delimiter",
    )
    st.selectbox(
        t("import.pages"),
        GROUPINGS,
        format_func=lambda name: t(f"import.pages_{name}"),
        key="import.pages",
    )
    st.checkbox(t("import.articles"), value=True, key="import.articles")
    st.checkbox(t("import.speeches"), key="import.speeches")


def chosen(mapping: Mapping[str, str] | None = None) -> ReadOptions:
    """What was said, with the meaning of the columns. Raises BadInput for an unknown encoding."""
    values = st.session_state
    pages = values.get("import.pages")
    return ReadOptions(
        format=str(values.get("import.format") or AUTO),
        corpus=_written("corpus"),
        mapping=dict(mapping or {}),
        language=_written("language"),
        encoding=_encoding(_written("encoding")),
        delimiter=str(values.get("import.delimiter") or ""),
        day_first=DAY_FIRST.get(str(values.get("import.day_first"))),
        metadata=_path("metadata"),
        scans=_path("scans"),
        pages=pages if pages in GROUPINGS else "file",
        articles=bool(values.get("import.articles", True)),
        speeches=bool(values.get("import.speeches", False)),
    )


def _written(name: str) -> str:
    return str(st.session_state.get(f"import.{name}") or "").strip()


def _path(name: str) -> Path | None:
    written = _written(name)
    return Path(written).expanduser() if written else None


def _encoding(name: str) -> str:
    if name:
        try:
            codecs.lookup(name)
        except LookupError:
            raise BadInput(t("import.no_encoding", name=name)) from None
    return name
