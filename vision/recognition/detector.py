"""Finds the cards in a picture: a network proposes quads, the picture's own edges make them exact.

The network (models/outlines) answers once per cell of three grids: how surely the card seen there lies face
up or face down, and that card's quad as eight numbers that half a turn does not change (see `decode_quads`).
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
    is_convex,
    polygon_area,
    polygon_areas,
    polygon_overlap,
    start_at_top,
)
from vision.images import resized
from vision.recognition.outline_refinement import refine_quads
from vision.recognition.printed_outlines import is_printed_outline
from vision.recognition.runtime import Network, load_quickest
from vision.types import Face, Image, Quad
from vision.weights import MODELS

_FOLDER = MODELS / "outlines"
_FREE, _ONE_SIZE = _FOLDER / "outlines.onnx", _FOLDER / "phone" / "outlines.onnx"
WEIGHTS = _ONE_SIZE if _ONE_SIZE.exists() and not _FREE.exists() else _FREE
"""Package data of `models`; a package for a phone holds the network written for pictures of one size instead
(models/outlines/one_size.py). `outlines.json` beside it holds the input size and the scores' calibration."""
_SAME_CARD = 0.11
"""Two quads whose corners lie closer than this share of the card's side are one card."""
_LIKELY_SAME = 0.30
"""Up to this distance the weaker quad must be at least `_RIVAL` times as sure to count as another card."""
_RIVAL = 0.45
_UNLIKE = 1.25
"""Cards that lie on one another differ in side length (square root of area) by less than this factor."""
_MOST_UNLIKE = 3.0
"""Cards of one picture differ from their median by less than this."""
_SURELY_DOWN = 0.9
"""Below this confidence a face-down card is doubted: it may be a printed line or the side of a stack."""
_LIKELY = 0.5
"""From this confidence on something is more likely a card than not."""
_SMALL_CARD = 40.0
"""Cards shorter than this (pixels of the network's input, median) call for a second, closer look."""
_READABLE_CARD = 80.0
"""So tall (likewise) cards are made whose height is known: of those made 56 tall fewer are found, above all
face-down ones; to make them taller costs time and finds no more."""
_LARGE_CARD = 170.0
"""Cards taller than this (likewise), or none at all, call for a look from further away."""
_FAR = 0.5
"""How much smaller the picture is made for that."""
_TILE, _FINE_TILE = 0.6, 0.3
"""Side of a closer look's tiles, as a share of the picture's, and of those of the closest one."""
_LARGE_PICTURE, _PHOTO = 3000, 5000
"""Pixels of the longer side. From the first on a picture is looked at closer although no card is found, and
closer still if cards are tiny even then; from the second on, which no camera films, if none is found too."""
_TINY_CARD = 26.0
"""Cards shorter than this (pixels of the network's input, median) are outlined badly, or not at all."""
_GREY = 114
_MULTIPLE = 32
"""The network takes sides that are multiples of this."""
_LARGEST_INPUT = 1 << 13
_OUTPUTS = 10
_MOST = 600
"""Candidates considered per look."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A card found in a picture."""

    quad: Quad
    """4 x 2 pixels of the picture, clockwise from a short edge, the edge nearer the picture's top first."""
    face: Face
    confidence: float
    """Probability, 0..1, that a card with this face lies here."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What one look at a picture proposes: arrays over N candidates, in pixels of the whole picture."""

    scores: NDArray[np.float32]
    """N x 2: face up, face down; 0..1."""
    codes: NDArray[np.float32]
    """N x 8, see `decode_quads`."""


