"""With a deck enrolled: what is named must look like that card of the deck, or the deck counts for less.

A deck's opinion comes from cards that were seen whole and alone. Of an outline that is drawn through two
cards, or that a neighbour covers, it has an opinion all the same, and often a sure one. So the picture of the
card that is named is laid over what lies there. Where it fits, the name stands. Where it does not, the card
is looked for near by: an outline may be off by a part of a card. Where no card of the deck fits, the name is
only as sure as the networks with the deck and without it are together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.decks.template_search import Part, likeness, part_about, registered
from vision.decks.templates import CardPictures
from vision.geometry import is_convex, polygon_area, polygon_iou, polygon_overlap
from vision.recognition.classifier import CLASSES, FaceReader, FaceReading, reading_of
from vision.recognition.detector import Outline
from vision.types import CardReading, Image, Quad

_ALIKE = 0.7
"""Likeness from which a card is what it is named ..."""
_RIVAL = 0.02
"""... if no card of another rank is more alike by more than this."""
_FOUND, _PLAINLY = 0.65, 0.8
"""Likeness that a card must have which is found near an outline: it is the best of many tries. The second
counts where a card was read with certainty in the outline as it was."""
_AGREED = 0.5
"""Likeness that is enough where what was likeliest all along is read there and most alike."""
_READ, _CERTAIN = 0.8, 0.9
_NOTHING = 0.5
"""Where there is nothing to read, with at least this probability, ..."""
_OUTLINED = 0.5
"""... a card is looked for only in so sure an outline: its long sides may be taken for the short ones."""
_MOST = 8
"""So many cards of a picture are looked for, those first that are nearest to being named."""
_UPON, _COVERED = 0.05, 0.1
"""A card lies upon another one if it is so much more alike, and has this share of the other one's outline."""
_SAME_PLACE = 0.5
"""Overlap (intersection over union) of two outlines of one card."""
_TRUST = 0.85
"""Share of the second look in the final probabilities: the best of many tries looks surer than it is."""
_EVIDENCE = 40.0
"""Turns differences of likeness into differences of log-probability: half of what fits cards with sound
outlines, of which most are easily told."""


class _Doubt(NamedTuple):
    """An outline of which it is open what lies there."""

    part: Part
    quad: Quad
    name: FaceReading


def confirmed(
    image: Image, outlines: Sequence[Outline], names: Sequence[FaceReading], faces: FaceReader
) -> tuple[list[Outline], list[FaceReading]]:
    """Return outlines and names, as far as the enrolled deck's pictures confirm or correct them.

    Without a deck, or with one that has no pictures, they are returned as they are.
    """
    better_outlines, better_names = list(outlines), list(names)
    pictures = faces.deck.pictures if faces.deck is not None else None
    if pictures is None:
        return better_outlines, better_names
    all_parts = [_part(image, *both, pictures) for both in zip(outlines, names, strict=True)]
    parts = {k: part for k, part in enumerate(all_parts) if part is not None}
    quads, cards = [outlines[k].quad for k in parts], [_likeliest(names[k]) for k in parts]
    every = likeness(list(parts.values()), quads, cards, pictures)
    taken, doubts = [], {}
    for k, alike, beneath in zip(parts, every, _beneath(quads, every), strict=True):
        if beneath:
            better_names[k] = _without_deck(names[k], faces)
            if alike.max() >= _ALIKE:
                taken.append(outlines[k].quad)
                continue
        name = _weighed(names[k], alike, pictures, faces) if alike.max() >= _ALIKE else names[k]
        if name.card is not None and _fits(name.card, alike, pictures):
            better_names[k] = name
            taken.append(outlines[k].quad)
            continue
        if not beneath:
            better_names[k] = _less_certain(names[k], faces)
        start = _start(outlines[k], names[k])
        if start is not None:
            doubts[k] = _Doubt(parts[k], start, better_names[k])
    sought = sorted(doubts, key=lambda k: -names[k].confidence)[:_MOST]
    for k, quad, name in _found(image, {k: doubts[k] for k in sought}, taken, pictures, faces):
        better_outlines[k], better_names[k] = replace(outlines[k], quad=quad), name
    return better_outlines, better_names


def revisited(image: Image, cards: Sequence[CardReading], faces: FaceReader) -> list[CardReading]:
    """Return the cards of a picture, doubtful ones put right where a card of the enrolled deck lies near.

    It is the last look: of some of these cards no more than an index was seen, which tells but roughly where
    the rest of the card lies. Without a deck's pictures all is returned as it is.
    """
    pictures = faces.deck.pictures if faces.deck is not None else None
    if pictures is None:
        return list(cards)
    doubtful = [k for k, card in enumerate(cards) if card.face == "up" and card.confidence < _CERTAIN]
    doubts = {}
    names = faces.read(image, [cards[k].quad for k in doubtful])
    for k, name in zip(doubtful, names, strict=True):
        part = _part(image, Outline(cards[k].quad, "up", cards[k].outline_confidence), name, pictures)
        if part is not None:
            doubts[k] = _Doubt(part, cards[k].quad, name)
    sought = sorted(doubts, key=lambda k: -doubts[k].name.confidence)[:_MOST]
    taken = [card.quad for card in cards if card.face == "up" and card.confidence >= _CERTAIN]
    better = list(cards)
    for k, quad, name in _found(image, {k: doubts[k] for k in sought}, taken, pictures, faces):
        if cards[k].card is None or name.confidence > cards[k].confidence:
            better[k] = CardReading(
                quad, "up", cards[k].outline_confidence, name.card, name.confidence, name.alternatives
            )
    return better


