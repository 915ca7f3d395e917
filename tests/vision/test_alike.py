"""Cards alike of several packs, told apart by their indices."""

from __future__ import annotations

from typing import cast

import numpy as np

from tests.vision.test_covered import PICTURE, Faces, Indices, at, whole
from vision.alike import further_alike
from vision.covered import CoveredCards
from vision.faces import FaceReader
from vision.indices import Index, IndexFinder
from vision.plane import TablePlane
from vision.reading import CardReading, Quad
from vision.slots import see


def told(*cards: tuple[Quad, str, float]) -> list[tuple[Index, CardReading]]:
    return [(Index(quad, 0.9), CardReading(quad, "up", 0.9, name, p)) for quad, name, p in cards]


def turned(quad: Quad) -> Quad:
    """The same card as its other index tells it."""
    return np.roll(quad, 2, axis=0)


def cards_read(*indices: tuple[Quad, str], packs: int, known: tuple[CardReading, ...]) -> list[CardReading]:
    faces = Faces(*((name, 0.97) for _, name in indices))
    finder = Indices(*(Index(quad, 0.95) for quad, _ in indices))
    covered = CoveredCards(cast(FaceReader, faces), cast(IndexFinder, finder))
    return covered.complete(PICTURE, known, packs=packs)


def read(*indices: tuple[Quad, str], packs: int, known: tuple[CardReading, ...]) -> list[tuple[str, float]]:
    """The names that are read, with how far right the cards lie."""
    cards = cards_read(*indices, packs=packs, known=known)
    return [(str(card.card), float(card.quad[:, 0].min())) for card in cards]


def test_two_indices_the_same_way_up_in_two_places_are_of_two_cards() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(118), "6D", 0.96)), {}, 2) == {1}


def test_with_one_pack_they_are_of_one() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(118), "6D", 0.96)), {}, 1) == set()


def test_the_two_indices_of_one_card_are_of_one_card_however_badly_they_tell_its_place() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (turned(at(115, 6)), "6D", 0.96)), {}, 2) == set()


def test_one_index_found_twice_is_of_one_card() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(105, 6), "6D", 0.96)), {}, 2) == set()


def test_indices_in_neighbouring_corners_are_of_one_card() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(146, 2), "6D", 0.96)), {}, 2) == set()


def test_an_index_named_less_surely_tells_of_no_further_card() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(118), "6D", 0.7)), {}, 2) == set()


def test_of_two_places_the_one_where_no_known_card_lies_is_the_further_one() -> None:
    assert further_alike(told((at(100), "6D", 0.97), (at(118), "6D", 0.96)), {1: 0}, 2) == {0}


def test_where_two_cards_are_known_there_is_no_third_with_two_packs() -> None:
    places = told((at(100), "6D", 0.97), (at(118), "6D", 0.96), (at(136), "6D", 0.95))
    assert further_alike(places, {0: 0, 1: 1}, 2) == set()
    assert further_alike(places, {0: 0, 1: 1}, 3) == {2}


def test_of_two_alike_the_lower_one_is_read_from_its_index() -> None:
    indices = (at(100), "9S"), (at(120), "9S"), (turned(at(120)), "9S")
    assert read(*indices, packs=2, known=(whole("9S", 120),)) == [("9S", 120), ("9S", 100)]
    assert read(*indices, packs=1, known=(whole("9S", 120),)) == [("9S", 120)]


def test_an_outline_without_a_name_is_named_by_the_further_index() -> None:
    slanted = np.array([[100, 0], [163, 0], [123, 88], [60, 88]], np.float32)
    unnamed = CardReading(slanted, "up", 0.9, None, 0.2)
    indices = (at(100), "9S"), (at(130), "9S")
    assert read(*indices, packs=2, known=(whole("9S", 130), unnamed)) == [("9S", 130), ("9S", 60)]


def test_two_of_one_name_that_lie_together_are_seen_as_two_where_both_are_read_surely() -> None:
    plane = TablePlane(np.eye(3))
    twins = [whole("9S", 120), whole("9S", 104)]
    doubtful = CardReading(at(104), "up", 0.98, "9S", 0.7)
    assert len(see(twins, plane, packs=2)) == 2
    assert len(see(twins, plane)) == 1
    assert len(see([twins[0], doubtful], plane, packs=2)) == 1
