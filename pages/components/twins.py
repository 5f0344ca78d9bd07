"""Documents with the same text as another, listed where that one stands for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.corpora import key_text, plain
from pages.components.places import link
from pages.components.session import service, t

if TYPE_CHECKING:
    from trace_core.domain.corpus import DocumentHead, DocumentKey

LISTED = 5


def heads_of(groups: Iterable[Sequence[DocumentKey]]) -> dict[DocumentKey, DocumentHead]:
    """What is shown of the twins of a whole list, read at once."""
    wanted = {key for keys in groups for key in keys[:LISTED]}
    return service().heads(wanted) if wanted else {}


def twins(
    keys: Sequence[DocumentKey], heads: dict[DocumentKey, DocumentHead], known: dict[str, str]
) -> None:
    """Links to the documents with the same text; nothing where there is none."""
    if not keys:
        return
    st.caption(t("twins.title", n=len(keys)))
    for key in keys[:LISTED]:
        link(
            "document", plain(heads.get(key), known, key), ":material/file_copy:", doc=key_text(key)
        )
    if len(keys) > LISTED:
        st.caption(t("twins.more", n=len(keys) - LISTED))
