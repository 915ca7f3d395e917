"""Detecting index corners, and through them cards that show nothing else.

An index is a card's rank and suit in its top left corner and, turned by 180 degrees, in its bottom right
corner. The network (models/indices) expects cards that are `INPUT_CARD_HEIGHT` tall. Each cell of its grid
gives the score that an index is centred there, and the position of its card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from engine.files.json_text import parse_json
from vision.geometry import card_homography, transform_points, upright_card_height
from vision.recognition.runtime import Network, load_network
from vision.types import Image, Quad
from vision.weights import MODELS

WEIGHTS = MODELS / "indices" / "indices.onnx"
"""Package data of `models`; `indices.json` beside it holds the calibration."""
INDEX_CENTRE_MM = (8.5, 14.0)
"""The centre of an index, measured from the card's corner: to the right, and down."""
RANK_BOX_MM = (2.0, 3.0, 14.0, 14.0)
"""Left, top, right and bottom of the rank, measured from the card's corner. The rank is covered last."""
INDEX_BOX_MM = (2.0, 3.0, 14.0, 25.0)
"""The same of an index: the rank, and the pip below it."""
INPUT_CARD_HEIGHT = 128.0
"""Height of a card in the network's input, in pixels."""
MAX_INPUT_SIDE = 640
"""Longest side of the network's input, in pixels. Larger parts are split into tiles."""
MIN_CARD_HEIGHT = 24.0
"""Least height of cards in the image, in pixels. Indices of smaller cards cannot be read. In frames with 160
cards of 24 to 48 pixels, a limit of 24 loses no names, and one of 28 loses some."""
_MAX_INPUT_PIXELS = 32_000_000
"""Most pixels of input for one part of an image. A larger part is magnified less, because it would take a
gigabyte and half a minute."""
_SIDE_MULTIPLE = 16
"""The sides of the network's input are multiples of this, in pixels."""
_STRIDE = 4
"""Size of a cell of the network's output, in pixels of its input."""
_TILE_OVERLAP = 64
"""Overlap of neighbouring tiles in pixels of the input; an index is shorter."""
_SAME_INDEX_DISTANCE = 0.05
"""Two detections nearer than this share of the card's height are one index."""
_SIZE_RANGE = (0.55, 1.7)
"""Believable heights of cards, relative to the expected height."""
_PADDING_LEVEL = 114
"""Grey level of the padding, as in training."""


@dataclass(frozen=True, eq=False)
class IndexDetection:
    """An index detected in an image."""

    quad: Quad
    """The whole card as its index predicts it: 4 x 2 px, clockwise, the corner beside the index first."""
    confidence: float
    """Probability, 0..1, that an index lies here."""

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """The centre of the index, in pixels."""
        return np.asarray(transform_points(card_homography(self.quad), [INDEX_CENTRE_MM])[0])


def load_calibration(path: Path) -> NDArray[np.float64]:
    """Return the calibration as rows (score, probability), increasing.

    Raises:
        BadInputError: The file is missing or broken.
    """
    try:
        curve = np.array(parse_json(path.read_bytes())["confidence_of_score"], np.float64)
    except OSError as error:
        raise BadInputError("{path}: cannot be read ({reason})", path=path, reason=error.strerror) from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError("{path}: does not describe an index network", path=path) from error
    sound = curve.ndim == 2 and curve.shape[1] == 2 and np.isfinite(curve).all()
    if not sound or (np.diff(curve, axis=0) < 0).any():
        raise BadInputError("{path}: does not describe an index network", path=path)
    return curve


