"""Search: for people who just want to look; each hit with its rank in every channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import streamlit as st

from pages.components import corpora
from pages.components.corpora import heading, key_text
from pages.components.errors import empty, guarded, told
from pages.components.forms import choose_forms, forms_line
from pages.components.html import clean, marked, md
from pages.components.html import show as show_html
from pages.components.limits import first_day, last_day
from pages.components.places import link
from pages.components.sentences import channel_note, said
from pages.components.session import go, place, service, t
from pages.components.twins import heads_of, twins
from trace_core.domain.hits import ChannelName
from trace_core.domain.question import ScopeSpec
from trace_core.stages.context import run_scope

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from trace_core.service.views import HitView, SearchView

CHANNELS: tuple[str, ...] = ("fused", *get_args(ChannelName))
A_PAGE = 10
MOST = 50


def show() -> None:
    """Draw the page."""
    st.title(t("search.title"), anchor=False)
    told()
    query = st.text_input(
        t("search.query"),
        value=place("q"),
        key="search.query",
        type="search",
        placeholder=t("search.placeholder"),
    )
    go(q=query.strip())
    with guarded():
        channel, limits = _limits()
        if not query.strip():
            empty(t("search.empty"), t("search.empty_help"))
            return
        choose_forms(query, "search.query")
        _result(service().search(query, channel, run_scope(limits), limit=MOST))


def _limits() -> tuple[str, ScopeSpec]:
    """The channel, and the limits. Raises BadInput for days that are none."""
    left, middle, right, last = st.columns([3, 4, 4, 2])
    channel = left.selectbox(
        t("search.channel"),
        CHANNELS,
        format_func=lambda name: t(f"channel.{name}"),
        help=t("search.channel_help"),
        key="search.channel",
    )
    with middle:
        chosen = corpora.choose(t("search.corpora"), "search.corpora")
    with right:
        begins, ends = st.columns(2)
        begin = begins.text_input(
            t("ask.from"), key="search.from", placeholder=t("search.from_example")
        )
        end = ends.text_input(t("ask.to"), key="search.to", placeholder="1889")
    with last:
        quality = corpora.least_quality("search.quality")
    limits = ScopeSpec(
        corpora=chosen,
        date_from=first_day(begin),
        date_to=last_day(end),
        include_undated=False,
        min_quality=quality,
    )
    return str(channel), limits


def _result(view: SearchView) -> None:
    for channel, sentence in view.failures:
        st.error(md(t("search.failed", channel=t(f"channel.{channel}"), reason=said(sentence))))
    if view.undated_left_out:
        st.caption(t("search.undated", n=view.undated_left_out))
    if view.below_quality:
        st.caption(t("search.below_quality", n=view.below_quality))
    if view.at_work:
        st.info(t("search.at_work"), icon=":material/sync:")
    for note in view.notes:
        st.caption(md(channel_note(note)))
    if not view.hits:
        empty(t("search.nothing"), t("search.nothing_help"))
        return
    st.caption(t("search.count", n=len(view.hits)))
    known = corpora.names()
    pages = -(-len(view.hits) // A_PAGE)
    page = st.pagination(pages, key=f"search.page.{view.query}") if pages > 1 else 1
    shown = view.hits[(page - 1) * A_PAGE : page * A_PAGE]
    heads = heads_of(hit.twins for hit in shown)
    for hit in shown:
        with st.container(border=True):
            text = _hit(hit, view, known)
            with text:
                twins(hit.twins, heads, known)


def _hit(hit: HitView, view: SearchView, known: dict[str, str]) -> DeltaGenerator:
    rank, text, right = st.columns([1, 12, 3])
    rank.html(f'<span class="tr-rank">{hit.rank}</span>')
    with text:
        passages = "".join(
            f'<div class="tr-text tr-snippet">{marked(shown, (spans, ""))}</div>'
            for shown, spans in _passages(hit)
        )
        show_html(heading(hit.head, known, hit.key) + passages)
        if line := forms_line(hit.forms):
            st.caption(line)
    with right:
        ranks = "".join(
            f"<tr><td>{clean(t(f'channel.{name}'))}</td><td class='tr-number'>{number}</td></tr>"
            for name, number in hit.channels.items()
        )
        boosts = "".join(
            f"<tr><td>{clean(name)}</td><td class='tr-number'>+{value:.4f}</td></tr>"
            for name, value in (hit.boosts or {}).items()
        )
        show_html(
            f'<table class="tr-table"><thead><tr><th>{clean(t("found.channel"))}</th>'
            f'<th class="tr-number">{clean(t("found.rank"))}</th></tr></thead>'
            f"<tbody>{ranks}{boosts}</tbody></table>"
        )
        link(
            "document",
            t("archive.read"),
            ":material/article:",
            doc=key_text(hit.key),
            chunk=str(hit.chunk_id),
            q=view.query,
        )
    return text


def _passages(hit: HitView) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    """The best passage, and the second best of the same document where there is one."""
    second = [(hit.second.text, hit.second.spans)] if hit.second else []
    return [(hit.snippet, hit.spans), *second]


if __name__ == "__main__":
    show()
