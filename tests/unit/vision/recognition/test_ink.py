"""The colour of a half-covered index, beside that of cards that are read for certain."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.classifier import CLASSES, CardClassifier
from vision.recognition.ink import measure_inks, redness
from vision.types import Image, Quad

_RED, _BLACK = (40, 30, 190), (35, 30, 30)
_CARDS = ("5H", "9D", "KH", "5C", "9S", "KC", "7H", "7S")
"""The first six are examples, the others are judged by them."""


def table(light: tuple[float, float, float] = (1.0, 1.0, 1.0), *, black_deck: bool = False) -> Image:
    """Return cards in a row with their ranks in their first corner, in coloured light (BGR)."""
    picture = np.full((200, 130 * len(_CARDS), 3), (90, 110, 100), np.uint8)
    for number, card in enumerate(_CARDS):
        left, top, right, bottom = (int(v) for v in (*quad(number)[0], *quad(number)[2]))
        cv2.rectangle(picture, (left, top), (right, bottom), (20, 20, 20) if black_deck else (245,) * 3, -1)
        ink = _RED if card[-1] in "DH" else _BLACK
        colour = (240, 240, 240) if black_deck else ink
        cv2.putText(picture, card[:-1], (left + 5, top + 27), cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2)
    return np.asarray(np.clip(picture * np.array(light), 0, 255), np.uint8)


def quad(number: int) -> Quad:
    x, y = 10 + 130 * number, 10
    return np.array([[x, y], [x + 110, y], [x + 110, y + 154], [x, y + 154]], np.float32)


def examples(count: int = 6) -> list[tuple[str, Quad]]:
    return [(_CARDS[number], quad(number)) for number in range(count)]


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.3, 0.6, 0.9), (0.9, 0.8, 0.5), (0.25, 0.25, 0.25)])
def test_red_ink_is_told_from_black_in_any_light(light: tuple[float, float, float]) -> None:
    picture = table(light)
    found = measure_inks(picture, examples())
    assert found is not None
    red, black = found.log_odds_of_red(picture, [quad(6), quad(7)])
    assert red > np.log(10)
    assert black < -0.5


def test_black_ink_says_less_than_red_ink() -> None:
    picture = table()
    found = measure_inks(picture, examples())
    assert found is not None
    red, black = found.log_odds_of_red(picture, [quad(6), quad(7)])
    assert red > -black


def test_black_ink_says_more_if_enough_cards_show_how_ink_looks() -> None:
    picture = table()
    two_reds = measure_inks(picture, [("5H", quad(0)), ("9D", quad(1)), *examples()[3:]])
    three_reds = measure_inks(picture, examples())
    assert two_reds is not None
    assert three_reds is not None
    few, enough = (inks.log_odds_of_red(picture, [quad(7)])[0] for inks in (two_reds, three_reds))
    assert enough < few < 0


def test_a_covered_rank_is_judged_by_the_pip_below_it() -> None:
    picture = table()
    left, top = (int(v) for v in quad(6)[0])
    picture[top + 3 : top + 30, left + 3 : left + 30] = 245
    pip = (left + 13, top + 35)
    cv2.circle(picture, pip, 6, _RED, -1)
    found = measure_inks(picture, examples())
    assert found is not None
    assert found.log_odds_of_red(picture, [quad(6)])[0] > np.log(10)


def test_inks_that_are_known_need_no_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    odds = np.full((1, len(CLASSES)), 1e-6)
    odds[:, CLASSES.index("7D")], odds[:, CLASSES.index("7S")] = 0.6, 0.4
    monkeypatch.setattr("vision.recognition.classifier.fuse_index_views", lambda *_: np.log(odds))
    reader, picture = CardClassifier(), table()
    (alone,) = reader.classify_indices(picture, [quad(7)])
    (helped,) = reader.classify_indices(picture, [quad(7)], inks=measure_inks(picture, examples()))
    assert alone.card != "7S"
    assert helped.card == "7S"


def test_in_a_pack_of_four_colours_blue_ink_does_not_speak_for_a_black_suit() -> None:
    picture = table()
    hearts, blacks = [("5H", quad(0)), ("KH", quad(2)), ("7H", quad(6))], [("5C", quad(3)), ("9S", quad(4))]
    only_hearts = measure_inks(picture, [*hearts, *blacks, ("KC", quad(5))])
    blue = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
    left, right = int(quad(1)[0][0]), int(quad(1)[2][0])
    picture[:, left:right] = blue[:, left:right]  # the diamond
    with_blue = measure_inks(picture, [*hearts, ("9D", quad(1)), *blacks, ("KC", quad(5))])
    for found in (only_hearts, with_blue):
        if found is not None:
            diamond, heart, black = found.log_odds_of_red(picture, [quad(1), quad(6), quad(7)])
            assert diamond == black == 0
            assert heart > np.log(10)
    assert only_hearts is not None


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.3, 0.6, 0.9), (0.25, 0.25, 0.25)])
def test_without_enough_examples_red_ink_is_red_and_other_ink_says_little(
    light: tuple[float, float, float],
) -> None:
    picture = table(light)
    for known in ([], examples(3), [(_CARDS[3], quad(3))]):
        found = measure_inks(picture, known)
        assert found is not None
        red, black = found.log_odds_of_red(picture, [quad(6), quad(7)])
        assert red > np.log(10)
        assert -np.log(4) < black <= 0


def test_where_both_colours_are_printed_alike_ink_says_nothing() -> None:
    assert measure_inks(table(black_deck=True), examples()) is None


def test_a_picture_without_colour_says_nothing() -> None:
    grey = np.asarray(cv2.cvtColor(cv2.cvtColor(table(), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    assert np.abs(redness(grey, [quad(0), quad(3)])).max() < 0.01
    assert measure_inks(grey, examples()) is None


def test_a_lone_index_whose_colour_is_in_doubt_is_named_by_its_ink(monkeypatch: pytest.MonkeyPatch) -> None:
    odds = np.full((2, len(CLASSES)), 1e-6)
    odds[:, CLASSES.index("7C")], odds[:, CLASSES.index("7H")] = 0.55, 0.35
    odds[:, CLASSES.index("8C")] = 0.1 - 1e-6 * len(CLASSES)
    monkeypatch.setattr("vision.recognition.classifier.fuse_index_views", lambda *_: np.log(odds))
    reader, picture = CardClassifier(), table()
    pair = [quad(6), quad(7)]
    alone = reader.classify_indices(picture, pair)
    assert (alone[0].card, alone[1].card) == ("7H", None)
    assert alone[1].confidence == pytest.approx(0.55, abs=0.01), "black ink may be blue"
    seven_of_hearts, doubtful = reader.classify_indices(picture, pair, examples())
    assert (seven_of_hearts.card, seven_of_hearts.confidence > 0.8) == ("7H", True)
    assert doubtful.alternatives[0][0] == "7C" or doubtful.card == "7C"
    assert doubtful.confidence > 0.55
    assert dict(seven_of_hearts.alternatives)["8C"] == pytest.approx(0.1, abs=0.01), "ink tells no rank"
