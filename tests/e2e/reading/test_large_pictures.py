"""Cards in pictures much larger than what the networks look at, with the networks that ship."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.art.drawn import DrawnStyle, draw_face
from datasets.surfaces import drawn_surface
from vision.geometry import corner_distance
from vision.recognition.reader import TableReader
from vision.types import Image, Quad

CARDS = ("AS", "10D", "7C", "KH", "2H", "9S", "QD", "5C")


def table_with(width: int, height: int, tall: int) -> tuple[Image, dict[str, Quad]]:
    """Return a drawn table with cards so many pixels tall all over it, and where each of them lies."""
    rng = np.random.default_rng(5)
    surface = drawn_surface(np.random.default_rng(3))
    picture = np.asarray(cv2.resize(surface, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
    quads: dict[str, Quad] = {}
    for number, card in enumerate(CARDS):
        art = draw_face(card, DrawnStyle())
        size = np.array(art.shape[1::-1])
        scale, angle = tall / size[1], rng.uniform(-0.3, 0.3)
        turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        centre = np.array([(number % 4 + 0.5) / 4 * width, (0.25 if number < 4 else 0.75) * height])
        shift = centre - turn @ ((size - 1) / 2)
        low = np.floor(centre - tall).astype(int)
        patch = picture[low[1] : low[1] + 2 * tall, low[0] : low[0] + 2 * tall]
        matrix = np.column_stack([turn, shift - low])
        laid = cv2.warpAffine(cv2.GaussianBlur(art, (0, 0), 0.4 / scale), matrix, (2 * tall, 2 * tall))
        share = laid[..., 3:].astype(np.float32) / 255
        patch[:] = (patch * (1 - share) + laid[..., :3] * share).astype(np.uint8)
        corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]]) - 0.5
        quads[card] = (corners @ turn.T + shift).astype(np.float32)
    return picture, quads


@pytest.mark.parametrize(
    ("width", "height", "tall"),
    [
        (6000, 4000, 100),  # 24 megapixels, a table far away
        (3840, 2160, 60),
    ],
)
def test_cards_in_large_pictures_are_found_exactly_and_named(width: int, height: int, tall: int) -> None:
    picture, quads = table_with(width, height, tall)
    found = {card.card: card.quad for card in TableReader().read(picture)}
    assert set(found) >= set(quads)
    assert max(float(corner_distance([found[card]], quad)[0]) for card, quad in quads.items()) < 3
