"""The end of a card that sticks out from under another one.

Where a card lies almost squarely on another the networks sometimes draw a second outline about both: three of
its edges are the upper card's, the fourth is the end of the lower one. So it tells where the lower one lies.
"""

from __future__ import annotations

import numpy as np

from vision.geometry import quad_sides, upwards
from vision.types import Quad

_LEAST, _MOST = 0.08, 0.45
"""How far the lower card's end sticks out, as a share of a card's height; less shows no rank."""
_SAME_EDGE = 0.05
"""Edges of both outlines that lie nearer than this (likewise) are one edge."""
_ASKEW = 0.12
"""So far aside (likewise) may the lower card's end lie."""


def end_beneath(upper: Quad, about_both: Quad) -> Quad | None:
    """Return the lower card of two, or None where the outlines do not tell of one.

    Args:
        upper: The upper card's outline, 4 x 2 pixels, clockwise from a short edge.
        about_both: An outline about both, likewise; which of its short edges is first does not matter.

    Returns:
        The lower card, of the upper one's size, clockwise from the end that shows: its index there is beside
        the first corner.
    """
    turned = np.roll(about_both, 2, axis=0)
    both = min((about_both, turned), key=lambda quad: float(np.linalg.norm(quad - upper)))
    # One end after the other, as if it were the first.
    for card, other in ((upper, both), (np.roll(upper, 2, axis=0), np.roll(both, 2, axis=0))):
        if _sticks_out(card, other):
            down = np.stack([card[3] - card[0], card[2] - card[1]])
            first, second = other[0], other[1]
            return np.array([first, second, second + down[1], first + down[0]], np.float32)
    return None


def _sticks_out(card: Quad, other: Quad) -> bool:
    """Tell whether the first end of `other` lies beyond that of `card`, and the second end in its place."""
    height = quad_sides(card)[1]
    outwards = upwards(card)
    aside = np.array([-outwards[1], outwards[0]])
    end, opposite = (other[:2] - card[:2]).mean(axis=0), (other[2:] - card[2:]).mean(axis=0)
    out = _LEAST < float(end @ outwards) / height < _MOST and abs(float(end @ aside)) / height < _ASKEW
    return out and float(np.linalg.norm(opposite)) / height < _SAME_EDGE
