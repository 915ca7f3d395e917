"""Moves a roughly known card outline onto the edges that the picture shows, to a fraction of a pixel.

The card's neighbourhood is flattened, each side is looked for as a straight line in a band around where it
should be, and the four lines are intersected. A side without evidence (hidden under another card, outside the
picture, white on white) stays where it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_MM,
    CARD_WIDTH_MM,
    homography,
    is_convex,
    quad_sides,
    sides_of,
    transform,
)
from vision.reading import Image, Quad


class _Look(NamedTuple):
    """How one pass looks for the sides; millimetres are those of a card lying in the quad as it is."""

    band: float
    """How far on either side of the expected line an edge is looked for, mm."""
    prior: float
    """Standard deviation of the expected line's error, mm: how much nearer edges are preferred."""
    finest: float
    """Finest flattening, pixels per mm: beyond it a card's edge only gets longer to fit."""


_LOOKS = (_Look(9.0, 4.5, 1.0), _Look(3.0, 2.0, 3.0))
"""First coarsely for what the network missed by much, then finely."""
_WRONG_WAY = 0.35
"""Weight of an edge that brightens outwards: cards are mostly lighter at their rim than what lies around."""
_SHARES = np.linspace(0.1, 0.9, 32)
"""Points along a side that vote, as shares of its length; the rounded ends are left out."""
_LEAST_SUPPORT = 0.45
"""Share of the points that must see the line for it to be believed."""
_FITS = 3


class _Flat(NamedTuple):
    """A quad's neighbourhood flattened, and what is seen there across each side."""

    to_flat: NDArray[np.float64]
    """3 x 3: from the picture to the flattened one."""
    corners: NDArray[np.float64]
    """4 x 2: where the quad's corners lie in it, clockwise; the card lies to the right of each side."""
    scale: float
    """Pixels per mm."""
    profiles: Image
    """Points of all sides x offsets from inside to outside x 3."""


def refine_quad(image: Image, quad: Quad) -> Quad:
    """Return `quad` (4 x 2 pixels, clockwise from a short edge) with its sides moved onto visible edges."""
    return refine_quads(image, [quad])[0]


def refine_quads(image: Image, quads: Sequence[Quad]) -> list[Quad]:
    """Return each of many quads with its sides moved onto visible edges, see `refine_quad`.

    They are worked on together: one quad's numbers are so few that calling numpy costs more than its work.
    """
    refined = list(quads)
    for look in _LOOKS:
        refined = _refine_once(image, refined, look)
    return refined


def _refine_once(image: Image, quads: Sequence[Quad], look: _Look) -> list[Quad]:
    refined = list(quads)
    alike: dict[int, list[tuple[int, _Flat]]] = defaultdict(list)
    for number, quad in enumerate(quads):
        flat = _flatten(image, quad, look)
        if flat is not None:
            alike[_reach(look, flat.scale)].append((number, flat))
    for reach, members in alike.items():
        strength = _edge_strength(np.stack([flat.profiles for _, flat in members]))
        priors = np.repeat([look.prior * flat.scale for _, flat in members], 4)
        moves = _offsets(strength.reshape(len(priors), len(_SHARES), -1), reach, priors)
        for (number, flat), move in zip(members, moves.reshape(-1, 4, 2), strict=True):
            refined[number] = _moved(quads[number], flat, move, 1.5 * look.band * flat.scale)
    return refined


def _reach(look: _Look, scale: float) -> int:
    """Return how far on either side of the expected line an edge is looked for, pixels."""
    return max(2, round(look.band * scale))


