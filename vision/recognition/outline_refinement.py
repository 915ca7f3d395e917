"""Corner refinement: moving a rough outline of a card onto the edges in the image, to a fraction of a pixel.

Each side is searched as a straight line in a band around its expected place, and the four lines are
intersected. A side without evidence stays where it was. It may be covered, outside the image, or white on
white.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import CARD_CORNERS_MM, CARD_HEIGHT_MM, CARD_WIDTH_MM, are_convex, edge_vectors
from vision.types import Image, Quad


class _Pass(NamedTuple):
    """How one pass searches for the sides. Millimetres are those of a card that lies in the present quad."""

    band: float
    """Half the width of the band that is searched for an edge, in mm."""
    prior: float
    """Standard deviation of the expected error, in mm. It decides how far nearer edges are preferred."""
    finest: float
    """Finest sampling, in pixels per mm. A finer one would only take more time."""


_PASSES = (_Pass(9.0, 4.5, 1.0), _Pass(3.0, 2.0, 3.0))
"""First a coarse pass for large errors of the network, then a fine one."""
_BRIGHTER_OUTSIDE_WEIGHT = 0.35
"""Weight of an edge that is brighter outside, because the rim of a card is mostly brighter than its
surroundings."""
_SAMPLE_POSITIONS = np.linspace(0.1, 0.9, 32)
"""Sample points along a side, as shares of its length. The rounded corners are left out."""
_MIN_SUPPORT = 0.45
"""Share of the sample points that must lie on an edge for a line to count."""
_FITS = 3
"""How often a line is fitted to the edges around it."""
_SUPPORT_REACH_PX = 4
"""Distance in pixels on both sides of an edge that `edge_support` looks at."""
_BATCH_SIZE = 200
"""Quads that are sampled together. OpenCV's `remap` takes at most about 32,000 rows."""
_MIN_DEPTH = 1e-6
"""Least depth of a point before the camera, relative to that of the card's first corner."""
_Real = TypeVar("_Real", np.float32, np.float64)
_NEXT, _PREVIOUS = np.array([1, 2, 3, 0]), np.array([3, 0, 1, 2])
_CORNERS = CARD_CORNERS_MM.astype(np.float64)
_SIDES = edge_vectors(_CORNERS)
"""Edge vectors of a card: 4 x 2 mm, each from a corner to the next one."""
_SAMPLES_MM = _CORNERS[:, None] + _SAMPLE_POSITIONS[:, None] * _SIDES[:, None]
"""Sample points along the sides: 4 x points x 2 mm."""
_OUTWARDS = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]], np.float64)
"""Direction away from the card at each side (4 x 2)."""


class _Band(NamedTuple):
    """Samples across the sides of N quads."""

    planes: NDArray[np.float64]
    """Homographies (N x 3 x 3) from a card's millimetres to the image."""
    scales: NDArray[np.float64]
    """Samples per mm (N)."""
    profiles: NDArray[np.uint8]
    """Colours: N x points of all sides x offsets from inside to outside x 3."""


def refine_quad(image: Image, quad: Quad) -> Quad:
    """Return a quad (4 x 2 px, clockwise, a short edge first) with its sides moved onto visible edges."""
    return refine_quads(image, [quad])[0]


def refine_quads(image: Image, quads: Sequence[Quad]) -> list[Quad]:
    """Return quads with their sides moved onto visible edges, as `refine_quad` does for one.

    They are processed together, because for a single quad the calls of numpy take longer than their work.
    """
    if not len(quads):
        return []
    refined = np.array(quads, np.float32)
    for look in _PASSES:
        _refine_once(image, refined, look)
    return list(refined)


