"""Recognising a deck by its back, and grouping the face-down cards of an image by pack.

This needs no network. The backs of one pack have the same print, so colour and coarse pattern distinguish
packs in the same light. The features do not change if a card is turned by half a turn, like most backs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import rectify
from vision.types import Image

BackFeatures = NDArray[np.float32]
"""Features of one back: mean colour (2), spread of the colour (2), pattern (35). A distance of 1 is a clear
difference."""

SAME_PACK_DISTANCE = 1.0
"""Distance of features below which two backs in one image are of the same pack."""
SAME_DECK_DISTANCE = 1.5
"""Distance of features below which a back matches an enrolled deck. It is larger, because the deck was
enrolled in other light."""
_RUNNER_UP_RATIO, _RUNNER_UP_DISTANCE = 1.4, 0.5
"""The second-nearest deck must be this many times as far away, and farther than this distance. Otherwise both
decks may have the same back, enrolled in different light."""

_WIDTH, _HEIGHT = 60, 84
"""Size of the rectified back, in pixels."""
_GRID = (5, 7)
"""Cells of the pattern: columns, rows."""
_FEATURE_COUNT = 4 + _GRID[0] * _GRID[1]
_EDGE_PX = 2
"""Width in pixels of the rim that is left out, because outlines are seldom exact."""
_COLOUR_UNIT, _SPREAD_UNIT, _PATTERN_UNIT = 0.22, 0.6, 2.0
"""Differences that count as a distance of 1: mean colour, its spread (both as shares of the brightness),
pattern. Fitted on rendered tables (`datasets.measuring.reading.packs`, seeds below 420)."""


def back_features(image: Image, quad: ArrayLike) -> BackFeatures:
    """Return the features of a card's back, see `BackFeatures`. `quad` is 4 x 2 px, a short edge first."""
    flat = rectify(image, quad, _WIDTH, _HEIGHT)[_EDGE_PX:-_EDGE_PX, _EDGE_PX:-_EDGE_PX]
    pixels = flat.reshape(-1, 3).astype(np.float64)
    # Shares of the brightness are the same in sun and shade. Dark pixels count little.
    whole = pixels.sum(axis=1) + 1e-6
    opponent = np.stack([pixels[:, 2] - pixels[:, 1], pixels[:, 0] - pixels[:, 1:].mean(axis=1)], axis=1)
    mean = opponent.sum(axis=0) / whole.sum()
    spread = np.sqrt((np.square(opponent / whole[:, None] - mean) * whole[:, None]).sum(axis=0) / whole.sum())
    grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    cells = np.asarray(cv2.resize(grey, _GRID, interpolation=cv2.INTER_AREA), np.float64)
    cells = (cells + cells[::-1, ::-1]) / 2
    # The light decides the brightness of the whole back; the print decides the contrast within it.
    pattern = (cells - cells.mean()) / (grey.std() + 2.0)
    pattern = pattern.ravel() / (_PATTERN_UNIT * np.sqrt(pattern.size / 4))
    return np.concatenate([mean / _COLOUR_UNIT, spread / _SPREAD_UNIT, pattern]).astype(np.float32)


def stack_back_features(backs: Sequence[BackFeatures]) -> BackFeatures:
    """Return the features of several images of one deck's back as one array (N x number of features)."""
    return np.array(backs, np.float32).reshape(len(backs), _FEATURE_COUNT)


def group_by_pack(features: Sequence[BackFeatures]) -> list[int]:
    """Return the number of each back's pack; pack 0 has the most backs.

    This is hierarchical clustering with average linkage, which stops at `SAME_PACK_DISTANCE`.
    """
    if not len(features):
        return []
    points = np.array(features, np.float64)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    groups = [[k] for k in range(len(points))]
    while len(groups) > 1:
        distances = {
            (i, j): float(apart[np.ix_(groups[i], groups[j])].mean())
            for i in range(len(groups))
            for j in range(i)
        }
        (i, j), nearest = min(distances.items(), key=lambda item: item[1])
        if nearest >= SAME_PACK_DISTANCE:
            break
        groups[j] += groups.pop(i)
    groups.sort(key=lambda group: (-len(group), min(group)))
    number = {member: k for k, group in enumerate(groups) for member in group}
    return [number[k] for k in range(len(points))]


def match_back(features: BackFeatures, known: Mapping[str, NDArray[np.float32]]) -> str | None:
    """Return the name of the enrolled deck with this back; None if no deck matches, or more than one may.

    Args:
        features: Features of the back.
        known: The enrolled features of each deck's back (N x number of features, N may be 0).
    """
    distances = sorted(
        (float(np.linalg.norm(backs - features, axis=1).min()), name)
        for name, backs in known.items()
        if backs.shape[1:] == features.shape and len(backs)
    )
    if not distances or distances[0][0] >= SAME_DECK_DISTANCE:
        return None
    clear = len(distances) == 1 or distances[1][0] > max(
        _RUNNER_UP_DISTANCE, _RUNNER_UP_RATIO * distances[0][0]
    )
    return distances[0][1] if clear else None
