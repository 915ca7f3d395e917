"""Reads cards without a sure name again in other outlines, because theirs may be wrong.

If a camera looks from the side, or an image is blurred, a slanted card may get a rectangular outline. The
networks then see the card in the wrong place. So the outline is slanted by several amounts, refined each
time, and the best ones are read. From still farther aside, a card's long sides are the shorter ones in the
image. So a blank outline is also read at right angles.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.decks.card_classes import rank_and_colour
from vision.geometry import is_convex
from vision.recognition.classifier import CardClassifier, Classification, classification_of, mix_readings
from vision.recognition.detector import Detection
from vision.recognition.outline_refinement import edge_support, refine_quads
from vision.types import Image, Quad

_MIN_GUESS_P = 0.3
"""Least probability of the likeliest card. If it is lower, the problem is not a wrong outline."""
_KNOWN_RANK_P = 0.8
"""A card whose two likeliest names differ only in the suit is not slanted, if they have this probability."""
_TURN_DETECTION_P, _TURN_BLANK_P, _TURNED_NAME_P = 0.8, 0.9, 0.8
"""A detection with this confidence, and blank with this probability, is read at right angles. The result
counts if its name has the third probability."""
_MAX_CARDS = 6
"""Largest number of cards per image that are read again, the most probable ones first."""
_SLANTS = tuple(
    (across, along)
    for across, along in itertools.product((-0.35, -0.17, 0.0, 0.17, 0.35), repeat=2)
    if abs(across) + abs(along) <= 0.55
)
"""Slants: how far the height leans along the width, and the width along the height."""
_MAX_SLANTS_READ = 3
"""Largest number of slants that are read: those whose sides lie most clearly on edges ..."""
_MIN_SUPPORT_GAIN = 0.05
"""... if they gain at least this much edge support (as `edge_support` returns it) over the first outline."""
_SUPPORT_WEIGHT = 5.0
"""Weight of a quad's edge support beside the probability of the name read in it."""
_RETRY_WEIGHT = 0.75
"""Weight of the chosen outline's reading in the final probabilities."""


def retry_doubtful_outlines(
    image: Image, detections: Sequence[Detection], names: Sequence[Classification], classifier: CardClassifier
) -> tuple[list[Detection], list[Classification]]:
    """Return detections and classifications, corrected where a slanted or turned outline fits better.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        detections: The detected cards.
        names: The classification of each.
        classifier: Names cards.
    """
    better_outlines, better_names = list(detections), list(names)
    doubtful = [
        k
        for k, (detection, name) in enumerate(zip(detections, names, strict=True))
        if detection.face == "up"
        and name.card is None
        and name.confidence >= _MIN_GUESS_P
        and not name.is_blank
        and not _is_suit_alone_open(name)
    ]
    for k in sorted(doubtful, key=lambda k: -names[k].confidence)[:_MAX_CARDS]:
        quad, name = _retry(image, detections[k].quad, names[k], classifier)
        better_outlines[k], better_names[k] = replace(detections[k], quad=quad), name
    blank = [k for k, name in enumerate(names) if _may_be_turned(detections[k], name)][:_MAX_CARDS]
    turned = [np.roll(detections[k].quad, 1, axis=0) for k in blank]
    turned_names = classifier.classify(image, turned) if turned else []
    for k, quad, name in zip(blank, turned, turned_names, strict=True):
        if name.card is not None and name.confidence >= _TURNED_NAME_P:
            better_outlines[k], better_names[k] = replace(detections[k], quad=quad), name
    return better_outlines, better_names


def _is_suit_alone_open(name: Classification) -> bool:
    """Return whether rank and colour of a card are known, so that its outline is right."""
    likely = name.alternatives[:2]
    same = len(likely) == 2 and len({rank_and_colour(card) for card, _ in likely}) == 1
    return same and sum(p for _, p in likely) >= _KNOWN_RANK_P


def _may_be_turned(detection: Detection, name: Classification) -> bool:
    """Return whether a detection is confident but blank, so that its sides may be exchanged."""
    plain = detection.face == "up" and detection.confidence >= _TURN_DETECTION_P
    return plain and name.card is None and name.blank_probability >= _TURN_BLANK_P


def _retry(
    image: Image, quad: Quad, name: Classification, classifier: CardClassifier
) -> tuple[Quad, Classification]:
    """Return a card's quad and classification after slanted outlines were tried."""
    slanted = [tried for tried in refine_quads(image, list(_slanted(quad))) if is_convex(tried)]
    support = edge_support(image, [quad, *slanted])
    order = 1 + np.argsort(-support[1:], kind="stable")[:_MAX_SLANTS_READ]
    tried = [int(k) for k in order if support[k] > support[0] + _MIN_SUPPORT_GAIN]
    if not tried:
        return quad, name
    quads = [quad, *(slanted[k - 1] for k in tried)]
    readings = [name, *classifier.classify(image, quads[1:])]
    certainty = np.exp([reading.log_probabilities[:-1].max() for reading in readings])
    best = int(np.argmax(certainty + _SUPPORT_WEIGHT * support[[0, *tried]]))
    mixed = mix_readings(readings[best].log_probabilities, name.log_probabilities, _RETRY_WEIGHT)
    again, first = readings[best].without_deck, name.without_deck
    alone = None if again is None or first is None else mix_readings(again, first, _RETRY_WEIGHT)
    named_from = max(classifier.fusion.threshold, name.named_from)
    return quads[best], classification_of(mixed, named_from, alone)


def _slanted(quad: Quad) -> NDArray[np.float32]:
    """Return the quad slanted by each of _SLANTS (slants x 4 x 2 px) around its centre."""
    middle = quad.mean(axis=0)
    right = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    down = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    frame = np.stack([right, down], axis=1).astype(np.float64)
    sides = np.linalg.norm(frame, axis=0)
    places = (quad - middle) @ np.linalg.inv(frame).T * sides
    slants = np.array([[[1.0, across], [along, 1.0]] for across, along in _SLANTS])
    moved = (places @ slants.swapaxes(1, 2)) / sides @ frame.T
    return np.asarray(moved + middle, np.float32)
