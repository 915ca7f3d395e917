"""Dark pictures are brightened, as far as the cards in them show that the room is dark."""

from __future__ import annotations

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
    exposure.adapt(in_game=False)
    return exposure


@pytest.mark.parametrize("light", [1.1, 1.0, 0.8])
def test_a_picture_with_enough_light_stays_as_it_is(light: float) -> None:
    picture = table(light)
    exposure = adapted(light)
    assert exposure.brighten(picture) is picture
    assert not exposure.brightens


@pytest.mark.parametrize("light", [0.25, 0.4, 0.6])
def test_in_a_dark_room_the_cards_become_as_white_as_in_a_lit_one(light: float) -> None:
    exposure = adapted(light)
    assert exposure.brightens
    assert 200 <= exposure.brighten(table(light)).max() <= 220


def test_no_more_than_noise_would_be_seen_in_a_picture_that_is_brightened_more() -> None:
    assert adapted(0.02).brighten(np.full((2, 2, 3), 10, np.uint8)).max() == 40


def test_an_empty_dark_table_is_no_dark_room() -> None:
    exposure = Exposure()
    exposure.measure(table(1.0, cards=0), [])
    assert not exposure.adapt(in_game=False)
    exposure.measure(table(0.3), readings(3))
    assert not exposure.adapt(in_game=False), "three cards may lie in a shadow"
    exposure.measure(table(0.3), readings(face="down"))
    assert not exposure.adapt(in_game=False), "backs are not white"


def test_before_the_game_it_follows_the_light_both_ways() -> None:
    exposure = adapted(0.3)
    assert not exposure.adapt(in_game=False), "the gain fits"
    exposure.measure(exposure.brighten(table(1.0)), readings())
    assert exposure.adapt(in_game=False)
    exposure.measure(exposure.brighten(table(1.0)), readings())
    exposure.adapt(in_game=False)
    assert not exposure.brightens
    exposure.measure(table(0.5), readings())
    assert exposure.adapt(in_game=False)
    assert exposure.brightens


def look(exposure: Exposure, light: float) -> bool:
    """Look at the table in a game; return whether the gain changes."""
    exposure.measure(exposure.brighten(table(light)), readings())
    return exposure.adapt(in_game=True)


def test_in_a_game_it_does_not_follow_a_light_that_fades() -> None:
    exposure = adapted(0.5)
    assert not any(look(exposure, light) for light in np.linspace(0.5, 0.2, 20))
    assert not any(look(exposure, 0.55) for _ in range(20)), "nor one that rises a little"


def test_in_a_game_it_falls_once_light_is_switched_on_and_not_in_a_flash() -> None:
    exposure = adapted(0.3)
    before = exposure.brighten(table(0.3))
    assert not any([look(exposure, 1.0), look(exposure, 1.0), look(exposure, 0.3)]), "a flash"
    assert [look(exposure, 1.0) for _ in range(5)] == [False] * 4 + [True]
    assert exposure.brighten(table(0.3)).max() < before.max()
