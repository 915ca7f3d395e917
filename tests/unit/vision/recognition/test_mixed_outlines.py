"""Outlines that were drawn through several cards."""

from __future__ import annotations

import numpy as np

from vision.recognition.index_detector import IndexDetection
from vision.recognition.index_owners import IndexReading
from vision.recognition.mixed_outlines import is_mixed_outline
from vision.types import CardReading, Quad

CARD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
ACROSS = np.array([[183, 48], [183, 111], [95, 111], [95, 48]], np.float32)
"""About the lower half of a two of hearts, and what shows of a two of diamonds under it."""


def at(x: float, y: float) -> Quad:
    return CARD + np.array([x, y], np.float32)


def whole(card: str, quad: Quad, p: float = 0.99) -> CardReading:
    return CardReading(quad, "up", 0.9, card, p)


def second_index(card: CardReading, p: float = 0.97) -> IndexReading:
    index = IndexDetection(np.roll(card.quad, 2, axis=0), 0.95)
    return index, CardReading(index.quad, "up", 0.95, card.card, p)


HEARTS, DIAMONDS, SIX = whole("2H", at(100, 0)), whole("2D", at(102, 30)), whole("6D", ACROSS, 0.95)


def test_an_outline_across_two_cards_whose_pips_look_like_another_card_s_is_none() -> None:
    told = [second_index(HEARTS), second_index(DIAMONDS)]
    assert is_mixed_outline(SIX, [HEARTS, SIX, DIAMONDS], told)
    assert not is_mixed_outline(DIAMONDS, [HEARTS, SIX, DIAMONDS], told), "its own index is seen"


def test_an_outline_of_which_an_index_is_seen_is_a_card_whatever_lies_on_it() -> None:
    told = [second_index(HEARTS), second_index(DIAMONDS), second_index(SIX)]
    assert not is_mixed_outline(SIX, [HEARTS, SIX, DIAMONDS], told)


def test_one_card_alone_does_not_hide_another() -> None:
    assert not is_mixed_outline(SIX, [HEARTS, SIX], [second_index(HEARTS)])


def test_cards_that_are_not_surely_read_hide_none() -> None:
    doubtful = whole("2D", DIAMONDS.quad, 0.6)
    told = [second_index(HEARTS), second_index(doubtful, 0.6)]
    assert not is_mixed_outline(SIX, [HEARTS, SIX, doubtful], told)


def test_a_card_under_the_corners_of_two_others_is_seen() -> None:
    beside = whole("2H", at(30, -20)), whole("2D", at(165, -20))
    told = [second_index(card) for card in beside]
    assert not is_mixed_outline(whole("6D", at(80, 40), 0.95), beside, told)
