"""Tags on a document: those that stand, more of them, and away with one; all in one field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.errors import remember
from pages.components.session import person, service, t
from trace_core.domain.errors import TraceError

if TYPE_CHECKING:
    from trace_core.domain.corpus import DocumentKey


def tags(key: DocumentKey) -> None:
    """The document's tags; a word of one's own becomes a new one. Each change is a record."""
    tagged = service().tagged()
    standing = list(service().tagged_among([key]).get(key, ()))
    every = sorted({tag for own in tagged.values() for tag in own}, key=str.casefold)
    field = f"tags.{key.corpus}.{key.source_id}"
    if st.session_state.get(field) is not None:
        # What a colleague has changed in the meantime is shown, not undone.
        st.session_state[field] = standing
    st.multiselect(
        t("tags.title"),
        every,
        default=None if field in st.session_state else standing,
        accept_new_options=True,
        placeholder=t("tags.placeholder"),
        help=t("tags.help"),
        key=field,
        on_change=_changed,
        args=(field, key, standing),
    )


def _changed(field: str, key: DocumentKey, standing: list[str]) -> None:
    wanted = [str(tag).strip() for tag in st.session_state[field] if str(tag).strip()]
    try:
        for tag in wanted:
            if tag not in standing:
                service().tag(key, tag, person())
        for tag in standing:
            if tag not in wanted:
                service().untag(key, tag, person())
    except TraceError as error:
        remember(error)
