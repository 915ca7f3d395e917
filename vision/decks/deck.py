"""A deck that was enrolled: examples of its cards, by which they are read better from then on.

An example is a feature vector from the frozen face networks, with the card that it shows. A ridge regression
from features to cards (`vision.decks.deck_head`) is fitted when a deck is loaded, and refines the opinion of
the networks. Templates of the cards confirm names (`vision.recognition.template_check`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.cards import JOKER
from vision.decks.card_classes import CARDS
from vision.decks.templates import TEMPLATE_HEIGHT, TEMPLATE_WIDTH

DECK_CARDS = (*CARDS, JOKER)
"""The cards that a deck may contain, in the order of the classifier's classes, which has NONE in addition."""

EMPTY_TEMPLATES_SHAPE = (0, TEMPLATE_HEIGHT, TEMPLATE_WIDTH)
"""The shape of the templates of a deck that has none."""


@dataclass(frozen=True, eq=False)
class Deck:
    """Examples and templates of one deck's cards."""

    name: str
    """The name under which the deck was enrolled."""
    weights_fingerprint: str
    """Fingerprint of the networks that made the features. Features of other networks cannot be compared."""
    cards: tuple[str, ...]
    """The card of each example."""
    features: NDArray[np.float32]
    """The examples, N x number of features."""
    backs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    """Features of images of its back (see `vision.decks.backs`), N x number of features; N may be 0."""
    template_cards: tuple[str, ...] = ()
    """Cards that have a template, each once. Jokers have none, because a pack may have several."""
    templates: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(EMPTY_TEMPLATES_SHAPE, np.uint8))
    """The template of each of these cards: N x TEMPLATE_HEIGHT x TEMPLATE_WIDTH, see
    `vision.decks.templates`."""
