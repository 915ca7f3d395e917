"""Hands in a picture: palms are found in a square tile, and 21 landmarks in each of them.

Two networks of Google's MediaPipe do it (models/hands/MODEL_CARD.md). MediaPipe's graphs define the meaning
of their numbers (`palm_detection_cpu`). They also define the square around a hand: it follows from the palm
(`palm_detection_detection_to_roi`) or from earlier landmarks (`hand_landmark_landmarks_to_roi`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.recognition.runtime import Backend, load_network
from vision.types import Image
from vision.weights import MODELS

WEIGHTS = MODELS / "hands"
WRIST, INDEX_KNUCKLE, MIDDLE_KNUCKLE, RING_KNUCKLE = 0, 5, 9, 13
"""Landmarks by their numbers."""
_PALM_SIDE, _HAND_SIDE = 192, 224
"""Sides of the networks' square inputs, in pixels."""
_MIN_PALM_P, _PLAIN_P, _MIN_HAND_P = 0.15, 0.5, 0.1
"""Thresholds of a palm and of a hand. MediaPipe takes 0.5 for both. That loses hands in dim light, and hands
that a head or a card partly hides. So the hand may be doubtful where the palm is plain, or where a hand was
seen before. On four films of people, all 24 finds from 0.1 to 0.5 were hands. On a film with exact masks, all
161 places that a hand had left are below 0.1. The palm may be doubtful where the hand is plain. In 118 frames
of three films with exact landmarks, all 307 such finds were hands. They raise the number of hands found
from 503 to 537 of 628."""
_MAX_PALM_OVERLAP = 0.3
"""MediaPipe's threshold of non-maximum suppression."""
_PALM_SCALE, _PALM_SHIFT = 2.6, 0.5
"""Side of the square around a hand, in sides of its palm, and how far towards the fingers it is shifted."""
_LANDMARK_SCALE, _LANDMARK_SHIFT = 2.0, 0.1
"""The same, where the landmarks of the frame before are known."""
_LEAST_SQUARE = 2.0
"""Least side of the square around a palm, in spans of the smallest hand that is looked for. With hands of
40 mm, 5,000 of the 5,700 palms in two films of people are smaller. Fourteen of them passed as hands. Without
them both films are followed alike."""
_STEADY_LANDMARKS = (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18)
"""The landmarks from which the square in the next frame follows: those that fingers move least."""
_STRIDES = ((8, 2), (16, 6))
"""The grids of anchors: cell size in pixels, and anchors in each cell."""
_SAME_HAND = 0.5
"""Two hands are one if their middles are nearer than this share of their size."""

Tile = tuple[float, float, float]
"""Middle x and y, and side, all in pixels."""
Square = tuple[float, float, float, float]
"""Middle x and y, side, both in pixels, and the turn in radians; a hand points up in a square that is not
turned."""


