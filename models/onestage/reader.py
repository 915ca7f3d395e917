"""Reads cards with a one-stage detector; its boxes and classes are the readings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import BadInputError
from vision.decks.card_classes import CARDS
from vision.geometry import rectangle_corners
from vision.recognition.runtime import Network, load_network
from vision.types import CardReading, Image, Quad, Region

CLASSES = (*CARDS, "JOKER")
"""The classes in the order of the outputs: the 52 cards, then the joker."""
LEAST_SURE = 0.25
"""Boxes with a lower score are dropped. This is the default of ultralytics."""
_GREY = 114
_FIELDS = 6
"""The numbers of a box: left, top, right, bottom (pixels of the input), score, class."""


def letterboxed(image: Image, size: int) -> tuple[NDArray[np.float32], float]:
    """Return a picture as network input, and the factor by which it was scaled.

    The input is 1 x 3 x size x size, RGB, 0..1, with the picture at the top left and grey beside it.
    """
    scale = size / max(image.shape[:2])
    width, height = (max(1, round(side * scale)) for side in image.shape[1::-1])
    canvas = np.full((size, size, 3), _GREY, np.uint8)
    mode = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    canvas[:height, :width] = cv2.resize(image, (width, height), interpolation=mode)
    channels = canvas[..., ::-1].transpose(2, 0, 1)[None]
    return np.ascontiguousarray(channels, np.float32) / np.float32(255), scale


class OneStageReader:
    """A `CardReader`: upright boxes for quads, scores for probabilities, face-up cards only."""

    def __init__(self, weights: Path, network: Network | None = None, size: int | None = None) -> None:
        """Load the weights that `models.onestage.train` wrote.

        Args:
            weights: The ONNX file.
            network: Used instead of the file.
            size: Side of the input, pixels; None: as in the file.

        Raises:
            BadInputError: the file is missing, or is no network.
        """
        self.weights = weights
        self._network = network or load_network(weights)
        self._size = size or _input_size(weights)

    def read(
        self, image: Image, crowded: Sequence[Region] | None = None, ignored: object = None
    ) -> list[CardReading]:
        """Return the cards in `image`, most confident first.

        Raises BadInputError for another kind of network.
        """
        inputs, scale = letterboxed(image, self._size)
        output = self._network.run(inputs)
        if output.ndim != 3 or output.shape[2] != _FIELDS:
            raise BadInputError(f"{self.weights}: not a one-stage detector: its output is {output.shape}")
        boxes = output[0][output[0][:, 4] >= LEAST_SURE]
        if len(boxes) and boxes[:, 5].max() >= len(CLASSES):
            raise BadInputError(f"{self.weights}: a detector of other things than cards")
        return [_reading(box, scale) for box in boxes[np.argsort(-boxes[:, 4], kind="stable")]]


def _reading(box: NDArray[np.float32], scale: float) -> CardReading:
    score, number = float(box[4]), int(box[5])
    quad: Quad = rectangle_corners(*(box[:4] / scale).tolist()).astype(np.float32)
    return CardReading(quad, "up", score, CLASSES[number], score)


def _input_size(weights: Path) -> int:
    """Return the side of the input of an ONNX file, pixels."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
    side = session.get_inputs()[0].shape[-1]
    if not isinstance(side, int):
        raise BadInputError(f"{weights}: the network's input has no fixed size")
    return side
