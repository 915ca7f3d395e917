"""Checking names against the templates of an enrolled deck.

A deck's opinion comes from cards that were seen whole and alone. It has an opinion on other outlines too,
often a sure one: outlines through two cards, or of a card that a neighbour covers. So the template of the
named card is aligned to the image. If it fits, the name stands. If not, the card is searched nearby, because
the outline may be off by part of a card. If no template fits, the name is only as sure as the mean of both
opinions, with and without the deck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.decks.template_search import ImagePatch, crop_patch, register_card, template_similarities
from vision.decks.templates import CardTemplates
from vision.geometry import intersection_area, is_convex, polygon_area, polygon_iou
from vision.recognition.classifier import (
    CLASSES,
    CardClassifier,
    Classification,
    classification_of,
    mix_readings,
)
from vision.recognition.detector import Detection
from vision.types import CardReading, Image, Quad

_CONFIRMED_SIMILARITY = 0.7
"""Least similarity that confirms a name ..."""
_RIVAL_MARGIN = 0.02
"""... unless a card of another rank is more similar by more than this."""
_FOUND_SIMILARITY, _RENAMED_SIMILARITY = 0.65, 0.8
"""Least similarity of a card found near an outline, as the best of many tries. The second value holds if the
outline was read with certainty as another card."""
_AGREED_SIMILARITY = 0.5
"""Least similarity that suffices if the likeliest card is also the one read there and the most similar."""
_MIN_READ_P, _CERTAIN_P = 0.8, 0.9
"""Least probability of a name that is found nearby, and of a name that is certain."""
_MIN_DETECTION_P = 0.5
"""In a blank detection a card is searched only from this confidence on. The long sides may be mistaken for
the short ones."""
_MAX_SEARCHES = 8
"""Largest number of cards per image that are searched, the most probable ones first."""
_UPPER_SIMILARITY_LEAD, _COVERED_SHARE = 0.05, 0.1
"""A card lies on another one if it is more similar to its template by this much, and covers this share."""
_SAME_PLACE_IOU = 0.5
"""IoU of two outlines of the same card."""
_FOUND_WEIGHT = 0.85
"""Weight of a found card's reading in the final probabilities, beside that of its first outline."""
_EVIDENCE_SCALE = 40.0
"""Factor from differences of similarity to those of log-probability. It is half of what fits cards with sound
outlines, because most of those are easy."""


class _DoubtfulCard(NamedTuple):
    """A detection whose card is in doubt."""

    patch: ImagePatch
    """Its surroundings in the image."""
    quad: Quad
    """Where to start the search."""
    name: Classification
    """Its classification so far."""


def check_with_templates(
    image: Image, detections: Sequence[Detection], names: Sequence[Classification], classifier: CardClassifier
) -> tuple[list[Detection], list[Classification]]:
    """Return detections and classifications, as confirmed or corrected by the deck's templates.

    Without a deck, or if it has no templates, they are returned unchanged.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        detections: The detected cards.
        names: The classification of each.
        classifier: Names cards; it holds the deck.
    """
    better_outlines, better_names = list(detections), list(names)
    templates = classifier.deck.templates if classifier.deck is not None else None
    if templates is None:
        return better_outlines, better_names
    all_patches = [_patch(image, *both, templates) for both in zip(detections, names, strict=True)]
    patches = {k: patch for k, patch in enumerate(all_patches) if patch is not None}
    quads, cards = [detections[k].quad for k in patches], [_likeliest(names[k]) for k in patches]
    every = template_similarities(list(patches.values()), quads, cards, templates)
    taken, doubts = [], {}
    for k, similarity, beneath in zip(patches, every, _beneath(quads, every), strict=True):
        if beneath:
            better_names[k] = _without_deck(names[k], classifier)
            if similarity.max() >= _CONFIRMED_SIMILARITY:
                taken.append(detections[k].quad)
                continue
        name = (
            _weighed(names[k], similarity, templates, classifier)
            if similarity.max() >= _CONFIRMED_SIMILARITY
            else names[k]
        )
        if name.card is not None and _fits(name.card, similarity, templates):
            better_names[k] = name
            taken.append(detections[k].quad)
            continue
        if not beneath:
            better_names[k] = _averaged_with_networks(names[k], classifier)
        start = _start(detections[k], names[k])
        if start is not None:
            doubts[k] = _DoubtfulCard(patches[k], start, better_names[k])
    sought = sorted(doubts, key=lambda k: -names[k].confidence)[:_MAX_SEARCHES]
    for k, quad, name in _search_cards(image, {k: doubts[k] for k in sought}, taken, templates, classifier):
        better_outlines[k], better_names[k] = replace(detections[k], quad=quad), name
    return better_outlines, better_names


def correct_with_templates(
    image: Image, cards: Sequence[CardReading], classifier: CardClassifier
) -> list[CardReading]:
    """Return the cards of an image, with doubtful ones corrected if a card of the deck lies nearby.

    This is the last look. Some of these cards show only an index, which predicts their place roughly. Without
    templates, all cards are returned unchanged.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        cards: All readings of the image.
        classifier: Names cards; it holds the deck.
    """
    templates = classifier.deck.templates if classifier.deck is not None else None
    if templates is None:
        return list(cards)
    doubtful = [k for k, card in enumerate(cards) if card.face == "up" and card.confidence < _CERTAIN_P]
    doubts = {}
    names = classifier.classify(image, [cards[k].quad for k in doubtful])
    for k, name in zip(doubtful, names, strict=True):
        patch = _patch(image, Detection(cards[k].quad, "up", cards[k].detection_confidence), name, templates)
        if patch is not None:
            doubts[k] = _DoubtfulCard(patch, cards[k].quad, name)
    sought = sorted(doubts, key=lambda k: -doubts[k].name.confidence)[:_MAX_SEARCHES]
    taken = [card.quad for card in cards if card.face == "up" and card.confidence >= _CERTAIN_P]
    better = list(cards)
    for k, quad, name in _search_cards(image, {k: doubts[k] for k in sought}, taken, templates, classifier):
        if cards[k].card is None or name.confidence > cards[k].confidence:
            better[k] = CardReading(
                quad, "up", cards[k].detection_confidence, name.card, name.confidence, name.alternatives
            )
    return better


