"""Only what changed is read again, and what lies elsewhere stays as it was read."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import pytest

from vision.images import touches
from vision.recognition.incremental import IncrementalReader
from vision.recognition.ink import InkColours
from vision.types import CardReading, Image, Mask, Region

WIDTH, HEIGHT = 1920, 1080
CARD = (70, 100)
RED, BLUE, GREEN = (40, 40, 220), (220, 60, 40), (60, 200, 60)
COLOURS = {"9S": RED, "KD": BLUE, "4C": GREEN}


class Colours:
    """Reads plain rectangles by their colour, and remembers what it was shown."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, int]] = []
        self.crowded: list[Sequence[Region] | None] = []
        self.heights: list[float | None] = []
        self.names: list[set[str | None]] = []
        self.inks: list[InkColours | None] = []
        self.confidence = 0.9

    def read(
        self,
        image: Image,
        crowded: Sequence[Region] | None = None,
        *,
        card_height: float | None = None,
        changed: Mask | None = None,
        inks: InkColours | None = None,
    ) -> list[CardReading]:
        self.inks.append(inks)
        self.shapes.append(image.shape[:2])
        self.crowded.append(crowded)
        self.heights.append(card_height)
        found = []
        for name, colour in COLOURS.items():
            middle = np.array(colour)
            near = cv2.inRange(image, middle - 19, middle + 19)
            count, _, boxes, _ = cv2.connectedComponentsWithStats(near)
            for left, top, width, height, area in boxes[1:count]:
                if area > 500:
                    corners = [(left, top), (left + width, top), (left + width, top + height)]
                    quad = np.array([*corners, (left, top + height)], np.float32)
                    found.append(CardReading(quad, "up", 0.9, name, self.confidence))
        if changed is not None:
            to_mask = np.divide(changed.shape[::-1], image.shape[1::-1])
            found = [reading for reading in found if touches(reading.quad * to_mask, changed)]
        self.names.append({reading.card for reading in found})
        return found


def table(*cards: tuple[str, int, int], noise: int = 0) -> Image:
    """Return a picture of a grey table with cards: name, left, top."""
    image = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    for name, left, top in cards:
        image[top : top + CARD[1], left : left + CARD[0]] = COLOURS[name]
    return np.asarray(cv2.add(image, grains(noise), dtype=cv2.CV_8U), np.uint8) if noise else image


@functools.cache
def grains(seed: int) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return what a camera's noise adds to a picture."""
    drawn = np.random.default_rng(seed).standard_normal((HEIGHT, WIDTH, 3), np.float32)
    return np.asarray(6 * drawn, np.int16)


FAR = ("9S", 200, 200)
NEAR = ("KD", 1500, 800)


def places(readings: Sequence[CardReading]) -> dict[str | None, tuple[int, int]]:
    """Return where each card's first corner lies."""
    return {r.card: (int(r.quad[0, 0]), int(r.quad[0, 1])) for r in readings}


def settled(reader: IncrementalReader, *cards: tuple[str, int, int]) -> None:
    """Read a picture so often that nothing of it needs to be read again."""
    for _ in range(5):
        reader.read(table(*cards))


def test_a_card_that_was_laid_is_read_in_a_part_and_the_others_are_kept() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    readings = reader.read(table(FAR, NEAR))
    assert places(readings) == {"9S": (200, 200), "KD": (1500, 800)}
    height, width = plain.shapes[-1]
    assert plain.shapes[:5] == [(HEIGHT, WIDTH)] * 5
    assert 300 <= height < HEIGHT / 2
    assert 300 <= width < WIDTH / 2


def test_a_part_is_read_with_the_inks_of_the_whole_picture() -> None:
    plain = Colours()
    plain.confidence = 0.99
    settled(reader := IncrementalReader(plain), FAR)
    reader.read(table(FAR, NEAR))
    assert plain.inks[:5] == [None] * 5
    assert isinstance(plain.inks[-1], InkColours)


@pytest.mark.parametrize("cards", [(FAR, NEAR), ()], ids=["cards", "bare table"])
def test_a_picture_that_has_not_changed_is_not_read_anew(cards: tuple[tuple[str, int, int], ...]) -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, *cards)
    last = reader.read(table(*cards))
    reads = len(plain.shapes)
    for noise in range(1, 6):
        again = reader.read(table(*cards, noise=noise))
        assert places(again) == places(last)
    assert len(plain.shapes) == reads


