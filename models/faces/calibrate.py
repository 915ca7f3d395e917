"""Fit how the face networks' outputs are fused, on decks that no network was trained on.

`python -m models.faces.calibrate` writes `fusion.json`. Two weights and a floor minimise the negative
log-likelihood, which calibrates the probabilities. A card with a probability below the threshold gets no
name.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.faces.data import SampleMaker
from models.faces.labels import IGNORE, NONE
from models.faces.styles import ArtFaces
from models.shared.calibration import LEAST_THRESHOLD, lowest_threshold
from models.shared.commands import run_command
from vision.decks.card_classes import RANKS, SUITS
from vision.recognition.classifier import (
    CLASSES,
    FORMAT,
    WEIGHTS,
    FaceReader,
    Fusion,
    class_log_probabilities,
    fused,
)
from vision.recognition.crops import CORNERS, FaceCrops

SAMPLES = 3000
SEED = 4242
PRECISION = 0.975
"""Share of the named cards that must be right; it sets the threshold."""


START = Fusion(1.0, 0.5, 1e-3, LEAST_THRESHOLD)
"""The values before anything has been fitted."""


def class_number(rank: int, suit: int) -> int:
    """Return the index in CLASSES of a rank and suit label, or IGNORE for a rank without a suit."""
    if rank >= len(RANKS):
        return CLASSES.index("NONE" if rank == NONE else "JOKER")
    return IGNORE if suit == IGNORE else rank * len(SUITS) + suit


CropOutputs = tuple[NDArray[np.float64], list[NDArray[np.float64]]]
"""Log-probabilities (N x classes): from the whole cards, and from each corner piece."""


def crop_outputs(reader: FaceReader, crops: Sequence[FaceCrops]) -> CropOutputs:
    """Return the log-probabilities from each crop of N cards."""
    parts = [reader.outputs(crops[start : start + 500]) for start in range(0, len(crops), 500)]
    whole = np.concatenate([class_log_probabilities(first) for first, _ in parts])
    corners = [
        np.concatenate([class_log_probabilities(pieces[k]) for _, pieces in parts]) for k in range(CORNERS)
    ]
    return whole, corners


def fit(outputs: CropOutputs, truth: NDArray[np.int64], before: Fusion = START) -> Fusion:
    """Return the fusion with the least mean negative log-likelihood of the truth (N), by grid search.

    The numbers for lone indices stay as in `before`: `models.indices.calibrate` fits them.
    """
    best, least = before, np.inf
    grid = itertools.product(np.arange(0.2, 1.31, 0.1), np.arange(0.1, 1.21, 0.1), (1e-4, 1e-3, 1e-2))
    for whole_weight, corner_weight, floor in grid:
        weights = round(float(whole_weight), 2), round(float(corner_weight), 2)
        trial = replace(before, whole_weight=weights[0], corner_weight=weights[1], floor=floor)
        log_p = fused(*outputs, trial)
        loss = -float(log_p[np.arange(len(truth)), truth].mean())
        if loss < least:
            best, least = trial, loss
    log_p = fused(*outputs, best)
    return replace(best, threshold=lowest_threshold(log_p[:, :-1], truth, PRECISION))


def calibrate(weights: Path, count: int = SAMPLES) -> Fusion:
    """Fit the fusion of the networks in the folder `weights` and write it there.

    Raises:
        BadInputError: there is a fusion already, and it is damaged.
    """
    path = weights / "fusion.json"
    if not path.exists():
        _write(path, START)  # the reader needs a file; the outputs do not depend on it
    maker = SampleMaker(ArtFaces("valid"), SEED, invented=0.0)
    samples = [maker.sample() for _ in range(count)]
    truth = np.array([class_number(sample.rank, sample.suit) for sample in samples])
    reader = FaceReader(weights, threads=1)
    fusion = fit(crop_outputs(reader, [sample.crops for sample in samples]), truth, reader.fusion)
    _write(path, fusion)
    return fusion


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Fit the confidence of the face networks.")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    args = parser.parse_args(argv)
    print(calibrate(args.weights, args.samples))


def _write(path: Path, fusion: Fusion) -> None:
    numbers = {"format": FORMAT} | asdict(fusion)
    path.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    run_command(main, "fusion.json is unchanged")
