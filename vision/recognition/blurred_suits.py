"""The suits of blurred and tiny cards: how blurred a card is, and how far its suit can then be trusted.

In a blurred picture, the count of the pips still tells the rank, but hearts look like diamonds and spades
like clubs. The networks then choose one of two suits too surely. So the odds between the two suits of a
colour are flattened the more, the wider the edges on the card are.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decks.card_classes import CARDS
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM, rectify
from vision.types import Image, Quad

HALF_TRUST_MM, TRUST_POWER = 3.0, 3.0
"""The odds between two suits count half, as logarithms, at the first blur. The second number says how fast
that changes. `python -m models.faces.calibrate_suits` fits both to a deck. The fits of decks differ between
2 and 4 mm, so this is a middle that is better than full trust on each deck tried."""
BLURRED_MM = 1.5
"""From this blur on, a card is blurred. Sharp cards 80 px high or more have less."""
MIN_BLURRED_P = 0.95
"""A blurred card is named from this probability on if its suit is in doubt."""
_DOUBTFUL_LOG_ODDS = 10.0
"""With larger odds, no blur leaves a doubt."""
_PX_PER_MM, _SMOOTHING_PX = 3, 0.75
"""Scale at which edges are measured, and a smoothing against noise."""
_STRIDE = 2
"""Every so many pixels in each direction are enough for percentiles."""
_INK_PERCENTILE, _PAPER_PERCENTILE, _EDGE_PERCENTILE = 1.5, 90.0, 99.5
_MIN_CONTRAST, _MIN_SLOPE = 8.0, 0.5
"""Grey levels, and grey levels per pixel."""
_DIRECTIONS = np.arange(4) * np.pi / 4
_TWINS = np.array(
    [CARDS.index(card[:-1] + {"C": "S", "S": "C", "D": "H", "H": "D"}[card[-1]]) for card in CARDS]
)
"""For each card the one of the same rank and colour."""


def blur_mm(image: Image, quad: Quad) -> float:
    """Return the blur of a card: the spread of its edges in the most blurred direction, in mm on the card.

    The pixels of a small card are wide on the card, so it is blurred too.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        quad: The card, 4 x 2 px, clockwise, a short edge first.
    """
    size = round(CARD_WIDTH_MM * _PX_PER_MM), round(CARD_HEIGHT_MM * _PX_PER_MM)
    # Red ink is as dark as black in this channel.
    green = rectify(image, quad, *size)[..., 1].astype(np.float32)
    grey = np.asarray(cv2.GaussianBlur(green, (0, 0), _SMOOTHING_PX), np.float32)
    sample = slice(None, None, _STRIDE), slice(None, None, _STRIDE)
    ink, paper = (_percentile(grey[sample], percent) for percent in (_INK_PERCENTILE, _PAPER_PERCENTILE))
    across = cv2.Scharr(grey, cv2.CV_32F, 1, 0)[sample] / 32
    down = cv2.Scharr(grey, cv2.CV_32F, 0, 1)[sample] / 32
    steepest = min(
        _percentile(
            np.abs(across * np.float32(np.cos(angle)) + down * np.float32(np.sin(angle))), _EDGE_PERCENTILE
        )
        for angle in _DIRECTIONS
    )
    contrast = max(paper - ink, _MIN_CONTRAST)
    # The slope in the middle of an edge that a Gaussian has blurred.
    return float(contrast / (np.sqrt(2 * np.pi) * max(steepest, _MIN_SLOPE)) / _PX_PER_MM)


def _percentile(values: NDArray[np.float32], percent: float) -> float:
    """Return a percentile, as `numpy.percentile` does, which takes ten times as long."""
    rank = percent / 100 * (values.size - 1)
    below = min(int(rank), values.size - 2)
    part = np.partition(values, (below, below + 1), axis=None)[below : below + 2]
    return float(part[0] + (rank - below) * (part[1] - part[0]))


def has_doubtful_suit(log_p: NDArray[np.float64]) -> bool:
    """Return whether blur may leave the suit of a card in doubt, by its log-probabilities (classes)."""
    best = int(log_p[: len(CARDS)].argmax())
    return bool(log_p[best] - log_p[_TWINS[best]] < _DOUBTFUL_LOG_ODDS)


def soften_suits(log_p: NDArray[np.float64], blur: float) -> NDArray[np.float64]:
    """Return log-probabilities (classes, cards first) with the odds between two suits of a colour flattened.

    The probability of each rank and colour stays the same.
    """
    trust = 1 / (1 + (blur / HALF_TRUST_MM) ** TRUST_POWER)
    cards = log_p[: len(CARDS)]
    twins = cards[_TWINS]
    flat = trust * cards
    softened = log_p.copy()
    softened[: len(CARDS)] = flat - np.logaddexp(flat, trust * twins) + np.logaddexp(cards, twins)
    return softened
