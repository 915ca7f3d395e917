"""The suit of a partly covered index by the colour of its ink, compared with other cards in the image.

If a pip is mostly covered, the networks see the rank and guess the suit. But the remaining ink still has a
colour. How red it looks depends on the light, the camera and the deck. So it is compared with cards in the
same image whose names are certain, if there are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER
from vision.decks.card_classes import is_red
from vision.geometry import card_homography, rectangle_corners, transform_points
from vision.recognition.index_detector import INDEX_BOX_MM
from vision.types import CardReading, Image, Quad

INK_SAMPLE_P = 0.95
"""A card or lone index with this probability of its name is a sample of its colour."""
_WIDTH, _HEIGHT = 24, 44
"""Size of a rectified index, in pixels."""
_INK_SHARE = 0.12
"""The darkest share of an index's pixels counts as ink. Most of it is the pip, if that shows."""
_PAPER_PERCENTILE = 90
"""Percentile of each channel that counts as paper; colours are measured relative to it."""
_MIN_SAMPLES = 3
"""A colour needs this many different cards as samples. Otherwise the usual values below count."""
_USUAL_BLACK, _USUAL_RED = 0.15, 0.45
"""Upper limit of the redness of black ink, and lower limit of red ink, in most images. On some fifty tables,
black ink was rarely redder. On a dozen, red ink was less red, and the colour then says little."""
_OUTLIER_PERCENT = 20
"""Percentage of samples that may lie beyond the edge of their colour, because some corners are covered."""
_MIN_SEPARATION = 0.03
"""Least distance between the edges of black and red. If it is smaller, the colour says nothing."""
_RED_LOG_ODDS, _BLACK_LOG_ODDS = float(np.log(20)), float(np.log(3))
"""Largest log odds that ink as red as red cards, and as black as black ones, can give. Court cards have black
lines in every suit, and small or coarse images lose colour."""
_MEASURED_BLACK_LOG_ODDS = float(np.log(10))
"""The same of black ink beside cards that show how red and black look. On eight films and in three sets of
photos, one red index in forty looked as black as black cards."""


InkSamples = dict[str, NDArray[np.float64]]
"""The redness of both indices of cards (2), by name."""


def redness(image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
    """Return the redness of the index beside each card's first corner (N), about 0 for black ink.

    It is the excess of red over the other channels as a share of the ink's darkness, both relative to the
    paper.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        quads: The cards, 4 x 2 px each, clockwise, a short edge first.
    """
    return np.array([_redness(image, quad) for quad in quads])


def _redness(image: Image, quad: Quad) -> float:
    box = transform_points(card_homography(quad), rectangle_corners(*INDEX_BOX_MM))
    flat = np.array([[0, 0], [_WIDTH, 0], [_WIDTH, _HEIGHT], [0, _HEIGHT]], np.float32)
    matrix = cv2.getPerspectiveTransform(box.astype(np.float32), flat)
    index = cv2.warpPerspective(image, matrix, (_WIDTH, _HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    pixels = index.reshape(-1, 3).astype(np.float64)
    beside_paper = pixels / np.maximum(np.percentile(pixels, _PAPER_PERCENTILE, axis=0), 1.0)
    darkness = 1.0 - beside_paper.min(axis=1)
    ink = np.argsort(darkness)[-round(_INK_SHARE * len(pixels)) :]
    excess = beside_paper[ink, 2] - beside_paper[ink, :2].mean(axis=1)
    return float(excess.mean() / max(darkness[ink].mean(), 0.05))


@dataclass(frozen=True, slots=True)
class InkColours:
    """The colours of ink in one image: where black ends, and where red begins."""

    black: float
    """Redness below which ink is black."""
    red: float
    """Redness above which ink is red."""
    both_red: bool = True
    """Whether hearts and diamonds both look red. Four-colour packs have blue diamonds, and ink that is not
    red then says nothing about the suit."""
    measured: bool = False
    """Whether enough cards of both colours show where black ends and red begins."""

    def log_odds_of_red(self, image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
        """Return the log odds (N) that the index beside each card's first corner is red."""
        beyond_middle = (2 * redness(image, quads) - self.red - self.black) / (self.red - self.black)
        black_says = _MEASURED_BLACK_LOG_ODDS if self.measured else _BLACK_LOG_ODDS
        black_says *= self.both_red
        return np.where(beyond_middle > 0, _RED_LOG_ODDS, black_says) * np.clip(beyond_middle, -1, 1)


def certain_cards(cards: Sequence[CardReading]) -> list[tuple[str, Quad]]:
    """Return name and quad of each card whose name is certain enough to show the colour of its ink."""
    return [(c.card, c.quad) for c in cards if c.card is not None and c.confidence >= INK_SAMPLE_P]


def sample_inks(image: Image, sure: Sequence[tuple[str, Quad]]) -> InkSamples:
    """Return the redness of both indices of cards.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        sure: Names and quads of cards that are certain.
    """
    return {card: redness(image, [quad, np.roll(quad, 2, axis=0)]) for card, quad in sure if card != JOKER}


def measure_inks(image: Image, sure: Sequence[tuple[str, Quad]]) -> InkColours | None:
    """Return the colours of ink in an image, see `sample_inks` and `compare_inks`."""
    return compare_inks(sample_inks(image, sure))


def compare_inks(samples: InkSamples) -> InkColours | None:
    """Return the colours of ink by samples of it; None if red and black look the same.

    One index of a card may be covered by paper or by another card's index, so the clearer one of the two
    counts.
    """
    reds = [both.max() for card, both in samples.items() if is_red(card)]
    blacks = [both.min() for card, both in samples.items() if not is_red(card)]
    red = _colour_edge(reds, _OUTLIER_PERCENT, _USUAL_RED)
    black = _colour_edge(blacks, 100 - _OUTLIER_PERCENT, _USUAL_BLACK)
    suits = [[both.max() for card, both in samples.items() if card[-1] == suit] for suit in "DH"]
    both_red = all(len(suit) > 0 and np.median(suit) > (black + red) / 2 for suit in suits)
    if red - black < _MIN_SEPARATION:
        return None
    return InkColours(black, red, both_red, measured=min(len(reds), len(blacks)) >= _MIN_SAMPLES)


def _colour_edge(seen: Sequence[float], percentile: int, usual: float) -> float:
    """Return the edge of a colour by its samples, or the usual value if they are too few."""
    return float(np.percentile(seen, percentile)) if len(seen) >= _MIN_SAMPLES else usual
