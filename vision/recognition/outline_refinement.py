"""Moves a roughly known card outline onto the edges that the picture shows, to a fraction of a pixel.

The card's neighbourhood is flattened, each side is looked for as a straight line in a band around where it
should be, and the four lines are intersected. A side without evidence (hidden under another card, outside the
picture, white on white) stays where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_MM,
    CARD_WIDTH_MM,
    are_convex,
    sides_of,
)
from vision.types import Image, Quad


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
_SUPPORT_REACH = 4
"""Pixels on either side of a quad's sides that are looked at to tell whether they lie on edges."""
_TOGETHER = 200
"""Quads that are looked at together; OpenCV samples no more than some 32,000 rows at once."""
_HORIZON = 1e-6
"""Depth, as a share of that of the card's first corner, from which a point lies before the camera."""
_Real = TypeVar("_Real", np.float32, np.float64)
_NEXT, _BEFORE = np.array([1, 2, 3, 0]), np.array([3, 0, 1, 2])
_CORNERS = CARD_MM.astype(np.float64)
_SIDES = sides_of(_CORNERS)
"""4 x 2 mm: from each corner of a card to the next one."""
_POINTS = _CORNERS[:, None] + _SHARES[:, None] * _SIDES[:, None]
"""4 x points x 2 mm: those along each side that vote."""
_OUTWARDS = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]], np.float64)
"""Of each side the direction away from the card."""


class _Band(NamedTuple):
    """What is seen across the sides of many quads: flattened, each is an upright card from 0, 0."""

    planes: NDArray[np.float64]
    """N x 3 x 3: from a card's millimetres to the picture."""
    scales: NDArray[np.float64]
    """N: pixels of the flattened card per mm."""
    profiles: NDArray[np.uint8]
    """N x points of all sides x offsets from inside to outside x 3."""


def refine_quad(image: Image, quad: Quad) -> Quad:
    """Return `quad` (4 x 2 pixels, clockwise from a short edge) with its sides moved onto visible edges."""
    return refine_quads(image, [quad])[0]


def refine_quads(image: Image, quads: Sequence[Quad]) -> list[Quad]:
    """Return each of many quads with its sides moved onto visible edges, see `refine_quad`.

    They are worked on together: one quad's numbers are so few that calling numpy costs more than its work.
    """
    if not len(quads):
        return []
    refined = np.array(quads, np.float32)
    for look in _LOOKS:
        _refine_once(image, refined, look)
    return list(refined)