def test_a_picture_that_has_not_changed_is_read_where_half_covered_cards_are_wanted_for_the_first_time() -> (
    None
):
    plain = Colours()
    reader = IncrementalReader(plain)
    for _ in range(6):
        reader.read(table(FAR, NEAR), [])
    reads = len(plain.shapes)
    reader.read(table(FAR, NEAR), [(1450.0, 750.0, 1650.0, 950.0)])
    assert len(plain.shapes) == reads + 1


def test_a_card_that_was_taken_away_is_gone() -> None:
    reader = IncrementalReader(Colours())
    settled(reader, FAR, NEAR)
    assert places(reader.read(table(NEAR))) == {"KD": (1500, 800)}


def test_a_card_that_was_moved_is_where_it_lies_now() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR, NEAR)
    assert places(reader.read(table(FAR, ("KD", 1400, 780)))) == {"9S": (200, 200), "KD": (1400, 780)}
    assert plain.shapes[-1] != (HEIGHT, WIDTH)


def test_a_card_that_lies_across_the_border_of_what_is_read_is_kept_whole_and_once() -> None:
    # The part that is read about the new card cuts the other one, of which it would read a piece.
    reader = IncrementalReader(Colours())
    new = ("4C", 1000, 500)
    for left in range(700, 1000 - CARD[0], 15):
        settled(reader, ("9S", left, 520))
        readings = reader.read(table(("9S", left, 520), new))
        assert places(readings) == {"9S": (left, 520), "4C": (1000, 500)}
        assert [np.ptp(r.quad[:, 0]) for r in readings] == [CARD[0], CARD[0]]


def test_a_card_that_lies_on_one_which_the_border_of_what_is_read_cuts_is_kept() -> None:
    reader = IncrementalReader(Colours())
    lower, upper = ("9S", 700, 500), ("KD", 730, 520)
    settled(reader, lower, upper)
    for left in range(820, 1100, 20):
        new = ("4C", left, 560)
        assert set(places(reader.read(table(lower, upper, new)))) == {"9S", "KD", "4C"}, left
        settled(reader, lower, upper)


def test_what_changed_is_read_five_times_and_then_the_whole_is_looked_over() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    for _ in range(6):
        reader.read(table(FAR, NEAR))
    whole = [shape == (HEIGHT, WIDTH) for shape in plain.shapes]
    assert whole == [*[True] * 5, *[False] * 5, True]


def test_no_two_readings_one_after_the_other_are_of_the_same_cut() -> None:
    """On a table at rest they would err alike, and two that agree would tell no more than one."""
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    for _ in range(5):
        assert places(reader.read(table(FAR, NEAR))) == {"9S": (200, 200), "KD": (1500, 800)}
    assert len(set(plain.shapes[5:])) == 5
    assert len(set(plain.heights[5:])) == 5, "nor of the same size"


def test_a_doubtful_reading_does_not_tell_how_tall_cards_are() -> None:
    # Else the table, once taken for a huge card, would hide the cards for good.
    plain = Colours()
    plain.confidence = 0.2
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    reader.read(table(FAR, NEAR))
    assert plain.heights == [None] * 6
    assert plain.shapes == [(HEIGHT, WIDTH)] * 6


@pytest.mark.parametrize(("cards", "known"), [((FAR, NEAR), None), ((FAR, NEAR, ("4C", 900, 90)), CARD[1])])
def test_few_cards_do_not_tell_how_tall_those_of_a_whole_picture_are(
    cards: Sequence[tuple[str, int, int]], known: int | None
) -> None:
    # One may be the table, taken for a card.
    plain = Colours()
    settled(IncrementalReader(plain), *cards)
    assert plain.heights == [None, *[known] * 4]


def test_noise_is_no_change() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    for seed in range(1, 6):
        reader.read(table(FAR, noise=seed))
    reader.read(table(FAR, NEAR, noise=6))
    height, width = plain.shapes[-1]
    assert height * width < HEIGHT * WIDTH / 4


