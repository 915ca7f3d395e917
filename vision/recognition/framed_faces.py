"""Decks with a frame inside the face: outlines that snapped to the frame are moved to the card's edge.

The networks have seen few such decks. They outline the frame, or something between it and the edge. The paper
goes on beyond such an outline, or its sides lie on no edge. So larger outlines are tried. One counts if its
sides lie on clear edges and it has the shape of a card. The same card must surely be read in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import (
    CARD_HEIGHT_MM,
    CARD_WIDTH_MM,
    intersection_over_smaller,
    is_convex,
    polygon_area,
    quad_size,
)
from vision.recognition.classifier import CardClassifier, Classification
from vision.recognition.detector import Detection
from vision.recognition.outline_refinement import edge_support, refine_quads
from vision.recognition.printed_outlines import is_printed_outline
from vision.types import Image, Quad

_NAMED_P, _SURE_P = 0.8, 0.95
"""Least probability of a name whose outline is looked at, and of the same name in a larger outline."""
_POOR_SUPPORT, _CLEAR_SUPPORT = 0.5, 0.95
"""An outline with less edge support than the first is in doubt. A larger one needs the second."""
_GROWTHS = (1.15, 1.3, 1.5, 1.7, 1.9)
"""Factors by which an outline is enlarged before it is moved onto edges."""
_MIN_GROWTH = 1.1
"""Least growth of the area."""
_MAX_ASPECT_ERROR = 0.1
"""Largest error of the ratio of the sides, as a share."""
_MAX_CARDS = 6
"""Largest number of cards per image that are tried."""
_GHOST_SHARE = 0.7
"""A doubtful or unsure outline is a ghost if it shares this much with a card whose outline was enlarged."""


def enlarge_framed_outlines(
    image: Image, detections: Sequence[Detection], names: Sequence[Classification], classifier: CardClassifier
) -> tuple[list[Detection], list[Classification]]:
    """Return detections and classifications, with outlines of frames moved to the edges of their cards.

    Args:
        image: Height x width x 3, BGR, 8 bit.
        detections: The detected cards.
        names: The classification of each.
        classifier: Names cards.
    """
    better_outlines, better_names = list(detections), list(names)
    if not detections:
        return better_outlines, better_names
    support = edge_support(image, [detection.quad for detection in detections])
    doubtful = {
        k
        for k, (detection, name) in enumerate(zip(detections, names, strict=True))
        if detection.face == "up"
        and name.card is not None
        and name.confidence >= _NAMED_P
        and (support[k] < _POOR_SUPPORT or is_printed_outline(image, detection.quad))
    }
    enlarged: dict[int, Quad] = {}
    for k in sorted(doubtful, key=lambda k: -names[k].confidence)[:_MAX_CARDS]:
        found = _enlarged(image, detections[k].quad, names[k], classifier)
        if found is not None:
            enlarged[k], better_names[k] = found
            better_outlines[k] = replace(detections[k], quad=enlarged[k])
    sure = {k for k, name in enumerate(names) if name.card is not None and name.confidence >= _SURE_P}
    ghosts = {
        k
        for k, detection in enumerate(detections)
        if detection.face == "up" and k not in enlarged and (k in doubtful or k not in sure)
        if any(intersection_over_smaller(detection.quad, quad) > _GHOST_SHARE for quad in enlarged.values())
    }
    kept = [k for k in range(len(detections)) if k not in ghosts]
    return [better_outlines[k] for k in kept], [better_names[k] for k in kept]


def _enlarged(
    image: Image, quad: Quad, name: Classification, classifier: CardClassifier
) -> tuple[Quad, Classification] | None:
    """Return the outline around a frame, and the classification in it; None if there is none."""
    middle = quad.mean(axis=0)
    larger = refine_quads(
        image, [((quad - middle) * factor + middle).astype(np.float32) for factor in _GROWTHS]
    )
    least = _MIN_GROWTH * abs(polygon_area(quad))
    shaped = [one for one in larger if is_convex(one) and abs(polygon_area(one)) >= least and _is_shaped(one)]
    if not shaped:
        return None
    clear = [
        one
        for one, support in zip(shaped, edge_support(image, shaped), strict=True)
        if support >= _CLEAR_SUPPORT
    ]
    read = zip(clear, classifier.classify(image, clear), strict=True)
    same = [(one, its) for one, its in read if its.card == name.card and its.confidence >= _SURE_P]
    return max(same, key=lambda pair: pair[1].confidence, default=None)


def _is_shaped(quad: Quad) -> bool:
    """Return whether a quad has the ratio of sides of a card seen from above."""
    width, height = quad_size(quad)
    return abs(width * CARD_HEIGHT_MM / (height * CARD_WIDTH_MM) - 1) < _MAX_ASPECT_ERROR
