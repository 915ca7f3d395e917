"""Cards alike of several packs, told apart by their indices."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.vision.recognition.test_occlusion import PICTURE, Faces, Indices, at, whole
from vision.plane import TablePlane
from vision.recognition.classifier import CLASSES, CardClassifier
from vision.recognition.duplicate_indices import find_duplicate_cards
from vision.recognition.index_detector import IndexDetection, IndexDetector
from vision.recognition.occlusion import OcclusionResolver
from vision.table.observations import observe
from vision.types import CardReading, Quad


def told(*cards: tuple[Quad, str, float]) -> list[tuple[IndexDetection, CardReading]]:
    return [(IndexDetection(quad, 0.9), CardReading(quad, "up", 0.9, name, p)) for quad, name, p in cards]


def turned(quad: Quad) -> Quad:
    """The same card as its other index tells it."""
    return np.roll(quad, 2, axis=0)


def cards_read(
    *indices: tuple[Quad, str],
    packs: int,
    known: tuple[CardReading, ...],
    log_p: NDArray[np.float64] | None = None,
) -> list[CardReading]:
    faces = Faces(*((name, 0.97) for _, name in indices))
    faces.log_p = faces.log_p if log_p is None else log_p
    finder = Indices(*(IndexDetection(quad, 0.95) for quad, _ in indices))
    covered = OcclusionResolver(cast(CardClassifier, faces), cast(IndexDetector, finder))
    return covered.resolve(PICTURE, known, packs=packs)


def read(*indices: tuple[Quad, str], packs: int, known: tuple[CardReading, ...]) -> list[tuple[str, float]]:
    """The names that are read, with how far right the cards lie."""
    cards = cards_read(*indices, packs=packs, known=known)
    return [(str(card.card), float(card.quad[:, 0].min())) for card in cards]


def test_two_indices_the_same_way_up_in_two_places_are_of_two_cards() -> None:
    assert find_duplicate_cards(told((at(100), "6D", 0.97), (at(118), "6D", 0.96)), {}, 2) == {1}


def test_the_two_indices_of_one_card_are_of_one_card_however_badly_they_tell_its_place() -> None:
    assert find_duplicate_cards(told((at(100), "6D", 0.97), (turned(at(115, 6)), "6D", 0.96)), {}, 2) == set()


def test_one_index_found_twice_is_of_one_card() -> None:
    assert find_duplicate_cards(told((at(100), "6D", 0.97), (at(105, 6), "6D", 0.96)), {}, 2) == set()


def test_indices_in_neighbouring_corners_are_of_one_card() -> None:
    assert find_duplicate_cards(told((at(100), "6D", 0.97), (at(146, 2), "6D", 0.96)), {}, 2) == set()


def test_an_index_named_less_surely_tells_of_no_further_card_unless_that_will_do() -> None:
    places = told((at(100), "6D", 0.97), (at(118), "6D", 0.7))
    assert find_duplicate_cards(places, {}, 2) == set()
    assert find_duplicate_cards(places, {}, 2, min_confidence=0.5) == {1}
    assert (
        find_duplicate_cards(told((at(100), "6D", 0.8), (at(118), "6D", 0.7)), {}, 2, min_confidence=0.5)
        == set()
    )


def test_of_two_places_the_one_where_no_known_card_lies_is_the_further_one() -> None:
    assert find_duplicate_cards(told((at(100), "6D", 0.97), (at(118), "6D", 0.96)), {1: 0}, 2) == {0}


def test_of_two_that_seem_to_belong_to_one_outline_the_one_farther_from_its_corners_is_the_further_one() -> (
    None
):
    places = told((at(100), "6D", 0.97), (at(118), "6D", 0.96))
    assert find_duplicate_cards(places, {1: 0, 0: 0}, 2) == {0}
    assert find_duplicate_cards(places, {0: 0, 1: 0}, 2) == {1}
    assert find_duplicate_cards(places, {0: 0, 1: 0}, 2, exactly_placed={0, 1}) == set(), (
        "a badly drawn corner of it"
    )


def test_where_two_cards_are_known_there_is_no_third_with_two_packs() -> None:
    places = told((at(100), "6D", 0.97), (at(118), "6D", 0.96), (at(136), "6D", 0.95))
    assert find_duplicate_cards(places, {0: 0, 1: 1}, 2) == set()
    assert find_duplicate_cards(places, {0: 0, 1: 1}, 3) == {2}


def test_of_two_alike_the_lower_one_is_read_from_its_index() -> None:
    indices = (at(100), "9S"), (at(120), "9S"), (turned(at(120)), "9S")
    assert read(*indices, packs=2, known=(whole("9S", 120),)) == [("9S", 120), ("9S", 100)]


def spades_or_clubs() -> NDArray[np.float64]:
    """What a network makes of a 9 of which no pip is seen: 9S 0.92, 9C 0.04, and little else."""
    log_p = np.full(len(CLASSES), -9.0)
    log_p[[CLASSES.index(name) for name in ("9S", "9C", "9H", "8S")]] = np.log([0.92, 0.04, 0.003, 0.03])
    return log_p


def test_with_one_pack_a_card_that_reads_like_the_one_upon_it_is_another_of_its_rank() -> None:
    indices = (at(100), "9S"), (at(120), "9S"), (turned(at(120)), "9S")
    (upper, lower) = cards_read(*indices, packs=1, known=(whole("9S", 120),), log_p=spades_or_clubs())
    assert (upper.card, float(upper.quad[:, 0].min())) == ("9S", 120)
    assert (lower.card, float(lower.quad[:, 0].min())) == ("9C", 100)
    assert lower.confidence == pytest.approx(0.963 * 0.04 / 0.043, abs=0.02), (
        "its rank was read, not its suit"
    )


def test_of_two_jokers_of_one_pack_the_lower_one_is_read_from_its_index() -> None:
    indices = (at(100), "JOKER"), (at(120), "JOKER"), (turned(at(120)), "JOKER")
    assert read(*indices, packs=1, known=(whole("JOKER", 120),)) == [("JOKER", 120), ("JOKER", 100)]


def test_one_pack_has_no_third_joker() -> None:
    places = told((at(100), "JOKER", 0.97), (at(118), "JOKER", 0.96), (at(136), "JOKER", 0.95))
    assert find_duplicate_cards(places, {}, 1) == {1}


def test_with_one_pack_the_one_card_may_have_an_index_in_all_four_corners() -> None:
    indices = (at(100), "9S"), (at(151), "9S"), (turned(at(100)), "9S")
    assert read(*indices, packs=1, known=(whole("9S", 100),)) == [("9S", 100)]


def test_an_outline_without_a_name_is_named_by_the_further_index() -> None:
    slanted = np.array([[100, 0], [163, 0], [123, 88], [60, 88]], np.float32)
    unnamed = CardReading(slanted, "up", 0.9, None, 0.2)
    indices = (at(100), "9S"), (at(130), "9S")
    assert read(*indices, packs=2, known=(whole("9S", 130), unnamed)) == [("9S", 130), ("9S", 60)]


def test_two_of_one_name_that_lie_together_are_seen_as_two_where_both_are_read_surely() -> None:
    plane = TablePlane(np.eye(3))
    twins = [whole("9S", 120), whole("9S", 104)]
    doubtful = CardReading(at(104), "up", 0.98, "9S", 0.7)
    assert len(observe(twins, plane, packs=2)) == 2
    assert len(observe(twins, plane)) == 1
    assert len(observe([twins[0], doubtful], plane, packs=2)) == 1
