"""The masks of a frame say what is where, and what covers each card by how much."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.films.geometry import Pose, look_at_table
from datasets.films.people.masks import IN_A_FAN, KINDS, masks_of
from datasets.films.timeline import CardMove

CAMERA = look_at_table(640, 360, table=(900.0, 600.0), tilt=0.0)
PEOPLE = {"Ann": 1, "Bob": 2}


def lying(piece: int, card: str, x: float, z: float = 0.0, *, face_up: bool = True) -> CardMove:
    pose = Pose(x, 0.0, 0.0, z)
    return CardMove(piece, card, 0.0, 0.0, pose, pose, face_up, face_up, 0.0, leaves=False)


def nothing() -> NDArray[np.uint8]:
    return np.zeros((CAMERA.height, CAMERA.width, 2), np.uint8)


def columns(low: float, high: float) -> slice:
    left, right = CAMERA.project(np.array([[low, 0.0], [high, 0.0]]))[:, 0]
    return slice(round(left), round(right))


def test_an_open_card_is_wholly_visible() -> None:
    line = masks_of(1.0, [lying(3, "KH", 0.0)], CAMERA, nothing(), [], PEOPLE).line
    assert line["cards"][0]["visible"] == 1.0
    assert line["cards"][0]["by"] == {}
    assert (line["cards"][0]["card"], line["cards"][0]["piece"]) == ("KH", 3)


def test_a_hand_over_half_a_card_covers_half_of_it() -> None:
    drawn = nothing()
    drawn[:, columns(-60.0, 0.0)] = (2, 2)
    card = masks_of(1.0, [lying(3, "KH", 0.0)], CAMERA, drawn, [], PEOPLE).line["cards"][0]
    assert card["visible"] == pytest.approx(0.5, abs=0.06)
    assert card["by"] == {"Bob's hand": pytest.approx(0.5, abs=0.06)}


def test_a_head_and_a_card_share_what_they_cover() -> None:
    drawn = nothing()
    drawn[:, columns(-60.0, -10.0)] = (1, 1)
    low, high = masks_of(
        1.0, [lying(0, "2C", 0.0), lying(1, "3C", 20.0, 0.3)], CAMERA, drawn, [], PEOPLE
    ).line["cards"]
    assert set(low["by"]) == {"Ann", "cards"}
    assert low["visible"] + sum(low["by"].values()) == pytest.approx(1.0, abs=0.01)
    assert "cards" not in high["by"]


def test_a_card_face_down_has_no_name() -> None:
    line = masks_of(1.0, [lying(0, "2C", 0.0, face_up=False)], CAMERA, nothing(), [], PEOPLE).line
    assert (line["cards"][0]["card"], line["cards"][0]["face"]) == (None, "down")


def test_the_picture_tells_persons_hands_and_cards_apart() -> None:
    drawn = nothing()
    drawn[0, 0], drawn[0, 1], drawn[0, 2], drawn[0, 3] = (1, 1), (2, 2), (1, 3), (2, 3)
    picture = masks_of(1.0, [lying(6, "KH", 0.0)], CAMERA, drawn, [9, -1], PEOPLE).picture
    assert picture[0, 0].tolist() == [1, KINDS["person"], 0]
    assert picture[0, 1].tolist() == [2, KINDS["hand"], 0]
    assert picture[0, 2].tolist() == [0, KINDS["card in the air"], 10]
    assert picture[0, 3].tolist() == [0, KINDS["card in the air"], IN_A_FAN]
    x, y = CAMERA.project(np.array([[0.0, 0.0]]))[0]
    assert picture[round(y), round(x)].tolist() == [0, KINDS["card on the table"], 7]


def test_masks_move_with_a_knocked_picture() -> None:
    moved = np.array([[1.0, 0.0, 20.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    still = masks_of(1.0, [lying(0, "KH", 0.0)], CAMERA, nothing(), [], PEOPLE)
    knocked = masks_of(1.0, [lying(0, "KH", 0.0)], CAMERA, nothing(), [], PEOPLE, moved)
    assert knocked.line["cards"][0]["quad"][0][0] == pytest.approx(
        still.line["cards"][0]["quad"][0][0] + 20.0, abs=0.11
    )
