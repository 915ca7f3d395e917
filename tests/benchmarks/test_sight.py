"""Where reading fails in bad light and from afar, which the limits of `picture_quality` rest on.

Run: `pytest -m benchmark -s tests/benchmarks/test_sight.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from tests.support.polite_film import polite_film
from vision.capture.image_quality import quality_faults
from vision.geometry import quad_size
from vision.recognition.reader import reader_for_deck
from vision.types import CardReading, Image

FRAMES_S = (20, 60)


def frames() -> Iterator[Image]:
    film = cv2.VideoCapture(str(polite_film().path))
    for seconds in FRAMES_S:
        film.set(cv2.CAP_PROP_POS_MSEC, 1000.0 * seconds)
        done, frame = film.read()
        assert done
        yield np.asarray(frame, np.uint8)


def spoilt(frame: Image) -> Iterator[tuple[str, Image]]:
    noise = np.random.default_rng(0).normal(0, 4, frame.shape)
    for factor in (1.0, 0.5, 0.3, 0.2, 0.12, 0.08, 0.05):
        yield f"light {factor}", np.clip(frame * factor + noise, 0, 255).astype(np.uint8)
    for factor in (1.2, 1.5, 2.0, 3.0):
        yield f"light {factor}", np.clip(frame * factor, 0, 255).astype(np.uint8)
    for factor in (0.6, 0.5, 0.4, 0.33, 0.25, 0.2):
        small = cv2.resize(frame, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        yield f"size {factor}", np.asarray(small, np.uint8)


@pytest.mark.benchmark
def test_the_check_warns_before_cards_are_lost() -> None:
    reader = reader_for_deck(None)
    for number, frame in enumerate(frames()):
        known: dict[str, CardReading] = {}
        for name, picture in spoilt(frame):
            readings = reader.read(picture)
            named = {reading.card for reading in readings if reading.card}
            if name == "light 1.0":
                known = {str(reading.card): reading for reading in readings if reading.card}
            faults = quality_faults(picture, readings)
            width = np.median([min(quad_size(reading.quad)) for reading in readings]) if readings else 0.0
            lost = len(known.keys() - named)
            print(f"frame {number}, {name}: {lost} of {len(known)} lost, {width:.0f} px wide, {faults}")
            assert faults or lost <= 1
