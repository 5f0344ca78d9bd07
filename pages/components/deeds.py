"""What was done to the order of the archive: taken out, brought back, merged, described."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import key_text, names, parse_key
from pages.components.errors import empty
from pages.components.html import clean, shortened
from pages.components.html import show as show_html
from pages.components.places import link
from pages.components.runs import when
from pages.components.session import service, t
from trace_core.domain.errors import NotFound

if TYPE_CHECKING:
    from trace_core.ports import Deed

A_PAGE = 25
KINDS = ("withdraw", "restore", "merge", "unmerge", "describe")
_FIELDS = ("name", "aliases", "kind", "language", "description", "local_only")


def deeds() -> None:
    """All records, the newest first, on wish of one kind."""
    every = service().deeds()[::-1]
    if not every:
        empty(t("deeds.none"), t("deeds.none_help"))
        return
    there = {deed.kind for deed in every}
    first, second = st.columns([2, 5], vertical_alignment="bottom")
    with first:
        kind = st.selectbox(
            t("deeds.show"),
            ["", *(kind for kind in KINDS if kind in there)],
            format_func=lambda kind: t(f"deeds.kind_{kind}") if kind else t("deeds.all"),
            key="deeds.kind",
        )
    chosen = [deed for deed in every if kind in ("", deed.kind)]
    pages = max(1, -(-len(chosen) // A_PAGE))
    with second:
        page = st.pagination(pages, key="deeds.page") if pages > 1 else 1
    known = all_names()
    for deed in chosen[(page - 1) * A_PAGE : page * A_PAGE]:
        _deed(deed, known)


def _deed(deed: Deed, known: Mapping[str, str]) -> None:
    key = None if deed.target in known else parse_key(deed.target)
    head = service().heads([key]).get(key) if key is not None else None
    with st.container(border=True):
        if head is None:
            number = dict(deed.details).get("documents", "")
            target = part_name(deed.target, known, int(number) if number.isdigit() else 0)
            show_html(_words(deed, target, known))
            return
        text, right = st.columns([6, 1], vertical_alignment="center")
        with text:
            show_html(_words(deed, head.title or head.key.source_id, known))
        with right:
            link("document", t("archive.read"), ":material/article:", doc=key_text(head.key))


def _words(deed: Deed, target: str, known: Mapping[str, str]) -> str:
    details = dict(deed.details)
    other = details.pop("into", "") or details.pop("out of", "")
    title = t(f"deeds.{deed.kind}", target=target, other=known.get(other, other))
    number = details.pop("documents", "")
    facts = [when(deed.time), deed.person]
    if number.isdigit():
        facts.append(t("corpus.documents", n=int(number)))
    if deed.target != target:
        facts.append(shortened(deed.target, 80))
    if details.pop("not kept", ""):
        facts.append(t("deeds.not_kept"))
    row = "".join(f"<span>{clean(fact)}</span>" for fact in facts)
    changes = "".join(
        f'<div class="tr-small"><b>{clean(_field(name))}</b> {clean(value)}</div>'
        for name, value in details.items()
    )
    reason = clean(deed.reason or t("deeds.no_reason"))
    return (
        f'<div class="tr-title">{clean(title)}</div><div class="tr-row tr-small">{row}</div>'
        f'{changes}<div class="tr-open tr-why">{reason}</div>'
    )


def _field(name: str) -> str:
    if name == "citation":
        return t("deeds.citation")
    return t(f"corpus.{name}") if name in _FIELDS else name


def all_names() -> dict[str, str]:
    """The names of all sub-corpora by their ids, those that were merged into others included."""
    return names() | {one.id: one.name for one in service().former_corpora().values()}


def part_name(target: str, known: Mapping[str, str], number: int = 0) -> str:
    """A part of the archive as people call it: a sub-corpus's name, an import's source.

    `number` is how many documents the part has, 0 where as many as it names.
    """
    if target in known:
        return known[target]
    keys = target.split(", ")
    if len(keys) > 1:
        return t("deeds.many", first=keys[0], n=max((number or len(keys)) - 1, 1))
    try:
        return t("deeds.import", source=service().report(target).source)
    except NotFound:
        return target
