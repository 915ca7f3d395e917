"""The colours of screens and pictures, in one place and free of Kivy.

Each pair in `PAIRS` meets WCAG 2.1 AA (4.5 : 1); tests/unit/companion/test_theme.py measures it.
"""

from __future__ import annotations

from companion.i18n.catalogue import gettext_noop

GROUND = "#12161A"
PANEL = "#1E242A"
RAISED = "#2C353D"
TEXT = "#F3EBDD"
QUIET = "#BDB5A8"
DIM = "#9A9388"
"""Ink of disabled controls."""
BRASS = "#ECB860"
GREEN = "#7BDC9A"
GREEN_GROUND = "#143022"
RED = "#FF9486"
RED_GROUND = "#43191A"
AMBER = "#FFC857"
AMBER_GROUND = "#3A2A0A"
SKY = "#7CC8F8"
CLOTH = "#24402F"
CARD_FACE = "#F7F1E5"
CARD_INK = "#1B1B1B"
CARD_RED = "#A81E1A"
OFFSCREEN = (-1e5, -1e5)
"""Position of a shape that is hidden. Moving it away is cheaper than drawing it transparent."""

PAIRS: tuple[tuple[str, str], ...] = (
    *((ink, ground) for ink in (TEXT, QUIET, BRASS) for ground in (GROUND, PANEL, RAISED)),
    *((ink, ground) for ink in (TEXT, QUIET, BRASS) for ground in (GREEN_GROUND, RED_GROUND, AMBER_GROUND)),
    *((ink, ground) for ink in (GREEN, RED, AMBER, SKY) for ground in (GROUND, PANEL, RAISED)),
    *((DIM, ground) for ground in (GROUND, PANEL)),
    (TEXT, CLOTH),
    (GREEN, GREEN_GROUND),
    (RED, RED_GROUND),
    (AMBER, AMBER_GROUND),
    (CARD_INK, CARD_FACE),
    (CARD_RED, CARD_FACE),
    (CARD_INK, BRASS),
    (CARD_INK, TEXT),
)
"""Pairs (ink, ground) in use."""

VERDICT_SIGN = {"legal": "✓", "illegal": "✗", "unproven": "?"}
VERDICT_WORD = {
    "legal": gettext_noop("Legal"),
    "illegal": gettext_noop("Illegal"),
    "unproven": gettext_noop("Not proven"),
}
VERDICT_INK = {"legal": GREEN, "illegal": RED, "unproven": AMBER}
VERDICT_GROUND = {"legal": GREEN_GROUND, "illegal": RED_GROUND, "unproven": AMBER_GROUND}


def rgb(colour: str) -> tuple[int, int, int]:
    """Return `#RRGGBB` as three numbers from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def bgr(colour: str) -> tuple[int, int, int]:
    """Return `#RRGGBB` in OpenCV's order."""
    red, green, blue = rgb(colour)
    return blue, green, red


def rgba(colour: str, alpha: float = 1.0) -> tuple[float, float, float, float]:
    """Return `#RRGGBB` as Kivy wants it: four numbers from 0 to 1."""
    red, green, blue = rgb(colour)
    return red / 255, green / 255, blue / 255, alpha


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1, "relative luminance")."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (value / 255 for value in rgb(colour))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
