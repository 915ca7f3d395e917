"""A whole pack shown to the camera within a minute, at real pace: how many of its cards are told.

Run: `pytest -m benchmark -s tests/benchmarks/test_enrolment.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from companion.game.enrolling import PackScanner, open_enrolment
from datasets.art.cards import CARDS
from datasets.art.drawn import DrawnStyle, draw_deck
from datasets.measuring.films.paced_source import PacedSource
from tests.support.fake_source import FakeSource
from tests.support.shown import FPS, show_pack
from vision.capture.sources import FilmSource
from vision.types import Image

pytestmark = pytest.mark.benchmark

_STILL = 9
"""Pictures that each card rests: with the arm that takes it away 1.1 s a card, 57 s the pack."""


class AsCamera(FakeSource):
    """A film at the pace at which it was filmed, as a camera would give it."""

    name, fps, live = "camera", float(FPS), True

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._film = FilmSource(path)
        self._paced = PacedSource(self._film, 1.0, time.monotonic() + 300)

    @property
    def dropped(self) -> int:
        """Return how many pictures came while others were being looked at."""
        return self._paced.dropped

    def __iter__(self) -> Iterator[tuple[float, Image]]:
        return iter(self._paced)

    def close(self) -> None:
        """Let the film go."""
        self._film.close()


def test_a_pack_shown_within_a_minute(tmp_path: Path, measured: Callable[[str, float], None]) -> None:
    order = [CARDS[k] for k in np.random.default_rng(11).permutation(len(CARDS))]
    film = tmp_path / "pack.mp4"
    show_pack(film, order, draw_deck(DrawnStyle()), still=_STILL)
    show, _ = open_enrolment("mine")
    camera = AsCamera(film)
    for t, _frame, _seen in PackScanner(camera, show):
        last = t
    camera.close()
    told = [card for card, _ in show.result().cards]
    print(f"\n{len(told)} of 52 told in {last:.0f} s; {camera.dropped} pictures dropped")
    measured("pack_in_a_minute_told", len(told))
    assert last <= 60
    assert len(told) >= 50
    shown_at = {card: number * (_STILL + 2) / FPS for number, card in enumerate(order)}
    for card, showing in show.result().cards:
        assert shown_at[card] - 0.1 <= showing.t <= shown_at[card] + 1.3