def test_where_much_changed_the_whole_is_read() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    reader.read(np.asarray(table(FAR) // 2, np.uint8))
    assert plain.shapes[-1] == (HEIGHT, WIDTH)


def test_a_change_too_faint_to_be_seen_does_not_last() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    for k in range(20):
        reader.read(table(FAR, ("KD", 1000 + 5 * k, 800)))
    assert (HEIGHT, WIDTH) in plain.shapes[3:-3]


def test_slow_change_adds_up() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    image = table(FAR)
    for level in range(90, 111, 3):
        image[700:800, 900:1100] = level
        image[0:8, 0:8] = 90 + level  # something else keeps changing
        reader.read(image)
    assert any(height > 8 * 30 and (height, width) != (HEIGHT, WIDTH) for height, width in plain.shapes)


def test_half_covered_cards_are_looked_for_where_they_were_not_before() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    for _ in range(5):
        reader.read(table(FAR, NEAR), [])
    region = (1450.0, 750.0, 1650.0, 950.0)
    reader.read(table(FAR, NEAR), [region])
    (height, width), crowded = plain.shapes[-1], plain.crowded[-1]
    assert (height, width) != (HEIGHT, WIDTH)
    assert crowded is not None
    (left, top, right, bottom) = crowded[0]
    assert (right - left, bottom - top) == (200, 200)


def test_a_picture_of_another_size_is_read_whole() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    small = np.asarray(cv2.resize(table(FAR), (1280, 720)), np.uint8)
    reader.read(small)
    assert plain.shapes[-1] == (720, 1280)


@pytest.mark.parametrize("shape", [(1, 1), (2, 700), (40, 30)])
def test_tiny_pictures(shape: tuple[int, int]) -> None:
    reader = IncrementalReader(Colours())
    for _ in range(5):
        assert reader.read(np.zeros((*shape, 3), np.uint8), [(0, 0, 5, 5)]) == []


def test_changes_far_apart_are_read_in_parts_of_their_own() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    corners = [("9S", 60, 60), ("KD", 1780, 60), ("4C", 900, 950)]
    settled(reader, *corners[:1])
    reads = len(plain.shapes)
    assert set(places(reader.read(table(*corners)))) == {"9S", "KD", "4C"}
    assert len(plain.shapes) == reads + 2
    assert all(height * width < HEIGHT * WIDTH / 8 for height, width in plain.shapes[reads:])


def test_a_card_beside_a_change_is_not_read_again() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    beside = ("9S", 1400, 800)
    settled(reader, beside)
    assert set(places(reader.read(table(beside, NEAR)))) == {"9S", "KD"}
    assert plain.names[-1] == {"KD"}


def test_the_card_under_a_new_one_is_read_again() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    beneath = ("9S", 1460, 780)
    settled(reader, beneath)
    assert set(places(reader.read(table(beneath, NEAR)))) == {"9S", "KD"}
    assert plain.names[-1] == {"9S", "KD"}


def covered(left: int, top: int, right: int, bottom: int) -> Mask:
    """Return a mask, at a quarter of the resolution, of a part of the picture."""
    mask = np.zeros((HEIGHT // 4, WIDTH // 4), np.bool_)
    mask[top // 4 : bottom // 4, left // 4 : right // 4] = True
    return mask


def test_what_is_ignored_is_not_read_while_it_changes_and_is_read_once_it_shows() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR)
    reads, hand = len(plain.shapes), covered(1400, 700, 1700, 1000)
    for level in range(5):  # a hand that rests there stirs
        image = table(FAR)
        image[720:980, 1420:1680] = 100 + 20 * level
        reader.read(image, ignored=hand)
    assert len(plain.shapes) == reads
    assert set(places(reader.read(table(FAR, NEAR)))) == {"9S", "KD"}


def test_a_card_that_a_hand_hid_when_it_was_read_is_read_again_once_it_shows() -> None:
    plain = Colours()
    reader = IncrementalReader(plain)
    settled(reader, FAR, NEAR)
    hidden = table(FAR)
    hidden[720:980, 1420:1680] = 200
    for _ in range(12):  # until the whole picture is read
        reader.read(hidden, ignored=covered(1400, 700, 1700, 1000))
    assert set(places(reader.read(hidden))) == {"9S"}
    assert set(places(reader.read(table(FAR, NEAR)))) == {"9S", "KD"}
