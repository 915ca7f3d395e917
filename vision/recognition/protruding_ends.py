"""Inferring a lower card from its end that sticks out from under another card.

If a card lies almost squarely on another, the networks sometimes draw a second outline around both. Three
edges of that outline belong to the upper card. The fourth one is the end of the lower card, and so shows
where it lies.
"""

from __future__ import annotations

import numpy as np

from vision.geometry import quad_size, up_direction
from vision.types import Quad

_MIN_PROTRUSION, _MAX_PROTRUSION = 0.08, 0.45
"""How far the lower card's end sticks out, as a share of a card's height. If it is less, it shows no rank."""
_SAME_EDGE_DISTANCE = 0.05
"""Edges of both outlines are the same if they are nearer than this share of a card's height."""
_MAX_SIDEWAYS = 0.12
"""How far the lower card's end may lie to the side, as a share of a card's height."""


def find_lower_card(upper: Quad, around_both: Quad) -> Quad | None:
    """Return the lower one of two cards; None if the outlines do not show one.

    Args:
        upper: Outline of the upper card, 4 x 2 px, clockwise, a short edge first.
        around_both: Outline around both cards, 4 x 2 px, clockwise, either short edge first.

    Returns:
        The lower card, as large as the upper one, clockwise from the visible end. Its visible index is beside
            the first corner.
    """
    turned = np.roll(around_both, 2, axis=0)
    both = min((around_both, turned), key=lambda quad: float(np.linalg.norm(quad - upper)))
    # Try both ends of the card as the first one.
    for card, other in ((upper, both), (np.roll(upper, 2, axis=0), np.roll(both, 2, axis=0))):
        if _sticks_out(card, other):
            down = np.stack([card[3] - card[0], card[2] - card[1]])
            first, second = other[0], other[1]
            return np.array([first, second, second + down[1], first + down[0]], np.float32)
    return None


def _sticks_out(card: Quad, other: Quad) -> bool:
    """Return whether only the first end of `other` lies beyond that of `card`."""
    height = quad_size(card)[1]
    outwards = up_direction(card)
    aside = np.array([-outwards[1], outwards[0]])
    end, opposite = (other[:2] - card[:2]).mean(axis=0), (other[2:] - card[2:]).mean(axis=0)
    out = (
        _MIN_PROTRUSION < float(end @ outwards) / height < _MAX_PROTRUSION
        and abs(float(end @ aside)) / height < _MAX_SIDEWAYS
    )
    return out and float(np.linalg.norm(opposite)) / height < _SAME_EDGE_DISTANCE
