"""The first play of the polite film as a film of its own, for tests that need not wait for the deal."""

from __future__ import annotations

from pathlib import Path

import cv2

from tests.support.polite_film import polite_film

BEGINS_S, ENDS_S = 33.8, 52.0
"""The cards are dealt and exchanged; the first is played at once, and the game goes on for a while."""
EVERY = 2
"""Of so many pictures one is taken, as a slow camera would."""


def write_excerpt(path: Path, seconds: float = ENDS_S - BEGINS_S) -> Path:
    """Write the excerpt as a film of hardly compressed pictures (`.avi`), and return its path."""
    film = cv2.VideoCapture(str(polite_film().path))
    fps = film.get(cv2.CAP_PROP_FPS)
    size = (int(film.get(cv2.CAP_PROP_FRAME_WIDTH)), int(film.get(cv2.CAP_PROP_FRAME_HEIGHT)))
    written = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps / EVERY, size)
    written.set(cv2.VIDEOWRITER_PROP_QUALITY, 95)
    film.set(cv2.CAP_PROP_POS_MSEC, 1000 * BEGINS_S)
    for number in range(round(seconds * fps)):
        film.grab()
        if number % EVERY == 0:
            written.write(film.retrieve()[1])
    film.release()
    written.release()
    return path