def edge_support(image: Image, quads: Sequence[Quad]) -> NDArray[np.float64]:
    """Return for each quad how clearly its sides lie on edges of the image, 0..1 (N)."""
    cards = np.array(quads, np.float32)
    _, scales = _sizes(cards, _PASSES[-1].finest)
    profiles = _sample_across(image, cards, scales.astype(np.float64), _SUPPORT_REACH_PX).profiles
    strength = _edge_strength(profiles).reshape(len(cards), -1, 2 * _SUPPORT_REACH_PX + 1)
    noise = np.median(strength.reshape(len(cards), -1), axis=1)[:, None] + 2
    on_side = strength[..., _SUPPORT_REACH_PX - 1 : _SUPPORT_REACH_PX + 2].max(axis=2)
    return np.asarray(np.clip(on_side / (4 * noise) - 0.25, 0, 1).mean(axis=1), np.float64)


def _refine_once(image: Image, quads: NDArray[np.float32], look: _Pass) -> None:
    """Move the sides of `quads` (N x 4 x 2) in place."""
    width_and_height, scales = _sizes(quads, look.finest)
    seen = _meets_picture(image, quads, 0.2 * width_and_height)
    # Half widths of the bands in pixels; quads with the same one are processed together.
    reaches = np.maximum(2, np.rint(look.band * scales)).astype(int)
    for reach in np.unique(reaches[seen]):
        chosen = np.flatnonzero(seen & (reaches == reach))
        for start in range(0, len(chosen), _BATCH_SIZE):
            part = chosen[start : start + _BATCH_SIZE]
            band = _sample_across(image, quads[part], scales[part].astype(np.float64), int(reach))
            strength = _edge_strength(band.profiles)
            priors = np.repeat(look.prior * band.scales, 4).astype(np.float32)
            moves = _best_offsets(
                strength.reshape(len(priors), len(_SAMPLE_POSITIONS), -1), int(reach), priors
            )
            quads[part] = _with_moved_sides(quads[part], band, moves.reshape(-1, 4, 2), 1.5 * look.band)


def _sizes(quads: NDArray[np.float32], finest: float) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return the sum of each quad's width and height in pixels, and its sampling in pixels per mm."""
    sides = np.linalg.norm(quads[:, _NEXT] - quads, axis=2)
    width, height = sides[:, 0::2].mean(axis=1), sides[:, 1::2].mean(axis=1)
    scales = np.clip(np.minimum(width / CARD_WIDTH_MM, height / CARD_HEIGHT_MM), 0.15, finest)
    return width + height, scales


