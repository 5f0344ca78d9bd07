"""The three verdicts: always the same shape, word and colour (the colours are in the theme)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.components.html import clean
from pages.components.session import t

if TYPE_CHECKING:
    from trace_core.domain.evidence import Actor, Verdict

SHAPES: dict[Verdict, str] = {"accept": "✓", "hold": "◐", "reject": "✕"}


def word(verdict: Verdict) -> str:
    """The verdict as a word (accepted, on hold, rejected)."""
    return t(f"verdict.{verdict}")


def label(verdict: Verdict) -> str:
    """Shape and word, for places that take plain text."""
    return f"{SHAPES[verdict]} {word(verdict)}"


def badge(verdict: Verdict) -> str:
    """Shape and word as HTML."""
    return (
        f'<span class="tr-verdict tr-{verdict}">'
        f'<span aria-hidden="true">{SHAPES[verdict]}</span> {clean(word(verdict))}</span>'
    )


def tally(accepted: int, held: int, rejected: int) -> str:
    """Three counts as HTML, in the order of the verdicts."""
    counts: dict[Verdict, int] = {"accept": accepted, "hold": held, "reject": rejected}
    return (
        '<span class="tr-tally">'
        + "".join(
            f'<span class="tr-verdict tr-{verdict}" title="{clean(word(verdict))}">'
            f'<span aria-hidden="true">{SHAPES[verdict]}</span> {number}'
            f'<span class="tr-only-read"> {clean(word(verdict))}</span></span>'
            for verdict, number in counts.items()
        )
        + "</span>"
    )


def actor(who: Actor) -> str:
    """Who decided, in words: rules, a model by name, or a person by name."""
    if who.kind == "human":
        return who.name or t("actor.human")
    name = f" {who.name}" if who.name and who.kind == "model" else ""
    return t(f"actor.{who.kind}") + name