def edge_support(image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
    """Return for each quad how plainly its sides lie on edges of the picture, 0..1."""
    cards = np.array(quads, np.float32)
    _, scales = _sizes(cards, _LOOKS[-1].finest)
    profiles = _across(image, cards, scales.astype(np.float64), _SUPPORT_REACH).profiles
    strength = _edge_strength(profiles).reshape(len(cards), -1, 2 * _SUPPORT_REACH + 1)
    noise = np.median(strength.reshape(len(cards), -1), axis=1)[:, None] + 2
    on_side = strength[..., _SUPPORT_REACH - 1 : _SUPPORT_REACH + 2].max(axis=2)
    return np.asarray(np.clip(on_side / (4 * noise) - 0.25, 0, 1).mean(axis=1), np.float64)


def _refine_once(image: Image, quads: NDArray[np.float32], look: _Look) -> None:
    """Move the sides of `quads` (N x 4 x 2), in place."""
    width_and_height, scales = _sizes(quads, look.finest)
    seen = _meets_picture(image, quads, 0.2 * width_and_height)
    # How far on either side of the expected line an edge is looked for, pixels; alike ones go together.
    reaches = np.maximum(2, np.rint(look.band * scales)).astype(int)
    for reach in np.unique(reaches[seen]):
        chosen = np.flatnonzero(seen & (reaches == reach))
        for start in range(0, len(chosen), _TOGETHER):
            part = chosen[start : start + _TOGETHER]
            band = _across(image, quads[part], scales[part].astype(np.float64), int(reach))
            strength = _edge_strength(band.profiles)
            priors = np.repeat(look.prior * band.scales, 4).astype(np.float32)
            moves = _offsets(strength.reshape(len(priors), len(_SHARES), -1), int(reach), priors)
            quads[part] = _moved(quads[part], band, moves.reshape(-1, 4, 2), 1.5 * look.band)


def _sizes(quads: NDArray[np.float32], finest: float) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return each quad's width and height together, pixels, and how finely to flatten it, pixels per mm."""
    sides = np.linalg.norm(quads[:, _NEXT] - quads, axis=2)
    width, height = sides[:, 0::2].mean(axis=1), sides[:, 1::2].mean(axis=1)
    scales = np.clip(np.minimum(width / CARD_WIDTH_MM, height / CARD_HEIGHT_MM), 0.15, finest)
    return width + height, scales


def _meets_picture(image: Image, quads: NDArray[np.float32], room: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Tell of which quads (N x 4 x 2), with some `room` around, more than a sliver lies in the picture."""
    low = np.maximum(quads.min(axis=1) - room[:, None], 0)
    high = np.minimum(quads.max(axis=1) + room[:, None] + 1, image.shape[1::-1])
    return np.asarray((high > low + 2).all(axis=1))


def _across(image: Image, quads: NDArray[np.float32], scales: NDArray[np.float64], reach: int) -> _Band:
    """Look at the picture along lines across every side of the quads (N x 4 x 2)."""
    offsets = np.arange(-reach - 1, reach + 2, dtype=np.float32)
    planes = _planes(quads)
    # Homogeneous coordinates (3 x N x sides x points x offsets) are linear along such a line.
    points = _POINTS @ planes[:, None, :, :2].swapaxes(2, 3) + planes[:, None, None, :, 2]
    step = (_OUTWARDS @ planes[:, :, :2].swapaxes(1, 2)) / scales[:, None, None]
    base, by = np.moveaxis(points, 3, 0).astype(np.float32), np.moveaxis(step, 2, 0).astype(np.float32)
    x, y = _places(base[..., None] + by[..., None, None] * offsets)
    shape = (len(quads) * 4 * len(_SHARES), len(offsets))
    # Beyond the picture its last pixels go on.
    columns = np.clip(x, 0, image.shape[1] - 1).reshape(shape)
    rows = np.clip(y, 0, image.shape[0] - 1).reshape(shape)
    seen = cv2.remap(image, columns, rows, cv2.INTER_LINEAR)
    return _Band(planes, scales, np.asarray(seen, np.uint8).reshape(len(quads), -1, len(offsets), 3))


def _planes(quads: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return for each quad (N x 4 x 2) the homography from a card's millimetres to it (N x 3 x 3).

    In closed form (Heckbert 1989, projective mappings of the unit square), for all of them at once.
    """
    p = quads.astype(np.float64)
    d1, d2 = p[:, 1] - p[:, 2], p[:, 3] - p[:, 2]
    skew = p[:, 0] - p[:, 1] + p[:, 2] - p[:, 3]
    area = _cross(d1, d2)
    area = np.where(np.abs(area) > 1e-9, area, 1e-9)
    g, h = (_cross(skew, d2) / area)[:, None], (_cross(d1, skew) / area)[:, None]
    planes = np.empty((len(p), 3, 3))
    planes[:, :2, 0] = (p[:, 1] - p[:, 0] + g * p[:, 1]) / CARD_WIDTH_MM
    planes[:, :2, 1] = (p[:, 3] - p[:, 0] + h * p[:, 3]) / CARD_HEIGHT_MM
    planes[:, :2, 2] = p[:, 0]
    planes[:, 2:, 0], planes[:, 2:, 1], planes[:, 2, 2] = g / CARD_WIDTH_MM, h / CARD_HEIGHT_MM, 1
    return planes


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _places(points: NDArray[_Real]) -> tuple[NDArray[_Real], NDArray[_Real]]:
    """Return x and y of homogeneous coordinates (3 x ...); 0 where there is no such place."""
    x, y, depth = points
    # A point at or beyond the horizon of a quad that is seen very much aslant is nowhere in the picture.
    ahead = depth > _HORIZON
    if ahead.all():
        return x / depth, y / depth
    depth = np.where(ahead, depth, 1)
    return np.where(ahead, x / depth, 0), np.where(ahead, y / depth, 0)


def _edge_strength(profiles: NDArray[np.uint8]) -> NDArray[np.floating]:
    """Return how strong an edge is seen at each offset of profiles (quads x points x offsets x 3).

    Central differences along each profile: bright inside, dark outside counts fully.
    """
    values = np.moveaxis(profiles, 3, 0).astype(np.float32)
    # Three colours one after the other: numpy is slow at summing up axes as short as that.
    blue, green, red = values[..., :-2] - values[..., 2:]
    strongest = np.maximum(np.maximum(np.abs(blue), np.abs(green)), np.abs(red))
    usual_way = blue + green + red > 0
    return np.asarray(strongest * np.where(usual_way, np.float32(1), np.float32(_WRONG_WAY)))


def _moved(
    quads: NDArray[np.float32], band: _Band, moves: NDArray[np.floating], most: float
) -> NDArray[np.float32]:
    """Return the quads with their sides moved outwards (N x 4 x 2: at start and end, flattened pixels).

    One of which a corner would move by more than `most` mm, or to nowhere, stays as it is.
    """
    by = moves.astype(np.float64) / band.scales[:, None, None]
    starts = _CORNERS + by[:, :, :1] * _OUTWARDS
    ends = _CORNERS + _SIDES + by[:, :, 1:] * _OUTWARDS
    corners, meet = _crossings(starts[:, _BEFORE], ends[:, _BEFORE], starts, ends)
    sound = meet.all(axis=1) & (np.linalg.norm(corners - _CORNERS, axis=2).max(axis=1) <= most)
    corners = np.where(sound[:, None, None], corners, _CORNERS)
    moved = corners @ band.planes[:, :, :2].swapaxes(1, 2) + band.planes[:, None, :, 2]
    x, y = _places(np.moveaxis(moved, 2, 0))
    refined = np.stack([x, y], axis=2).astype(np.float32)
    sound &= (moved[..., 2] > _HORIZON).all(axis=1)
    sound &= are_convex(refined)
    return np.where(sound[:, None, None], refined, quads)


def _offsets(strength: NDArray[np.floating], reach: int, priors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return each side's offsets (S x 2, pixels outwards) at its start and end; 0, 0 without evidence.

    `strength` is sides x points along the side x offsets -reach .. reach, `priors` each side's expected error
    in pixels. All lines between whole offsets at both ends are scored by how many points see an edge on them;
    the best is fitted to the exact peaks nearby.
    """
    noise = np.median(strength.reshape(len(strength), -1), axis=1) + np.float32(2)
    # From here on the sides lie side by side in memory: numpy is slow along axes as short as that of offsets.
    strength = np.ascontiguousarray(strength.transpose(2, 1, 0))
    votes = np.clip(strength / (4 * noise) - 0.25, 0, 1)
    # Of two edges that are both plain to see (a card's, a printed line's) the stronger one is preferred.
    votes *= np.sqrt(strength / np.maximum(strength.max(axis=0), 1e-6))
    places, where, far = _lines(reach)
    blurred = votes.copy()
    blurred[1:-1] = np.maximum(votes[1:-1], 0.5 * (votes[:-2] + votes[2:]))
    seen = blurred.reshape(-1, len(priors))[where].mean(axis=0).T
    best = (seen * np.exp(-far / (4 * priors[:, None] ** 2))).argmax(axis=1)
    return _fit(strength, votes, places[best], reach)


@cache
def _lines(reach: int) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float32]]:
    """Return every line that may be a side, within `reach` pixels and not too steep.

    As offsets (lines x points along the side), as places in flattened offsets x points (points x lines), and
    the sum of the squared offsets at the line's two ends.
    """
    ends = np.arange(-reach, reach + 1, max(1, reach // 8))
    first, last = (grid.ravel() for grid in np.meshgrid(ends, ends, indexing="ij"))
    mild = np.abs(first - last) <= reach
    first, last = first[mild], last[mild]
    places = first[:, None] * (1 - _SHARES) + last[:, None] * _SHARES
    columns = np.rint(places).astype(np.intp) + reach
    where = columns.T * len(_SHARES) + np.arange(len(_SHARES))[:, None]
    far = first.astype(np.float32) ** 2 + last.astype(np.float32) ** 2
    return places.astype(np.float32), where, far


def _fit(
    strength: NDArray[np.floating], votes: NDArray[np.floating], lines: NDArray[np.float64], reach: int
) -> NDArray[np.float64]:
    """Fit each side's line (S x points) to the edge peaks in a narrow band around it, and again, narrower.

    `strength` and `votes` are offsets x points x S. Returns the lines' offsets at both ends (S x 2), zeros
    where too few points see an edge.
    """
    half = max(1.5, reach / 6)
    offsets = np.arange(-reach, reach + 1)[:, None, None]
    believed, squares = np.ones(len(lines), bool), strength**2
    for _ in range(_FITS):
        near = np.clip(half + 0.5 - np.abs(offsets - lines.T), 0, 1)
        weight = squares * near
        sees = (votes * near).max(axis=0).T > 0.25
        believed &= sees.mean(axis=1) >= _LEAST_SUPPORT
        peaks = ((offsets * weight).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-12)).T
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


def _crossings(
    p: NDArray[np.float64], p2: NDArray[np.float64], q: NDArray[np.float64], q2: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return where the lines through p and p2 meet the lines through q and q2, and whether they do."""
    d, e = p2 - p, q2 - q
    across = _cross(d, e)
    meet = np.abs(across) >= 1e-9
    share = _cross(q - p, e) / np.where(meet, across, 1.0)
    return p + share[..., None] * d, meet
