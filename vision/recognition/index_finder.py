"""Finds index corners, and so the cards of which nothing else shows.

An index is a card's rank and suit in its top left corner, and, turned by 180 degrees, in its bottom right
one. The network (models/indices) looks at pictures in which cards are `CARD_PIXELS` tall; every cell of its
grid says whether an index is centred there, and how the card lies that it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from engine.files.json_text import parse_json
from vision.geometry import card_plane, transform, upright_height
from vision.recognition.runtime import Network, load_network
from vision.types import Image, Quad
from vision.weights import MODELS

WEIGHTS = MODELS / "indices" / "indices.onnx"
"""Package data of `models`; `indices.json` beside it holds the scores' calibration."""
INDEX_MM = (8.5, 14.0)
"""The middle of an index, from the card's corner: to the right and down."""
RANK_MM = (2.0, 3.0, 14.0, 14.0)
"""Left, top, right, bottom of the rank in it, likewise: of an index it is covered last."""
CARD_PIXELS = 128.0
"""Height of a card in the network's input."""
LARGEST = 640
"""Longest side of the network's input, pixels: larger parts are looked at in tiles."""
SMALLEST = 24.0
"""Pixels of the picture. Indices of cards less tall tell nothing: in frames with 160 cards of 24 to 48 pixels
as many are named rightly without them, fewer with a limit of 28."""
_MOST_PIXELS = 32_000_000
"""Of what the network looks at for one part of a picture: a larger part is magnified less, lest it takes a
gigabyte and half a minute."""
_MULTIPLE = 16
"""The network takes sides that are multiples of this."""
_STRIDE = 4
_OVERLAP = 64
"""Pixels of the input that neighbouring tiles share: more than an index is long."""
_SAME_INDEX = 0.05
"""Two indices that lie closer than this share of the card's height are one."""
_SIZES = (0.55, 1.7)
"""Heights of believable cards, as shares of the expected one."""
_GREY = 114


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """An index corner found in a picture."""

    quad: Quad
    """The whole card as its index tells it: 4 x 2 pixels, clockwise, the corner beside the index first."""
    confidence: float
    """Probability, 0..1, that an index is there."""

    @property
    def place(self) -> NDArray[np.float64]:
        """The middle of the index, pixels."""
        return np.asarray(transform(card_plane(self.quad), [INDEX_MM])[0])


def load_calibration(path: Path) -> NDArray[np.float64]:
    """Return rows (score, probability), rising. Raises BadInputError when the file is missing or broken."""
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


class IndexFinder:
    """Finds index corners in parts of pictures whose scale is about known."""

    def __init__(
        self, weights: Path | None = None, *, network: Network | None = None, least: float = 0.5
    ) -> None:
        """Load the network; `least` is the lowest confidence that is reported."""
        path = weights or WEIGHTS
        self._calibration = load_calibration(path.with_suffix(".json"))
        self._network = network or load_network(path)
        self._least = least
        self._least_score = float(np.interp(least, self._calibration[:, 1], self._calibration[:, 0]))

    def find(self, image: Image, card_height: float, region: Sequence[float] | None = None) -> list[Index]:
        """Return the indices in a picture (height x width x 3, BGR), surest first.

        Args:
            image: The picture.
            card_height: About how tall the cards are in it, pixels.
            region: Left, top, right, bottom of the part to look at, pixels; None: all of it.
        """
        height, width = image.shape[:2]
        left, top, right, bottom = (0, 0, width, height) if region is None else map(round, region)
        left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
        if right - left < 2 or bottom - top < 2 or card_height < SMALLEST:
            return []
        most = float(np.sqrt(_MOST_PIXELS / ((right - left) * (bottom - top))))
        scale = min(CARD_PIXELS / card_height, most)
        size = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
        mode = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
        part = cv2.resize(image[top:bottom, left:right], size, interpolation=mode)
        scores, frames = self._look(np.asarray(part, np.uint8))
        factors = np.array([(right - left) / size[0], (bottom - top) / size[1]])
        quads = _quads(frames) * factors + (left, top)
        return self._merged(scores, quads.astype(np.float32), card_height)

    def _look(self, part: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Run the network over tiles. Returns scores (N) and frames (N x 6, pixels of the part)."""
        scores, frames = [np.zeros(0, np.float32)], [np.zeros((0, 6), np.float32)]
        for y in _starts(part.shape[0]):
            for x in _starts(part.shape[1]):
                piece = part[y : y + LARGEST, x : x + LARGEST]
                sides = [-(-side // _MULTIPLE) * _MULTIPLE for side in piece.shape[:2]]
                canvas = np.full((*sides, 3), _GREY, np.uint8)
                canvas[: piece.shape[0], : piece.shape[1]] = piece
                score, frame = self._look_at_tile(canvas)
                scores.append(score)
                frames.append(frame + np.array([x, y, 0, 0, 0, 0], np.float32))
        return np.concatenate(scores), np.concatenate(frames)

    def _look_at_tile(self, tile: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
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
    ) -> list[Index]:
        """Return one index per place, surest first."""
        found: list[Index] = []
        places: list[NDArray[np.float64]] = []
        for k in np.argsort(-scores, kind="stable"):
            height = upright_height(quads[k])
            if not _SIZES[0] < height / card_height < _SIZES[1]:
                continue
            confidence = float(np.interp(scores[k], self._calibration[:, 0], self._calibration[:, 1]))
            index = Index(quads[k], confidence)
            place = index.place
            if all(np.hypot(*(place - other)) > _SAME_INDEX * card_height for other in places):
                found.append(index)
                places.append(place)
        return found


def _starts(length: int) -> list[int]:
    """Return where tiles start so that they cover `length` pixels and overlap."""
    if length <= LARGEST:
        return [0]
    count = 1 + -(-(length - LARGEST) // (LARGEST - _OVERLAP))
    return [round(k * (length - LARGEST) / (count - 1)) for k in range(count)]


def _quads(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return N x 4 x 2 corners, clockwise from the one beside the index, of frames (N x 6)."""
    corner, right, below = frames[:, 0:2], frames[:, 2:4], frames[:, 4:6]
    return np.stack([corner, corner + right, corner + right + below, corner + below], axis=1)
