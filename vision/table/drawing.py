"""The annotated picture: outlines and names drawn over the cards that were read."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.table.layout import Layout
from vision.types import UNKNOWN_CARD, CardReading, Image

Colour = tuple[int, int, int]

UP_COLOUR: Colour = (60, 200, 60)
UNKNOWN_COLOUR: Colour = (0, 165, 255)
DOWN_COLOUR: Colour = (220, 140, 40)
PILE_COLOUR: Colour = (200, 200, 60)
TEXT_COLOUR: Colour = (255, 255, 255)
TEXT_GROUND: Colour = (20, 20, 20)
_FONT_SIZE = 0.55
_NAME_MM = 62.0
"""The distance from a row or pile to its name, in mm."""
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def draw_readings(image: Image, readings: Sequence[CardReading]) -> Image:
    """Return a copy of `image` with the outline and the label of every reading.

    The labels make the colours redundant: `down` for a face-down card, `??` for an unidentified one, else the
    name. Below 0.9, the confidence follows in percent.
    """
    drawn = image.copy()
    scale = text_scale(image)
    for reading in readings:
        colour = _colour(reading)
        corners = np.round(reading.quad).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(drawn, [corners], True, colour, max(1, round(2 * scale)), cv2.LINE_AA)
    for reading in readings:
        x, y = reading.quad.mean(axis=0)
        draw_label(drawn, reading_label(reading), (float(x), float(y)), _colour(reading), scale)
    return drawn


def reading_label(reading: CardReading) -> str:
    """Return the label of a card: its name, `??`, or `down`."""
    if reading.face == "down":
        return "down"
    if reading.card is None:
        return UNKNOWN_CARD
    if reading.confidence < 0.9:
        return f"{reading.card} {100 * reading.confidence:.0f}%"
    return reading.card


def draw_label(
    image: Image, text: str, centre: tuple[float, float], colour: Colour, scale: float | None = None
) -> None:
    """Draw `text` on a dark background around `centre` (pixels); this changes `image`."""
    scale = text_scale(image) if scale is None else scale
    size, thickness = _FONT_SIZE * scale, max(1, round(1.2 * scale))
    (width, height), baseline = cv2.getTextSize(text, _FONT, size, thickness)
    left, bottom = round(centre[0] - width / 2), round(centre[1] + height / 2)
    pad = max(2, round(3 * scale))
    corner_a, corner_b = (left - pad, bottom - height - pad), (left + width + pad, bottom + baseline)
    cv2.rectangle(image, corner_a, corner_b, TEXT_GROUND, cv2.FILLED)
    cv2.rectangle(image, corner_a, corner_b, colour, 1)
    cv2.putText(image, text, (left, bottom), _FONT, size, TEXT_COLOUR, thickness, cv2.LINE_AA)


def text_scale(image: Image) -> float:
    """Return the scale of lines and letters: 1 for a picture whose longer side has 1280 pixels."""
    height, width = image.shape[:2]
    return max(0.5, max(int(height), int(width)) / 1280)


def _colour(reading: CardReading) -> Colour:
    if reading.face == "down":
        return DOWN_COLOUR
    return UNKNOWN_COLOUR if reading.card is None else UP_COLOUR


def draw_table(
    image: Image, readings: Sequence[CardReading], layout: Layout | None, pile: Sequence[str], banner: str
) -> Image:
    """Return a copy of `image` with cards, seats, piles and a banner.

    Args:
        image: The picture.
        readings: The cards in it.
        layout: The seats and piles; None: not known.
        pile: The names of the cards on the play pile, top card last.
        banner: The text at the bottom edge.
    """
    drawn = draw_readings(image, readings)
    if layout is not None:
        for seat in layout.seats:
            x, y = seat.centre
            beyond = (x + _NAME_MM * seat.facing[0], y + _NAME_MM * seat.facing[1])
            draw_label(drawn, seat.player, _pixel(layout, beyond), PILE_COLOUR)
        names = {"draw": "draw pile", "burn": "burnt", "play": "pile " + " ".join(pile[-4:])}
        for kind, place in (("draw", layout.draw), ("play", layout.play), ("burn", layout.burn)):
            if place is not None:
                draw_label(drawn, names[kind], _pixel(layout, (place[0], place[1] + _NAME_MM)), PILE_COLOUR)
    _draw_banner(drawn, banner)
    return drawn


def _draw_banner(image: Image, banner: str) -> None:
    """Write a text above the bottom edge, wrapped into lines."""
    height, width = image.shape[:2]
    scale = text_scale(image)
    lines: list[str] = []
    for word in banner.split():
        longer = f"{lines[-1]} {word}" if lines else word
        fits = cv2.getTextSize(longer, _FONT, _FONT_SIZE * scale, 1)[0][0] < 0.94 * width
        lines[-1:] = [longer] if fits or not lines else [lines[-1], word]
    for number, line in enumerate(reversed(lines)):
        draw_label(image, line, (width / 2, height - (20 + 27 * number) * scale), TEXT_COLOUR, scale)


def _pixel(layout: Layout, place: tuple[float, float]) -> tuple[float, float]:
    x, y = layout.plane.to_pixels([place])[0]
    return float(x), float(y)
