"""From scores to probabilities, and from probabilities to a threshold: fitted on held-out data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError

_KNOTS = 12
LEAST_THRESHOLD, MOST_THRESHOLD = 0.5, 0.9
Curve = list[tuple[float, float]]
"""(score, probability), rising."""


def isotonic_curve(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> Curve:
    """Return the isotonic regression of correctness on score, reduced to a few knots.

    It pools adjacent violators (Ayer et al., 1955). `scores` (N) lie in 0..1, `right` (N) says which were
    right.

    Raises:
        BadInputError: there are no scores, because a network that was hardly trained finds nothing.
    """
    if not len(scores):
        raise BadInputError("the network finds nothing on the held-out scenes: train it longer")
    order = np.argsort(scores)
    blocks: list[list[float]] = []  # mean rightness, weight, mean score
    for score, good in zip(scores[order].tolist(), right[order].tolist(), strict=True):
        blocks.append([float(good), 1.0, score])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, weight, middle = blocks.pop()
            before, others, place = blocks[-1]
            total = others + weight
            pooled = (before * others + mean * weight) / total
            blocks[-1] = [pooled, total, (place * others + middle * weight) / total]
    at, share = np.array([b[2] for b in blocks]), np.array([b[0] for b in blocks])
    # A few hundred scenes cannot make a probability certain or impossible.
    share = np.clip(share, 0.005, 0.995)
    knots = np.union1d(np.quantile(scores, np.linspace(0, 1, _KNOTS)), np.linspace(0.1, 0.9, 9))
    curve = [(float(k), float(np.interp(k, at, share))) for k in knots]
    return [(0.0, 0.0), *curve, (1.0, max(0.995, curve[-1][1]))]


def lowest_threshold(log_p: NDArray[np.float64], truth: NDArray[np.int64], precision: float) -> float:
    """Return the lowest threshold from which at least the share `precision` of the named cards is right.

    It lies between `LEAST_THRESHOLD` and `MOST_THRESHOLD`. `log_p` (N x classes) holds log-probabilities,
    `truth` (N) the right classes.
    """
    confidence, right = np.exp(log_p.max(axis=1)), log_p.argmax(axis=1) == truth
    for threshold in np.arange(LEAST_THRESHOLD, MOST_THRESHOLD, 0.01):
        named = confidence >= threshold
        if named.any() and right[named].mean() >= precision:
            return round(float(threshold), 2)
    return MOST_THRESHOLD
