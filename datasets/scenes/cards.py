"""Pictures of cards for scenes: decks of real art, and invented faces and backs for variety.

The outline network must recognise a card by its shape, edge and paper, not by its print. So some cards are
random: pips in strange places, panels like courts, backs of all kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.surfaces import random_colour

if TYPE_CHECKING:
    from datasets.art.decks import Deck

Art = NDArray[np.uint8]
"""Height x width x 4, BGRA, upright, transparent outside the rounded corners."""

_WIDTH, _HEIGHT = 252, 352
_COMMON_BACKS = np.array([(40, 25, 185), (150, 60, 25)], np.float32)


def _rounded_alpha(radius: float, width: int = _WIDTH, height: int = _HEIGHT) -> NDArray[np.uint8]:
    """Return the coverage of a rectangle with rounded corners; `radius` is in pixels."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    dx = np.maximum(radius - np.minimum(x, width - 1 - x), 0)
    dy = np.maximum(radius - np.minimum(y, height - 1 - y), 0)
    return np.asarray(np.clip(radius - np.hypot(dx, dy) + 0.5, 0, 1) * 255, np.uint8)


def _stock(rng: np.random.Generator) -> NDArray[np.float32]:
    """Return the colour of paper, from white to cream."""
    return np.array([rng.uniform(0, 25), rng.uniform(0, 8), 0], np.float32) * -1 + np.float32(
        rng.uniform(225, 255)
    )


def _finish(picture: NDArray[np.uint8], rng: np.random.Generator) -> Art:
    return np.dstack([picture, _rounded_alpha(rng.uniform(9, 22))])


def _pip(
    canvas: Art, rng: np.random.Generator, centre: NDArray[np.float64], size: float, colour: Sequence[float]
) -> None:
    shape = int(rng.integers(4))
    x, y = centre
    if shape == 0:
        points = centre + size * np.array([[0, -1], [0.75, 0], [0, 1], [-0.75, 0]])
        cv2.fillPoly(canvas, [points.astype(np.int32)], colour, cv2.LINE_AA)
        return
    flip = -1 if shape == 1 else 1
    for dx in (-0.45, 0.45):
        cv2.circle(
            canvas, (int(x + dx * size), int(y + flip * 0.3 * size)), int(size * 0.5), colour, -1, cv2.LINE_AA
        )
    if shape == 3:
        cv2.circle(canvas, (int(x), int(y - 0.45 * size)), int(size * 0.5), colour, -1, cv2.LINE_AA)
    tip = centre + size * np.array([[-0.85, flip * 0.35], [0.85, flip * 0.35], [0, -flip * 1.0]])
    cv2.fillPoly(canvas, [tip.astype(np.int32)], colour, cv2.LINE_AA)


def _court_patchwork(canvas: NDArray[np.uint8], rng: np.random.Generator) -> None:
    """Draw a framed panel of coloured pieces, the same upside down, like a court card."""
    margin_x, margin_y = rng.uniform(0.1, 0.22) * _WIDTH, rng.uniform(0.06, 0.15) * _HEIGHT
    left, top = int(margin_x), int(margin_y)
    panel = np.full((_HEIGHT - 2 * top, _WIDTH - 2 * left, 3), _stock(rng), np.uint8)
    colours = [(20, 20, 20), (30, 30, 200), (30, 200, 240), (160, 70, 20), (190, 200, 235)]
    for _ in range(int(rng.integers(8, 40))):
        colour = colours[int(rng.integers(len(colours)))]
        points = rng.uniform((0, 0), panel.shape[1::-1]) + rng.normal(0, 35, (int(rng.integers(3, 6)), 2))
        cv2.fillPoly(panel, [points.astype(np.int32)], colour, cv2.LINE_AA)
    half = panel.shape[0] // 2
    panel[panel.shape[0] - half :] = panel[:half][::-1, ::-1]
    canvas[top : top + panel.shape[0], left : left + panel.shape[1]] = panel
    if rng.random() < 0.7:
        corner = (_WIDTH - left, _HEIGHT - top)
        cv2.rectangle(canvas, (left, top), corner, (30, 20, 10), 2, cv2.LINE_AA)


