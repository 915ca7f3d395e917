"""Card faces that our own code draws: indices, pips in the standard layout, framed courts.

`DrawnStyle` holds everything that may differ between two decks. So the deck `drawn` (the default style) and
the many invented decks of the training pictures come from the same code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.cards import (
    CARD_HEIGHT,
    CARD_WIDTH,
    RANKS,
    SUITS,
    Bgra,
    with_rounded_corners,
)

Mask = NDArray[np.uint8]
"""Coverage of a shape: height x width, 0 to 255."""
Colour = tuple[int, int, int]

BLACK: Colour = (24, 20, 20)
RED: Colour = (36, 28, 200)
TWO_COLOURS = {"C": BLACK, "D": RED, "H": RED, "S": BLACK}
FOUR_COLOURS = {"C": (40, 120, 20), "D": (190, 90, 20), "H": RED, "S": BLACK}


@dataclass(frozen=True)
class DrawnStyle:
    """The style of one deck. Lengths are fractions of the height of the card, unless stated otherwise."""

    font: str | None = None
    """Path of a TrueType font for the indices; None draws them with simple strokes."""
    stroke: float = 0.13
    """Width of the simple strokes, as a fraction of the height of a letter."""
    index_height: float = 0.088
    index_width: float = 0.62
    """Width of an index letter as a fraction of its height; a `10` is 1.5 times as wide."""
    index_centre: tuple[float, float] = (0.060, 0.082)
    index_suit: float = 0.062
    """Height of the small suit sign below the index."""
    index_gap: float = 0.018
    four_indices: bool = False
    pip: float = 0.130
    column: float = 0.195
    """Distance of the outer pip columns from the middle, as a fraction of the width of the card."""
    top: float = 0.165
    """Height of the middle of the uppermost pips."""
    ace: float = 0.24
    pips: bool = True
    court_frame: tuple[float, float] = (0.60, 0.80)
    """Width and height of the frame of a court, as fractions of the width and height of the card."""
    court_fill: Colour = (150, 215, 245)
    colours: dict[str, Colour] = field(default_factory=lambda: dict(TWO_COLOURS))
    paper: Colour = (250, 252, 252)
    heart_depth: float = 0.0
    """How far the sides of heart and spade bulge."""
    sign_width: float = 1.0
    """Width of the suit signs as a fraction of that of their outlines."""
    spade_leaf: float = 0.82
    """Height of the leaf of the spade; the rest is its foot."""
    club_lobe: float = 0.0
    """Change of the radius of the leaves of the club."""
    diamond_curve: float = 0.10
    diamond_width: float = 0.80


# --- suit signs ---------------------------------------------------------------------------------------


def _heart_outline(bulge: float) -> NDArray[np.float64]:
    """Return the outline of a heart: points in a unit square, y downwards."""
    t = np.linspace(0.0, 2.0 * math.pi, 121)
    # The usual heart curve. The power of the sine decides how round the shoulders are.
    x = np.sign(np.sin(t)) * np.abs(np.sin(t)) ** (2.6 - bulge)
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    y = (y - y.min()) / (y.max() - y.min())
    return np.stack([0.5 + 0.48 * x, 0.02 + 0.96 * y], axis=1)


def _stem(top: float) -> NDArray[np.float64]:
    """Return the foot of spade and club: points in a unit square."""
    s = np.linspace(0.0, 1.0, 12)
    right = np.stack([0.525 + 0.16 * s**3, top + (0.99 - top) * s], axis=1)
    left = right[::-1] * [-1.0, 1.0] + [1.0, 0.0]
    return np.concatenate([right, left])


def _suit_polygons(suit: str, style: DrawnStyle) -> list[NDArray[np.float64]]:
    if suit == "D":
        width, curve = style.diamond_width / 2, style.diamond_curve
        corners = np.array([(0.5, 0.0), (0.5 + width, 0.5), (0.5, 1.0), (0.5 - width, 0.5)])
        s = np.linspace(0.0, 1.0, 16, endpoint=False)[:, None]
        sides = []
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            sag = (np.array([0.5, 0.5]) - (a + b) / 2) * curve * 4 * s * (1 - s)
            sides.append(a + (b - a) * s + sag)
        return [np.concatenate(sides)]
    if suit == "H":
        return [_heart_outline(style.heart_depth)]
    if suit == "S":
        leaf = _heart_outline(style.heart_depth) * [1.0, -style.spade_leaf] + [0.0, style.spade_leaf]
        return [leaf, _stem(0.55)]
    radius = 0.225 + style.club_lobe
    angles = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)
    circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    centres = [(0.5, radius + 0.01), (radius + 0.01, 0.57), (0.99 - radius, 0.57)]
    heart_of_it = np.array([(0.5, 0.30), (0.64, 0.58), (0.36, 0.58)])
    return [circle + centre for centre in centres] + [heart_of_it, _stem(0.5)]


def suit_mask(suit: str, height: int, style: DrawnStyle) -> Mask:
    """Return the coverage of an upright suit sign, `height` pixels high."""
    shift, scale = 4, 16
    mask = np.zeros((height * 2, height * 2), np.uint8)
    for polygon in _suit_polygons(suit, style):
        points = np.round(polygon * (height * 2 - 1) * scale).astype(np.int32)
        cv2.fillPoly(mask, [points], 255, cv2.LINE_AA, shift)
    width = max(3, round(height * style.sign_width))
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


# --- index letters ------------------------------------------------------------------------------------


def _arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> list[tuple[float, float]]:
    """Return points of an arc. Angles are degrees, 0 to the right, clockwise in the picture."""
    angles = np.radians(np.linspace(start, end, 24))
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


Strokes = list[list[tuple[float, float]]]


@lru_cache(maxsize=1)
def _letter_strokes() -> dict[str, Strokes]:
    """Return the strokes of each index letter in a unit box, y downwards."""
    six = [*_arc(0.5, 0.5, 0.5, 0.5, -40, -180)[:20], *_arc(0.5, 0.68, 0.48, 0.32, 180, 540)]
    return {
        "2": [[*_arc(0.5, 0.29, 0.48, 0.29, -170, 35), (0.02, 1.0), (1.0, 1.0)]],
        "3": [[*_arc(0.48, 0.26, 0.44, 0.26, -160, 90), *_arc(0.48, 0.74, 0.5, 0.26, -90, 160)]],
        "4": [[(0.75, 1.0), (0.75, 0.0), (0.0, 0.72), (1.0, 0.72)]],
        "5": [[(0.92, 0.0), (0.14, 0.0), (0.08, 0.46), *_arc(0.46, 0.67, 0.52, 0.33, -130, 155)]],
        "6": [six],
        "7": [[(0.0, 0.0), (1.0, 0.0), (0.35, 1.0)]],
        "8": [_arc(0.5, 0.25, 0.42, 0.25, 0, 360), _arc(0.5, 0.74, 0.5, 0.26, 0, 360)],
        "9": [[(1 - x, 1 - y) for x, y in six]],
        "1": [[(0.15, 0.22), (0.55, 0.0), (0.55, 1.0)]],
        "0": [_arc(0.5, 0.5, 0.48, 0.5, 0, 360)],
        "J": [[(0.45, 0.0), (1.0, 0.0)], [(0.76, 0.0), (0.76, 0.68), *_arc(0.38, 0.70, 0.38, 0.30, 0, 170)]],
        "Q": [_arc(0.5, 0.48, 0.48, 0.48, 0, 360), [(0.55, 0.68), (1.0, 1.04)]],
        "K": [[(0.1, 0.0), (0.1, 1.0)], [(0.98, 0.0), (0.1, 0.62)], [(0.42, 0.40), (1.0, 1.0)]],
        "A": [[(0.0, 1.0), (0.5, 0.0), (1.0, 1.0)], [(0.18, 0.66), (0.82, 0.66)]],
        "E": [[(1.0, 0.0), (0.1, 0.0), (0.1, 1.0), (1.0, 1.0)], [(0.1, 0.48), (0.8, 0.48)]],
        "R": [
            [(0.1, 1.0), (0.1, 0.0), *_arc(0.5, 0.26, 0.46, 0.26, -90, 90), (0.1, 0.52)],
            [(0.5, 0.52), (1.0, 1.0)],
        ],
        "O": [_arc(0.5, 0.5, 0.48, 0.5, 0, 360)],
    }


def _stroked(text: str, height: int, width: int, stroke: float) -> Mask:
    """Return `text` drawn with simple strokes, each letter `height` x `width` pixels."""
    thickness = max(1, round(stroke * height))
    pad, gap = thickness, thickness + round(0.12 * width)
    widths = [round(width * (0.45 if letter == "1" else 0.8 if len(text) > 1 else 1.0)) for letter in text]
    mask = np.zeros((height + 2 * pad, sum(widths) + gap * (len(text) - 1) + 2 * pad), np.uint8)
    left = pad
    for letter, letter_width in zip(text, widths, strict=True):
        for line in _letter_strokes()[letter]:
            points = np.array(line) * [letter_width, height - 1] + [left, pad]
            cv2.polylines(
                mask, [np.round(points * 16).astype(np.int32)], False, 255, thickness, cv2.LINE_AA, 4
            )
        left += letter_width + gap
    return mask


@lru_cache(maxsize=64)
def _font_face(path: str) -> cv2.FontFace:
    return cv2.FontFace(path)


def _typeset(text: str, height: int, width: int, font: str) -> Mask:
    """Return `text` in a TrueType font, stretched to about `height` x `width` pixels a letter."""
    size = 96
    canvas = np.zeros((size * 2, size * 2 * len(text), 3), np.uint8)
    cv2.putText(canvas, text, (size // 2, size + size // 2), (255, 255, 255), _font_face(font), size)
    x, y, w, h = cv2.boundingRect(canvas[:, :, 0])
    if w == 0 or h == 0:
        return _stroked(text, height, width, 0.13)
    letter = canvas[y : y + h, x : x + w, 0]
    wide = max(2, round(min(w / h * height, width * (1.6 if len(text) > 1 else 1.25))))
    return np.asarray(cv2.resize(letter, (wide, height), interpolation=cv2.INTER_AREA), np.uint8)


def index_mask(rank: str, height: int, style: DrawnStyle) -> Mask:
    """Return the coverage of the index letter of a rank (two for `10`), about `height` pixels high."""
    width = max(3, round(height * style.index_width))
    if style.font is not None:
        return _typeset(rank, height, width, style.font)
    return _stroked(rank, height, width, style.stroke)


# --- faces --------------------------------------------------------------------------------------------


def pip_places(rank: str) -> list[tuple[int, float]]:
    """Return the standard layout of 2 to 10: column (-1, 0, 1) and height (0 top to 1 bottom) of each pip."""
    count = int(rank)
    if count <= 3:
        rows = {2: (0.0, 1.0), 3: (0.0, 0.5, 1.0)}[count]
        return [(0, row) for row in rows]
    side_rows = {4: (0.0, 1.0), 5: (0.0, 1.0), 6: (0.0, 0.5, 1.0), 7: (0.0, 0.5, 1.0), 8: (0.0, 0.5, 1.0)}
    middle_rows = {5: (0.5,), 7: (0.25,), 8: (0.25, 0.75), 9: (0.5,), 10: (1 / 6, 5 / 6)}
    sides = side_rows.get(count, (0.0, 1 / 3, 2 / 3, 1.0))
    places = [(column, row) for row in sides for column in (-1, 1)]
    return places + [(0, row) for row in middle_rows.get(count, ())]


def _stamp(canvas: NDArray[np.float32], mask: Mask, centre: tuple[float, float], colour: Colour) -> None:
    """Paint `colour` through `mask` with its middle at `centre` (pixels), clipped to the canvas."""
    height, width = mask.shape
    left, top = round(centre[0] - width / 2), round(centre[1] - height / 2)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, canvas.shape[1]), min(top + height, canvas.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    share = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    part = canvas[y0:y1, x0:x1]
    part += (np.array(colour, np.float32) - part) * share


class FacePainter:
    """Paints one face, `height` pixels high. Positions are fractions of the card."""

    def __init__(self, style: DrawnStyle, height: int) -> None:
        self.style = style
        self.width, self.height = round(height * CARD_WIDTH / CARD_HEIGHT), height
        self.canvas = np.empty((self.height, self.width, 3), np.float32)
        self.canvas[0] = style.paper
        self.canvas[1:] = self.canvas[0]  # whole rows are copied many times faster than single pixels

    def stamp(self, mask: Mask, x: float, y: float, colour: Colour) -> None:
        """Paint a mask with its middle at (x, y)."""
        _stamp(self.canvas, mask, (x * self.width, y * self.height), colour)

    def stamp_twice(self, mask: Mask, x: float, y: float, colour: Colour) -> None:
        """Paint a mask at (x, y), and turned by 180 degrees at the opposite point."""
        self.stamp(mask, x, y, colour)
        self.stamp(np.asarray(cv2.rotate(mask, cv2.ROTATE_180), np.uint8), 1 - x, 1 - y, colour)

    def px(self, fraction: float) -> int:
        """Return a fraction of the height of the card in pixels, at least 3."""
        return max(3, round(fraction * self.height))

    def indices(self, rank: str, suit: str) -> None:
        """Paint the indices, a rank above a small suit sign, in two corners or in four."""
        style, colour = self.style, self.style.colours[suit]
        letter = index_mask(rank, self.px(style.index_height), style)
        sign = suit_mask(suit, self.px(style.index_suit), style)
        # An index with two figures must not cross the edge of the card.
        x = max(style.index_centre[0] * CARD_HEIGHT / CARD_WIDTH, letter.shape[1] / 2 / self.width + 0.012)
        y = style.index_centre[1]
        sign_y = y + style.index_height / 2 + style.index_gap + style.index_suit / 2
        for side in (x, 1 - x) if style.four_indices else (x,):
            self.stamp_twice(letter, side, y, colour)
            self.stamp_twice(sign, side, sign_y, colour)

    def pips(self, rank: str, suit: str) -> None:
        """Paint the pips of 2 to 10, or that of the ace."""
        style, colour = self.style, self.style.colours[suit]
        if rank == "A":
            self.stamp(suit_mask(suit, self.px(style.ace), style), 0.5, 0.5, colour)
            return
        sign = suit_mask(suit, self.px(style.pip), style)
        turned = np.asarray(cv2.rotate(sign, cv2.ROTATE_180), np.uint8)
        for column, row in pip_places(rank):
            y = style.top + (1 - 2 * style.top) * row
            self.stamp(turned if row > 0.5 else sign, 0.5 + column * style.column, y, colour)

    def court(self, rank: str, suit: str) -> None:
        """Paint a framed court: a panel in two halves, a large letter, a crown of pips."""
        style, colour = self.style, self.style.colours[suit]
        wide, high = style.court_frame
        x0, y0 = round((0.5 - wide / 2) * self.width), round((0.5 - high / 2) * self.height)
        x1, y1 = self.width - x0, self.height - y0
        panel = self.canvas[y0:y1, x0:x1]
        panel[:] = style.court_fill
        band = {"J": 1, "Q": 2, "K": 3}[rank]
        slope = round(0.04 * self.height)
        for k in range(band):
            y = round(panel.shape[0] * (0.5 + (k - (band - 1) / 2) * 0.09))
            cv2.line(panel, (0, y + slope), (panel.shape[1], y - slope), colour, self.px(0.011), cv2.LINE_AA)
        cv2.rectangle(self.canvas, (x0, y0), (x1, y1), BLACK, self.px(0.003), cv2.LINE_AA)
        letter = index_mask(rank, self.px(0.20), style)
        self.stamp_twice(letter, 0.5, 0.5 - high * 0.24, colour)
        sign = suit_mask(suit, self.px(0.115), style)
        offset = wide / 2 - 0.12
        self.stamp_twice(sign, 0.5 - offset, 0.5 - high / 2 + 0.085, colour)

    def joker(self) -> None:
        """Paint a joker: the word down two corners, and all four suit signs in a ring."""
        style = self.style
        for k, letter in enumerate("JOKER"):
            mask = index_mask(letter, self.px(0.055), style)
            self.stamp_twice(mask, 0.08, 0.06 + 0.072 * k, BLACK)
        for k, suit in enumerate(SUITS):
            angle = math.pi * (0.25 + 0.5 * k)
            x, y = 0.5 + 0.16 * math.cos(angle), 0.5 + 0.12 * math.sin(angle)
            self.stamp(suit_mask(suit, self.px(0.14), style), x, y, style.colours[suit])

    def face(self, card: str) -> None:
        """Paint a whole face: `10H`, `JOKER`, ..."""
        if card == "JOKER":
            self.joker()
            return
        rank, suit = card[:-1], card[-1]
        if rank in "JQK":
            self.court(rank, suit)
        elif self.style.pips or rank == "A":
            self.pips(rank, suit)
        else:
            sign = suit_mask(suit, self.px(0.36), self.style)
            self.stamp(sign, 0.5, 0.55, self.style.colours[suit])
        self.indices(rank, suit)

    def picture(self) -> NDArray[np.uint8]:
        """Return the painted face, BGR."""
        return np.asarray(np.clip(self.canvas, 0, 255), np.uint8)


def draw_face(card: str, style: DrawnStyle) -> Bgra:
    """Return one face (`10H`, `JOKER`) in a style, CARD_HEIGHT x CARD_WIDTH x 4."""
    # Painted at twice the size and reduced, which gives smoother edges.
    painter = FacePainter(style, 2 * CARD_HEIGHT)
    painter.face(card)
    return with_rounded_corners(painter.picture())


def draw_back(colour: Colour, pattern: int = 0, border: float = 0.045) -> Bgra:
    """Return a card back: a white border around a lattice (0), dots (1), stripes (2) or one colour (3)."""
    y, x = np.mgrid[0:CARD_HEIGHT, 0:CARD_WIDTH].astype(np.float32)
    waves = {
        0: np.maximum(np.cos((x + y) / 4.2), np.cos((x - y) / 4.2)),
        1: np.cos(x / 3.2) * np.cos(y / 3.2) * 1.6,
        2: np.cos((x + 2 * y) / 7.0),
        3: np.full_like(x, -1.0),
    }[pattern % 4]
    light = np.clip((waves - 0.75) * 6, 0, 1)[:, :, None]
    back = np.array(colour, np.float32) * (1 - light) + 245 * light
    edge = round(border * CARD_HEIGHT)
    if edge > 0:
        framed = np.full_like(back, 248)
        framed[edge:-edge, edge:-edge] = back[edge:-edge, edge:-edge]
        back = framed
    return with_rounded_corners(np.clip(back, 0, 255).astype(np.uint8))


def draw_deck(style: DrawnStyle) -> dict[str, Bgra]:
    """Return the 52 faces and the joker in one style."""
    cards = [rank + suit for suit in SUITS for rank in RANKS]
    return {card: draw_face(card, style) for card in [*cards, "JOKER"]}