def _flatten(image: Image, quad: Quad, look: _Look) -> _Flat | None:
    """Return the quad's neighbourhood and the profiles across its sides; None outside the picture."""
    width, height = quad_sides(quad)
    scale = float(np.clip(min(width / CARD_WIDTH_MM, height / CARD_HEIGHT_MM), 0.15, look.finest))
    margin = look.band + 2.0
    corners = (CARD_MM + np.float32(margin)) * np.float32(scale)
    room = 0.4 * np.float32((width + height) / 2)
    low = np.maximum(quad.min(axis=0) - room, 0).astype(int)
    high = np.minimum(quad.max(axis=0) + room + 1, image.shape[1::-1]).astype(int)
    if (high <= low + 2).any():
        return None
    region = image[low[1] : high[1], low[0] : high[0]]
    to_flat = homography(quad, corners)
    shift = np.array([[1, 0, low[0]], [0, 1, low[1]], [0, 0, 1]], np.float64)
    size = np.ceil(corners[2] + margin * scale)
    shape = (int(size[0]) + 1, int(size[1]) + 1)
    flat = cv2.warpPerspective(
        region, to_flat @ shift, shape, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    places = corners.astype(np.float64)
    x, y = _across(places, _reach(look, scale))
    return _Flat(to_flat, places, scale, np.asarray(cv2.remap(flat, x, y, cv2.INTER_LINEAR), np.uint8))


def _across(corners: NDArray[np.float64], reach: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return x and y of the points across every side: points of all sides x offsets, outwards."""
    along, outward = _directions(corners)
    offsets = np.arange(-reach - 1, reach + 2)
    points = (corners[:, None] + _SHARES[None, :, None] * along[:, None])[:, :, None]
    points = points + offsets[None, None, :, None] * outward[:, None, None]
    x, y = (points[..., axis].reshape(4 * len(_SHARES), -1).astype(np.float32) for axis in (0, 1))
    return x, y


def _directions(corners: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sides (4 x 2) from corner to corner, and of each the direction away from the card."""
    along = sides_of(corners)
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    return along, outward


def _edge_strength(profiles: NDArray[np.uint8]) -> NDArray[np.floating]:
    """Return how strong an edge is seen at each offset of profiles (quads x points x offsets x 3).

    Central differences along each profile: bright inside, dark outside counts fully.
    """
    values = profiles.astype(np.float32)
    steps = values[:, :, :-2] - values[:, :, 2:]
    usual_way = steps.sum(axis=3) > 0
    return np.asarray(np.abs(steps).max(axis=3) * np.where(usual_way, 1.0, _WRONG_WAY))


def _moved(quad: Quad, flat: _Flat, moves: NDArray[np.float64], most: float) -> Quad:
    """Return the quad with its sides moved outwards (4 x 2: at start and end, flattened pixels).

    A corner that would move by more than `most` such pixels, or to nowhere, leaves the quad as it is.
    """
    along, outward = _directions(flat.corners)
    starts = flat.corners + moves[:, :1] * outward
    ends = flat.corners + along + moves[:, 1:] * outward
    corners = np.array([_crossing(starts[i - 1], ends[i - 1], starts[i], ends[i]) for i in range(4)])
    far = np.linalg.norm(corners - flat.corners, axis=1)
    if not np.isfinite(corners).all() or far.max() > most:
        return quad
    back = np.asarray(np.linalg.inv(flat.to_flat), np.float64)
    refined = transform(back, corners).astype(np.float32)
    return refined if is_convex(refined) else quad


def _offsets(strength: NDArray[np.floating], reach: int, priors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return each side's offsets (S x 2, pixels outwards) at its start and end; 0, 0 without evidence.

    `strength` is sides x points along the side x offsets -reach .. reach, `priors` each side's expected error
    in pixels. All lines between whole offsets at both ends are scored by how many points see an edge on them;
    the best is fitted to the exact peaks nearby.
    """
    noise = np.median(strength, axis=(1, 2))[:, None, None] + 2.0
    votes = np.clip(strength / (4 * noise) - 0.25, 0, 1)
    # Of two edges that are both plain to see (a card's, a printed line's) the stronger one is preferred.
    votes *= np.sqrt(strength / np.maximum(strength.max(axis=2, keepdims=True), 1e-6))
    places, columns, far = _lines(reach)
    blurred = votes.copy()
    blurred[..., 1:-1] = np.maximum(votes[..., 1:-1], 0.5 * (votes[..., :-2] + votes[..., 2:]))
    seen = blurred[:, np.arange(len(_SHARES))[:, None], columns].mean(axis=1)
    best = (seen * np.exp(-far / (4 * priors[:, None] ** 2))).argmax(axis=1)
    return _fit(strength, votes, places[:, best].T, reach)


@cache
def _lines(reach: int) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.float64]]:
    """Return every line that may be a side, within `reach` pixels and not too steep.

    As offsets (points along the side x lines), as columns of a strength array, and the sum of the squared
    offsets at the line's two ends.
    """
    ends = np.arange(-reach, reach + 1, max(1, reach // 8))
    first, last = (grid.ravel() for grid in np.meshgrid(ends, ends, indexing="ij"))
    mild = np.abs(first - last) <= reach
    first, last = first[mild], last[mild]
    places = first[None] * (1 - _SHARES[:, None]) + last[None] * _SHARES[:, None]
    return places, np.rint(places).astype(np.intp) + reach, (first**2 + last**2).astype(np.float64)


def _fit(
    strength: NDArray[np.floating], votes: NDArray[np.floating], lines: NDArray[np.float64], reach: int
) -> NDArray[np.float64]:
    """Fit each side's line (S x points) to the edge peaks in a narrow band around it, and again, narrower.

    Returns the lines' offsets at both ends (S x 2), zeros where too few points see an edge.
    """
    half = max(1.5, reach / 6)
    offsets = np.arange(-reach, reach + 1)
    believed = np.ones(len(lines), bool)
    for _ in range(_FITS):
        near = np.clip(half + 0.5 - np.abs(offsets - lines[..., None]), 0, 1)
        weight = strength**2 * near
        sees = (votes * near).max(axis=2) > 0.25
        believed &= sees.mean(axis=1) >= _LEAST_SUPPORT
        peaks = (weight @ offsets) / np.maximum(weight.sum(axis=2), 1e-12)
        slope, intercept = _robust_lines(peaks, sees)
        lines = slope[:, None] * _SHARES + intercept[:, None]
    return np.where(believed[:, None], np.stack([intercept, intercept + slope], axis=1), 0.0)


def _robust_lines(y: NDArray[np.float64], seen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], ...]:
    """Return slopes and intercepts (S) of least-squares lines over _SHARES, refitted without outliers.

    Of `y` (S x points) only what is `seen` counts.
    """
    slope, intercept = _least_squares(y, seen)
    error = np.where(seen, np.abs(y - (slope[:, None] * _SHARES + intercept[:, None])), np.inf)
    ranked, count = np.sort(error, axis=1), np.maximum(seen.sum(axis=1), 1)
    sides = np.arange(len(y))
    median = 0.5 * (ranked[sides, (count - 1) // 2] + ranked[sides, count // 2])
    keep = error <= np.maximum(0.5, 2.0 * median)[:, None]
    again = _least_squares(y, keep & seen)
    enough = (keep & seen).sum(axis=1) >= 4
    return np.where(enough, again[0], slope), np.where(enough, again[1], intercept)


def _least_squares(
    y: NDArray[np.float64], counts: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slopes and intercepts (S) of the least-squares lines through the points that count."""
    number = np.maximum(counts.sum(axis=1), 1)
    mean_x, mean_y = (counts * _SHARES).sum(axis=1) / number, (counts * y).sum(axis=1) / number
    apart = counts * (_SHARES - mean_x[:, None])
    slope = (apart * (y - mean_y[:, None])).sum(axis=1) / np.maximum((apart**2).sum(axis=1), 1e-12)
    return slope, mean_y - slope * mean_x


def _crossing(
    p: NDArray[np.float64], p2: NDArray[np.float64], q: NDArray[np.float64], q2: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where the line through p and p2 meets the line through q and q2; NaN where they do not."""
    d, e = p2 - p, q2 - q
    across = d[0] * e[1] - d[1] * e[0]
    if abs(across) < 1e-9:
        return np.array([np.nan, np.nan])
    share = ((q[0] - p[0]) * e[1] - (q[1] - p[1]) * e[0]) / across
    return np.asarray(p + share * d)
