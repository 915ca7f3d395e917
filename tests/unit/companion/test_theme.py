"""Colours: contrast is measured, and colour never speaks alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import theme

SCREENS = Path(theme.__file__).parent / "app" / "screens"


@pytest.mark.parametrize(("ink", "ground"), theme.PAIRS)
def test_text_meets_wcag_aa(ink: str, ground: str) -> None:
    assert theme.contrast(ink, ground) >= 4.5


def test_contrast_of_black_on_white_is_21() -> None:
    assert theme.contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert theme.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)  # WCAG's own near miss


def test_each_verdict_has_a_sign_a_word_and_a_colour_of_its_own() -> None:
    for table in (theme.VERDICT_SIGN, theme.VERDICT_WORD, theme.VERDICT_INK, theme.VERDICT_GROUND):
        assert set(table) == {"legal", "illegal", "unproven"}
        assert len(set(table.values())) == 3


def test_screens_take_their_colours_from_the_theme() -> None:
    """No colour is written into a screen but black for shadows."""
    for path in [*SCREENS.glob("*.kv"), *SCREENS.glob("*.py")]:
        assert set(re.findall(r"#[0-9A-Fa-f]{6}", path.read_text(encoding="utf-8"))) <= {"#000000"}, path.name
