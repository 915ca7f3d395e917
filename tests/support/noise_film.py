"""A film in which nothing is to be seen."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np


def noise_film(path: Path, pictures: int) -> Path:
    """Write a small film of noise, 15 pictures a second; returns its path."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 15, (160, 120))
    rng = np.random.default_rng(1)
    for _ in range(pictures):
        writer.write(rng.integers(0, 255, (120, 160, 3), np.uint8))
    writer.release()
    return path
