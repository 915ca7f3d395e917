"""Telling decks by their backs: which face-down cards of a picture belong together, and to which deck.

No network: the backs of one pack are printed alike, so colour and the coarse pattern of the print tell packs
apart that lie under the same light. Half a turn leaves the features as they are, as it does most backs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.geometry import rectify
from vision.types import Image

Features = NDArray[np.float32]
"""Of one back: colours, then pattern."""

ALIKE = 1.0
"""Distance below which two backs of one picture are of the same pack."""
KNOWN_ALIKE = 1.5
"""Distance below which a back is an enrolled deck's: it was enrolled under another light."""
_CLEARLY, _APART = 1.4, 0.5
"""The next enrolled deck must be so many times as far away, and farther than this: of two with one back that
were enrolled under two lights, one happens to be nearer."""

_WIDTH, _HEIGHT = 60, 84
_GRID = (5, 7)
_FEATURES = 4 + _GRID[0] * _GRID[1]
_EDGE = 2
"""Pixels of the flattened back that are left out all round: outlines are seldom exact."""
_COLOUR_UNIT, _SPREAD_UNIT, _PATTERN_UNIT = 0.22, 0.6, 2.0
"""How much of a difference counts as one: of the mean colour, of its spread (both as shares of brightness),
and of the pattern. Fitted on rendered tables (`datasets.measuring.reading.packs`, seeds below 420)."""


def back_features(image: Image, quad: ArrayLike) -> Features:
    """Return what tells a card's back from others (see Features); `quad` as in `vision.types`."""
    flat = rectify(image, quad, _WIDTH, _HEIGHT)[_EDGE:-_EDGE, _EDGE:-_EDGE]
    pixels = flat.reshape(-1, 3).astype(np.float64)
    # Shares of the brightness, so that shade and sun on one back are alike; dark pixels count little.
    whole = pixels.sum(axis=1) + 1e-6
    opponent = np.stack([pixels[:, 2] - pixels[:, 1], pixels[:, 0] - pixels[:, 1:].mean(axis=1)], axis=1)
    mean = opponent.sum(axis=0) / whole.sum()
    spread = np.sqrt((np.square(opponent / whole[:, None] - mean) * whole[:, None]).sum(axis=0) / whole.sum())
    grey = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32)
    cells = np.asarray(cv2.resize(grey, _GRID, interpolation=cv2.INTER_AREA), np.float64)
    cells = (cells + cells[::-1, ::-1]) / 2
    # Brightness belongs to the light; what is bright beside what belongs to the print.
    pattern = (cells - cells.mean()) / (grey.std() + 2.0)
    pattern = pattern.ravel() / (_PATTERN_UNIT * np.sqrt(pattern.size / 4))
    return np.concatenate([mean / _COLOUR_UNIT, spread / _SPREAD_UNIT, pattern]).astype(np.float32)


def back_stack(backs: Sequence[Features]) -> Features:
    """Return the features of several pictures of one deck's back as one array, N x their number."""
    return np.array(backs, np.float32).reshape(len(backs), _FEATURES)


def packs_of(features: Sequence[Features]) -> list[int]:
    """Return the number of each back's pack, packs numbered from 0 by how many backs they have.

    Groups are joined, nearest first, as long as their members lie closer than ALIKE on average.
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
        if nearest >= ALIKE:
            break
        groups[j] += groups.pop(i)
    groups.sort(key=lambda group: (-len(group), min(group)))
    number = {member: k for k, group in enumerate(groups) for member in group}
    return [number[k] for k in range(len(points))]


def deck_of_back(features: Features, known: Mapping[str, NDArray[np.float32]]) -> str | None:
    """Return the enrolled deck with such a back, or None where none or more than one may be meant.

    Args:
        features: Of the back.
        known: Each deck's backs as they were enrolled (N x number of features); may be empty.
    """
    distances = sorted(
        (float(np.linalg.norm(backs - features, axis=1).min()), name)
        for name, backs in known.items()
        if backs.shape[1:] == features.shape and len(backs)
    )
    if not distances or distances[0][0] >= KNOWN_ALIKE:
        return None
    clear = len(distances) == 1 or distances[1][0] > max(_APART, _CLEARLY * distances[0][0])
    return distances[0][1] if clear else None
