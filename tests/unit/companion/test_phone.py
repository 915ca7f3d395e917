"""The phone as camera, as the README describes it: a real MJPEG stream over the loopback network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from companion.game.session import Session
from tests.support.streamed import parts, serve
from tests.support.waiting import until
from vision.capture.sources import open_source
from vision.types import Image

GREEN = (40, 160, 60)


def green_table() -> Iterator[bytes]:
    while True:
        yield from parts([np.full((240, 320, 3), GREEN, np.uint8)])
        time.sleep(0.02)


@pytest.fixture
def address() -> Iterator[str]:
    with serve(green_table) as where:
        yield where


class Onlooker:
    """A game in which nothing happens; keeps the last picture it was shown."""

    setup, table, lines, readings, layout, places = None, None, (), (), None, None
    moving, lost, awaits_deal, started_at, arms = False, False, False, 0.0, None

    def __init__(self) -> None:
        self.frames: list[Image] = []

    def feed(self, frame: Image, t: float) -> list[Any]:
        self.frames = [*self.frames[-1:], frame]
        return []

    def finish(self, t: float) -> list[Any]:
        return []

    def enter(self, event: Any) -> list[Any]:
        raise AssertionError("nobody enters anything")

    def put_back(self, event: Any) -> list[Any]:
        raise AssertionError("nobody puts anything back")

    def undo(self) -> None:
        return None

    def correct(self, event_id: int, event: Any) -> None:
        raise AssertionError("nobody corrects")


def test_a_phones_stream_is_seen_and_read(address: str) -> None:
    game = Onlooker()
    session = Session(lambda: open_source(address), lambda: game)
    session.start()
    until(lambda: session.snapshot.phase == "failed" or (session.picture and session.picture.serial >= 5))
    session.stop()
    picture = session.picture
    assert picture is not None, session.snapshot.says
    assert (picture.size, picture.serial >= 5) == ((320, 240), True)
    assert np.abs(np.frombuffer(picture.rgb[:3], np.uint8).astype(int) - GREEN[::-1]).max() < 12
    assert game.frames[-1].shape == (240, 320, 3)


def test_a_phone_that_is_not_there_is_said() -> None:
    session = Session(lambda: open_source("http://127.0.0.1:9/video"), Onlooker)
    session.start()
    until(lambda: session.snapshot.phase == "failed")
    session.stop()
    assert "http://127.0.0.1:9/video" in session.snapshot.says
