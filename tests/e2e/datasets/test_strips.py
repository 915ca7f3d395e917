"""Samples of the strip network: labels of covered ends, and errors of estimated frames."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from models.faces.data import Photograph
from models.faces.labels import IGNORE, NONE
from models.faces.strip.data import StripMaker, StripSample, estimated_frame
from tests.e2e.datasets.test_face_samples import DrawnOnly
from vision.decks.card_classes import RANKS
from vision.geometry import card_homography, transform_points
from vision.recognition.crops import STRIP_HEIGHT, STRIP_WIDTH, strip_crop
from vision.recognition.index_detector import INDEX_CENTRE_MM

CARD = np.array([[100, 100], [163, 100], [163, 188], [100, 188]], float)


@pytest.fixture(scope="module")
def art() -> DrawnOnly:
    return DrawnOnly()


def made(art: DrawnOnly, seed: int, count: int) -> list[StripSample]:
    maker = StripMaker(art, seed, invented=0.3)
    return [maker.strip() for _ in range(count)]


def test_the_same_seed_makes_the_same_strips(art: DrawnOnly) -> None:
    one, two, other = (made(art, seed, 1)[0] for seed in (5, 5, 6))
    assert one.strip.shape == (STRIP_HEIGHT, STRIP_WIDTH, 3)
    assert np.array_equal(one.strip, two.strip)
    assert not np.array_equal(one.strip, other.strip)


def test_strips_are_of_all_kinds(art: DrawnOnly) -> None:
    many = made(art, 1, 160)
    ranks = [sample.rank for sample in many]
    assert set(ranks) >= set(range(len(RANKS))) | {NONE, IGNORE}
    assert np.mean([0 <= rank < len(RANKS) for rank in ranks]) > 0.6
    for sample in many:
        assert (sample.suit == IGNORE) == (not 0 <= sample.rank < len(RANKS))


def test_a_covered_rank_has_no_label(art: DrawnOnly, monkeypatch: pytest.MonkeyPatch) -> None:
    for hidden, wanted in ((0.0, True), (0.5, False), (1.0, False)):
        monkeypatch.setattr(Photograph, "share_hidden", lambda *_, hidden=hidden: hidden)
        shown = [0 <= sample.rank < len(RANKS) for sample in made(art, 3, 15)]
        assert any(shown) == wanted


def test_an_estimated_frame_is_worst_at_its_far_end() -> None:
    rng = np.random.default_rng(4)
    frames = np.array([estimated_frame(rng, CARD) for _ in range(400)])
    off = np.linalg.norm(frames - CARD, axis=2).mean(axis=0) / 88
    assert off[0] < 0.04
    assert off[2] > 2 * off[0]
    assert off[2] < 0.2
    places = np.array([transform_points(card_homography(frame), [INDEX_CENTRE_MM])[0] for frame in frames])
    assert np.abs(places - (100 + INDEX_CENTRE_MM[0], 100 + INDEX_CENTRE_MM[1])).mean() < 0.02 * 88


def test_a_strip_shows_the_end_with_the_first_two_corners() -> None:
    picture: NDArray[np.uint8] = np.zeros((300, 300, 3), np.uint8)
    picture[100:140, 100:163] = 255
    upper, lower = strip_crop(picture, CARD), strip_crop(picture, np.roll(CARD, 2, axis=0))
    assert upper.shape == lower.shape == (STRIP_HEIGHT, STRIP_WIDTH, 3)
    assert upper.mean() > 150
    assert lower.mean() < 20
