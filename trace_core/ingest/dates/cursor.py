"""Looking at date tokens: what stands at a place, what phrase begins there, what may be skipped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from trace_core.ingest.dates.tokens import END, Token
from trace_core.ingest.dates.words import Table

Order = Literal["dmy", "mdy"]
Value = TypeVar("Value")

_GLUE = frozenset({".", "-", "'"})
#: Tokens of padding, so that a rule may look ahead without asking whether the text goes on.
PADDING = 12


class Cursor:
    """Looks at tokens from a place on; ``running`` asks for the reading of running text."""

    def __init__(
        self,
        tokens: Sequence[Token],
        original: str,
        *,
        running: bool = False,
        order: Order | None = None,
    ) -> None:
        self.tokens = [*tokens, *[END] * PADDING]
        self.original = original
        self.running = running
        self.order = order

    def text(self, i: int) -> str:
        """The folded token at a place, empty beyond the end."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def glued(self, i: int) -> bool:
        """Whether nothing stands between this token and the one before it."""
        return i > 0 and self.tokens[i].start == self.tokens[i - 1].end

    def as_written(self, i: int) -> str:
        """The token as it stands in the text, with its case and accents."""
        token = self.tokens[i]
        return self.original[token.start : token.end]

    def skip(self, i: int, allowed: frozenset[str], limit: int = 5) -> int:
        """The place after up to ``limit`` tokens of a set and the signs between them."""
        for _ in range(limit):
            if self.text(i) not in allowed:
                break
            i += 1
            if self.text(i) in (".", "'"):
                i += 1
        return i

    def phrase(self, i: int, table: Table[Value]) -> tuple[Value, int] | None:
        """The longest phrase of a table that begins here; points and hyphens do not count."""
        for phrase, meaning in table.get(self.text(i), ()):
            j = i + 1
            for word in phrase[1:]:
                while self.text(j) in _GLUE:
                    j += 1
                if self.text(j) != word:
                    break
                j += 1
            else:
                return meaning, j
        return None

    def point(self, i: int) -> int:
        """The place after a point that closes an abbreviation."""
        return i + 1 if self.text(i) == "." else i