def _start(detection: Detection, name: Classification) -> Quad | None:
    """Return the quad from which to search for the card of a doubtful detection; None if none is likely."""
    if detection.face == "down":
        return None
    if not name.is_blank:
        return detection.quad
    return np.roll(detection.quad, 1, axis=0) if detection.confidence >= _MIN_DETECTION_P else None


def _likeliest(name: Classification) -> str:
    """Return the most probable card, whether or not it is named."""
    return name.card or name.alternatives[0][0]


def _patch(
    image: Image, detection: Detection, name: Classification, templates: CardTemplates
) -> ImagePatch | None:
    """Return the surroundings of a detection; None if it cannot show a card of the deck."""
    if (detection.face == "down" and name.card is None) or _likeliest(name) not in templates.cards:
        return None
    return crop_patch(image, detection.quad, templates.fine.height)


def _fits(card: str, similarity: NDArray[np.float64], templates: CardTemplates) -> bool:
    """Return whether similarities to each card of the deck are consistent with this card."""
    if card not in templates.cards:
        return False
    others = [a for other, a in zip(templates.cards, similarity, strict=True) if other[:-1] != card[:-1]]
    own = similarity[templates.cards.index(card)]
    return bool(own >= _CONFIRMED_SIMILARITY and own >= max(others, default=0.0) - _RIVAL_MARGIN)


def _weighed(
    name: Classification,
    similarity: NDArray[np.float64],
    templates: CardTemplates,
    classifier: CardClassifier,
) -> Classification:
    """Return a classification with the similarities to the deck's templates taken into account."""
    evidence = np.full(len(CLASSES), similarity.min())
    evidence[[CLASSES.index(card) for card in templates.cards]] = similarity
    log_p = name.log_probabilities + _EVIDENCE_SCALE * evidence
    return classification_of(
        log_p - np.logaddexp.reduce(log_p), classifier.fusion.threshold, name.without_deck
    )


def _beneath(quads: Sequence[Quad], similarity: NDArray[np.float64]) -> list[bool]:
    """Return for each quad whether it lies partly under another one that looks more like a card.

    The deck has seen no covered cards. Half an 8 of diamonds beside another card's pips looks much like a 6.
    `similarity` (N x cards) holds the similarities to each card of the deck.
    """
    best = similarity.max(axis=1, initial=0.0)
    return [
        any(
            own + _UPPER_SIMILARITY_LEAD < other
            and intersection_area(quad, upper) > _COVERED_SHARE * abs(polygon_area(quad))
            for upper, other in zip(quads, best, strict=True)
        )
        for quad, own in zip(quads, best, strict=True)
    ]


def _without_deck(name: Classification, classifier: CardClassifier) -> Classification:
    """Return the classification by the networks alone."""
    return (
        name
        if name.without_deck is None
        else classification_of(name.without_deck, classifier.fusion.threshold, name.without_deck)
    )


def _averaged_with_networks(name: Classification, classifier: CardClassifier) -> Classification:
    """Return the mean of the classifications with and without the deck."""
    if name.card is None or name.without_deck is None:
        return name
    both = np.logaddexp(name.log_probabilities, name.without_deck) - np.log(2)
    return classification_of(both, classifier.fusion.threshold, name.without_deck)


def _tempered(name: Classification, before: Classification, classifier: CardClassifier) -> Classification:
    """Return the classification of a found card, mixed with that of its original outline."""
    both = mix_readings(name.log_probabilities, before.log_probabilities, _FOUND_WEIGHT)
    return classification_of(both, classifier.fusion.threshold, name.without_deck)


def _search_cards(
    image: Image,
    sought: Mapping[int, _DoubtfulCard],
    taken: Sequence[Quad],
    templates: CardTemplates,
    classifier: CardClassifier,
) -> list[tuple[int, Quad, Classification]]:
    """Return the number, quad and classification of each doubtful card that is found near its outline."""
    near = {}
    for k, doubt in sought.items():
        best = register_card(doubt.patch, doubt.quad, templates)
        free = all(polygon_iou(best.quad, other) < _SAME_PLACE_IOU for other in taken)
        if best.similarities.max() >= _AGREED_SIMILARITY and free and is_convex(best.quad):
            near[k] = best
    found = []
    read = classifier.classify(image, [best.quad for best in near.values()])
    for (k, best), plain in zip(near.items(), read, strict=True):
        name, most = (
            _weighed(plain, best.similarities, templates, classifier),
            templates.cards[int(best.similarities.argmax())],
        )
        agreed = plain.card == most == _likeliest(sought[k].name) and plain.confidence >= _CERTAIN_P
        least = _AGREED_SIMILARITY if agreed else _FOUND_SIMILARITY
        if sought[k].name.confidence >= _CERTAIN_P and name.card != sought[k].name.card:
            least = _RENAMED_SIMILARITY
        if name.card not in templates.cards or name.confidence < _MIN_READ_P:
            continue
        if best.similarities[templates.cards.index(name.card)] >= least:
            found.append((k, best.quad, _tempered(name, sought[k].name, classifier)))
    return found
