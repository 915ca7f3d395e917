"""Calibrates the scores of the outline network, so that the reader can report probabilities.

Training makes a score predict the quality of its quad, not the chance that there is a card. Each candidate on
held-out scenes is compared with the truth. Isotonic regression then gives the share of right ones by score.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.scenes.store import read_scene
from models.outlines.export import INPUT_SIZE, export
from models.outlines.network import OutlineNet
from models.shared.calibration import Curve, isotonic_curve
from models.shared.onnx_files import UNCALIBRATED, write_facts
from vision.geometry import polygon_iou
from vision.recognition.detector import WEIGHTS, OutlineFinder

_RIGHT_IOU = 0.5


def judged_scores(
    finder: OutlineFinder, scenes: Sequence[Path]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the score of every candidate, and whether a card with that side up lies there."""
    scores: list[float] = []
    right: list[bool] = []
    for path in scenes:
        scene = read_scene(path)
        open_cards = set(range(len(scene.quads)))
        for outline in finder.find(scene.image):
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
    """Whether an outline lies on a card that is too well covered to be labelled, so it cannot be judged."""
    x, y = np.clip(np.round(quad.mean(axis=0)).astype(int), 0, np.array(owner.shape[::-1]) - 1)
    return bool(owner[y, x] == 255)


def calibrate(net: OutlineNet, scenes: Sequence[Path]) -> Curve:
    """Return the calibration curve of a network, measured on held-out scenes."""
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "net.onnx"
        export(net, weights)
        return curve_of(weights, scenes)


def curve_of(weights: Path, scenes: Sequence[Path]) -> Curve:
    """Return the calibration curve of exported weights; their own calibration is ignored."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.onnx"
        bare.write_bytes(weights.read_bytes())
        write_facts(bare, UNCALIBRATED, input_size=INPUT_SIZE)
        finder = OutlineFinder(bare, least=0.05, refine=False, closer_look=False)
        return isotonic_curve(*judged_scores(finder, scenes))


def main() -> None:
    """Calibrate the shipped weights again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", type=Path, help="folder of held-out scenes")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    curve = curve_of(args.weights, sorted(args.scenes.glob("*.jpg")))
    write_facts(args.weights, curve, input_size=INPUT_SIZE)


if __name__ == "__main__":
    main()
