"""Enrolling a deck: making the examples of an enrolled deck from pictures of its cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decks.backs import stack_back_features
from vision.decks.card_classes import CARDS
from vision.decks.deck import Deck
from vision.decks.templates import make_template
from vision.geometry import quad_size
from vision.recognition.classifier import CardClassifier
from vision.recognition.crops import FaceCrops, face_crops
from vision.types import Image, Quad

VIEWS_PER_IMAGE = 24
"""The number of examples from each picture of a card."""

_HEIGHT_RANGE_PX = (44.0, 160.0)
"""The card heights (pixels) of the examples: a card is shown near the camera but played far from it."""
_POOR_OUTLINE_SHARE = 0.25
"""The share of the examples with a poor outline."""
_MIN_ASPECT = 1.25
"""The least ratio of height to width at which the short edges of a foreshortened card are certain."""


def enrol(
    name: str,
    shown: Iterable[tuple[Image, Quad, str]],
    classifier: CardClassifier,
    backs: Sequence[NDArray[np.float32]] = (),
) -> Deck:
    """Return a deck learnt from shown cards. The same pictures always give the same deck.

    Args:
        name: The name of the deck.
        shown: (picture, quad of the card, name of the card) for each example.
        classifier: Makes the features.
        backs: Features of the deck's back (`vision.decks.backs`), if it was shown too.
    """
    cards: list[str] = []
    features = []
    templates: dict[str, NDArray[np.uint8]] = {}
    for image, quad, card in shown:
        found = augmented_features(image, quad, classifier)
        features.append(found)
        cards += [card] * len(found)
        if card in CARDS and card not in templates:
            templates[card] = card_template(image, quad, classifier)
    stacked = np.concatenate(features) if features else np.zeros((0, 0), np.float32)
    deck = Deck(name, classifier.fingerprint, tuple(cards), stacked, stack_back_features(backs))
    return with_templates(deck, templates)


def with_templates(deck: Deck, templates: Mapping[str, NDArray[np.uint8]]) -> Deck:
    """Return the deck with templates (see `card_template`) of some of its cards."""
    if not templates:
        return deck
    return replace(deck, template_cards=tuple(templates), templates=np.stack(list(templates.values())))


def card_template(image: Image, quad: Quad, classifier: CardClassifier) -> NDArray[np.uint8]:
    """Return the template (TEMPLATE_HEIGHT x TEMPLATE_WIDTH pixels) for a deck of the card in a quad."""
    return make_template(image, _short_edge_first(image, quad, classifier))


def augmented_features(
    image: Image, quad: Quad, classifier: CardClassifier, count: int = VIEWS_PER_IMAGE
) -> NDArray[np.float32]:
    """Return the features (`count` x number of features) of one card in random variants of its picture.

    The variants are smaller, blurred, noisy, in other light and upside down, with slightly wrong outlines.
    Otherwise the head would learn the accidents of a single picture.
    """
    reduced, upright = _downscaled_to_height(
        image, _short_edge_first(image, quad, classifier), _HEIGHT_RANGE_PX[1]
    )
    rng = np.random.default_rng(2026)
    return classifier.features(
        *classifier.outputs([_augmented_crops(reduced, upright, rng) for _ in range(count)])
    )


def _augmented_crops(image: Image, quad: Quad, rng: np.random.Generator) -> FaceCrops:
    """Return the crops of the card in a random, worse variant of its picture."""
    view, outline = _downscaled_to_height(image, quad, float(np.exp(rng.uniform(*np.log(_HEIGHT_RANGE_PX)))))
    height = quad_size(outline)[1]
    if rng.random() < 0.6:
        sigma = rng.uniform(0.2, 1.1) if rng.random() < 0.75 else rng.uniform(0.003, 0.016) * height
        view = np.asarray(cv2.GaussianBlur(view, (0, 0), max(0.3, sigma)), np.uint8)
    spread = rng.uniform(0.03, 0.05) if rng.random() < _POOR_OUTLINE_SHARE else rng.uniform(0, 0.025)
    wrong = rng.normal(0, 0.6 * spread, 2) + rng.normal(0, spread, (4, 2))
    seen = (outline + wrong * height).astype(np.float32)
    return face_crops(_in_other_light(view, rng), np.roll(seen, 2 * int(rng.integers(2)), axis=0))


def _in_other_light(image: Image, rng: np.random.Generator) -> Image:
    """Return the picture with random uneven light, haze, noise and compression."""
    lit = image.astype(np.float64) * (rng.uniform(0.3, 1.25) * (1 + rng.normal(0, 0.1, 3)))
    if rng.random() < 0.5:
        lit *= np.asarray(cv2.resize(rng.normal(1, 0.2, (3, 3)), image.shape[1::-1]))[:, :, None]
    if rng.random() < 0.2:
        haze = rng.uniform(0, 0.45)
        lit = lit * (1 - haze) + haze * rng.uniform(120, 255)
    lit += rng.normal(0, rng.uniform(1, 10), lit.shape)
    other = np.clip(lit, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        coded = cv2.imencode(".jpg", other, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(30, 95))])[1]
        other = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return other


def _downscaled_to_height(image: Image, quad: Quad, height: float) -> tuple[Image, Quad]:
    """Return picture and quad, scaled down so that the card is at most `height` pixels high."""
    tall = quad_size(quad)[1]
    if tall <= height:
        return image, quad
    size = (max(1, round(image.shape[1] * height / tall)), max(1, round(image.shape[0] * height / tall)))
    scale = np.array([size[0] / image.shape[1], size[1] / image.shape[0]])
    reduced = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return reduced, ((quad + 0.5) * scale - 0.5).astype(np.float32)


def _short_edge_first(image: Image, quad: Quad, classifier: CardClassifier) -> Quad:
    """Return the quad with a short edge first. The classifier decides if foreshortening hides the edges."""
    width, height = quad_size(quad)
    if height >= _MIN_ASPECT * width:
        return quad
    orders = [quad, np.roll(quad, 1, axis=0)]
    certainty = classifier.log_probabilities([face_crops(image, order) for order in orders])[:, :-1].max(
        axis=1
    )
    return orders[int(certainty.argmax())]
