"""Finds out how often a score is right, so that the reader can report probabilities.

A score is trained towards the quality of its quad, not towards the chance that there is a card. On scenes
held back from training each merged candidate is compared with the truth, and the share of right ones is
fitted as a rising function of the score (isotonic regression by pool-adjacent-violators; Ayer et al., 1955).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.scenes.store import read_scene
from engine.errors import BadInputError
from models.outlines.export import INPUT_SIZE, export, write_facts
from models.outlines.network import OutlineNet
from vision.geometry import polygon_iou
from vision.recognition.detector import WEIGHTS, CardDetector

_RIGHT_IOU = 0.5
_KNOTS = 12
Curve = list[tuple[float, float]]
"""(score, probability), rising."""


def judged_scores(
    finder: CardDetector, scenes: Sequence[Path]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return every candidate's score, and whether it is a card of that face at that place."""
    scores: list[float] = []
    right: list[bool] = []
    for path in scenes:
        scene = read_scene(path)
        open_cards = set(range(len(scene.quads)))
        for outline in finder.detect(scene.image):
            match = max(open_cards, key=lambda i: polygon_iou(scene.quads[i], outline.quad), default=None)
            good = match is not None and polygon_iou(scene.quads[match], outline.quad) >= _RIGHT_IOU
            if match is not None and good:
                open_cards.discard(match)
                good = bool(scene.face_up[match]) == (outline.face == "up")
            elif _on_unsure(scene.owner, outline.quad):
                continue
            scores.append(outline.confidence)
            right.append(good)
    return np.array(scores), np.array(right, bool)


def _on_unsure(owner: NDArray[np.uint8], quad: NDArray[np.float32]) -> bool:
    """Tell whether an outline lies on a card too well covered to be labelled: neither right nor wrong."""
    x, y = np.clip(np.round(quad.mean(axis=0)).astype(int), 0, np.array(owner.shape[::-1]) - 1)
    return bool(owner[y, x] == 255)


def rising_curve(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> Curve:
    """Return the isotonic fit of rightness on score, thinned to a few knots.

    Raises BadInputError for no scores at all: a network that was hardly trained finds nothing.
    """
    if not len(scores):
        raise BadInputError("nothing is found on the scenes held back: train the network longer")
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
    # Neither certain nor impossible on the strength of some hundred scenes.
    share = np.clip(share, 0.005, 0.995)
    knots = np.union1d(np.quantile(scores, np.linspace(0, 1, _KNOTS)), np.linspace(0.1, 0.9, 9))
    curve = [(float(k), float(np.interp(k, at, share))) for k in knots]
    return [(0.0, 0.0), *curve, (1.0, max(0.995, curve[-1][1]))]


def calibrate(net: OutlineNet, scenes: Sequence[Path]) -> Curve:
    """Return the curve for a network, measured on scenes it was not trained on."""
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "net.onnx"
        export(net, weights)
        return curve_of(weights, scenes)


def curve_of(weights: Path, scenes: Sequence[Path]) -> Curve:
    """Return the curve for exported weights, whose own calibration is ignored."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.onnx"
        bare.write_bytes(weights.read_bytes())
        write_facts(bare, ((0.0, 0.0), (1.0, 1.0)), input_size=INPUT_SIZE)
        finder = CardDetector(bare, min_confidence=0.05, refine_corners=False, use_tiles=False)
        return rising_curve(*judged_scores(finder, scenes))


def main() -> None:
    """Calibrate the shipped weights anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", type=Path, help="folder of stored scenes held back from training")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    curve = curve_of(args.weights, sorted(args.scenes.glob("*.jpg")))
    write_facts(args.weights, curve, input_size=INPUT_SIZE)


if __name__ == "__main__":
    main()
