"""A deck is enrolled in front of the camera: one card after the other, each held still."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from companion.enrolling import STILL_LOOKS, Enrolment, EnrolSession
from engine.errors import BadInputError
from vision.decks import Deck, deck_names, load_deck, remove_deck

CARDS = ("2C", "2D", "2H")
IMAGE = np.zeros((90, 160, 3), np.uint8)


def quad(x: float) -> Any:
    return np.array([(x, 10), (x + 40, 10), (x + 40, 70), (x, 70)], np.float32)


class Table:
    """What lies in front of the camera, look after look."""

    def __init__(self, *looks: list[float]) -> None:
        self.looks = list(looks)

    def __call__(self, _image: Any) -> list[Any]:
        return [quad(x) for x in (self.looks.pop(0) if self.looks else [])]


def learn(_image: Any, _quad: Any, card: str) -> Deck:
    features = np.eye(4, dtype=np.float32)[[CARDS.index(card)]]
    return Deck("mine", "weights", (card,), features)


def enrolment(*looks: list[float]) -> Enrolment:
    return Enrolment("mine", Table(*looks), learn, CARDS)


def test_a_card_is_taken_once_it_is_held_still() -> None:
    moving, still = [[10.0], [30.0]], [[50.0]] * STILL_LOOKS
    enrol = enrolment(*moving, *still)
    seen = [enrol.look(IMAGE) for _ in range(len(moving) + STILL_LOOKS)]
    assert seen == ["hold", "hold", "hold", "hold", "taken"]
    assert list(enrol.taken) == ["2C"]
    assert enrol.wanted == "2D"


def test_the_same_card_is_not_taken_for_the_next_one() -> None:
    enrol = enrolment(*[[50.0]] * 6, [], *[[50.0]] * STILL_LOOKS)
    seen = [enrol.look(IMAGE) for _ in range(7 + STILL_LOOKS)]
    assert seen[:7] == ["hold", "hold", "taken", "next", "next", "next", "nothing"]
    assert seen[-1] == "taken"
    assert list(enrol.taken) == ["2C", "2D"]


def test_two_cards_at_once_are_refused_in_words() -> None:
    assert enrolment([10.0, 90.0]).look(IMAGE) == "several"


def test_a_card_that_is_passed_over_stays_missing_and_comes_back_at_the_end() -> None:
    enrol = enrolment()
    enrol.skip()
    assert enrol.wanted == "2D"
    assert enrol.missing == CARDS
    enrol.taken["2D"] = learn(None, None, "2D")
    enrol.taken["2H"] = learn(None, None, "2H")
    assert enrol.wanted is None
    enrol.skip()
    assert enrol.wanted == "2C"


def test_a_deck_needs_two_cards_and_a_plain_name() -> None:
    enrol = enrolment()
    enrol.taken["2C"] = learn(None, None, "2C")
    with pytest.raises(BadInputError, match="at least two"):
        enrol.deck()
    with pytest.raises(BadInputError, match="letters, digits"):
        Enrolment("../mine", Table(), learn)


class Camera:
    name, live, fps = "camera", False, 10.0

    def __init__(self) -> None:
        self.closed = False

    def __iter__(self) -> Iterator[tuple[float, Any]]:
        for number in range(400):
            if self.closed:
                return
            time.sleep(0.002)
            yield number / 10, IMAGE

    def close(self) -> None:
        self.closed = True


def test_in_front_of_a_camera_the_deck_is_saved_when_asked_for() -> None:
    one = [*[[50.0]] * STILL_LOOKS, []]
    camera = Camera()
    session = EnrolSession(lambda: camera, lambda: enrolment(*one, *one))
    session.start()
    deadline = time.monotonic() + 20
    while session.progress.taken < 2 and time.monotonic() < deadline:
        assert session.progress.error == ""
        time.sleep(0.005)
    assert session.progress.missing == ("2H",)
    assert session.save() == 2
    assert camera.closed
    assert "mine" in deck_names()
    assert set(load_deck("mine").cards) == {"2C", "2D"}
    remove_deck("mine")


def test_a_camera_that_is_not_there_is_said() -> None:
    def no_camera() -> Any:
        raise BadInputError("camera 7: cannot be opened")

    session = EnrolSession(no_camera, enrolment)
    session.start()
    deadline = time.monotonic() + 20
    while not session.progress.error and time.monotonic() < deadline:
        time.sleep(0.005)
    assert session.progress.error == "camera 7: cannot be opened"