class IndexDetector:
    """Detects index corners where the height of cards is roughly known."""

    def __init__(
        self, weights: Path | None = None, *, network: Network | None = None, min_confidence: float = 0.5
    ) -> None:
        """Load the network.

        Args:
            weights: The network's file; None: the one that ships.
            network: A network that is already loaded.
            min_confidence: Least confidence of a detection.

        Raises:
            BadInputError: Weights or calibration are missing or broken.
        """
        path = weights or WEIGHTS
        self._calibration = load_calibration(path.with_suffix(".json"))
        self._network = network or load_network(path)
        self._least = min_confidence
        self._least_score = float(np.interp(min_confidence, self._calibration[:, 1], self._calibration[:, 0]))

    def detect(
        self, image: Image, card_height: float, region: Sequence[float] | None = None
    ) -> list[IndexDetection]:
        """Return the indices in an image, surest first.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            card_height: The approximate height of the cards, in pixels.
            region: Left, top, right and bottom of the part to search, in pixels; None: the whole image.
        """
        height, width = image.shape[:2]
        left, top, right, bottom = (0, 0, width, height) if region is None else map(round, region)
        left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
        if right - left < 2 or bottom - top < 2 or card_height < MIN_CARD_HEIGHT:
            return []
        most = float(np.sqrt(_MAX_INPUT_PIXELS / ((right - left) * (bottom - top))))
        scale = min(INPUT_CARD_HEIGHT / card_height, most)
        size = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
        mode = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
        part = cv2.resize(image[top:bottom, left:right], size, interpolation=mode)
        scores, frames = self._look(np.asarray(part, np.uint8))
        factors = np.array([(right - left) / size[0], (bottom - top) / size[1]])
        quads = _decode_quads(frames) * factors + (left, top)
        return self._merged(scores, quads.astype(np.float32), card_height)

    def _look(self, part: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Run the network on tiles; return scores (N) and frames (N x 6, pixels of the part)."""
        scores, frames = [np.zeros(0, np.float32)], [np.zeros((0, 6), np.float32)]
        for y in _tile_starts(part.shape[0]):
            for x in _tile_starts(part.shape[1]):
                piece = part[y : y + MAX_INPUT_SIDE, x : x + MAX_INPUT_SIDE]
                sides = [-(-side // _SIDE_MULTIPLE) * _SIDE_MULTIPLE for side in piece.shape[:2]]
                canvas = np.full((*sides, 3), _PADDING_LEVEL, np.uint8)
                canvas[: piece.shape[0], : piece.shape[1]] = piece
                score, frame = self._look_at_tile(canvas)
                scores.append(score)
                frames.append(frame + np.array([x, y, 0, 0, 0, 0], np.float32))
        return np.concatenate(scores), np.concatenate(frames)

    def _look_at_tile(self, tile: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Run the network on one tile; return scores (N) and frames (N x 6, pixels of the tile)."""
        inputs = np.ascontiguousarray(tile[..., ::-1].transpose(2, 0, 1)[None], np.float32)
        output = np.asarray(self._network.run(inputs / np.float32(255)), np.float32)
        if output.ndim != 4 or output.shape[1] != 8:
            raise BadInputError(
                "the index network's output has shape {shape}: weights of another version", shape=output.shape
            )
        rows, columns = np.nonzero(output[0, 1] >= max(self._least_score, 1e-6))
        frame = output[0, 2:, rows, columns].astype(np.float32)
        frame[:, :2] += np.stack([columns, rows], 1) * _STRIDE + (_STRIDE - 1) / 2
        return output[0, 1, rows, columns], frame

    def _merged(
        self, scores: NDArray[np.float32], quads: NDArray[np.float32], card_height: float
    ) -> list[IndexDetection]:
        """Return the detections without duplicates (non-maximum suppression by distance), surest first."""
        found: list[IndexDetection] = []
        places: list[NDArray[np.float64]] = []
        for k in np.argsort(-scores, kind="stable"):
            height = upright_card_height(quads[k])
            if not _SIZE_RANGE[0] < height / card_height < _SIZE_RANGE[1]:
                continue
            confidence = float(np.interp(scores[k], self._calibration[:, 0], self._calibration[:, 1]))
            index = IndexDetection(quads[k], confidence)
            place = index.centre
            if all(np.hypot(*(place - other)) > _SAME_INDEX_DISTANCE * card_height for other in places):
                found.append(index)
                places.append(place)
        return found


def _tile_starts(length: int) -> list[int]:
    """Return the starts of overlapping tiles that cover `length` pixels."""
    if length <= MAX_INPUT_SIDE:
        return [0]
    count = 1 + -(-(length - MAX_INPUT_SIDE) // (MAX_INPUT_SIDE - _TILE_OVERLAP))
    return [round(k * (length - MAX_INPUT_SIDE) / (count - 1)) for k in range(count)]


def _decode_quads(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the quads (N x 4 x 2) of frames (N x 6), clockwise from the corner beside the index.

    A frame holds that corner, and the vectors from it along the short and along the long edge.
    """
    corner, right, below = frames[:, 0:2], frames[:, 2:4], frames[:, 4:6]
    return np.stack([corner, corner + right, corner + right + below, corner + below], axis=1)
