"""The full reader: detects the cards in an image, resolves overlaps, and names the cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from vision.decks.deck_files import load_deck
from vision.decks.deck_head import DeckHead
from vision.geometry import intersection_area, intersection_over_smaller, polygon_area, up_direction
from vision.images import downscale, touches
from vision.recognition.classifier import CardClassifier, Classification
from vision.recognition.detector import CardDetector, Detection
from vision.recognition.framed_faces import enlarge_framed_outlines
from vision.recognition.index_detector import IndexDetection
from vision.recognition.ink import InkColours
from vision.recognition.occlusion import OcclusionResolver
from vision.recognition.outline_retry import retry_doubtful_outlines
from vision.recognition.protruding_ends import find_lower_card
from vision.recognition.template_check import check_with_templates, correct_with_templates
from vision.types import CardReading, Image, Mask, Quad, Region

_MIN_CONSIDERED_P = 0.15
"""Least confidence of a detection that is classified at all."""
_BLANK_DETECTION_P = 0.8
"""A blank detection counts from this confidence on. A card with covered indices reaches it; the keys of a
keyboard do not."""
_CUT_BACK_DETECTION_P, _WHOLE_SHARE = 0.3, 0.75
"""A face-down card counts from the first confidence on if less than the second share of it lies in the
image."""
_PRINT_SHARE = 0.5
"""An outline is print on a card that fills the image if it shares this much with it."""
_SURE_FACE_P = 0.95
"""Least probability of a name for a detection to count as face up although it was detected as face down."""
_MAX_SIDE_PX = 30_000
"""Largest side of an image in pixels, as OpenCV cannot address pixels beyond 32,766. Larger images, such as
panoramas, are downscaled."""
_SAME_CARD_SHARE = 0.5
"""Two readings with one name are one card if they share this much of the smaller quad."""
_SQUARE_CARD_SHARE, _CROSSWISE_COSINE = 0.85, 0.5
"""Two readings at right angles (cosine of their directions below the second value) are one card if they share
this much. A card may look square."""


class TableReader:
    """Reads every card in an image; implements `vision.types.CardReader`."""

    def __init__(
        self,
        detector: CardDetector | None = None,
        classifier: CardClassifier | None = None,
        occlusion: OcclusionResolver | None = None,
        *,
        min_confidence: float = 0.5,
        min_name_confidence: float = 0.8,
        packs: int = 1,
    ) -> None:
        """Use the given networks, or those that ship.

        A detection counts if it is confident enough. It also counts if a card can be read in it with
        certainty, because only a card shows a card's face.

        Args:
            detector: Proposes outlines.
            classifier: Names cards.
            occlusion: Finds partly covered cards.
            min_confidence: Least confidence of a detection that counts by itself.
            min_name_confidence: Least probability of a name that makes a detection count.
            packs: How many packs are in play.

        Raises:
            BadInputError: Weights are missing or broken.
        """
        self._detector = detector or CardDetector(min_confidence=_MIN_CONSIDERED_P)
        self._classifier = classifier or CardClassifier()
        self._occlusion = occlusion or OcclusionResolver(self._classifier)
        self._min_confidence, self._min_name_confidence, self._packs = (
            min_confidence,
            min_name_confidence,
            packs,
        )

    def read(
        self,
        image: Image,
        crowded: Sequence[Region] | None = None,
        ignored: Mask | None = None,
        *,
        card_height: float | None = None,
        changed: Mask | None = None,
        inks: InkColours | None = None,
    ) -> list[CardReading]:
        """Return the cards in an image, surest detection first, followed by those that show only an index.

        Args:
            image: Height x width x 3, BGR, 8 bit.
            crowded: Regions in which to search for indices of covered cards; None: the whole image.
            ignored: Has no effect: every part of the image is read.
            card_height: Height of the cards in pixels, if known.
            changed: A mask at any resolution: only cards that touch it are read; None: all.
            inks: The colours of ink, if they are known, as in a part of an image.
        """
        if max(image.shape[:2]) > _MAX_SIDE_PX:
            smaller, scale = downscale(image, _MAX_SIDE_PX)
            return [
                replace(card, quad=((card.quad + 0.5) / scale - 0.5).astype(np.float32))
                for card in self.read(
                    smaller,
                    _scaled(crowded, scale),
                    card_height=card_height and card_height * scale,
                    changed=changed,
                    inks=inks,
                )
            ]
        detections = self._detector.detect(image, card_height)
        if changed is not None:
            to_mask = np.divide(changed.shape[::-1], (image.shape[1], image.shape[0]))
            detections = [found for found in detections if touches(found.quad * to_mask, changed)]
        names = self._classifier.classify(image, [detection.quad for detection in detections])
        if card_height is None and not any(self._is_named(name) for name in names):
            detections, names = self._with_filling_card(image, detections, names)
        detections, names = retry_doubtful_outlines(image, detections, names, self._classifier)
        if card_height is None:
            detections, names = enlarge_framed_outlines(image, detections, names, self._classifier)
        detections, names = check_with_templates(image, detections, names, self._classifier)
        readings = []
        for detection, name in zip(detections, names, strict=True):
            if detection.face == "down" and not _shows_face(name):
                cut = _is_cut(detection.quad, image)
                keep = detection.confidence >= (
                    min(self._min_confidence, _CUT_BACK_DETECTION_P) if cut else self._min_confidence
                )
                reading = CardReading(
                    detection.quad, "down", detection.confidence, None, detection.confidence
                )
            else:
                keep = self._is_card(detection, name)
                reading = CardReading(
                    detection.quad, "up", detection.confidence, name.card, name.confidence, name.alternatives
                )
            if keep:
                readings.append(reading)
        known = _without_duplicates(readings)
        ends = _protruding_ends(known, readings)
        cards = self._occlusion.resolve(image, known, crowded, self._packs, ends, inks)
        return correct_with_templates(image, cards, self._classifier)

    def _with_filling_card(
        self, image: Image, detections: Sequence[Detection], names: Sequence[Classification]
    ) -> tuple[list[Detection], list[Classification]]:
        """Return the detections with a card that fills the image, if there is one, without those on it."""
        filling = self._detector.detect_filling(image)
        if not filling:
            return list(detections), list(names)
        read = zip(filling, self._classifier.classify(image, [one.quad for one in filling]), strict=True)
        cards = [(one, name) for one, name in read if _shows_face(name)]
        if not cards:
            return list(detections), list(names)
        card, its_name = max(cards, key=lambda pair: pair[1].confidence)
        others = [
            (one, name)
            for one, name in zip(detections, names, strict=True)
            if intersection_over_smaller(one.quad, card.quad) < _PRINT_SHARE
        ]
        return [card, *(one for one, _ in others)], [its_name, *(name for _, name in others)]

    def _is_named(self, name: Classification) -> bool:
        return name.card is not None and name.confidence >= self._min_name_confidence

    def _is_card(self, detection: Detection, name: Classification) -> bool:
        """Return whether a detection counts, by its confidence and by what can be read in it."""
        if self._is_named(name):
            return True
        return detection.confidence >= (
            max(self._min_confidence, _BLANK_DETECTION_P) if name.is_blank else self._min_confidence
        )


def _scaled(regions: Sequence[Region] | None, scale: float) -> list[Region] | None:
    """Return regions of an image in pixels of its copy at the given scale."""
    if regions is None:
        return None
    return [(x0 * scale, y0 * scale, x1 * scale, y1 * scale) for x0, y0, x1, y1 in regions]


def _shows_face(name: Classification) -> bool:
    """Return whether a detection that seemed face down surely shows a face."""
    return name.card is not None and name.confidence >= _SURE_FACE_P


def _is_cut(quad: Quad, image: Image) -> bool:
    """Return whether the border of the image cuts off a large part of a card."""
    height, width = image.shape[:2]
    inside = intersection_area(quad, np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32))
    return inside < _WHOLE_SHARE * abs(polygon_area(quad))


def _without_duplicates(readings: Sequence[CardReading]) -> list[CardReading]:
    """Return the readings without the less confident one of two that are of the same card."""
    kept: list[CardReading] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        if not any(_is_same_card(reading, other) for other in kept):
            kept.append(reading)
    return sorted(kept, key=lambda r: -r.detection_confidence)


def _is_same_card(reading: CardReading, other: CardReading) -> bool:
    """Return whether two named readings are of the same card.

    A card that looks square may be outlined twice, at right angles. If they were two cards at right angles,
    nothing of the lower one could be read.
    """
    if reading.card is None or other.card is None:
        return False
    share = intersection_over_smaller(other.quad, reading.quad)
    if other.card == reading.card:
        return share > _SAME_CARD_SHARE
    return share > _SQUARE_CARD_SHARE and _are_across(reading.quad, other.quad)


def _are_across(first: Quad, second: Quad) -> bool:
    """Return whether the long sides of one quad run along the short sides of the other."""
    return abs(float(up_direction(first) @ up_direction(second))) < _CROSSWISE_COSINE


def _protruding_ends(known: Sequence[CardReading], readings: Sequence[CardReading]) -> list[IndexDetection]:
    """Return the lower cards that stick out from under `known` ones, by outlines around both."""
    ends = [
        (find_lower_card(card.quad, other.quad), other.detection_confidence)
        for card in known
        for other in readings
        if card.card is not None and other.card == card.card and other is not card
    ]
    return [IndexDetection(beneath, confidence) for beneath, confidence in ends if beneath is not None]


@cache
def default_reader(packs: int = 1) -> TableReader:
    """Return the reader with the weights that ship, loaded once; `packs`: how many packs are in play."""
    return TableReader(packs=packs)


def reader_for_deck(name: str | None, packs: int = 1) -> TableReader:
    """Return the reader for an enrolled deck; None: the default reader.

    Args:
        name: Name of the deck.
        packs: How many packs are in play.

    Raises:
        BadInputError: No such deck is enrolled.
    """
    if name is None:
        return default_reader(packs)
    return TableReader(classifier=CardClassifier(deck=DeckHead(load_deck(name))), packs=packs)
