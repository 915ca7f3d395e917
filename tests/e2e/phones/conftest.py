"""A game and a browser for the tests of the phones' page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("aiohttp", reason="the extra `phone` is not installed")
pytest.importorskip("selenium", reason="selenium is not installed")

from companion.game.session import Session
from tests.support.chromium import Browser, chromium, missing
from tests.support.game_by_touch import game_by_touch


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all of these tests, in one line, where no Chromium is installed."""
    here = str(Path(__file__).parent)
    for item in items:
        if missing() and str(item.path).startswith(here):
            item.add_marker(pytest.mark.skip(reason=missing()))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with game_by_touch(tmp_path / "s.sqlite") as game:
        yield game


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of one grey picture for the browser's camera."""
    film = tmp_path_factory.mktemp("film") / "still.mjpeg"
    picture = np.full((90, 160, 3), 120, np.uint8)
    film.write_bytes(cv2.imencode(".jpg", picture)[1].tobytes() * 30)
    return film


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, still: Path) -> Iterator[Browser]:
    """A Chromium with a camera, which accepts the certificate."""
    with chromium(tmp_path_factory.mktemp("browser"), film=still) as opened:
        yield opened
