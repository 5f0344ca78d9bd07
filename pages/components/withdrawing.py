"""Taking a document out of the search and bringing it back, each with a reason that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components import jobs
from pages.components.errors import remember
from pages.components.html import clean, md, show
from pages.components.runs import when
from pages.components.session import person, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.corpus import DocumentKey

_REASON = "withdrawing.reason"


def withdrawing(key: DocumentKey, *, withdrawn: bool) -> None:
    """The document's way out of the search or back into it, and what was done so far."""
    way = "restore" if withdrawn else "withdraw"
    with st.expander(t(f"withdrawing.{way}_title"), icon=":material/inventory:"):
        st.caption(md(t(f"withdrawing.{way}_help")))
        st.text_input(t("decision.reason"), key=_REASON)
        st.button(
            t(f"withdrawing.{way}"),
            key="withdrawing.do",
            on_click=_change,
            args=(key,),
            kwargs={"withdrawn": withdrawn},
        )
        jobs.of_archive()
        for deed in service().deeds():
            if deed.kind in ("withdraw", "restore") and deed.target == str(key):
                show(
                    f'<div class="tr-open"><span class="tr-small">{clean(deed.person)} · '
                    f"{clean(when(deed.time))} · {clean(t(f'withdrawing.did_{deed.kind}'))}</span>"
                    f"<br>{clean(deed.reason)}</div>"
                )


def _change(key: DocumentKey, *, withdrawn: bool) -> None:
    from trace_core.service.upkeep import part_of

    reason = str(st.session_state.get(_REASON, "")).strip()
    change = service().bring_back if withdrawn else service().withdraw
    try:
        change(part_of([key]), reason, person(), wait=False)
    except TraceError as error:
        remember(error)
        return
    st.session_state[_REASON] = ""
