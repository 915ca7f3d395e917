"""Red ink or black: what the colour of a half-covered index, beside that of other cards, says of its suit.

Where another card cuts off most of a pip the networks see the rank and guess the suit. The ink of what is
left still has a colour. How red is red depends on the light, the camera and the deck, so the measure are the
cards of the same picture that are read for certain, where there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER
from vision.decks.card_classes import is_red
from vision.geometry import card_plane, rectangle, transform
from vision.recognition.index_finder import RANK_MM
from vision.types import Image, Quad

SHOWS_ITS_INK = 0.95
"""A card, or a lone index, that is named so surely is an example of its colour."""
_WIDTH, _HEIGHT = 24, 22
"""Pixels of a rank, flattened."""
_INK = 0.12
"""The darkest share of a rank is ink,"""
_PAPER = 90
"""and all colours are seen beside that of the paper: this percentile of each channel."""
_EXAMPLES = 3
"""So many cards of a colour show how it looks; fewer do not, and it is taken to look as in most pictures."""
_USUAL_BLACK, _USUAL_RED = 0.15, 0.45
"""How red black ink is at most and red ink at least in most pictures, whatever the light: on some fifty
tables black ink was hardly ever redder, and red ink less red on a dozen, where it then tells little."""
_OUTLYING = 20
"""Percentage of examples that may lie beyond what counts as the edge of their colour: hidden corners."""
_APART = 0.03
"""The edges of red and black must lie so far apart for the ink to tell anything."""
_RED_SAYS, _BLACK_SAYS = float(np.log(20)), float(np.log(3))
"""What ink as red as that of red cards, and as black as that of black ones, says at most (log odds). The
lines of a court card are black whatever its suit, and far or coarse pictures lose colour."""


def redness(image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
    """Return how red the ink of the rank beside each card's first corner is: about 0 for black ink.

    It is the excess of red over the other colours as a share of the ink's darkness, both beside the paper.
    `image` is height x width x 3, BGR; quads are 4 x 2 pixels, clockwise.
    """
    return np.array([_redness(image, quad) for quad in quads])


def _redness(image: Image, quad: Quad) -> float:
    box = transform(card_plane(quad), rectangle(*RANK_MM))
    flat = np.array([[0, 0], [_WIDTH, 0], [_WIDTH, _HEIGHT], [0, _HEIGHT]], np.float32)
    matrix = cv2.getPerspectiveTransform(box.astype(np.float32), flat)
    rank = cv2.warpPerspective(image, matrix, (_WIDTH, _HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    pixels = rank.reshape(-1, 3).astype(np.float64)
    beside_paper = pixels / np.maximum(np.percentile(pixels, _PAPER, axis=0), 1.0)
    darkness = 1.0 - beside_paper.min(axis=1)
    ink = np.argsort(darkness)[-round(_INK * len(pixels)) :]
    excess = beside_paper[ink, 2] - beside_paper[ink, :2].mean(axis=1)
    return float(excess.mean() / max(darkness[ink].mean(), 0.05))


@dataclass(frozen=True, slots=True)
class Inks:
    """Where in one picture black ink ends and red ink begins."""

    black: float
    red: float
    both_red: bool = True
    """Whether hearts and diamonds were both seen red: packs in four colours have blue diamonds. Only then
    does ink that is not red speak for a black suit."""

    def log_odds_of_red(self, image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
        """Return how much likelier it is that the index beside each first corner is red (log odds)."""
        beyond_middle = (2 * redness(image, quads) - self.red - self.black) / (self.red - self.black)
        black_says = _BLACK_SAYS if self.both_red else 0.0
        return np.where(beyond_middle > 0, _RED_SAYS, black_says) * np.clip(beyond_middle, -1, 1)


def inks(image: Image, sure: Sequence[tuple[str, Quad]]) -> Inks | None:
    """Return how cards that are named for `sure` show the inks of a picture; None where both look alike.

    One of a card's indices may be covered, by paper or by another card's index: the plainer one counts.
    """
    corners = [
        (card, redness(image, [quad, np.roll(quad, 2, axis=0)])) for card, quad in sure if card != JOKER
    ]
    reds = [(card, both.max()) for card, both in corners if is_red(card)]
    blacks = [(card, both.min()) for card, both in corners if not is_red(card)]
    red = _edge(reds, _OUTLYING, _USUAL_RED)
    black = _edge(blacks, 100 - _OUTLYING, _USUAL_BLACK)
    suits = [[both.max() for card, both in corners if card[-1] == suit] for suit in "DH"]
    both_red = all(len(suit) > 0 and np.median(suit) > (black + red) / 2 for suit in suits)
    return Inks(black, red, both_red) if red - black >= _APART else None


def _edge(seen: Sequence[tuple[str, float]], percentile: int, usual: float) -> float:
    enough = len({card for card, _ in seen}) >= _EXAMPLES
    return float(np.percentile([red for _, red in seen], percentile)) if enough else usual
