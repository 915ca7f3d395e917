"""Outlines that are mere echoes of surer ones: which of those found can be cards of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.geometry import corner_distance, polygon_area, polygon_areas, polygon_overlap, share_a_corner
from vision.reading import Quad

SAME_CARD = 0.11
"""Two quads whose corners lie closer than this share of the card's side are one card."""
LIKELY_SAME = 0.30
"""Up to this distance a doubtful face-down card, or one much less sure than the other, is the same card."""
_UNLIKE = 1.25
"""Cards that lie on one another differ in side length (square root of area) by less than this factor."""
_MOST_UNLIKE = 3.0
"""Cards of one picture differ from their median by less than this."""
_ONE_CORNER, _PARALLEL = 0.05, math.radians(5)
"""Outlines with a corner in common, to this share of a card's side, and both its sides are one card's."""


def _side(quad: Quad) -> float:
    return float(np.sqrt(max(polygon_area(quad), 1e-6)))


def can_lie_beside(quad: Quad, surer: Sequence[Quad], same: float = SAME_CARD) -> bool:
    """Tell whether `quad` may be another card of the table on which the surer quads lie.

    It is none when its corners coincide with a surer one's, to within a share `same` of its side: two rough
    quads moved onto one card. Cards are of one size: quads that lie on one another must be about as large,
    and even at the table's two ends they differ only so much.
    """
    others = np.array(surer)
    size = _side(quad)
    if corner_distance(others, quad).min() < same * size:
        return False
    sizes = np.sqrt(np.maximum(polygon_areas(others), 1e-6))
    if not 1 / _MOST_UNLIKE < size / np.median(sizes) < _MOST_UNLIKE:
        return False
    unlike = np.flatnonzero((sizes > _UNLIKE * size) | (size > _UNLIKE * sizes))
    return all(polygon_overlap(quad, others[i]) < 0.5 * min(size, sizes[i]) ** 2 for i in unlike)


def is_framed_alike(quad: Quad, surer: Sequence[Quad]) -> bool:
    """Tell whether `quad` is one of the surer quads once more, outlined too small or too large.

    That happens to a card of which others hide a part: what shows is framed alike, and the rest is guessed.
    """
    return bool(share_a_corner(surer, quad, _ONE_CORNER * _side(quad), _PARALLEL).any())
