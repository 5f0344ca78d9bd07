"""The model's calls of a run: what each cost, what was lost or mended, what was sent, what came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.html import clean, show
from pages.components.prompting import SHORT
from pages.components.session import count, service, t
from pages.components.timeline import calls
from trace_core.domain.events import CallMade, Event

if TYPE_CHECKING:
    from trace_core.domain.state import RunState
    from trace_core.ports import CallRecord

SHOWN = 100
"""How many of the latest calls are listed."""

_COLUMNS = ("stage", "prompt", "tokens", "seconds", "cost", "lost")


def listed(state: RunState) -> None:
    """The latest calls as a table, and any one of them in full."""
    if state.assistant == "rules":
        st.caption(t("calls.rules"))
        return
    made = calls(state.run)
    if not made:
        st.caption(t("calls.none"))
        return
    latest = made[: -SHOWN - 1 : -1]
    if len(made) > SHOWN:
        st.caption(t("calls.latest", n=len(made), shown=SHOWN))
    head = "".join(f"<th>{clean(t(f'calls.{name}'))}</th>" for name in ("number", *_COLUMNS))
    numbered = [(len(made) - place, event) for place, event in enumerate(latest)]
    rows = "".join(_row(number, event) for number, event in numbered)
    name = clean(t("run.calls"))
    show(
        f'<div class="tr-scroll" tabindex="0" role="region" aria-label="{name}">'
        f'<table class="tr-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )
    _one(dict(numbered))


def _row(number: int, event: Event) -> str:
    call = event.payload
    assert isinstance(call, CallMade)
    price = t("totals.unknown") if call.price is None else f"${call.price:.4f}"
    lost = [*([call.problem] if call.problem else []), *call.notes]
    cells = (
        clean(number),
        clean(t(f"prompt.stage_{call.stage}"))
        + (f" · {clean(t('calls.attempt', number=call.attempt))}" if call.attempt > 1 else ""),
        f"<code>{clean(call.prompt_hash[:SHORT])}</code>",
        clean(f"{count(call.tokens_in)} / {count(call.tokens_out)}"),
        clean(f"{call.seconds:.1f} s"),
        clean(price if call.ok or call.tokens_out else "–"),
        "<br>".join(map(clean, lost)),
    )
    kind = "" if call.ok and not lost else " class=tr-trouble"
    return f"<tr{kind}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _one(numbered: dict[int, Event]) -> None:
    """What was sent and what came back, of the call that a person chooses."""
    chosen = st.selectbox(
        t("calls.open"),
        list(numbered),
        index=None,
        placeholder=t("calls.choose"),
        format_func=lambda number: f"{number} · {_stage(numbered[number])}",
        key="calls.open",
    )
    if chosen is None or chosen not in numbered:
        return
    event = numbered[chosen]
    assert isinstance(event.payload, CallMade)
    record = service().call(event.run, event.payload.call)
    if record is None:
        st.caption(t("calls.not_kept"))
        return
    for name, text in _texts(record):
        with st.expander(t(f"calls.{name}"), expanded=name == "reply"):
            st.code(text or t("calls.empty"), language=None, wrap_lines=True)


def _stage(event: Event) -> str:
    assert isinstance(event.payload, CallMade)
    return t(f"prompt.stage_{event.payload.stage}")


def _texts(record: CallRecord) -> list[tuple[str, str]]:
    messages = json.loads(record.request).get("messages", [])
    sent = {message["role"]: message["content"] for message in messages}
    return [
        ("system", sent.get("system", "")),
        ("user", sent.get("user", "")),
        ("reply", record.reply),
    ]
