"""The full reader: finds the cards in a picture, cuts each one out, and names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from vision.decks.deck import DeckHead, load_deck
from vision.geometry import polygon_area, polygon_overlap, share_of_smaller, upwards
from vision.images import reduced
from vision.recognition.classifier import FaceReader, FaceReading
from vision.recognition.deck_check import confirmed, revisited
from vision.recognition.detector import Outline, OutlineFinder
from vision.recognition.index_finder import Index
from vision.recognition.occlusion import CoveredCards
from vision.recognition.protruding_ends import end_beneath
from vision.recognition.second_look import look_again
from vision.types import CardReading, Image, Quad, Region

_CONSIDERED = 0.15
"""Confidence from which an outline is looked at to see whether a card can be read in it."""
_BLANK = 0.5
_SURE_THOUGH_BLANK = 0.8
"""What shows no card's face, with at least this probability, must be outlined this surely to count: a
card whose indices are covered does, the keys of a keyboard do not."""
_SURE_THOUGH_CUT, _WHOLE = 0.3, 0.75
"""A face-down card of which the border leaves less than the second share is seldom outlined surely."""
_SURELY_FACE = 0.95
"""So surely a face must be read on what was taken for a back."""
_LONGEST = 30_000
"""Pixels. OpenCV cannot look at places beyond 32,766; what is longer, a panorama, is made smaller."""
_ONE_CARD = 0.5
"""Two readings of the same card that share this much of the smaller quad are one card seen twice."""
_SQUARE, _CROSSWISE = 0.85, 0.5
"""Two readings across one another, which is when their directions' cosine is less than the second, share so
much only where a card looks square."""


class TableReader:
    """Reads every card in a picture; implements `vision.types.CardReader`.

    An outline that alone is not sure enough (`least`) counts all the same when a card can be read in it with
    certainty (`telling`): nothing but a card shows a card's face.
    """

    def __init__(
        self,
        finder: OutlineFinder | None = None,
        faces: FaceReader | None = None,
        covered: CoveredCards | None = None,
        *,
        least: float = 0.5,
        telling: float = 0.8,
        packs: int = 1,
    ) -> None:
        """Take over the networks; `packs`: how many the game is played with."""
        self._finder = finder or OutlineFinder(least=_CONSIDERED)
        self._faces = faces or FaceReader()
        self._covered = covered or CoveredCards(self._faces)
        self._least, self._telling, self._packs = least, telling, packs

    def read(
        self,
        image: Image,
        crowded: Sequence[Region] | None = None,
        card_height: float | None = None,
    ) -> list[CardReading]:
        """Return the cards in a picture (height x width x 3, BGR), surest outline first.

        After them come those told by an index alone, looked for in the `crowded` parts, or anywhere.
        """
        if max(image.shape[:2]) > _LONGEST:
            smaller, scale = reduced(image, _LONGEST)
            return [
                replace(card, quad=((card.quad + 0.5) / scale - 0.5).astype(np.float32))
                for card in self.read(smaller, _scaled(crowded, scale), card_height and card_height * scale)
            ]
        outlines = self._finder.find(image, card_height)
        names = self._faces.read(image, [outline.quad for outline in outlines])
        outlines, names = look_again(image, outlines, names, self._faces)
        outlines, names = confirmed(image, outlines, names, self._faces)
        readings = []
        for outline, name in zip(outlines, names, strict=True):
            if outline.face == "down" and not _shows_face(name):
                cut = _is_cut(outline.quad, image)
                keep = outline.confidence >= (min(self._least, _SURE_THOUGH_CUT) if cut else self._least)
                reading = CardReading(outline.quad, "down", outline.confidence, None, outline.confidence)
            else:
                keep = self._is_card(outline, name)
                reading = CardReading(
                    outline.quad, "up", outline.confidence, name.card, name.confidence, name.alternatives
                )
            if keep:
                readings.append(reading)
        known = _seen_once(readings)
        cards = self._covered.complete(image, known, crowded, self._packs, _ends(known, readings))
        return revisited(image, cards, self._faces)

    def _is_card(self, outline: Outline, name: FaceReading) -> bool:
        """Weigh how sure the outline is against what can be read in it."""
        if name.card is not None and name.confidence >= self._telling:
            return True
        blank = name.unreadable > _BLANK
        return outline.confidence >= (max(self._least, _SURE_THOUGH_BLANK) if blank else self._least)


def _scaled(regions: Sequence[Region] | None, scale: float) -> list[Region] | None:
    """Return parts of a picture as parts of a copy so many times as large."""
    if regions is None:
        return None
    return [(x0 * scale, y0 * scale, x1 * scale, y1 * scale) for x0, y0, x1, y1 in regions]


def _shows_face(name: FaceReading) -> bool:
    """Tell whether a card taken for a face-down one surely shows its face."""
    return name.card is not None and name.confidence >= _SURELY_FACE


def _is_cut(quad: Quad, image: Image) -> bool:
    """Tell whether the picture's border cuts off a good part of a card."""
    height, width = image.shape[:2]
    inside = polygon_overlap(quad, np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32))
    return inside < _WHOLE * abs(polygon_area(quad))


def _seen_once(readings: Sequence[CardReading]) -> list[CardReading]:
    """Drop the weaker of two readings that are of one card, see `_is_twin`."""
    kept: list[CardReading] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        if not any(_is_twin(reading, other) for other in kept):
            kept.append(reading)
    return sorted(kept, key=lambda r: -r.outline_confidence)


def _is_twin(reading: CardReading, other: CardReading) -> bool:
    """Tell whether two named readings are of one card.

    One seen so that it looks square may be outlined twice, each time with other sides for the long ones. Of
    two cards that lay across one another like that nothing of the lower one could be read.
    """
    if reading.card is None or other.card is None:
        return False
    share = share_of_smaller(other.quad, reading.quad)
    if other.card == reading.card:
        return share > _ONE_CARD
    return share > _SQUARE and _are_across(reading.quad, other.quad)


def _are_across(first: Quad, second: Quad) -> bool:
    """Tell whether one quad's long sides lie along the other's short ones."""
    return abs(float(upwards(first) @ upwards(second))) < _CROSSWISE


def _ends(known: Sequence[CardReading], readings: Sequence[CardReading]) -> list[Index]:
    """Return the cards whose ends stick out from under `known` ones that were outlined with them."""
    ends = [
        (end_beneath(card.quad, other.quad), other.outline_confidence)
        for card in known
        for other in readings
        if card.card is not None and other.card == card.card and other is not card
    ]
    return [Index(beneath, confidence) for beneath, confidence in ends if beneath is not None]


@cache
def default_reader(packs: int = 1) -> TableReader:
    """Return the reader with the weights that ship, loaded once; `packs`: see `TableReader`."""
    return TableReader(packs=packs)


def reader_for_deck(name: str | None, packs: int = 1) -> TableReader:
    """Return the reader for an enrolled deck, or the default one for None; `packs`: see `TableReader`.

    Raises BadInputError when no such deck is enrolled.
    """
    if name is None:
        return default_reader(packs)
    return TableReader(faces=FaceReader(deck=DeckHead(load_deck(name))), packs=packs)
