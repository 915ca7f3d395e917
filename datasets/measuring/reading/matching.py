"""Compares readings with labels: where cards lie, what they are, or which cards are in a photo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from datasets.measuring.reading.scores import Score
from datasets.photos import BACK, Label
from engine.cards import JOKER, RANKS
from vision.geometry import bounding_box, intersection_over_smaller, polygon_iou, rectangle_corners
from vision.types import CardReading, Quad

FOUND_IOU = 0.5
"""Least overlap of a reading with its labelled card."""
_ON_IT = 0.5
"""Least share of the smaller quad for a reading that lies on a label."""

Measure = Callable[[Score, Sequence[Label], Sequence[CardReading]], None]


def match_quads(
    labels: Sequence[Label], readings: Sequence[CardReading], asked: int | None = None
) -> list[tuple[int, int]]:
    """Return pairs (label, reading), each used once: equal names first, then by falling overlap.

    Equal names come first, as in PASCAL VOC and COCO, because overlap cannot separate two cards that lie
    almost on one another. Among labels of one name the first `asked` come before the others. COCO calls those
    ignored: the same card of another pack may lie just below. Labelled quads are compared with quads, and
    labelled boxes with the boxes around them.
    """
    asked = len(labels) if asked is None else asked
    overlaps = [
        (_has_name_of(label, reading), i < asked, overlap, i, j)
        for i, label in enumerate(labels)
        for j, reading in enumerate(readings)
        if (overlap := _overlap(label, reading)) >= FOUND_IOU
    ]
    pairs: list[tuple[int, int]] = []
    used_labels: set[int] = set()
    used_readings: set[int] = set()
    for *_, i, j in sorted(overlaps, reverse=True):
        if i not in used_labels and j not in used_readings:
            used_labels.add(i)
            used_readings.add(j)
            pairs.append((i, j))
    return pairs


def boxed(label: Label) -> Label:
    """Return the label as the upright box around it."""
    points = rectangle_corners(*bounding_box(label.points)).astype(np.float32)
    return replace(label, points=points, kind="box")


def _overlap(label: Label, reading: CardReading) -> float:
    if label.kind == "quad":
        return polygon_iou(_clockwise(label.points), reading.quad)
    return polygon_iou(label.points, rectangle_corners(*bounding_box(reading.quad)))


def _clockwise(points: Quad) -> Quad:
    """Return the corners clockwise in the picture; labels run in either direction."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turn = float((edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]).sum())
    return points if turn > 0 else points[::-1]


def same_card(truth: str, read: str) -> bool:
    """Return whether two names agree; a truth that is a rank alone (`K`) needs only the rank."""
    return read == truth or (truth[-1] not in "CDHS" and read[:-1] == truth)


def _has_name_of(label: Label, reading: CardReading) -> bool:
    return reading.card is not None and same_card(label.card, reading.card)


def false_names(
    labels: Sequence[Label], readings: Sequence[CardReading], beside: Sequence[Label] = ()
) -> list[CardReading]:
    """Return the readings with the name of a card that is not there.

    Such a reading matches no labelled card, and no card of its name lies there. More than half of the smaller
    quad lies on a back, or it lies where another reading has found a card. Readings on cards `beside` do not
    count.
    """
    up = [reading for reading in readings if reading.face == "up"]
    cards = [label for label in (*labels, *beside) if label.card != BACK]
    matched = {j for _, j in match_quads(cards, up)}
    named = [reading for j, reading in enumerate(up) if j not in matched and reading.card is not None]
    return [
        reading
        for reading in named
        if any(_is_misread(label, reading) for label in labels)
        and not any(_has_name_of(label, reading) and _lies_on(label, reading) for label in cards)
    ]


def _is_misread(label: Label, reading: CardReading) -> bool:
    return _lies_on(label, reading) if label.card == BACK else _overlap(label, reading) >= FOUND_IOU


def _lies_on(label: Label, reading: CardReading) -> bool:
    return intersection_over_smaller(_clockwise(label.points), reading.quad) > _ON_IT


def face_up_places(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Count every face-up card with its place and name."""
    truth = [label for label in labels if label.card != BACK]
    up = [reading for reading in readings if reading.face == "up"]
    score.cards += len(truth)
    score.readings += len(up)
    for i, j in match_quads(truth, up):
        score.found += 1
        card = up[j].card
        if card is not None:
            score.name_given(up[j].confidence, same_card(truth[i].card, card))
    for reading in false_names(labels, readings):
        score.name_given(reading.confidence, False)


def face_down_places(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Count every face-down card or pile with its place. A name on one is wrong."""
    truth = [label for label in labels if label.card == BACK]
    down = [reading for reading in readings if reading.face == "down"]
    score.names_asked = False
    score.cards += len(truth)
    score.readings += len(down)
    score.found += len(match_quads(truth, down))
    for reading in false_names(labels, readings):
        score.name_given(reading.confidence, False)


def set_of_cards(score: Score, labels: Sequence[Label], readings: Sequence[CardReading]) -> None:
    """Count the cards in the photo, wherever they lie. A named card is found."""
    truth = {label.card for label in labels} - {BACK}
    only_ranks = bool(truth) and truth <= {*RANKS, JOKER}
    named: dict[str, float] = {}
    for reading in readings:
        if reading.card is not None:
            card = reading.card[:-1] if only_ranks and reading.card != JOKER else reading.card
            named[card] = max(named.get(card, 0.0), reading.confidence)
    score.cards += len(truth)
    score.readings += len(named)
    score.found += len(truth & set(named))
    for card, confidence in named.items():
        score.name_given(confidence, card in truth)
