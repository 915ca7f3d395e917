"""Measure the shipped face networks: `python -m models.faces.evaluate` prints a table.

The networks were trained on none of these sets. Some are held-out decks in synthetic photographs. The others
are photographs of other decks, with quads that are labelled or found by contour. "Named" is the share of the
cards that get a name. "Right" is the share with the right name, and "of named" the same share of the named.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from datasets.photos import load_set, photos_root, read_image
from models.faces.data import SampleMaker
from models.faces.photos import quad_in_box, quad_of_single_card
from models.faces.styles import ArtFaces
from vision.decks.card_classes import CARDS, OUTPUTS, RANK_OUTPUTS, RANKS, SUITS
from vision.decks.deck import DeckHead
from vision.enrolment.enrolment import enrol
from vision.geometry import order_quad, quad_sides
from vision.recognition.classifier import WEIGHTS, FaceReader, FaceReading, reading_of
from vision.recognition.crops import CORNER_HEIGHT, CORNER_WIDTH, FaceCrops, network_input
from vision.recognition.runtime import load_network
from vision.types import Image, Quad

CARD_HEIGHTS = (48, 64, 96, 160)
"""Heights at which decks and photographs are measured, pixels."""
DECK_SAMPLES = 260
"""Cards per held-out deck and row."""
SHOWN_HEIGHT = 160
"""Height of a card that is shown for enrolment, pixels."""
POOR_OUTLINES = 0.15
"""Share of the outlines that are wrong by up to a seventh of the card, as in training."""
ENROLLED_SETS = ("avgustine_quads", "yuchenrao_single")
"""Sets that show each card of a deck several times."""


@dataclass
class Score:
    """Number of cards that got a name, and that got the right one."""

    cards: int = 0
    named: int = 0
    right: int = 0

    def add(self, reading: FaceReading, card: str) -> None:
        """Count one card."""
        self.cards += 1
        self.named += reading.card is not None
        self.right += reading.card == card

    def __add__(self, other: Score) -> Score:
        """Return the counts of two sets together."""
        return Score(self.cards + other.cards, self.named + other.named, self.right + other.right)

    def line(self, name: str) -> str:
        """Return a row of the table."""
        cards, named = max(self.cards, 1), max(self.named, 1)
        shares = f"{self.named / cards:7.1%} | {self.right / cards:7.1%} | {self.right / named:7.1%}"
        return f"| {name:50} | {self.cards:5} | {shares} |"


def score_cuts(reader: FaceReader, cuts: Iterable[tuple[FaceCrops, str]]) -> Score:
    """Return how well the reader names cards that are already cut out."""
    result, batch = Score(), list(cuts)
    for start in range(0, len(batch), 200):
        part = batch[start : start + 200]
        rows = reader.log_probabilities([crops for crops, _ in part])
        for row, (_, card) in zip(rows, part, strict=True):
            result.add(reading_of(row, reader.fusion.threshold), card)
    return result


def score_photos(reader: FaceReader, found: Iterable[tuple[Image, Quad, str]]) -> Score:
    """Return how well the reader names cards in photos."""
    result = Score()
    for image, quad, card in found:
        result.add(reader.read(image, [quad])[0], card)
    return result


@dataclass(frozen=True)
class HeldOut:
    """A held-out deck, read without enrolment and when enrolled from one synthetic photo per card."""

    art: ArtFaces
    plain: FaceReader
    enrolled: FaceReader

    @classmethod
    def open(cls, art: ArtFaces, name: str, weights: Path) -> HeldOut:
        """Show each card of deck `name` once, SHOWN_HEIGHT px high, and enrol the deck."""
        alone, plain = art.only(name), FaceReader(weights, threads=1)
        maker = SampleMaker(alone, 7, invented=0.0, covers=False)
        shown = ((*maker.shown(card, SHOWN_HEIGHT), card) for card in CARDS)
        deck = enrol(name, ((image, quad.astype(np.float32), card) for image, quad, card in shown), plain)
        return cls(alone, plain, FaceReader(weights, deck=DeckHead(deck), threads=1))

    def cuts(self, heights: tuple[float, float], poor: float) -> list[tuple[FaceCrops, str]]:
        """Return uncovered cards in synthetic photos, for a range of heights and a share of bad outlines."""
        maker = SampleMaker(self.art, 99, invented=0.0, heights=heights, covers=False, poor=poor)
        cuts: list[tuple[FaceCrops, str]] = []
        while len(cuts) < DECK_SAMPLES:
            sample = maker.sample()
            if sample.rank < len(RANKS):
                cuts.append((sample.crops, RANKS[sample.rank] + SUITS[sample.suit]))
        return cuts


def print_held_out(weights: Path) -> None:
    """Print the rows of the held-out decks, without and with enrolment."""
    art = ArtFaces("valid")
    decks = [HeldOut.open(art, name, weights) for name in art.decks]
    rows = [(f"{height} px", (height, height), POOR_OUTLINES) for height in CARD_HEIGHTS]
    rows += [("48 to 220 px", (48, 220), POOR_OUTLINES), ("48 to 220 px, sound outlines", (48, 220), 0.0)]
    for title, heights, poor in rows:
        plain, enrolled = Score(), Score()
        for deck in decks:
            cuts = deck.cuts(heights, poor)
            plain += score_cuts(deck.plain, cuts)
            enrolled += score_cuts(deck.enrolled, cuts)
        print(plain.line(f"held-out decks, {title}"))
        print(enrolled.line(f"held-out decks, {title}, enrolled"), flush=True)


def _shrunk(image: Image, quad: Quad, height: int | None) -> tuple[Image, Quad]:
    """Return picture and quad, reduced until the card is at most `height` pixels high."""
    tall = quad_sides(quad)[1]
    if height is None or tall <= height:
        return image, quad
    size = (round(image.shape[1] * height / tall), round(image.shape[0] * height / tall))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return small, ((quad + 0.5) * (size[0] / image.shape[1]) - 0.5).astype(np.float32)


def photographed(name: str) -> Iterator[tuple[Image, Quad, str]]:
    """Yield the face-up cards of a photo set with their quads; cards without a quad are left out."""
    if name == "yuchenrao_single":
        for path in sorted((photos_root() or Path()).glob("yuchenrao_single/*/*")):
            image = read_image(path)
            quad = quad_of_single_card(image)
            if quad is not None:
                yield image, quad, path.parent.name
        return
    for photo in load_set(name):
        image = photo.image()
        for label in photo.labels:
            exact = label.kind == "quad"
            quad = order_quad(label.points) if exact else quad_in_box(image, label.points)
            if quad is not None and label.card in CARDS:
                yield image, quad, label.card


def enrolled(weights: Path, found: Sequence[tuple[Image, Quad, str]]) -> tuple[Score, Score]:
    """Return how well the photos are read, without and with the first photo of each card enrolled.

    The first photos themselves are not read, so a card that is shown only once is left out.
    """
    plain = FaceReader(weights, threads=1)
    first: dict[str, tuple[Image, Quad, str]] = {}
    others = []
    for item in found:
        if first.setdefault(item[2], item) is not item:
            others.append(item)
    deck = enrol("measured", first.values(), plain)
    reader = FaceReader(weights, deck=DeckHead(deck), threads=1)
    return score_photos(plain, others), score_photos(reader, others)


def corners_alone(weights: Path) -> Score:
    """Return how well the corner network alone reads the index crops of `alvaro_corners`."""
    network = load_network(weights / "corner.onnx", threads=1)
    result = Score()
    for path in sorted((photos_root() or Path()).glob("alvaro_corners/*/*")):
        card = path.parent.name
        if card not in CARDS:
            continue
        output = network.run(network_input(_as_corner(read_image(path))[None]))[0]
        rank, suit = output[:RANK_OUTPUTS].argmax(), output[RANK_OUTPUTS:OUTPUTS].argmax()
        result.cards += 1
        result.named += bool(rank < len(RANKS))
        result.right += bool(rank < len(RANKS)) and RANKS[rank] + SUITS[suit] == card
    return result


def _as_corner(crop: Image) -> Image:
    """Return a tight crop of an index as the reader cuts a corner: with the card around it."""
    height = round(CORNER_HEIGHT * 0.78)
    width = min(round(crop.shape[1] * height / crop.shape[0]), CORNER_WIDTH - 2)
    small = cv2.resize(crop, (width, height), interpolation=cv2.INTER_AREA)
    left, top = 2, 4
    return np.asarray(
        cv2.copyMakeBorder(
            small,
            top,
            CORNER_HEIGHT - height - top,
            left,
            CORNER_WIDTH - width - left,
            cv2.BORDER_REPLICATE,
        ),
        np.uint8,
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description="Measure the face networks on what they were not trained on."
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    reader = FaceReader(args.weights, threads=1)
    print("| set | cards | named | right | of named |\n| --- | ---: | ---: | ---: | ---: |")
    print_held_out(args.weights)
    if photos_root() is None:
        print("The photo folder is missing (set SHITHEAD_PHOTOS): photographs were not measured.")
        return
    for name in ("vpo_table", "avgustine_quads", "yuchenrao_single", "rf100/valid"):
        found = list(photographed(name))
        for limit in (48, 64, None):
            shown = ((*_shrunk(image, quad, limit), card) for image, quad, card in found)
            size = "full size" if limit is None else f"{limit} px"
            print(score_photos(reader, shown).line(f"{name}, {size}"), flush=True)
        if name in ENROLLED_SETS:
            before, after = enrolled(args.weights, found)
            print(before.line(f"{name}, but each card's first photo"))
            print(after.line(f"{name}, the first photo enrolled"), flush=True)
    print(corners_alone(args.weights).line("alvaro_corners (one index alone)"))


if __name__ == "__main__":
    main()
