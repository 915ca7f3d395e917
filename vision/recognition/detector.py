"""Detecting cards: a network proposes quads, and the edges in the image make their corners exact.

For each cell of three grids, the network (models/outlines) answers how surely a card lies there face up or
face down. It also gives the card's quad as eight numbers that do not change under half a turn, see
`decode_quads`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from engine.files.json_text import parse_json
from vision.geometry import (
    corner_distance,
    intersection_area,
    is_convex,
    polygon_area,
    polygon_areas,
    start_at_top_edge,
)
from vision.images import resize
from vision.recognition.outline_refinement import refine_quads
from vision.recognition.printed_outlines import is_printed_outline
from vision.recognition.runtime import Network, load_fastest_network
from vision.types import Face, Image, Quad
from vision.weights import MODELS

_FOLDER = MODELS / "outlines"
_ANY_SIZE_WEIGHTS, _ONE_SIZE_WEIGHTS = _FOLDER / "outlines.onnx", _FOLDER / "phone" / "outlines.onnx"
WEIGHTS = (
    _ONE_SIZE_WEIGHTS if _ONE_SIZE_WEIGHTS.exists() and not _ANY_SIZE_WEIGHTS.exists() else _ANY_SIZE_WEIGHTS
)
"""Package data of `models`. A package for a phone holds a network for inputs of a single size instead
(models/outlines/one_size.py). `outlines.json` beside it holds the input size and the calibration."""
_SAME_CARD_DISTANCE = 0.11
"""Two quads are one card if their mean corner distance is less than this share of the card's side."""
_LIKELY_SAME_DISTANCE = 0.30
"""Up to this distance, the weaker quad counts as another card only if its score is high enough."""
_RIVAL_SCORE_RATIO = 0.45
"""Least ratio of its score to that of the stronger quad."""
_MAX_SIZE_RATIO = 1.25
"""Cards that overlap differ in size (square root of the area) by less than this factor."""
_MAX_MEDIAN_SIZE_RATIO = 3.0
"""Cards of one image differ from their median size by less than this factor."""
_SURE_BACK_P = 0.9
"""A face-down card with less confidence is in doubt. It may be a printed line or the side of a stack."""
_LIKELY_P = 0.5
"""From this confidence on, a candidate is more likely a card than not."""
_SMALL_CARD_PX = 40.0
"""If the median card is shorter than this in the network's input, in pixels, a closer look follows."""
_TARGET_CARD_PX = 80.0
"""Height in the network's input, in pixels, to which cards of known height are scaled. At 56 px, fewer are
found, above all face-down ones. A larger height costs time and finds no more."""
_LARGE_CARD_PX = 170.0
"""Height of the median card in the network's input, in pixels, above which the image is searched again at a
smaller scale. This is also done if no card is found."""
_DISTANT_LOOK_SCALE = 0.5
"""The scale of that second search."""
_FILLING_LOOK_SCALE, _FILLING_SHARE = 0.35, 0.25
"""The scale of a look for a card that fills the image, and the least share of the image that such a card
covers."""
_TILE_SHARE, _FINE_TILE_SHARE = 0.6, 0.3
"""Side of a tile in a closer look, as a share of the image's side, and in the closest look."""
_LARGE_IMAGE_PX, _PHOTO_PX = 3000, 5000
"""Longer side of an image in pixels. From the first value on, an image is tiled even if no card was found,
and again if cards are still tiny. From the second value on, which no camera films, it is tiled again even if
there is none."""
_TINY_CARD_PX = 26.0
"""Cards shorter than this in the network's input, in pixels, are outlined badly or not at all."""
_PADDING_LEVEL = 114
"""Grey level of the padding, as in training."""
_SIDE_MULTIPLE = 32
"""The sides of the network's input are multiples of this, in pixels."""
_MAX_INPUT_SIDE = 1 << 13
"""Largest believable input size in `outlines.json`, in pixels."""
_OUTPUT_COLUMNS = 10
"""Numbers per cell: two scores, and the eight of a code."""
_MAX_CANDIDATES = 600
"""Candidates that are merged, per look."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A card detected in an image."""

    quad: Quad
    """4 x 2 px, clockwise, starting with the short edge nearer to the top of the image."""
    face: Face
    """The side that lies up."""
    confidence: float
    """Probability, 0..1, that a card with this side up lies here."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The network's raw proposals: arrays over N candidates, in pixels of the whole image."""

    scores: NDArray[np.float32]
    """N x 2, 0..1: face up, face down."""
    codes: NDArray[np.float32]
    """N x 8, see `decode_quads`."""