def _start(outline: Outline, name: FaceReading) -> Quad | None:
    """Return from where the card of a doubtful outline is looked for, or None where none is likely."""
    if outline.face == "down":
        return None
    if name.unreadable < _NOTHING:
        return outline.quad
    return np.roll(outline.quad, 1, axis=0) if outline.confidence >= _OUTLINED else None


def _likeliest(name: FaceReading) -> str:
    return name.card or name.alternatives[0][0]


def _part(image: Image, outline: Outline, name: FaceReading, pictures: CardPictures) -> Part | None:
    """Return what lies about an outline in which a card of the deck may be seen."""
    if (outline.face == "down" and name.card is None) or _likeliest(name) not in pictures.cards:
        return None
    return part_about(image, outline.quad, pictures.fine.height)


def _fits(card: str, alike: NDArray[np.float64], pictures: CardPictures) -> bool:
    """Tell whether what is that much like each card of the deck may be this one."""
    if card not in pictures.cards:
        return False
    others = [a for other, a in zip(pictures.cards, alike, strict=True) if other[:-1] != card[:-1]]
    own = alike[pictures.cards.index(card)]
    return bool(own >= _ALIKE and own >= max(others, default=0.0) - _RIVAL)


def _weighed(
    name: FaceReading, alike: NDArray[np.float64], pictures: CardPictures, faces: FaceReader
) -> FaceReading:
    """Return a reading with what a card looks like taken into account."""
    evidence = np.full(len(CLASSES), alike.min())
    evidence[[CLASSES.index(card) for card in pictures.cards]] = alike
    log_p = name.log_probabilities + _EVIDENCE * evidence
    return reading_of(log_p - np.logaddexp.reduce(log_p), faces.fusion.threshold, name.alone)


def _beneath(quads: Sequence[Quad], alike: NDArray[np.float64]) -> list[bool]:
    """Return of which quads a part lies under another one: that looks more like a card of the deck.

    The deck has seen no card that another one covers: half an 8 of diamonds beside another card's pips is
    much like a 6. `alike` is each one's likeness to each card of the deck.
    """
    best = alike.max(axis=1, initial=0.0)
    return [
        any(
            own + _UPON < other and polygon_overlap(quad, upper) > _COVERED * abs(polygon_area(quad))
            for upper, other in zip(quads, best, strict=True)
        )
        for quad, own in zip(quads, best, strict=True)
    ]


def _without_deck(name: FaceReading, faces: FaceReader) -> FaceReading:
    """Return what the networks alone read."""
    return name if name.alone is None else reading_of(name.alone, faces.fusion.threshold, name.alone)


def _less_certain(name: FaceReading, faces: FaceReader) -> FaceReading:
    """Return what is read in what looks like no card: with the deck and without it, half and half."""
    if name.card is None or name.alone is None:
        return name
    both = np.logaddexp(name.log_probabilities, name.alone) - np.log(2)
    return reading_of(both, faces.fusion.threshold, name.alone)


def _tempered(name: FaceReading, before: FaceReading, faces: FaceReader) -> FaceReading:
    """Return the reading of a card that was found, what was read in its outline before taken into account."""
    both = np.logaddexp(
        name.log_probabilities + np.log(_TRUST), before.log_probabilities + np.log(1 - _TRUST)
    )
    return reading_of(both, faces.fusion.threshold, name.alone)


def _found(
    image: Image,
    sought: Mapping[int, _Doubt],
    taken: Sequence[Quad],
    pictures: CardPictures,
    faces: FaceReader,
) -> list[tuple[int, Quad, FaceReading]]:
    """Return the quads and names of cards that lie near doubtful outlines, and those outlines' numbers."""
    near = {}
    for k, doubt in sought.items():
        best = registered(doubt.part, doubt.quad, pictures)
        free = all(polygon_iou(best.quad, other) < _SAME_PLACE for other in taken)
        if best.to_all.max() >= _AGREED and free and is_convex(best.quad):
            near[k] = best
    found = []
    read = faces.read(image, [best.quad for best in near.values()])
    for (k, best), plain in zip(near.items(), read, strict=True):
        name, most = _weighed(plain, best.to_all, pictures, faces), pictures.cards[int(best.to_all.argmax())]
        agreed = plain.card == most == _likeliest(sought[k].name) and plain.confidence >= _CERTAIN
        least = _AGREED if agreed else _FOUND
        if sought[k].name.confidence >= _CERTAIN and name.card != sought[k].name.card:
            least = _PLAINLY
        if name.card not in pictures.cards or name.confidence < _READ:
            continue
        if best.to_all[pictures.cards.index(name.card)] >= least:
            found.append((k, best.quad, _tempered(name, sought[k].name, faces)))
    return found
