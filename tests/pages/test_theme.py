"""The contrast of the style sheet's colours, by the formula of WCAG 2.2 (1.4.3)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pages.components.theme import COLOURS
from pages.components.verdicts import SHAPES

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"
AA = 4.5

PAIRS = (
    ("ink", "paper"),
    ("ink", "panel"),
    ("quiet", "paper"),
    ("quiet", "panel"),
    ("accept", "accept-back"),
    ("hold", "hold-back"),
    ("reject", "reject-back"),
    ("mark-ink", "mark"),
    ("ink", "name"),
    ("ink", "date"),
    ("accept", "panel"),
    ("reject", "panel"),
)


def luminance(colour: str) -> float:
    def linear(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_formula_on_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("front", "back"), PAIRS)
def test_text_is_readable(dark: bool, front: str, back: str) -> None:
    colours = COLOURS[dark]
    assert contrast(colours[front], colours[back]) >= AA


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_streamlits_own_colours_are_readable(mode: str) -> None:
    theme = tomllib.loads(CONFIG.read_text())["theme"][mode]
    text, link = theme["textColor"], theme["linkColor"]
    for surface in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(text, theme[surface]) >= AA
        assert contrast(link, theme[surface]) >= AA
        assert contrast(theme["grayTextColor"], theme[surface]) >= AA
    assert contrast("#ffffff", theme["primaryColor"]) >= AA


def test_the_verdicts_differ_in_shape_and_colour() -> None:
    assert len(set(SHAPES.values())) == 3
    for colours in COLOURS.values():
        assert len({colours["accept"], colours["hold"], colours["reject"]}) == 3


def test_the_server_asks_a_first_time_user_for_nothing() -> None:
    server = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["server"]
    assert server["showEmailPrompt"] is False
