"""Measure learning a deck during play: `python -m datasets.measuring.reading.online_learning` prints a table.

Cards come one after the other, as in play. Each is read twice: by the networks alone, and with the deck that
`vision.enrolment.online_learning` has learnt from the cards before. The learner does not get the true names.
"Wrong" means a wrong name.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

import cv2
import numpy as np

from datasets.photos import photos_root
from models.faces.data import SampleMaker
from models.faces.evaluate import Score, photographed
from models.faces.styles import ArtFaces
from vision.decks.card_classes import CARDS
from vision.enrolment.online_learning import (
    LOOKS_BETWEEN_MOMENTS,
    MIN_EXAMPLE_CONFIDENCE,
    MIN_EXAMPLE_HEIGHT_PX,
    DeckLearner,
    LearntDeckHead,
)
from vision.geometry import quad_size
from vision.recognition.classifier import CardClassifier, Classification
from vision.types import Image, Quad

SEEN = 300
"""Number of cards in the sequence of a rendered deck."""
HEIGHTS = (48.0, 120.0)
"""Least and greatest height of a card, pixels."""


def rendered(art: ArtFaces, name: str) -> Iterator[tuple[Image, Quad, str]]:
    """Yield SEEN random cards of one deck, each in its own synthetic photo."""
    maker = SampleMaker(art.only(name), 31, invented=0.0, covers=False)
    for _ in range(SEEN):
        card = str(maker.rng.choice(CARDS))
        image, quad = maker.shown(card, float(np.exp(maker.rng.uniform(*np.log(HEIGHTS)))))
        yield image, quad.astype(np.float32), card


def measure(name: str, found: Iterable[tuple[Image, Quad, str]]) -> None:
    """Read a sequence of cards and learn from it; print a row for all of it, and one for its second half."""
    plain, helped = CardClassifier(threads=1), CardClassifier(threads=1)
    learner = DeckLearner(plain)
    rows: list[tuple[Classification, Classification, str]] = []
    taught_wrong = 0
    for number, (image, quad, card) in enumerate(found):
        alone, better = plain.classify(image, [quad])[0], helped.classify(image, [quad])[0]
        rows.append((alone, better, card))
        look = number * LOOKS_BETWEEN_MOMENTS  # each card has its own moment
        sure = (
            alone.card is not None
            and alone.confidence >= MIN_EXAMPLE_CONFIDENCE
            and better.card == alone.card
        )
        if (
            alone.card
            and sure
            and quad_size(quad)[1] >= MIN_EXAMPLE_HEIGHT_PX
            and learner.wants(alone.card, look)
        ):
            learner.add(alone.card, look, learner.features(image, quad))
            taught_wrong += alone.card != card
        deck = learner.updated_deck()
        helped.deck = helped.deck if deck is None else LearntDeckHead(deck)
    for part, taken in (("all", rows), ("second half", rows[len(rows) // 2 :])):
        before, after = Score(), Score()
        for alone, better, card in taken:
            before.add(alone, card)
            after.add(better, card)
        print(f"| {name}, {part} | {before.cards} | {_shares(before)} | {_shares(after)} |")
    known = len(helped.deck.enrolled) if helped.deck else 0
    print(f"| {name}: {known} cards in use at the end, {taught_wrong} taken for another |", flush=True)


def _shares(score: Score) -> str:
    cards = max(score.cards, 1)
    return f"{score.right / cards:6.1%} | {(score.named - score.right) / cards:6.1%}"


def main() -> None:
    """Run the command."""
    argparse.ArgumentParser(description="Measure learning a deck during play.").parse_args()
    cv2.setNumThreads(1)
    print("| cards in sequence | cards | right | wrong | right, learning | wrong, learning |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    art = ArtFaces("valid")
    for name in art.decks:
        measure(name, rendered(art, name))
    if photos_root() is not None:
        measure("avgustine_quads", photographed("avgustine_quads"))


if __name__ == "__main__":
    main()
