"""The look through a camera before the game."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from companion.app.screens.arrangement import seat_places
from companion.game.preview import FAULT_TEXTS, Preview, SightCheck, sight_lines
from engine.errors import BadInputError
from tests.support.fake_source import FakeSource
from tests.support.waiting import PATIENCE_S, until
from vision.capture.image_quality import QUALITY_FAULTS
from vision.types import CardReading, Image

QUAD = np.array([[100, 100], [180, 100], [180, 212], [100, 212]], np.float32)
CARD = CardReading(QUAD, "up", 0.99, "9S", 0.99)


class Camera(FakeSource):
    name, fps = "camera 0", 30.0

    def __init__(self, *, live: bool = True) -> None:
        super().__init__()
        self.live, self.shown = live, 0

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        while not self.closed:
            self.shown += 1
            yield self.shown / 30, np.full((400, 600, 3), 200, np.uint8)
            time.sleep(0.005)


class Reader:
    def read(self, image: Image, crowded: object = None, ignored: object = None) -> list[CardReading]:
        return [CARD]


def test_the_picture_runs_on_and_is_judged() -> None:
    camera = Camera()
    preview = Preview(lambda: camera, Reader)
    preview.start()
    until(lambda: preview.sight is not None and camera.shown > 3)
    assert preview.sight == SightCheck((CARD,), ())
    assert preview.picture is not None
    assert preview.picture.size == (600, 400)
    preview.stop(wait=10)
    assert camera.closed


def test_a_camera_that_falls_silent_is_said_and_let_go_as_soon_as_the_preview_is_left() -> None:
    class Silent(Camera):
        def __init__(self, *, back: bool) -> None:
            super().__init__()
            self.go_on, self.back = threading.Event(), back

        def __iter__(self) -> Iterator[tuple[float, Image]]:
            yield 0.0, np.full((400, 600, 3), 200, np.uint8)
            self.on_status("camera 0: no picture for 10 s; it is tried again")
            self.go_on.wait(PATIENCE_S)
            if self.back:
                yield 1.0, np.full((400, 600, 3), 200, np.uint8)
                until(lambda: self.closed)

        def close(self) -> None:
            super().close()
            self.go_on.set()

    camera = Silent(back=False)
    preview = Preview(lambda: camera, Reader)
    preview.start()
    until(lambda: "it is tried again" in preview.error)
    preview.stop(wait=10)
    assert camera.closed
    camera = Silent(back=True)
    preview = Preview(lambda: camera, Reader)
    preview.start()
    until(lambda: "it is tried again" in preview.error)
    camera.go_on.set()
    until(lambda: not preview.error)
    preview.stop(wait=10)


def test_of_a_film_the_first_picture_is_shown() -> None:
    film = Camera(live=False)
    preview = Preview(lambda: film, Reader)
    preview.start()
    until(lambda: preview.sight is not None and film.closed)
    assert film.shown == 1
    preview.stop()


def test_a_camera_that_cannot_be_opened_is_said_and_no_reader_is_loaded() -> None:
    loaded: list[int] = []

    def refuse() -> Camera:
        raise BadInputError("camera 7: cannot be opened")

    def load() -> Reader:
        loaded.append(1)
        return Reader()

    preview = Preview(refuse, load)
    preview.start()
    until(lambda: bool(preview.error))
    preview.stop(wait=10)
    assert preview.error == "camera 7: cannot be opened"
    assert not loaded


def test_missing_weights_are_said_while_the_picture_runs_on() -> None:
    def refuse() -> Reader:
        raise BadInputError("faces.onnx: no such file")

    camera = Camera()
    preview = Preview(lambda: camera, refuse)
    preview.start()
    until(lambda: bool(preview.error) and camera.shown > 3)
    assert preview.error == "faces.onnx: no such file"
    preview.stop(wait=10)


def test_every_fault_has_words() -> None:
    assert set(FAULT_TEXTS) == set(QUALITY_FAULTS)
    for fault in QUALITY_FAULTS:
        (line, *_more) = sight_lines(SightCheck((CARD,), (fault,)))
        assert line.startswith("✗ ")
    assert sight_lines(SightCheck((CARD,), ())) == [
        "✓ The picture is good. 1 card in view, 1 of 1 face-up cards recognised."
    ]


@pytest.mark.parametrize("count", range(2, 9))
def test_seats_go_round_the_table_clockwise_from_the_bottom(count: int) -> None:
    places = seat_places(count, 600, 400)
    assert places[0] == pytest.approx((300, 0))
    turns = [math.atan2(y - 200, x - 300) for x, y in places]
    steps = [(before - after) % (2 * math.pi) for before, after in pairwise(turns)]
    assert all(0 < step < math.pi + 0.01 for step in steps)
    assert all(0 <= x <= 600 and 0 <= y <= 400 for x, y in places)
