"""Dark pictures are brightened, as far as the cards in them show that the room is dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from tests.support.plain import plain
from vision.motion.exposure import Exposure
from vision.types import CardReading, Face, Image

PLACES = tuple((20 + 70 * k, 30) for k in range(6))


def table(light: float, cards: int = 6) -> Image:
    """A brown table under some light (1: a well lit room), with white cards on it."""
    image = plain(480, 160, (60, 90, 120))
    for x, y in PLACES[:cards]:
        image[y : y + 88, x : x + 63] = 225
        image[y + 10 : y + 40, x + 8 : x + 20] = 20
    return np.asarray(np.clip(image * light, 0, 255), np.uint8)


def readings(cards: int = 6, face: Face = "up") -> list[CardReading]:
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    return [
        CardReading(corners + np.array(place, np.float32), face, 0.9, "9H", 0.9) for place in PLACES[:cards]
    ]


def adapted(light: float, cards: int = 6) -> Exposure:
    """An exposure after one look at a table before the game."""
    exposure = Exposure()
    exposure.measure(table(light), readings(cards))
    exposure.adapt(table(light), in_game=False)
    return exposure


def is_changed_by(exposure: Exposure, cards: Sequence[CardReading], light: float) -> bool:
    """Return whether a look before the game changes the gain."""
    exposure.measure(table(light), cards)
    return exposure.adapt(table(light), in_game=False)


@pytest.mark.parametrize("light", [1.1, 1.0, 0.8])
def test_a_picture_with_enough_light_stays_as_it_is(light: float) -> None:
    picture = table(light)
    assert adapted(light).brighten(picture) is picture


@pytest.mark.parametrize("light", [0.25, 0.4, 0.6])
def test_in_a_dark_room_the_cards_become_as_white_as_in_a_lit_one(light: float) -> None:
    assert 200 <= adapted(light).brighten(table(light)).max() <= 220


def test_a_picture_that_is_nearly_black_is_not_brightened_until_only_noise_shows() -> None:
    assert adapted(0.02).brighten(np.full((2, 2, 3), 10, np.uint8)).max() == 40


def test_an_empty_dark_table_is_no_dark_room() -> None:
    exposure = Exposure()
    assert not is_changed_by(exposure, [], 0.3)
    assert not is_changed_by(exposure, readings(3), 0.3), "three cards may lie in a shadow"
    assert not is_changed_by(exposure, readings(face="down"), 0.3), "backs are not white"
    assert is_changed_by(exposure, readings(), 0.3)


def test_a_deck_with_black_paper_makes_no_dark_room() -> None:
    exposure, lit = Exposure(), plain(480, 160, (120, 170, 200))
    for x, y in PLACES:
        lit[y : y + 88, x : x + 63] = 30
    exposure.measure(lit, readings())
    assert not exposure.adapt(lit, in_game=False)


def test_before_the_game_the_gain_falls_to_none_if_the_cards_are_overexposed() -> None:
    exposure = adapted(0.3)
    for _ in range(3):
        exposure.measure(exposure.brighten(table(1.0)), readings())
        exposure.adapt(table(1.0), in_game=False)
    picture = table(1.0)
    assert exposure.brighten(picture) is picture


def watched(pictures: Iterable[Image], exposure: Exposure) -> list[Image]:
    """Pictures of a game as they are shown."""
    shown = []
    for picture in pictures:
        exposure.adapt(picture, in_game=True)
        shown.append(exposure.brighten(picture))
    return shown


@pytest.mark.parametrize(("before", "after"), [(0.35, 1.0), (1.0, 0.35), (0.5, 0.8)])
def test_if_light_is_switched_in_a_game_everything_looks_as_before(before: float, after: float) -> None:
    first, *_, last = watched([table(light) for light in [before] * 4 + [after] * 4], adapted(before))
    assert np.abs(first.astype(int) - last).max() <= 8


def test_a_lamp_of_another_colour_is_balanced() -> None:
    lamp = np.asarray(table(1.0) * np.array([0.5, 0.8, 1.0]), np.uint8)
    first, *_, last = watched([table(1.0)] * 4 + [lamp] * 4, Exposure())
    assert np.abs(first.astype(int) - last).max() <= 8


def test_a_flash_leaves_no_trace() -> None:
    first, *_, last = watched([table(light) for light in (0.5, 0.5, 1.0, 0.5, 0.5)], adapted(0.5))
    assert np.abs(first.astype(int) - last).max() <= 8


def test_light_that_fades_slowly_fades_in_the_picture_too() -> None:
    """Everything that compares pictures learns such a change by itself."""
    shown = watched([table(light) for light in np.geomspace(1.0, 0.5, 120)], Exposure())
    assert np.array_equal(shown[-1], table(0.5))


def test_another_view_is_no_other_light() -> None:
    rng = np.random.default_rng(1)
    here, there = (
        np.repeat(np.repeat(rng.integers(20, 200, (5, 15, 3), np.uint8), 32, 0), 32, 1) for _ in "12"
    )
    dark = np.asarray(there // 2, np.uint8)
    assert np.array_equal(watched([here, here, dark, dark], Exposure())[-1], dark)


def test_somebody_who_leans_over_the_table_is_no_other_light() -> None:
    leaning = table(1.0)
    leaning[:, :180] = 25
    assert np.array_equal(watched([table(1.0), table(1.0), leaning], Exposure())[-1], leaning)


@pytest.mark.parametrize("level", [0, 255])
def test_a_picture_that_is_black_or_overexposed_tells_nothing(level: int) -> None:
    blind = plain(480, 160, (level, level, level))
    assert np.array_equal(watched([table(1.0), table(1.0), blind, table(1.0)], Exposure())[-1], table(1.0))


def test_pictures_of_another_size_are_not_compared() -> None:
    assert np.array_equal(watched([table(1.0), table(0.4)[:80]], Exposure())[-1], table(0.4)[:80])
