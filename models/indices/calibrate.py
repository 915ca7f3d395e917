"""Calibrates the scores of the index network, and the names that are read from lone indices.

Held-out scenes turn a score into the probability that there is an index, as in `models.outlines.calibrate`.
The weight of a lone index is fitted on crowded scenes of decks that no network was trained on.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from datasets.scenes.scene import Scene
from datasets.scenes.store import StoredScene, read_scene
from models.indices.data import index_truth
from models.indices.network import STRIDE
from models.shared.calibration import isotonic_curve, lowest_threshold
from models.shared.commands import run_command
from models.shared.onnx_files import UNCALIBRATED, write_facts
from models.shared.scene_data import Truth
from models.shared.training_scenes import scene_maker
from vision.geometry import quad_sides
from vision.recognition.classifier import CLASSES, PLAIN_INDEX, FaceReader, Fusion, fused_index
from vision.recognition.classifier import WEIGHTS as FACE_WEIGHTS
from vision.recognition.crops import index_crops, strip_crop
from vision.recognition.index_finder import CARD_PIXELS, WEIGHTS, Index, IndexFinder
from vision.types import Image

_LEAST = 0.05
_RIGHT = 0.2
"""A frame is right up to this mean distance from the corners of the card, as a share of its height."""
_PRECISION = 0.95
"""Share of the names of lone indices that must be right, on held-out decks."""
_SCENES = 150
_SEED = 910_000
"""Seed of the first held-out scene, far from those that are trained on."""


def held_out_crowds(count: int, seed: int = _SEED) -> Iterator[tuple[Image, Scene]]:
    """Yield crowded scenes of held-out decks, compressed as by a camera."""
    maker = scene_maker("crowds", "valid")
    for number in range(seed, seed + count):
        scene = maker.make(number)
        packed = cv2.imencode(".jpg", scene.image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
        yield np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), scene


def judged_indices(finder: IndexFinder, scenes: Sequence[StoredScene]) -> tuple[list[float], list[bool], int]:
    """Return the score of every index and whether it is right, and the number of true indices."""
    scores: list[float] = []
    right: list[bool] = []
    wanted = 0
    for scene in scenes:
        up = scene.quads[scene.face_up]
        height = float(np.median([quad_sides(quad)[1] for quad in up])) if len(up) else CARD_PIXELS
        quads, face_up = torch.from_numpy(scene.quads), torch.from_numpy(scene.face_up)
        truth = index_truth(Truth(quads, face_up, torch.from_numpy(scene.owner)))
        cells, judged = truth.wanted.numpy() > 0, truth.judged.numpy()
        wanted += len({tuple(np.round(frame, 1)) for frame in truth.frame.numpy()[2:, cells].T})
        for index in finder.find(scene.image, height):
            column, row = np.clip((index.place / STRIDE).astype(int), 0, np.array(cells.shape[::-1]) - 1)
            good = bool(cells[row, column]) and _card_of(index, up, height) is not None
            if good or judged[row, column]:
                scores.append(index.confidence)
                right.append(good)
    return scores, right, wanted


def _card_of(index: Index, quads: NDArray[np.float32], height: float) -> int | None:
    """Return the card (of N x 4 x 2, either way up) that the frame of an index fits, or None."""
    if not len(quads):
        return None
    turned = np.roll(quads, 2, axis=1)
    distances = [np.linalg.norm(way - index.quad, axis=2).mean(axis=1) for way in (quads, turned)]
    nearest = np.minimum(*distances)
    return int(nearest.argmin()) if nearest.min() < _RIGHT * height else None


def calibrate(weights: Path, scenes: Sequence[Path]) -> None:
    """Measure exported weights on held-out scenes, and write the calibration curve beside them."""
    write_facts(weights, UNCALIBRATED)
    finder = IndexFinder(weights, least=_LEAST)
    scores, right, wanted = judged_indices(finder, [read_scene(path) for path in scenes])
    sure = np.array(right)[np.array(scores) >= 0.5]
    print(f"at score 0.5: {sure.sum()} of {wanted} found, {len(sure) - sure.sum()} wrong", flush=True)
    write_facts(weights, isotonic_curve(np.array(scores), np.array(right, bool)))


def fit_lone_indices(finder: IndexFinder, faces: FaceReader, scenes: int = _SCENES) -> Fusion:
    """Return the fusion with the weights of a lone index that give the least log-loss.

    One weight counts for an index alone, two for a doubtful one beside the upper end of its card. The
    threshold is the least probability from which enough of the names are right.
    """
    crops, strips, truth = [], [], []
    for image, scene in held_out_crowds(scenes):
        up = [card for card in scene.cards if card.face_up]
        if not up:
            continue
        quads = np.array([card.quad for card in up], np.float32)
        height = float(np.median([quad_sides(quad)[1] for quad in quads]))
        for index in finder.find(image, height):
            card = _card_of(index, quads, height)
            if card is not None:
                crops.append(index_crops(image, index.quad))
                strips.append(strip_crop(image, index.quad))
                truth.append(CLASSES.index(up[card].card))
    true = np.array(truth)
    cuts = faces.index_log_probabilities(crops)
    steps = [round(float(weight), 2) for weight in np.arange(0.3, 2.6, 0.05)]
    trials = [replace(faces.fusion, index_weight=weight) for weight in steps]
    fusion = min(trials, key=lambda trial: _log_loss(fused_index(*cuts, trial), true))
    log_p = fused_index(*cuts, fusion)
    _describe("by their indices", log_p, true, fusion.index_threshold)
    doubtful = np.flatnonzero(log_p.max(axis=1) < np.log(PLAIN_INDEX))
    ends = faces.strip_log_probabilities([strips[int(k)] for k in doubtful])
    exact, wide = (cut[doubtful] for cut in cuts)
    pairs = itertools.product(np.arange(0.0, 2.01, 0.1), repeat=2)
    trials = [replace(fusion, beside_strip=(round(float(a), 2), round(float(b), 2))) for a, b in pairs]
    fusion = min(trials, key=lambda trial: _log_loss(fused_index(exact, wide, trial, ends), true[doubtful]))
    log_p[doubtful] = fused_index(exact, wide, fusion, ends)
    fusion = replace(fusion, index_threshold=lowest_threshold(log_p[:, :-1], true, _PRECISION))
    _describe("with the upper ends of their cards", log_p, true, fusion.index_threshold)
    return fusion


def _log_loss(log_p: NDArray[np.float64], true: NDArray[np.int64]) -> float:
    return -float(log_p[np.arange(len(true)), true].mean())


def _describe(how: str, log_p: NDArray[np.float64], true: NDArray[np.int64], threshold: float) -> None:
    """Print how well cards are named."""
    right, named = log_p.argmax(axis=1) == true, np.exp(log_p[:, :-1].max(axis=1)) >= threshold
    loss = _log_loss(log_p, true)
    print(f"{len(true)} cards {how}: {right.mean():.3f} likeliest right, log-loss {loss:.3f}", flush=True)
    print(f"  named {named.mean():.3f}, of these right {right[named].mean():.3f}", flush=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Fit the weights of a lone index again, with the shipped networks, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--faces", type=Path, default=FACE_WEIGHTS)
    args = parser.parse_args(argv)
    path = args.faces / "fusion.json"
    fusion = fit_lone_indices(IndexFinder(args.weights), FaceReader(args.faces))
    fitted = {name: getattr(fusion, name) for name in ("index_weight", "index_threshold", "beside_strip")}
    print(fitted)
    numbers = json.loads(path.read_text()) | fitted
    path.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    run_command(main, "fusion.json is unchanged")
