"""Fit how far the suit of a blurred card can be trusted, on rendered frames.

`python -m models.faces.calibrate_suits` renders frames, and blurs or reduces most of them. It fits the two
numbers at the top of `vision/recognition/blurred_suits.py`. The loss is the mean negative log-likelihood of
the suits, given rank and colour. It is also printed for full trust and for the numbers in use.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.art.decks import deck_names, load_deck
from datasets.photos import surfaces
from datasets.scenes.cards import CardStock
from datasets.scenes.light import motion_kernel
from datasets.scenes.scene import Scene, SceneMaker
from models.shared.commands import run_command
from vision.decks.card_classes import CARDS, SUITS, is_red
from vision.geometry import polygon_iou
from vision.recognition.blurred_suits import HALF_TRUST_MM, TRUST_POWER, blur_mm
from vision.recognition.classifier import CardClassifier, class_log_probabilities, fuse_views
from vision.recognition.crops import face_crops
from vision.recognition.detector import CardDetector
from vision.types import Image, Quad

FRAMES = 260
"""Frames per deck."""
_SEED = 8
_SIZES = (576, 720, 1080)
_LEAST_SEEN, _LEAST_IOU = 0.9, 0.6
"""Least visible share of a card that counts, and least IoU of its outline."""
_HALF_TRUST_MM = np.arange(1.5, 9.1, 0.25)
_POWERS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


@dataclass(frozen=True, slots=True)
class SuitSample:
    """One blurred card whose rank and colour were read correctly."""

    blur: float
    """See `vision.recognition.blurred_suits.blur_mm`."""
    log_odds: float
    """Log odds of the likelier suit against the other one of its colour, by the networks."""
    right: bool
    """Whether the likelier suit is the card's."""


def degraded(image: Image, rng: np.random.Generator) -> tuple[Image, float]:
    """Return a frame out of focus, in motion, reduced or as it was, and its scale."""
    kind, scale = rng.random(), 1.0
    if kind < 0.4:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.8, 4.5))), np.uint8)
    elif kind < 0.65:
        kernel = motion_kernel(rng, int(rng.integers(5, 16)))
        image = np.asarray(cv2.filter2D(image, -1, kernel), np.uint8)
    elif kind < 0.9:
        scale = float(rng.uniform(0.25, 0.8))
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    if rng.random() < 0.6:
        noise = rng.normal(0, rng.uniform(0, 5), image.shape)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    return image, scale


def samples(deck: str, count: int) -> Iterator[SuitSample]:
    """Yield the uncovered cards in `count` frames of a deck, as far as they are outlined and read."""
    finder, reader = CardDetector(), CardClassifier()
    stock, textures = CardStock([load_deck(deck)], real_share=1.0), surfaces()
    makers = [SceneMaker(stock, textures, size, min_visible=0.0) for size in _SIZES]
    for number in range(count):
        rng = np.random.default_rng([_SEED, number])
        scene = makers[int(rng.integers(len(makers)))].make(_SEED * 1000 + number)
        image, scale = degraded(scene.image, rng)
        for outline in finder.detect(image):
            card = _card_at(scene, np.asarray(outline.quad / scale, np.float32))
            if card is None or outline.face != "up":
                continue
            whole, corners = reader.outputs([face_crops(image, outline.quad)])
            views = [class_log_probabilities(corner) for corner in corners]
            log_p = fuse_views(class_log_probabilities(whole), views, reader.fusion)[0]
            sample = _sample(card, log_p, blur_mm(image, outline.quad))
            if sample is not None:
                yield sample


def loss(found: Sequence[SuitSample], half: float, power: float) -> float:
    """Return the mean negative log-likelihood of the suits with these two numbers."""
    blur = np.array([one.blur for one in found])
    odds = np.array([one.log_odds if one.right else -one.log_odds for one in found])
    return float(np.logaddexp(0, -odds / (1 + (blur / half) ** power)).mean())


def fit(found: Sequence[SuitSample]) -> tuple[float, float, float]:
    """Return the blur of half trust and the power that fit best, and their loss."""
    tried = itertools.product(_HALF_TRUST_MM.tolist(), _POWERS)
    return min(((*numbers, loss(found, *numbers)) for numbers in tried), key=lambda one: one[2])


def _card_at(scene: Scene, quad: Quad) -> str | None:
    """Return the uncovered face-up card that lies in a quad; None if there is none."""
    nearest = max(scene.cards, key=lambda card: polygon_iou(card.quad, quad), default=None)
    if nearest is None or polygon_iou(nearest.quad, quad) < _LEAST_IOU or nearest.visible < _LEAST_SEEN:
        return None
    return nearest.card if nearest.face_up and nearest.card in CARDS else None


def _sample(card: str, log_p: NDArray[np.float64], blur: float) -> SuitSample | None:
    best = CARDS[int(log_p[: len(CARDS)].argmax())]
    if best[:-1] != card[:-1] or is_red(best) != is_red(card):
        return None
    same_rank = (best[:-1] + suit for suit in SUITS if suit != best[-1])
    twin = next(other for other in same_rank if is_red(other) == is_red(best))
    odds = float(log_p[CARDS.index(best)] - log_p[CARDS.index(twin)])
    return SuitSample(blur, odds, best == card)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Fit how far the suit of a blurred card can be trusted.")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames per deck")
    parser.add_argument("--decks", nargs="*", default=["drawn", *deck_names("valid")])
    args = parser.parse_args(argv)
    found = [sample for deck in args.decks for sample in samples(deck, args.frames)]
    half, power, least = fit(found)
    wrong = sum(not one.right for one in found)
    print(f"{len(found)} cards, {wrong} with the wrong suit")
    print(f"HALF_TRUST_MM, TRUST_POWER = {half}, {power}  # loss {least:.4f}")
    print(
        f"full trust: {loss(found, np.inf, 1.0):.4f}; in use: {loss(found, HALF_TRUST_MM, TRUST_POWER):.4f}"
    )


if __name__ == "__main__":
    run_command(main, "nothing was written")