@dataclass(frozen=True, slots=True, eq=False)
class Palm:
    """Where a hand may be in a picture."""

    square: Square
    """The square around the hand."""
    ends: NDArray[np.float64]
    """2 x 2: the wrist and the knuckle of the middle finger, in pixels of the picture."""
    p: float
    """Probability that it is a palm, as the network estimates it."""

    def belongs_to(self, hand: Hand) -> bool:
        """Return whether this is the palm of a hand."""
        return _are_same(self.ends, hand.ends)


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A hand in a picture."""

    points: NDArray[np.float64]
    """21 x 2 landmarks, in pixels of the picture."""
    p: float
    """Probability that it is a hand, as the network estimates it."""

    @property
    def ends(self) -> NDArray[np.float64]:
        """2 x 2: the wrist and the knuckle of the middle finger, in pixels."""
        return self.points[[WRIST, MIDDLE_KNUCKLE]]

    @property
    def size(self) -> float:
        """Distance of the wrist from the middle knuckle, in pixels."""
        return float(math.dist(*self.ends))

    @property
    def middle(self) -> NDArray[np.float64]:
        """The middle (x, y) of the palm, in pixels."""
        middle: NDArray[np.float64] = (self.points[WRIST] + self.points[MIDDLE_KNUCKLE]) / 2
        return middle

    def is_same(self, other: Hand) -> bool:
        """Return whether two detections are of one hand."""
        return _are_same(self.ends, other.ends)


class HandFinder(Protocol):
    """Finds hands in pictures, as `HandDetector` does."""

    def find(
        self, picture: Image, tile: Tile, known: Sequence[Hand] = (), least_size: float = 0.0
    ) -> list[Hand]:
        """Return the hands in a tile that are not known yet.

        Palms that belong to hands of clearly fewer than `least_size` pixels are not looked at.
        """
        ...

    def redetect(self, picture: Image, before: Sequence[Hand]) -> list[Hand]:
        """Return the hands of an earlier picture that are still at their places, or near them."""
        ...


class HandDetector:
    """Finds hands in a tile of a picture."""

    def __init__(self, backend: Backend | None = None, threads: int | None = 1) -> None:
        """Load both networks.

        Raises:
            BadInputError: weights are missing or damaged.
        """
        self._palms = load_network(WEIGHTS / "palms.onnx", backend, threads)
        self._landmarks = load_network(WEIGHTS / "landmarks.onnx", backend, threads)

    def find(
        self, picture: Image, tile: Tile, known: Sequence[Hand] = (), least_size: float = 0.0
    ) -> list[Hand]:
        """Return the hands in a tile that are not known yet. It may reach out of the picture.

        The pattern of a tablecloth can look like dozens of small palms. Those that belong to hands of clearly
        fewer than `least_size` pixels are not looked at.
        """
        hands: list[Hand] = []
        for palm in self.palms(picture, tile):
            if palm.square[2] < _LEAST_SQUARE * least_size:
                continue
            if any(palm.belongs_to(hand) for hand in (*known, *hands)):
                continue
            hand = self.in_square(picture, palm.square)
            if hand is None or (palm.p < _PLAIN_P and hand.p < _PLAIN_P):
                continue
            if not any(hand.is_same(other) for other in (*known, *hands)):
                hands.append(hand)
        return hands

    def redetect(self, picture: Image, before: Sequence[Hand]) -> list[Hand]:
        """Return the hands of an earlier picture that are still at their places, or near them."""
        found: list[Hand] = []
        for hand in before:
            now = self.in_square(picture, square_of_landmarks(hand.points))
            if now is not None and not any(now.is_same(other) for other in found):
                found.append(now)
        return found

    def palms(self, picture: Image, tile: Tile) -> list[Palm]:
        """Return the palms in a tile, the surest first."""
        x, y, side = tile
        crop = _cut(picture, (x, y, side, 0.0), _PALM_SIDE)
        found = np.asarray(self._palms.run(crop[None]), np.float64)[0]
        p = 1.0 / (1.0 + np.exp(-np.clip(found[:, 18], -100, 100)))
        likely = np.flatnonzero(p >= _MIN_PALM_P)
        p = p[likely]
        numbers = found[likely, :18].reshape(-1, 9, 2) / _PALM_SIDE
        numbers[:, 0] += _ANCHORS[likely]
        numbers[:, 2:] += _ANCHORS[likely][:, None]
        boxes = [(*(middle - size / 2), *size) for middle, size in numbers[:, :2]]
        kept = cv2.dnn.NMSBoxes(boxes, p.tolist(), _MIN_PALM_P, _MAX_PALM_OVERLAP) if boxes else []
        corner = np.array([x - side / 2, y - side / 2])
        palms = []
        for k in kept:
            middle, ends = corner + numbers[k, 0] * side, corner + numbers[k, [2, 4]] * side
            square = _square_of_palm(middle, float(numbers[k, 1].max()) * side, *ends)
            palms.append(Palm(square, ends, float(p[k])))
        return palms

    def in_square(self, picture: Image, square: Square) -> Hand | None:
        """Return the hand in a square; None if there is none."""
        found = np.asarray(self._landmarks.run(_cut(picture, square, _HAND_SIDE)[None]), np.float64)[0]
        if found[63] < _MIN_HAND_P:
            return None
        x, y, side, turn = square
        across = (found[:63].reshape(21, 3)[:, :2] / _HAND_SIDE - 0.5) * side
        return Hand(across @ _turned(turn) + (x, y), float(found[63]))


def _are_same(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Return whether two hands are one, by the ends of their palms (2 x 2 each)."""
    apart = math.dist(one.mean(axis=0), other.mean(axis=0))
    return apart < _SAME_HAND * max(math.dist(*one), math.dist(*other))


def square_of_landmarks(points: NDArray[np.float64]) -> Square:
    """Return the square around a hand in the next picture, given its landmarks in this one (21 x 2 px)."""
    knuckles = (points[INDEX_KNUCKLE] + points[RING_KNUCKLE]) / 4 + points[MIDDLE_KNUCKLE] / 2
    turn = _turn_of(points[WRIST], knuckles)
    upright = points[list(_STEADY_LANDMARKS)] @ _turned(turn).T
    low, high = upright.min(axis=0), upright.max(axis=0)
    side = float((high - low).max())
    middle = (low + high) / 2 - (0.0, _LANDMARK_SHIFT * float(high[1] - low[1]))
    x, y = middle @ _turned(turn)
    return float(x), float(y), side * _LANDMARK_SCALE, turn


def _square_of_palm(
    middle: NDArray[np.float64], side: float, wrist: NDArray[np.float64], knuckle: NDArray[np.float64]
) -> Square:
    turn = _turn_of(wrist, knuckle)
    x, y = middle + np.array([0.0, -_PALM_SHIFT * side]) @ _turned(turn)
    return float(x), float(y), side * _PALM_SCALE, turn


def _turn_of(wrist: NDArray[np.float64], knuckle: NDArray[np.float64]) -> float:
    """Return by how much a hand is turned, in radians; 0: its fingers point up in the picture."""
    x, y = knuckle - wrist
    return math.atan2(float(x), -float(y))


def _turned(turn: float) -> NDArray[np.float64]:
    """Return the matrix that turns points (rows of x, y) of an upright square by an angle."""
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[c, s], [-s, c]])


def _cut(picture: Image, square: Square, size: int) -> NDArray[np.float32]:
    """Return a square of a picture as the networks want it: size x size x 3, RGB, 0 to 1."""
    x, y, side, turn = square
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]]) * side @ _turned(turn) + (x, y)
    goal = np.array([[0, 0], [size, 0], [0, size]], np.float32)
    matrix = cv2.getAffineTransform(corners.astype(np.float32), goal)
    crop = cv2.warpAffine(picture, matrix, (size, size), flags=cv2.INTER_LINEAR)
    return np.divide(cv2.cvtColor(crop, cv2.COLOR_BGR2RGB), np.float32(255.0), dtype=np.float32)


def _anchors() -> NDArray[np.float64]:
    """Return the middles of the anchors (N x 2), as shares of the tile."""
    middles = []
    for stride, each in _STRIDES:
        cells = (np.arange(_PALM_SIDE // stride) + 0.5) * stride / _PALM_SIDE
        x, y = np.meshgrid(cells, cells)
        middles.append(np.repeat(np.stack([x.ravel(), y.ravel()], axis=1), each, axis=0))
    return np.concatenate(middles)


_ANCHORS = _anchors()