def _meets_picture(image: Image, quads: NDArray[np.float32], room: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Return for each quad (N x 4 x 2) whether more than a sliver of it, with a margin, is in the image."""
    low = np.maximum(quads.min(axis=1) - room[:, None], 0)
    high = np.minimum(quads.max(axis=1) + room[:, None] + 1, image.shape[1::-1])
    return np.asarray((high > low + 2).all(axis=1))


def _sample_across(
    image: Image, quads: NDArray[np.float32], scales: NDArray[np.float64], reach: int
) -> _Band:
    """Return the colours along lines across every side of the quads (N x 4 x 2).

    `scales` are samples per mm (N), and `reach` is the half width of the band in samples.
    """
    offsets = np.arange(-reach - 1, reach + 2, dtype=np.float32)
    planes = _card_homographies(quads)
    # Homogeneous coordinates (3 x N x sides x points x offsets) are linear along such a line.
    points = _SAMPLES_MM @ planes[:, None, :, :2].swapaxes(2, 3) + planes[:, None, None, :, 2]
    step = (_OUTWARDS @ planes[:, :, :2].swapaxes(1, 2)) / scales[:, None, None]
    base, by = np.moveaxis(points, 3, 0).astype(np.float32), np.moveaxis(step, 2, 0).astype(np.float32)
    x, y = _dehomogenise(base[..., None] + by[..., None, None] * offsets)
    shape = (len(quads) * 4 * len(_SAMPLE_POSITIONS), len(offsets))
    # Outside the image, its border pixels repeat.
    columns = np.clip(x, 0, image.shape[1] - 1).reshape(shape)
    rows = np.clip(y, 0, image.shape[0] - 1).reshape(shape)
    seen = cv2.remap(image, columns, rows, cv2.INTER_LINEAR)
    return _Band(planes, scales, np.asarray(seen, np.uint8).reshape(len(quads), -1, len(offsets), 3))


def _card_homographies(quads: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the homographies (N x 3 x 3) from a card's millimetres to each quad (N x 4 x 2).

    It uses the closed form for projective mappings of the unit square (Heckbert 1989).
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
    """Return the cross products of 2D vectors."""
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _dehomogenise(points: NDArray[_Real]) -> tuple[NDArray[_Real], NDArray[_Real]]:
    """Return x and y of homogeneous coordinates (3 x ...); 0 for points that are not before the camera."""
    x, y, depth = points
    # A point beyond the horizon of a steeply slanted quad has no place in the image.
    ahead = depth > _MIN_DEPTH
    if ahead.all():
        return x / depth, y / depth
    depth = np.where(ahead, depth, 1)
    return np.where(ahead, x / depth, 0), np.where(ahead, y / depth, 0)


def _edge_strength(profiles: NDArray[np.uint8]) -> NDArray[np.floating]:
    """Return the edge strength at each offset of profiles (quads x points x offsets x 3).

    It uses central differences. Edges that are brighter inside count fully.
    """
    values = np.moveaxis(profiles, 3, 0).astype(np.float32)
    # One channel after the other, because numpy is slow along axes of length 3.
    blue, green, red = values[..., :-2] - values[..., 2:]
    strongest = np.maximum(np.maximum(np.abs(blue), np.abs(green)), np.abs(red))
    usual_way = blue + green + red > 0
    return np.asarray(strongest * np.where(usual_way, np.float32(1), np.float32(_BRIGHTER_OUTSIDE_WEIGHT)))


def _with_moved_sides(
    quads: NDArray[np.float32], band: _Band, moves: NDArray[np.floating], most: float
) -> NDArray[np.float32]:
    """Return the quads with their sides moved outwards.

    A quad stays as it is if one of its corners would move by more than `most` mm, or out of view.

    Args:
        quads: N x 4 x 2 px.
        band: The samples, with homographies and scales.
        moves: N x 4 x 2 samples: at the start and at the end of each side.
        most: Largest move of a corner, mm.
    """
    by = moves.astype(np.float64) / band.scales[:, None, None]
    starts = _CORNERS + by[:, :, :1] * _OUTWARDS
    ends = _CORNERS + _SIDES + by[:, :, 1:] * _OUTWARDS
    corners, meet = _intersections(starts[:, _PREVIOUS], ends[:, _PREVIOUS], starts, ends)
    sound = meet.all(axis=1) & (np.linalg.norm(corners - _CORNERS, axis=2).max(axis=1) <= most)
    corners = np.where(sound[:, None, None], corners, _CORNERS)
    moved = corners @ band.planes[:, :, :2].swapaxes(1, 2) + band.planes[:, None, :, 2]
    x, y = _dehomogenise(np.moveaxis(moved, 2, 0))
    refined = np.stack([x, y], axis=2).astype(np.float32)
    sound &= (moved[..., 2] > _MIN_DEPTH).all(axis=1)
    sound &= are_convex(refined)
    return np.where(sound[:, None, None], refined, quads)


def _best_offsets(
    strength: NDArray[np.floating], reach: int, priors: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return each side's offsets at its start and end (S x 2 samples outwards); 0, 0 without evidence.

    All lines between whole offsets at both ends are scored by the number of points on an edge. The best line
    is then fitted to the exact peaks near it.

    Args:
        strength: Sides x points along the side x offsets from -reach to reach.
        reach: Half width of the band, samples.
        priors: Expected error of each side, samples.
    """
    noise = np.median(strength.reshape(len(strength), -1), axis=1) + np.float32(2)
    # From here on, the sides are adjacent in memory, because numpy is slow along the short axis of offsets.
    strength = np.ascontiguousarray(strength.transpose(2, 1, 0))
    votes = np.clip(strength / (4 * noise) - 0.25, 0, 1)
    # If two edges are clear, such as a card's and a printed line's, the stronger one is preferred.
    votes *= np.sqrt(strength / np.maximum(strength.max(axis=0), 1e-6))
    places, where, far = _candidate_lines(reach)
    blurred = votes.copy()
    blurred[1:-1] = np.maximum(votes[1:-1], 0.5 * (votes[:-2] + votes[2:]))
    seen = blurred.reshape(-1, len(priors))[where].mean(axis=0).T
    best = (seen * np.exp(-far / (4 * priors[:, None] ** 2))).argmax(axis=1)
    return _fit_lines(strength, votes, places[best], reach)


@cache
def _candidate_lines(reach: int) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.float32]]:
    """Return all lines that may be a side: within `reach` samples, and not too steep.

    The first array holds their offsets (lines x points along the side). The second holds the same as places
    in flattened offsets x points (points x lines). The third is the sum of the squared offsets at both ends.
    """
    ends = np.arange(-reach, reach + 1, max(1, reach // 8))
    first, last = (grid.ravel() for grid in np.meshgrid(ends, ends, indexing="ij"))
    mild = np.abs(first - last) <= reach
    first, last = first[mild], last[mild]
    places = first[:, None] * (1 - _SAMPLE_POSITIONS) + last[:, None] * _SAMPLE_POSITIONS
    columns = np.rint(places).astype(np.intp) + reach
    where = columns.T * len(_SAMPLE_POSITIONS) + np.arange(len(_SAMPLE_POSITIONS))[:, None]
    far = first.astype(np.float32) ** 2 + last.astype(np.float32) ** 2
    return places.astype(np.float32), where, far


def _fit_lines(
    strength: NDArray[np.floating], votes: NDArray[np.floating], lines: NDArray[np.float64], reach: int
) -> NDArray[np.float64]:
    """Return lines fitted repeatedly to the edge peaks in a narrow band around them.

    The result is the lines' offsets at both ends (S x 2), or zeros if too few points lie on an edge.

    Args:
        strength: Offsets x points x S.
        votes: Offsets x points x S, 0..1.
        lines: S x points, offsets to start from.
        reach: Half width of the band, samples.
    """
    half = max(1.5, reach / 6)
    offsets = np.arange(-reach, reach + 1)[:, None, None]
    believed, squares = np.ones(len(lines), bool), strength**2
    for _ in range(_FITS):
        near = np.clip(half + 0.5 - np.abs(offsets - lines.T), 0, 1)
        weight = squares * near
        sees = (votes * near).max(axis=0).T > 0.25
        believed &= sees.mean(axis=1) >= _MIN_SUPPORT
        peaks = ((offsets * weight).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-12)).T
        slope, intercept = _robust_lines(peaks, sees)
        lines = slope[:, None] * _SAMPLE_POSITIONS + intercept[:, None]
    return np.where(believed[:, None], np.stack([intercept, intercept + slope], axis=1), 0.0)


def _robust_lines(y: NDArray[np.float64], seen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], ...]:
    """Return slopes and intercepts (S) of least-squares lines over _SAMPLE_POSITIONS, without outliers.

    Only those points of `y` (S x points) count that are `seen`.
    """
    slope, intercept = _least_squares(y, seen)
    error = np.where(seen, np.abs(y - (slope[:, None] * _SAMPLE_POSITIONS + intercept[:, None])), np.inf)
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
    """Return slopes and intercepts (S) of least-squares lines through the points that count."""
    number = np.maximum(counts.sum(axis=1), 1)
    mean_x, mean_y = (counts * _SAMPLE_POSITIONS).sum(axis=1) / number, (counts * y).sum(axis=1) / number
    apart = counts * (_SAMPLE_POSITIONS - mean_x[:, None])
    slope = (apart * (y - mean_y[:, None])).sum(axis=1) / np.maximum((apart**2).sum(axis=1), 1e-12)
    return slope, mean_y - slope * mean_x


def _intersections(
    p: NDArray[np.float64], p2: NDArray[np.float64], q: NDArray[np.float64], q2: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return where the lines through p and p2 meet the lines through q and q2, and whether they do."""
    d, e = p2 - p, q2 - q
    across = _cross(d, e)
    meet = np.abs(across) >= 1e-9
    share = _cross(q - p, e) / np.where(meet, across, 1.0)
    return p + share[..., None] * d, meet
