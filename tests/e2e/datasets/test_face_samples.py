"""Labels of training samples, quads by contour, and the calibration of the face networks."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.art.cards import CARD_HEIGHT, CARD_WIDTH
from datasets.art.drawn import DrawnStyle, draw_face
from models.faces import calibrate as calibration
from models.faces.calibrate import class_number, fit
from models.faces.data import LARGEST, SMALLEST, SampleMaker
from models.faces.labels import IGNORE, JOKER, NONE, rank_label, suit_label
from models.faces.photos import quad_in_box, quad_of_single_card
from models.faces.shards import join, load, pick, save, stack
from models.faces.styles import ArtFaces, invented_face
from vision.decks.card_classes import RANKS, SUITS
from vision.geometry import corner_distance, homography
from vision.recognition.classifier import CLASSES, WEIGHTS, load_fusion
from vision.recognition.crops import CORNERS


class DrawnOnly(ArtFaces):
    """Only the drawn deck, so tests fetch nothing."""

    def __init__(self) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("models.faces.styles.deck_names", lambda _split: ("drawn",))
            super().__init__("train")


@pytest.fixture(scope="module")
def art() -> DrawnOnly:
    return DrawnOnly()


def test_cards_jokers_and_backs_have_labels() -> None:
    assert (rank_label("10H"), suit_label("10H")) == (RANKS.index("10"), SUITS.index("H"))
    assert (rank_label("10"), suit_label("10")) == (RANKS.index("10"), IGNORE)
    assert (rank_label("JOKER"), suit_label("JOKER")) == (JOKER, IGNORE)
    assert (rank_label("BACK"), suit_label("BACK")) == (NONE, IGNORE)
    assert CLASSES[class_number(RANKS.index("9"), SUITS.index("S"))] == "9S"
    assert CLASSES[class_number(NONE, IGNORE)] == "NONE"
    assert class_number(RANKS.index("9"), IGNORE) == IGNORE


def test_the_same_seed_makes_the_same_samples(art: DrawnOnly) -> None:
    one, two = (stack([SampleMaker(art, seed=5).sample()]) for _ in range(2))
    other = stack([SampleMaker(art, seed=6).sample()])
    assert np.array_equal(one.whole, two.whole)
    assert np.array_equal(one.corners, two.corners)
    assert not np.array_equal(one.whole, other.whole)


def test_samples_are_of_all_kinds(art: DrawnOnly) -> None:
    maker = SampleMaker(art, seed=1)
    many = stack([maker.sample() for _ in range(160)])
    assert set(many.rank) >= set(range(len(RANKS))) | {NONE}
    assert ((many.suit == IGNORE) == (many.rank >= len(RANKS))).all()
    hidden = (many.corner_ranks == NONE) & (many.rank[:, None] != NONE)
    shown = many.corner_ranks == many.rank[:, None]
    assert 0.05 < hidden.mean() < 0.5
    assert shown.mean() > 0.4
    assert (shown | (many.corner_ranks == NONE) | (many.corner_ranks == IGNORE)).all()


def test_without_covers_every_index_is_visible(art: DrawnOnly) -> None:
    maker = SampleMaker(art, seed=2, invented=0.0, heights=(60, 90), covers=False)
    for _ in range(40):
        sample = maker.sample()
        if sample.rank < len(RANKS):
            assert sample.corner_ranks == (sample.rank, sample.rank)
    assert SMALLEST < LARGEST


def test_invented_faces_differ_from_each_other(art: DrawnOnly) -> None:
    rng = np.random.default_rng(0)
    first, second = (invented_face(rng, "8C", art, 120) for _ in range(2))
    assert first.shape == second.shape
    assert np.abs(first.astype(int) - second).mean() > 2


def test_shards_are_saved_joined_and_picked(art: DrawnOnly, tmp_path: Path) -> None:
    maker = SampleMaker(art, seed=3)
    shard = stack([maker.sample() for _ in range(4)])
    save(shard, tmp_path / "deep" / "00000.npz")
    both = join([load(tmp_path / "deep" / "00000.npz"), shard])
    assert len(both) == 8
    assert np.array_equal(pick(both, np.array([5])).whole[0], shard.whole[1])


# --- quads by contour ---------------------------------------------------------------------------------

QUAD = np.array([[120, 60], [240, 90], [205, 255], [82, 224]], np.float32)


def photo() -> np.ndarray:
    table = np.full((320, 340, 3), (60, 90, 40), np.uint8)
    face = draw_face("9D", DrawnStyle())
    corners = np.array([[0, 0], [CARD_WIDTH, 0], [CARD_WIDTH, CARD_HEIGHT], [0, CARD_HEIGHT]], np.float32)
    matrix = homography(corners - 0.5, QUAD)
    warped = cv2.warpPerspective(face, matrix, (340, 320), flags=cv2.INTER_AREA)
    share = warped[:, :, 3:] / 255.0
    return (warped[:, :, :3] * share + table * (1 - share)).astype(np.uint8)


def test_an_uncovered_card_in_its_box_is_found_within_pixels() -> None:
    low, high = QUAD.min(axis=0), QUAD.max(axis=0)
    box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    found = quad_in_box(photo(), box)
    assert found is not None
    assert corner_distance(found[None], QUAD)[0] < 1.5


def test_a_single_card_is_found_without_a_box() -> None:
    found = quad_of_single_card(photo())
    assert found is not None
    assert corner_distance(found[None], QUAD)[0] < 4  # two per cent of its height


def test_a_covered_card_and_an_empty_table_give_no_quad() -> None:
    low, high = QUAD.min(axis=0), QUAD.max(axis=0)
    box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    covered = photo()
    cv2.circle(covered, (120, 70), 60, (60, 90, 40), -1)
    assert quad_in_box(covered, box) is None
    assert quad_of_single_card(np.full((200, 200, 3), 90, np.uint8)) is None


# --- calibration --------------------------------------------------------------------------------------


def test_calibration_trusts_the_crop_that_is_right() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 52, 300)
    good = np.full((300, len(CLASSES)), np.log(0.2 / (len(CLASSES) - 1)))
    good[np.arange(300), truth] = np.log(0.8)
    noise = np.log(rng.dirichlet(np.ones(len(CLASSES)), 300))
    fusion = fit((good, [noise] * CORNERS), truth)
    assert fusion.whole_weight > 3 * fusion.corner_weight


def test_calibrating_the_faces_again_keeps_the_numbers_for_lone_indices(
    art: DrawnOnly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("whole.onnx", "corner.onnx", "fusion.json"):
        shutil.copy(WEIGHTS / name, tmp_path)
    monkeypatch.setattr(calibration, "ArtFaces", lambda _: art)
    fusion = calibration.calibrate(tmp_path, count=8)
    shipped = load_fusion(WEIGHTS / "fusion.json")
    for name in ("index_weight", "index_threshold", "beside_strip"):
        assert getattr(fusion, name) == getattr(shipped, name)
    assert load_fusion(tmp_path / "fusion.json") == fusion
    assert fusion != shipped
