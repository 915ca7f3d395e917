"""Fit how the looks at a card are put together, on decks that no network was trained on.

`python -m models.faces.calibrate` writes `fusion.json`: two weights and a floor that make the probabilities
calibrated (least negative log-likelihood), and the probability below which a card is not named.
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
"""Share of the named cards that must be right, which sets the threshold ..."""
LEAST, MOST = 0.5, 0.9
"""... within these limits."""


START = Fusion(1.0, 0.5, 1e-3, LEAST)
"""Where nothing has been fitted yet."""


def class_number(rank: int, suit: int) -> int:
    """Return the place in CLASSES of a rank and suit label; a rank without suit has none and gives IGNORE."""
    if rank >= len(RANKS):
        return CLASSES.index("NONE" if rank == NONE else "JOKER")
    return IGNORE if suit == IGNORE else rank * len(SUITS) + suit


Looks = tuple[NDArray[np.float64], list[NDArray[np.float64]]]
"""Log-probabilities of the classes (N x their number): from the whole cards, and from each corner piece."""


def looks_at(reader: FaceReader, crops: Sequence[FaceCrops]) -> Looks:
    """Return each look's log-probabilities for every card."""
    parts = [reader.outputs(crops[start : start + 500]) for start in range(0, len(crops), 500)]
    whole = np.concatenate([class_log_probabilities(first) for first, _ in parts])
    corners = [
        np.concatenate([class_log_probabilities(pieces[k]) for _, pieces in parts]) for k in range(CORNERS)
    ]
    return whole, corners


def fit(looks: Looks, truth: NDArray[np.int64], before: Fusion = START) -> Fusion:
    """Return the fusion with the least mean negative log-likelihood of the truth, by search over a grid.

    What concerns lone indices stays as it was before: `models.indices.calibrate` fits that.
    """
    best, least = before, np.inf
    grid = itertools.product(np.arange(0.2, 1.31, 0.1), np.arange(0.1, 1.21, 0.1), (1e-4, 1e-3, 1e-2))
    for whole_weight, corner_weight, floor in grid:
        weights = round(float(whole_weight), 2), round(float(corner_weight), 2)
        trial = replace(before, whole_weight=weights[0], corner_weight=weights[1], floor=floor)
        log_p = fused(*looks, trial)
        loss = -float(log_p[np.arange(len(truth)), truth].mean())
        if loss < least:
            best, least = trial, loss
    log_p = fused(*looks, best)
    return replace(best, threshold=lowest_threshold(log_p[:, :-1], truth))


def lowest_threshold(
    log_p: NDArray[np.float64], truth: NDArray[np.int64], precision: float = PRECISION
) -> float:
    """Return the lowest threshold within the limits above which `precision` of the named cards are right."""
    confidence, right = np.exp(log_p.max(axis=1)), log_p.argmax(axis=1) == truth
    for threshold in np.arange(LEAST, MOST, 0.01):
        named = confidence >= threshold
        if named.any() and right[named].mean() >= precision:
            return round(float(threshold), 2)
    return MOST


def calibrate(weights: Path, count: int = SAMPLES) -> Fusion:
    """Fit the fusion of the networks in the folder `weights` and write it there.

    Raises:
        BadInputError: there is one already, and it is broken.
    """
    path = weights / "fusion.json"
    if not path.exists():
        _write(path, START)  # the reader wants one; its looks do not depend on it
    maker = SampleMaker(ArtFaces("valid"), SEED, invented=0.0)
    samples = [maker.sample() for _ in range(count)]
    truth = np.array([class_number(sample.rank, sample.suit) for sample in samples])
    reader = FaceReader(weights, threads=1)
    fusion = fit(looks_at(reader, [sample.crops for sample in samples]), truth, reader.fusion)
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
    run_command(main, "fusion.json is as it was")
