"""The fold of the indexed layer."""

from __future__ import annotations

import re
import unicodedata

_JOIN = re.compile(r"[-¬=]\s*\n\s*")
_WORD = re.compile(r"[^\W_]+")
_EXTRA = str.maketrans({"œ": "oe", "æ": "ae", "ſ": "s", "ß": "ss"})


def fold(text: str) -> str:
    """Words in lower case without accents, joined across line ends, one blank between them."""
    joined = _JOIN.sub("", text) if "\n" in text else text
    low = joined.lower().translate(_EXTRA)
    if not low.isascii():
        low = "".join(c for c in unicodedata.normalize("NFKD", low) if not unicodedata.combining(c))
    return " ".join(_WORD.findall(low))