def invented_face(rng: np.random.Generator) -> Art:
    """Return an invented face, which resembles a card from afar: corner glyphs, pips or a court panel."""
    canvas = np.full((_HEIGHT, _WIDTH, 3), _stock(rng), np.uint8)
    colour = [25, 20, 20] if rng.random() < 0.5 else [35, 25, rng.uniform(150, 220)]
    if rng.random() < 0.3:
        _court_patchwork(canvas, rng)
    else:
        size = rng.uniform(14, 30)
        for _ in range(int(rng.integers(1, 6))):
            at = rng.uniform((60, 50), (_WIDTH - 60, _HEIGHT / 2))
            for centre in (at, np.array([_WIDTH - at[0], at[1]])):
                _pip(canvas, rng, centre, size, colour)
    half = canvas[: _HEIGHT // 2].copy()
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_DUPLEX]))
    glyph, scale = str(rng.choice(list("23456789JQKA"))), rng.uniform(0.9, 1.9)
    for x in (8, int(_WIDTH - 14 - 20 * scale))[: 1 + int(rng.random() < 0.4)]:
        cv2.putText(half, glyph, (x, int(14 + 24 * scale)), font, scale, colour, 3, cv2.LINE_AA)
        _pip(half, rng, np.array([x + 10 * scale, 28 + 38 * scale]), 9 * scale, colour)
    canvas[: _HEIGHT // 2] = half
    canvas[_HEIGHT - _HEIGHT // 2 :] = half[::-1, ::-1]
    return _finish(canvas, rng)


def invented_back(rng: np.random.Generator) -> Art:
    """Return an invented back: a lattice, dots, rings or one colour, mostly with a white margin."""
    ground = random_colour(rng)
    if rng.random() < 0.6:  # the reds and blues of most decks
        ground = _COMMON_BACKS[int(rng.integers(2))] * np.float32(rng.uniform(0.7, 1.3))
    canvas = np.full((_HEIGHT, _WIDTH, 3), np.clip(ground, 0, 255), np.uint8)
    ink = (_stock(rng) if rng.random() < 0.75 else random_colour(rng)).tolist()
    step, width = int(rng.integers(7, 36)), int(rng.integers(1, 5))
    style = int(rng.integers(5))
    if style in (0, 1):
        slope = 1.0 if style else rng.uniform(0.5, 1.8)
        for offset in range(-_HEIGHT * 2, _WIDTH + _HEIGHT * 2, step):
            for sign in (-1, 1):
                cv2.line(
                    canvas,
                    (offset, 0),
                    (int(offset + sign * slope * _HEIGHT), _HEIGHT),
                    ink,
                    width,
                    cv2.LINE_AA,
                )
    elif style == 2:
        for x in range(0, _WIDTH, step):
            for y in range(0, _HEIGHT, step):
                cv2.circle(canvas, (x, y), max(1, step // 3), ink, -1 if width > 2 else 1, cv2.LINE_AA)
    elif style == 3:
        for radius in range(step, _HEIGHT, step):
            for y in (_HEIGHT // 4, 3 * _HEIGHT // 4):
                cv2.circle(canvas, (_WIDTH // 2, y), radius, ink, width, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 5))):  # medallions, the same upside down
        at, radius = rng.uniform((40, 40), (_WIDTH - 40, _HEIGHT - 40)), int(rng.integers(8, 50))
        tint = random_colour(rng).tolist() if rng.random() < 0.3 else ink
        for x, y in (at, (_WIDTH - at[0], _HEIGHT - at[1])):
            cv2.circle(canvas, (int(x), int(y)), radius, tint, int(rng.choice([-1, 2, 4])), cv2.LINE_AA)
    if rng.random() < 0.75:
        margin = int(rng.uniform(0.02, 0.1) * _WIDTH)
        frame = np.full_like(canvas, _stock(rng))
        frame[margin:-margin, margin:-margin] = canvas[margin:-margin, margin:-margin]
        canvas = frame
    return _finish(canvas, rng)


def _levels(art: Art) -> tuple[Art, ...]:
    """Return the art at falling sizes, premultiplied by alpha, so that small cards are smooth."""
    if art.shape[0] > _HEIGHT:
        width = round(art.shape[1] * _HEIGHT / art.shape[0])
        art = np.asarray(cv2.resize(art, (width, _HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
    colour = cv2.multiply(art[..., :3], cv2.merge([art[..., 3]] * 3), scale=1 / 255)
    levels = [np.dstack([colour, art[..., 3]])]
    while levels[-1].shape[0] > 48:
        height, width = levels[-1].shape[:2]
        half = cv2.resize(levels[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(half, np.uint8))
    return tuple(levels)


@dataclass
class CardStock:
    """Decks ready for drawing: each face and back at several sizes, with invented ones among them."""

    decks: Sequence[Deck]
    invented: int = 64
    """Number of invented faces, and of invented backs."""
    real_share: float = 0.85
    """Share of the packs with the faces of a deck."""
    _cache: dict[tuple[str, str], tuple[Art, ...]] = field(default_factory=dict)
    _maximum: int = 4000

    def _cached(self, kind: str, key: str, art: Art) -> tuple[Art, ...]:
        if (kind, key) not in self._cache:
            if len(self._cache) > self._maximum:
                self._cache.clear()
            self._cache[kind, key] = _levels(art)
        return self._cache[kind, key]

    def pick(self, rng: np.random.Generator) -> ScenePack:
        """Return a random pack: the faces of a deck, or invented ones, and one back."""
        deck = (
            self.decks[int(rng.integers(len(self.decks)))]
            if self.decks and rng.random() < self.real_share
            else None
        )
        faces = sorted(deck.faces) if deck else []
        back = int(rng.integers(len(deck.backs))) if deck and deck.backs and rng.random() < 0.5 else None
        return ScenePack(self, deck, faces, back, int(rng.integers(self.invented)))

    def face(self, deck: Deck | None, card: str, number: int) -> tuple[Art, ...]:
        """Return the face of a card in a deck, or invented face `number`, at several sizes."""
        if deck is not None:
            return self._cached(f"face {deck.name}", card, deck.faces[card])
        number %= self.invented
        key = ("invented face", str(number))
        if key in self._cache:
            return self._cache[key]
        return self._cached(*key, invented_face(np.random.default_rng([1, number])))

    def back(self, deck: Deck | None, index: int | None, number: int) -> tuple[Art, ...]:
        """Return back `index` of a deck, or invented back `number`, at several sizes."""
        if deck is not None and index is not None:
            return self._cached(f"back {deck.name}", str(index), deck.backs[index])
        number %= self.invented
        key = ("invented back", str(number))
        if key in self._cache:
            return self._cache[key]
        return self._cached(*key, invented_back(np.random.default_rng([2, number])))


@dataclass(frozen=True)
class ScenePack:
    """The pack on one table."""

    stock: CardStock
    deck: Deck | None
    cards: list[str]
    back_index: int | None
    number: int

    def draw(self, rng: np.random.Generator, face_up: bool) -> tuple[str, tuple[Art, ...]]:
        """Return the code of a random card (`??`: invented, `BACK`: face down) and its pictures."""
        if not face_up:
            return "BACK", self.stock.back(self.deck, self.back_index, self.number)
        if not self.cards:
            return "??", self.stock.face(None, "??", int(rng.integers(1 << 30)))
        card = self.cards[int(rng.integers(len(self.cards)))]
        return card, self.stock.face(self.deck, card, 0)