def decode_quads(codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the quads (N x 4 x 2 px, clockwise, a short edge first) of codes (N x 8).

    A code holds the centre c, two half-axes and the skew w. The half-axes are u (towards a short edge) and v
    (towards a long one). They are doubled-angle vectors |u|(cos 2t, sin 2t), which are the same for u and -u.
    The corners are `c + u - v + w`, `c + u + v - w`, `c - u + v + w` and `c - u - v - w`, with v turned so
    that they run clockwise.
    """
    centre, skew = codes[:, 0:2], codes[:, 6:8]
    u, v = _halve_angle(codes[:, 2:4]), _halve_angle(codes[:, 4:6])
    v = np.where((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0)[:, None], -v, v)
    corners = [centre + u - v + skew, centre + u + v - skew, centre - u + v + skew, centre - u - v - skew]
    return np.stack(corners, axis=1).astype(np.float32)


def _halve_angle(doubled: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors (N x 2) from doubled-angle vectors; each may point either way."""
    length = np.hypot(doubled[:, 0], doubled[:, 1])
    angle = np.arctan2(doubled[:, 1], doubled[:, 0]) / 2
    return np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1).astype(np.float32)


def _sizes(codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the geometric mean of each card's two sides, in pixels (N)."""
    u, v = np.hypot(codes[:, 2], codes[:, 3]), np.hypot(codes[:, 4], codes[:, 5])
    return np.asarray(2 * np.sqrt(np.maximum(u * v, 1e-6)), np.float32)


def _median_height(found: Candidates) -> float:
    """Return the median height of the cards in pixels of the image; 0 if there are none."""
    heights = 2 * np.hypot(found.codes[:, 2], found.codes[:, 3])
    return float(np.median(heights)) if len(heights) else 0.0


def can_be_another_card(quad: Quad, surer: Sequence[Quad], same: float = _SAME_CARD_DISTANCE) -> bool:
    """Return whether a quad may be one more card beside cards that are surer.

    It is no other card if its corners nearly coincide with those of a surer one: two proposals were refined
    onto one card. All cards have the same size. So quads that overlap must be about equally large, and
    perspective limits the range of sizes in an image.

    Args:
        quad: 4 x 2 px.
        surer: The surer cards, 4 x 2 px each; at least one.
        same: Corner distance of the same card, as a share of its side.
    """
    others = np.array(surer)
    size = float(np.sqrt(max(polygon_area(quad), 1e-6)))
    if corner_distance(others, quad).min() < same * size:
        return False
    sizes = np.sqrt(np.maximum(polygon_areas(others), 1e-6))
    if not 1 / _MAX_MEDIAN_SIZE_RATIO < size / np.median(sizes) < _MAX_MEDIAN_SIZE_RATIO:
        return False
    unlike = np.flatnonzero((sizes > _MAX_SIZE_RATIO * size) | (size > _MAX_SIZE_RATIO * sizes))
    return all(intersection_area(quad, others[i]) < 0.5 * min(size, sizes[i]) ** 2 for i in unlike)


def _quads_and_scores(found: Candidates) -> Iterator[tuple[Quad, NDArray[np.float32]]]:
    return zip(decode_quads(found.codes), found.scores, strict=True)


def _joined(*looks: Candidates) -> Candidates:
    return Candidates(
        np.concatenate([look.scores for look in looks]), np.concatenate([look.codes for look in looks])
    )


def merge_candidates(found: Candidates) -> tuple[Candidates, NDArray[np.intp]]:
    """Return one candidate per card, surest first, and the number of candidates merged into each.

    Ordinary non-maximum suppression by overlap would delete most cards of a fan or a pile. Here, candidates
    are one card if their corners nearly coincide. Their codes are averaged, weighted by the square of the
    score.
    """
    best = found.scores.max(axis=1)
    order = np.argsort(-best, kind="stable")[:_MAX_CANDIDATES]
    quads, sizes = decode_quads(found.codes), _sizes(found.codes)
    either_way = np.stack([quads, np.roll(quads, 2, axis=1)], axis=1)
    alive = np.zeros(len(best), bool)
    alive[order] = True
    kept_scores, kept_codes, support = [], [], []
    for index in order:
        if not alive[index]:
            continue
        left = np.flatnonzero(alive)
        apart = np.linalg.norm(either_way[left] - quads[index], axis=3).mean(axis=2)
        distance = apart.min(axis=1) / sizes[index]
        same = left[distance < _SAME_CARD_DISTANCE]
        weight = best[same] ** 2
        kept_codes.append((found.codes[same] * weight[:, None]).sum(axis=0) / weight.sum())
        kept_scores.append(found.scores[index])
        support.append(len(same))
        alive[same] = False
        alive[left[(distance < _LIKELY_SAME_DISTANCE) & (best[left] < _RIVAL_SCORE_RATIO * best[index])]] = (
            False
        )
    scores = np.array(kept_scores, np.float32).reshape(-1, 2)
    codes = np.array(kept_codes, np.float32).reshape(-1, 8)
    return Candidates(scores, codes), np.array(support, np.intp)


def _down_weighted(found: Candidates) -> Candidates:
    """Return the candidates of a more distant look with lower scores, so that a closer look counts more."""
    return Candidates(found.scores * np.float32(0.9), found.codes)


def _padded(side: float) -> int:
    """Return the next valid side of the network's input, in pixels."""
    return max(1, -(-round(side) // _SIDE_MULTIPLE)) * _SIDE_MULTIPLE


class DetectorSettings(NamedTuple):
    """The contents of `outlines.json` about the network beside it."""

    input_size: int
    """The longer side of the input, in pixels."""
    calibration: NDArray[np.float64]
    """Rows (score, probability), increasing."""
    one_size: tuple[int, int] | None
    """Width and height of the only possible input; None if any multiple of 32 is possible."""


def load_settings(path: Path) -> DetectorSettings:
    """Return the settings of a network.

    Raises:
        BadInputError: The file is missing or broken.
    """
    try:
        facts = parse_json(path.read_bytes())
        size, calibration = int(facts["input_size"]), np.array(facts["confidence_of_score"], np.float64)
        one_size = tuple(int(side) for side in facts.get("one_size", (size, size)))
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise BadInputError("{path}: does not describe an outline network", path=path) from error
    sound = calibration.ndim == 2 and calibration.shape[1] == 2 and np.isfinite(calibration).all()
    sound = sound and (np.diff(calibration, axis=0) >= 0).all() and size <= _MAX_INPUT_SIDE
    sides = len(one_size) == 2 and max(one_size) == size
    if (
        any(side < _SIDE_MULTIPLE or side % _SIDE_MULTIPLE for side in (size, *one_size))
        or not sound
        or not sides
    ):
        raise BadInputError("{path}: does not describe an outline network", path=path)
    return DetectorSettings(size, calibration, (one_size[0], one_size[1]) if "one_size" in facts else None)


class CardDetector:
    """Detects cards in images of any size."""

    def __init__(
        self,
        weights: Path | None = None,
        *,
        network: Network | None = None,
        min_confidence: float = 0.5,
        refine_corners: bool = True,
        use_tiles: bool = True,
    ) -> None:
        """Load the network.

        Args:
            weights: The network's file; None: the one that ships.
            network: A network that is already loaded.
            min_confidence: Least confidence of a detection.
            refine_corners: Whether to move corners onto the edges in the full-resolution image.
            use_tiles: Whether to search images of small cards again in larger tiles.

        Raises:
            BadInputError: Weights or settings are missing or broken.
        """
        path = weights or WEIGHTS
        self._size, self._calibration, self._one_size = load_settings(path.with_suffix(".json"))
        self._network = network or load_fastest_network(path)
        self._min_confidence, self._refine_corners, self._use_tiles = (
            min_confidence,
            refine_corners,
            use_tiles,
        )
        scores, confidences = self._calibration.T
        self._least_score, self._likely_score = np.interp([min_confidence, _LIKELY_P], confidences, scores)

    def detect(self, image: Image, card_height: float | None = None) -> list[Detection]:
        """Return the cards in an image, surest first.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            card_height: Height of the cards in pixels, if known. One look at the right scale then suffices.
        """
        height, width = image.shape[:2]
        if height < 2 or width < 2:
            return []
        scale = self._full_scale(width, height)
        known = card_height if self._one_size is None else None  # a network of one size cannot use it
        if known and known * scale >= _SMALL_CARD_PX:
            share = min(_TARGET_CARD_PX / (known * scale), 1 / _TILE_SHARE)
            found, _ = merge_candidates(self._look(image, share, tight=True))
            return self._refined(image, found)
        first = self._look(image)
        found, _ = merge_candidates(first)
        seen = self._height_seen(image, found)
        if not seen or seen > _LARGE_CARD_PX:
            found, _ = merge_candidates(_joined(first, self._look(image, _DISTANT_LOOK_SCALE)))
            seen = self._height_seen(image, found)
        if self._use_tiles and seen < _SMALL_CARD_PX and 1.5 * scale <= 1:
            found = self._closer_looks(image, found, known)
        return self._refined(image, found)

    def detect_filling(self, image: Image) -> list[Detection]:
        """Return the face-up cards that cover a large part of an image, surest first.

        `detect` may overlook such a card and take the pips on it for cards.
        """
        if min(image.shape[:2]) < 2:
            return []
        found, _ = merge_candidates(self._look(image, _FILLING_LOOK_SCALE, tight=True))
        least = _FILLING_SHARE * image.shape[0] * image.shape[1]
        return [
            detection
            for detection in self._refined(image, found)
            if detection.face == "up" and abs(polygon_area(detection.quad)) >= least
        ]

    def _closer_looks(self, image: Image, found: Candidates, known: float | None) -> Candidates:
        """Return the candidates with those of a closer look, if cards are small or the image is large."""
        longest = max(image.shape[:2])
        if not self._height_seen(image, found) and (known is not None or longest < _LARGE_IMAGE_PX):
            return found
        if known is not None:
            return self._look_larger(image, found)
        found = self._look_closer(image, found)
        seen = self._height_seen(image, found) / _TILE_SHARE
        if longest >= (_LARGE_IMAGE_PX if seen else _PHOTO_PX) and seen < _TINY_CARD_PX:
            found = self._look_closer(image, found, _FINE_TILE_SHARE)
        return found

    def _height_seen(self, image: Image, found: Candidates) -> float:
        """Return the median height of the cards in pixels of the network's input; 0 if none was found.

        In a large image, cards may at first be too small to be found. Something that looks a little like a
        large card may be found instead. So only likely cards count as large there.
        """
        scale = self._full_scale(image.shape[1], image.shape[0])
        height = _median_height(found) * scale
        if max(image.shape[:2]) < _LARGE_IMAGE_PX:
            return height
        likely = found.scores.max(axis=1, initial=0) >= self._likely_score
        if likely.any():
            return _median_height(Candidates(found.scores[likely], found.codes[likely])) * scale
        return height if height < _SMALL_CARD_PX else 0.0

    def _refined(self, image: Image, found: Candidates) -> list[Detection]:
        """Return the refined candidates without those that cannot be cards or that repeat a surer one."""
        convex = [(quad, scores) for quad, scores in _quads_and_scores(found) if is_convex(quad)]
        rough = [quad for quad, _ in convex]
        refined = refine_quads(image, rough) if self._refine_corners else rough
        detections: list[Detection] = []
        for quad, (_, scores) in zip(refined, convex, strict=True):
            exact = start_at_top_edge(quad)
            face: Face = "up" if scores[0] >= scores[1] else "down"
            confidence = self._confidence(float(scores.max()))
            # Nothing can be read on a back that would confirm it, so a doubtful one must pass more checks.
            doubtful = face == "down" and confidence < _SURE_BACK_P
            surer = [detection.quad for detection in detections]
            if surer and not can_be_another_card(
                exact, surer, _LIKELY_SAME_DISTANCE if doubtful else _SAME_CARD_DISTANCE
            ):
                continue
            if doubtful and is_printed_outline(image, exact):
                continue
            detections.append(Detection(exact, face, confidence))
        return detections

    def _confidence(self, score: float) -> float:
        return float(np.interp(score, self._calibration[:, 0], self._calibration[:, 1]))

    def _full_scale(self, width: int, height: int) -> float:
        """Return the scale at which an image fills the network's input."""
        across, down = self._one_size or (self._size, self._size)
        return min(across / width, down / height)

    def _look(self, image: Image, shrink: float = 1.0, *, tight: bool = False) -> Candidates:
        """Run the network once over an image.

        Args:
            image: The image or a tile.
            shrink: Scale relative to filling the input. Above 1, it needs a larger input, which a network of
                one size does not have.
            tight: Whether to cut off the unused part of the input if `shrink` is below 1.

        Raises:
            BadInputError: The output has the wrong shape.
        """
        height, width = image.shape[:2]
        full = self._full_scale(width, height)
        scale = shrink * full
        room = scale if tight else max(scale, full)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        mode = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
        # The input is only as large as the image needs, because padding costs time too.
        across, down = self._one_size or (_padded(width * room), _padded(height * room))
        canvas = np.full((down, across, 3), _PADDING_LEVEL, np.uint8)
        canvas[: size[1], : size[0]] = resize(image, size, mode)
        inputs = np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1)[None], np.float32)
        inputs /= np.float32(255)
        output = np.asarray(self._network.run(inputs), np.float32)
        if output.ndim != 3 or output.shape[2] != _OUTPUT_COLUMNS:
            raise BadInputError(
                "the outline network's output has shape {shape}: weights of another version",
                shape=output.shape,
            )
        output = output.reshape(-1, _OUTPUT_COLUMNS)
        output = output[output[:, :2].max(axis=1) >= self._least_score]
        # Lengths scale equally in x and y, except for rounding of the size. Pixel centres lie at whole
        # numbers in both images.
        factor = width / size[0] if width >= height else height / size[1]
        codes = output[:, 2:] * np.float32(factor)
        codes[:, :2] += np.float32((factor - 1) / 2)
        return Candidates(output[:, :2], codes)

    def _look_larger(self, image: Image, found: Candidates) -> Candidates:
        """Return the candidates merged with those of one more look at the scale of a closer look."""
        return merge_candidates(_joined(_down_weighted(found), self._look(image, 1 / _TILE_SHARE)))[0]

    def _look_closer(self, image: Image, found: Candidates, share: float = _TILE_SHARE) -> Candidates:
        """Return the candidates merged with those in overlapping tiles, without cards cut by a tile's border.

        This takes twice as long as one look at everything, and finds a little more.
        """
        height, width = image.shape[:2]
        looks = [_down_weighted(found)]
        count = 1 + math.ceil((1 - share) / (0.8 * share))
        starts = [(1 - share) * k / (count - 1) for k in range(count)]
        for left in (int(width * start) for start in starts):
            for top in (int(height * start) for start in starts):
                right = min(width, left + int(width * share) + 1)
                bottom = min(height, top + int(height * share) + 1)
                seen = self._look(image[top:bottom, left:right])
                codes = seen.codes + np.array([left, top, 0, 0, 0, 0, 0, 0], np.float32)
                quads = decode_quads(codes)
                low, high = quads.min(axis=1), quads.max(axis=1)
                whole = ((low[:, 0] > left) | (left == 0)) & ((low[:, 1] > top) | (top == 0))
                whole &= (high[:, 0] < right) | (right >= width)
                whole &= (high[:, 1] < bottom) | (bottom >= height)
                looks.append(Candidates(seen.scores[whole], codes[whole]))
        return merge_candidates(_joined(*looks))[0]