def decode_quads(codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the quads (N x 4 x 2), clockwise from a short edge, of codes (N x 8).

    A code holds the centre c, the half-axes u (towards a short edge) and v (towards a long one) as
    doubled-angle vectors |u|(cos 2t, sin 2t), which u and -u share, and the skew w. The corners are
    c + u - v + w, c + u + v - w, c - u + v + w, c - u - v - w, with v turned so that they run clockwise.
    """
    centre, skew = codes[:, 0:2], codes[:, 6:8]
    u, v = _halve_angle(codes[:, 2:4]), _halve_angle(codes[:, 4:6])
    v = np.where((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < 0)[:, None], -v, v)
    corners = [centre + u - v + skew, centre + u + v - skew, centre - u + v + skew, centre - u - v - skew]
    return np.stack(corners, axis=1).astype(np.float32)


def _halve_angle(doubled: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.hypot(doubled[:, 0], doubled[:, 1])
    angle = np.arctan2(doubled[:, 1], doubled[:, 0]) / 2
    return np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1).astype(np.float32)


def _sizes(codes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the geometric mean of each card's two sides, in pixels."""
    u, v = np.hypot(codes[:, 2], codes[:, 3]), np.hypot(codes[:, 4], codes[:, 5])
    return np.asarray(2 * np.sqrt(np.maximum(u * v, 1e-6)), np.float32)


def _median_height(found: Candidates) -> float:
    """Return the cards' median height in pixels of the picture; 0 for none."""
    heights = 2 * np.hypot(found.codes[:, 2], found.codes[:, 3])
    return float(np.median(heights)) if len(heights) else 0.0


def _can_lie_beside(quad: Quad, surer: Sequence[Quad], same: float = _SAME_CARD) -> bool:
    """Tell whether `quad` may be another card of the table on which the surer quads lie.

    It is none when its corners coincide with a surer one's, to within a share `same` of its side: two rough
    quads moved onto one card. Cards are of one size: quads that lie on one another must be about as large,
    and even at the table's two ends they differ only so much.
    """
    others = np.array(surer)
    size = float(np.sqrt(max(polygon_area(quad), 1e-6)))
    if corner_distance(others, quad).min() < same * size:
        return False
    sizes = np.sqrt(np.maximum(polygon_areas(others), 1e-6))
    if not 1 / _MOST_UNLIKE < size / np.median(sizes) < _MOST_UNLIKE:
        return False
    unlike = np.flatnonzero((sizes > _UNLIKE * size) | (size > _UNLIKE * sizes))
    return all(polygon_overlap(quad, others[i]) < 0.5 * min(size, sizes[i]) ** 2 for i in unlike)


def _quads_and_scores(found: Candidates) -> Iterator[tuple[Quad, NDArray[np.float32]]]:
    return zip(decode_quads(found.codes), found.scores, strict=True)


def _joined(*looks: Candidates) -> Candidates:
    return Candidates(
        np.concatenate([look.scores for look in looks]), np.concatenate([look.codes for look in looks])
    )


def merge(found: Candidates) -> tuple[Candidates, NDArray[np.intp]]:
    """Return one candidate per card, surest first, and how many candidates stood behind each.

    Ordinary non-maximum suppression by overlap would delete the cards of a fan or a pile, which overlap
    almost wholly. Here candidates are one card when their corners nearly coincide; then their codes are
    averaged by score, which the codes' indifference to half a turn allows.
    """
    best = found.scores.max(axis=1)
    order = np.argsort(-best, kind="stable")[:_MOST]
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
        same = left[distance < _SAME_CARD]
        weight = best[same] ** 2
        kept_codes.append((found.codes[same] * weight[:, None]).sum(axis=0) / weight.sum())
        kept_scores.append(found.scores[index])
        support.append(len(same))
        alive[same] = False
        alive[left[(distance < _LIKELY_SAME) & (best[left] < _RIVAL * best[index])]] = False
    scores = np.array(kept_scores, np.float32).reshape(-1, 2)
    codes = np.array(kept_codes, np.float32).reshape(-1, 8)
    return Candidates(scores, codes), np.array(support, np.intp)


def _weaker(found: Candidates) -> Candidates:
    """Return what a look from further away found: what a closer one finds counts for more."""
    return Candidates(found.scores * np.float32(0.9), found.codes)


def _padded(side: float) -> int:
    """Return the next side, in pixels, that the network takes."""
    return max(1, -(-round(side) // _MULTIPLE)) * _MULTIPLE


class Facts(NamedTuple):
    """What `outlines.json` says of the network beside it."""

    input_size: int
    """The longer side of its input, in pixels."""
    calibration: NDArray[np.float64]
    """Rows (score, probability), rising."""
    one_size: tuple[int, int] | None
    """Width and height of the only input it takes; None where all multiples of 32 will do."""


def load_facts(path: Path) -> Facts:
    """Return what is known of a network.

    Raises BadInputError when the file is missing or broken.
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
    sound = sound and (np.diff(calibration, axis=0) >= 0).all() and size <= _LARGEST_INPUT
    sides = len(one_size) == 2 and max(one_size) == size
    if any(side < _MULTIPLE or side % _MULTIPLE for side in (size, *one_size)) or not sound or not sides:
        raise BadInputError("{path}: does not describe an outline network", path=path)
    return Facts(size, calibration, (one_size[0], one_size[1]) if "one_size" in facts else None)


class OutlineFinder:
    """Finds cards in pictures of any size with the outline network.

    `least` is the lowest confidence that is reported; `refine` moves the network's corners onto the edges
    seen in the full-resolution picture; `closer_look` looks again at parts where all cards are small.
    """

    def __init__(
        self,
        weights: Path | None = None,
        *,
        network: Network | None = None,
        least: float = 0.5,
        refine: bool = True,
        closer_look: bool = True,
    ) -> None:
        path = weights or WEIGHTS
        self._size, self._calibration, self._one_size = load_facts(path.with_suffix(".json"))
        self._network = network or load_quickest(path)
        self._least, self._refine, self._closer = least, refine, closer_look
        scores, confidences = self._calibration.T
        self._least_score, self._likely_score = np.interp([least, _LIKELY], confidences, scores)

    def find(self, image: Image, card_height: float | None = None) -> list[Outline]:
        """Return the cards in a picture (height x width x 3, BGR), surest first.

        `card_height`: How tall cards are in it, in pixels, where that is known: one look then shows what
        is not small.
        """
        height, width = image.shape[:2]
        if height < 2 or width < 2:
            return []
        scale = self._full_scale(width, height)
        known = card_height if self._one_size is None else None  # a network of one size has no use for it
        if known and known * scale >= _SMALL_CARD:
            share = min(_READABLE_CARD / (known * scale), 1 / _TILE)
            found, _ = merge(self._look(image, share, tight=True))
            return self._outlines(image, found)
        first = self._look(image)
        found, _ = merge(first)
        seen = self._height_seen(image, found)
        if not seen or seen > _LARGE_CARD:
            found, _ = merge(_joined(first, self._look(image, _FAR)))
            seen = self._height_seen(image, found)
        if self._closer and seen < _SMALL_CARD and 1.5 * scale <= 1:
            found = self._closer_looks(image, found, known)
        return self._outlines(image, found)

    def _closer_looks(self, image: Image, found: Candidates, known: float | None) -> Candidates:
        """Look again where cards are small, or none was found in a large picture, and merge with that."""
        longest = max(image.shape[:2])
        if not self._height_seen(image, found) and (known is not None or longest < _LARGE_PICTURE):
            return found
        if known is not None:
            return self._look_larger(image, found)
        found = self._look_closer(image, found)
        seen = self._height_seen(image, found) / _TILE
        if longest >= (_LARGE_PICTURE if seen else _PHOTO) and seen < _TINY_CARD:
            found = self._look_closer(image, found, _FINE_TILE)
        return found

    def _height_seen(self, image: Image, found: Candidates) -> float:
        """Return the cards' median height in pixels of the network's input, 0 where none was found.

        Cards too small to be seen at first in a large picture must not be missed because something on the
        table looked a little like a large card: only likely cards are large there, others small or nothing.
        """
        scale = self._full_scale(image.shape[1], image.shape[0])
        height = _median_height(found) * scale
        if max(image.shape[:2]) < _LARGE_PICTURE:
            return height
        likely = found.scores.max(axis=1, initial=0) >= self._likely_score
        if likely.any():
            return _median_height(Candidates(found.scores[likely], found.codes[likely])) * scale
        return height if height < _SMALL_CARD else 0.0

    def _outlines(self, image: Image, found: Candidates) -> list[Outline]:
        """Refine the candidates, and drop those that cannot be cards or are mere echoes of surer ones."""
        convex = [(quad, scores) for quad, scores in _quads_and_scores(found) if is_convex(quad)]
        rough = [quad for quad, _ in convex]
        refined = refine_quads(image, rough) if self._refine else rough
        outlines: list[Outline] = []
        for quad, (_, scores) in zip(refined, convex, strict=True):
            exact = start_at_top(quad)
            face: Face = "up" if scores[0] >= scores[1] else "down"
            confidence = self._confidence(float(scores.max()))
            # Nothing can be read on a back that would confirm it: a doubtful one must stand harder tests.
            doubtful = face == "down" and confidence < _SURELY_DOWN
            surer = [outline.quad for outline in outlines]
            if surer and not _can_lie_beside(exact, surer, _LIKELY_SAME if doubtful else _SAME_CARD):
                continue
            if doubtful and is_printed_outline(image, exact):
                continue
            outlines.append(Outline(exact, face, confidence))
        return outlines

    def _confidence(self, score: float) -> float:
        return float(np.interp(score, self._calibration[:, 0], self._calibration[:, 1]))

    def _full_scale(self, width: int, height: int) -> float:
        """Return how much a picture is magnified that fills the network's input."""
        across, down = self._one_size or (self._size, self._size)
        return min(across / width, down / height)

    def _look(self, image: Image, shrink: float = 1.0, *, tight: bool = False) -> Candidates:
        """Run the network once over the whole of `image`, made to fill a share `shrink` of its input.

        A share above one calls for a larger input, which a network of one size cannot take. `tight`: what a
        share below one leaves of the input is not looked at.
        """
        height, width = image.shape[:2]
        full = self._full_scale(width, height)
        scale = shrink * full
        room = scale if tight else max(scale, full)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        mode = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
        # As much of the network's square input as the picture needs: what is not looked at costs no time.
        across, down = self._one_size or (_padded(width * room), _padded(height * room))
        canvas = np.full((down, across, 3), _GREY, np.uint8)
        canvas[: size[1], : size[0]] = resized(image, size, mode)
        inputs = np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1)[None], np.float32)
        inputs /= np.float32(255)
        output = np.asarray(self._network.run(inputs), np.float32)
        if output.ndim != 3 or output.shape[2] != _OUTPUTS:
            raise BadInputError(
                "the outline network's output has shape {shape}: weights of another version",
                shape=output.shape,
            )
        output = output.reshape(-1, _OUTPUTS)
        output = output[output[:, :2].max(axis=1) >= self._least_score]
        # Lengths scale alike in x and y up to the rounding of the reduced picture's size; pixel centres lie
        # at whole numbers in both pictures.
        factor = width / size[0] if width >= height else height / size[1]
        codes = output[:, 2:] * np.float32(factor)
        codes[:, :2] += np.float32((factor - 1) / 2)
        return Candidates(output[:, :2], codes)

    def _look_larger(self, image: Image, found: Candidates) -> Candidates:
        """Look at everything once more, as large as a closer look makes it, and merge with the first look."""
        return merge(_joined(_weaker(found), self._look(image, 1 / _TILE)))[0]

    def _look_closer(self, image: Image, found: Candidates, share: float = _TILE) -> Candidates:
        """Look at overlapping tiles, drop what their inner borders cut, and merge with the first look.

        It takes twice as long as to look at everything once, and finds a little more.
        """
        height, width = image.shape[:2]
        looks = [_weaker(found)]
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
        return merge(_joined(*looks))[0]
