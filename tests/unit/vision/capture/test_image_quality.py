"""What the sight check says of tables that are drawn here: good ones, and each way of being bad."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.capture.image_quality import quality_faults
from vision.types import CardReading, Image, Quad

WIDTH, HEIGHT = 1600, 900


def card(x: float, y: float, width: float = 80.0, turn: float = 0.1, face: str = "up") -> CardReading:
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, width * 44 / 63)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    quad: Quad = (half @ rotation + (x, y)).astype(np.float32)
    return CardReading(quad, "up" if face == "up" else "down", 0.99, "9S" if face == "up" else None, 0.99)


def cards(width: float = 80.0) -> list[CardReading]:
    places = [(x, y) for y in (200, 450, 700) for x in (400, 650, 900, 1150)]
    return [card(x, y, width) for x, y in places]


def table(readings: list[CardReading], paper: int = 215, cloth: tuple[int, int, int] = (52, 74, 38)) -> Image:
    """Draw a cloth with cards on it: white paper with a pip."""
    picture: Image = np.full((HEIGHT, WIDTH, 3), cloth, np.uint8)
    for reading in readings:
        ink = (paper, paper, paper) if reading.face == "up" else (paper, paper // 3, paper // 4)
        cv2.fillConvexPoly(picture, np.round(reading.quad).astype(np.int32), ink)
        x, y = reading.quad.mean(axis=0)
        cv2.circle(picture, (round(float(x)), round(float(y))), 12, (paper // 8,) * 3, -1)
    return picture


def lit(picture: Image, factor: float) -> Image:
    levels = np.clip(np.arange(256) * factor, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(picture, levels), np.uint8)


def test_nothing_is_wrong_with_a_table_in_fair_light() -> None:
    assert quality_faults(table(cards()), cards()) == ()


@pytest.mark.parametrize("cloth", [(20, 20, 20), (230, 232, 235), (30, 60, 110)])
def test_the_colour_of_the_table_is_no_fault(cloth: tuple[int, int, int]) -> None:
    """A black cloth is not dark, a white one is no glare."""
    assert quality_faults(table(cards(), cloth=cloth), cards()) == ()


@pytest.mark.parametrize(("factor", "dark"), [(0.5, False), (0.35, False), (0.2, True), (0.05, True)])
def test_too_dark_is_told_by_the_paper_of_the_cards(factor: float, dark: bool) -> None:
    assert ("dark" in quality_faults(lit(table(cards()), factor), cards())) == dark


def test_too_dark_is_told_without_a_card_too() -> None:
    assert quality_faults(lit(table([]), 0.3), []) == ("nothing", "dark")


def test_without_a_card_distance_and_border_are_not_judged() -> None:
    lamp = table([])
    cv2.rectangle(lamp, (0, 0), (WIDTH, 100), (180, 180, 180), -1)
    assert quality_faults(lamp, []) == ("nothing",)


@pytest.mark.parametrize(("width", "far"), [(80, False), (40, False), (30, True), (15, True)])
def test_too_far_is_told_by_how_small_the_cards_are(width: float, far: bool) -> None:
    assert ("far" in quality_faults(table(cards(width)), cards(width))) == far


def test_one_small_card_among_others_is_no_distance() -> None:
    readings = [*cards(), card(1400, 100, 20)]
    assert quality_faults(table(readings), readings) == ()


def test_light_that_washes_all_cards_out_is_glare() -> None:
    assert quality_faults(lit(table(cards()), 1.1), cards()) == ()
    assert quality_faults(lit(table(cards()), 1.4), cards()) == ("glare",)


def test_a_spot_of_light_on_one_card_is_glare() -> None:
    picture = table(cards())
    x, y = cards()[5].quad.mean(axis=0)
    cv2.ellipse(picture, (round(float(x)), round(float(y)) + 20), (35, 35), 0, 0, 360, (255, 255, 255), -1)
    assert quality_faults(picture, cards()) == ("glare",)


def test_a_spot_of_light_between_the_cards_is_glare_and_one_beside_the_table_is_not() -> None:
    between, beside = table(cards()), table(cards())
    cv2.circle(between, (775, 325), 60, (255, 255, 255), -1)
    cv2.circle(beside, (80, 80), 60, (255, 255, 255), -1)
    assert quality_faults(between, cards()) == ("glare",)
    assert quality_faults(beside, cards()) == ()


@pytest.mark.parametrize("place", [(20, 450), (1590, 450), (800, 5), (800, 880)])
@pytest.mark.parametrize("face", ["up", "down"])
def test_a_card_at_the_border_means_that_the_table_is_cut_off(place: tuple[int, int], face: str) -> None:
    readings = [*cards(), card(*place, face=face)]
    assert quality_faults(table(readings), readings) == ("cut",)


def test_several_faults_are_told_and_what_hides_the_others_comes_first() -> None:
    readings = [*cards(30), card(10, 450, 30)]
    assert quality_faults(lit(table(readings), 0.1), readings) == ("dark", "cut", "far")


def test_a_large_picture_is_judged_like_a_small_one() -> None:
    large = cv2.resize(table(cards()), None, fx=2.5, fy=2.5).astype(np.uint8)
    readings = [
        CardReading(reading.quad * np.float32(2.5), reading.face, 0.99, reading.card, 0.99)
        for reading in cards()
    ]
    assert quality_faults(large, readings) == ()
    assert quality_faults(lit(large, 0.15), readings) == ("dark",)
