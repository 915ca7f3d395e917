"""Measure learning a deck during play: `python -m datasets.measuring.reading.online_learning` prints a table.

Cards come one after the other, as in play, and are read twice: by the networks alone, and with what
`vision.enrolment.online_learning` has made of the cards before. Nothing tells the learner what a card is.
"Wrong": named, but not rightly.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.photos import photos_root
from models.faces.data import SampleMaker
from models.faces.evaluate import photographed
from models.faces.styles import ArtFaces
from vision.decks.card_classes import CARDS
from vision.enrolment.online_learning import CERTAIN, LEAST_HEIGHT, MOMENT_LOOKS, DeckLearner, LearntHead
from vision.geometry import quad_sides
from vision.recognition.classifier import FaceReader, FaceReading
from vision.types import Image, Quad

SEEN = 300
"""Cards of a rendered deck that come one after the other."""
HEIGHTS = (48.0, 120.0)
"""Their height, pixels."""


@dataclass
class Tally:
    """How the cards of one sequence were read."""

    cards: int = 0
    right: int = 0
    wrong: int = 0

    def add(self, reading: FaceReading, card: str) -> None:
        """Count one card."""
        self.cards += 1
        self.right += reading.card == card
        self.wrong += reading.card not in (None, card)

    def __str__(self) -> str:
        return f"{self.right / max(self.cards, 1):6.1%} | {self.wrong / max(self.cards, 1):6.1%}"


def rendered(art: ArtFaces, name: str) -> Iterator[tuple[Image, Quad, str]]:
    """Yield SEEN cards of one deck, any card at any time, each in a made-up photo of its own."""
    maker = SampleMaker(art.only(name), 31, invented=0.0, covers=False)
    for _ in range(SEEN):
        card = str(maker.rng.choice(CARDS))
        image, quad = maker.shown(card, float(np.exp(maker.rng.uniform(*np.log(HEIGHTS)))))
        yield image, quad.astype(np.float32), card


def measure(name: str, found: Iterable[tuple[Image, Quad, str]]) -> None:
    """Read a sequence of cards, learning from it; print a row for all of it, and one for its second half."""
    plain, helped = FaceReader(threads=1), FaceReader(threads=1)
    learner = DeckLearner(plain)
    rows: list[tuple[FaceReading, FaceReading, str]] = []
    taught_wrong = 0
    for number, (image, quad, card) in enumerate(found):
        alone, better = plain.read(image, [quad])[0], helped.read(image, [quad])[0]
        rows.append((alone, better, card))
        look = number * MOMENT_LOOKS  # every card of the sequence is a moment of its own
        sure = alone.card is not None and alone.confidence >= CERTAIN and better.card == alone.card
        if alone.card and sure and quad_sides(quad)[1] >= LEAST_HEIGHT and learner.wants(alone.card, look):
            learner.add(alone.card, look, learner.features(image, quad))
            taught_wrong += alone.card != card
        deck = learner.renewed()
        helped.deck = helped.deck if deck is None else LearntHead(deck)
    for part, taken in (("all", rows), ("second half", rows[len(rows) // 2 :])):
        before, after = Tally(), Tally()
        for alone, better, card in taken:
            before.add(alone, card)
            after.add(better, card)
        print(f"| {name}, {part} | {before.cards} | {before} | {after} |")
    known = len(helped.deck.enrolled) if helped.deck else 0
    print(f"| {name}: {known} cards in use at the end, {taught_wrong} taken for another |", flush=True)


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
