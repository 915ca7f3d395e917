"""Rendered scenes are repeatable, and their truth is right."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art.decks import load_deck
from datasets.scenes.camera import Camera
from datasets.scenes.cards import CardStock
from datasets.scenes.layouts import Placement, card_outline, random_layout
from datasets.scenes.scene import MIN_VISIBLE, UNSURE, Scene, SceneMaker
from datasets.scenes.store import read_scene, write_scene
from datasets.surfaces import drawn_surface
from vision.geometry import is_convex, order_quad, polygon_area, rectify

SEEDS = range(12)


@cache
def maker() -> SceneMaker:
    textures = [drawn_surface(np.random.default_rng(seed)) for seed in range(6)]
    return SceneMaker(CardStock([load_deck("drawn")], invented=4), textures, size=320)


@cache
def scene(seed: int) -> Scene:
    return maker().make(seed)


def test_the_same_seed_gives_the_same_pixels() -> None:
    first, again = scene(3), maker().make(3)
    assert np.array_equal(first.image, again.image)
    assert np.array_equal(first.owner, again.owner)
    assert len(first.cards) == len(again.cards)
    assert not np.array_equal(first.image, scene(4).image)


@pytest.mark.parametrize("seed", SEEDS)
def test_quads_run_clockwise(seed: int) -> None:
    for card in scene(seed).cards:
        assert is_convex(card.quad)
        assert card.visible >= MIN_VISIBLE


def likeness(flat: NDArray[np.uint8], art: NDArray[np.uint8]) -> float:
    """Return the correlation of a flattened card with its art, in the better of its two directions."""
    grey = cv2.cvtColor(art[..., :3], cv2.COLOR_BGR2GRAY)
    seen = cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY)
    return max(
        float(cv2.matchTemplate(turned, grey, cv2.TM_CCOEFF_NORMED)[0, 0])
        for turned in (seen, seen[::-1, ::-1])
    )


def test_no_card_is_drawn_mirrored() -> None:
    size = (126, 176)
    art = np.asarray(cv2.resize(load_deck("drawn").faces["7C"], size, interpolation=cv2.INTER_AREA), np.uint8)
    stock = CardStock([load_deck("drawn")], real_share=1.0)
    alone = SceneMaker(stock, [drawn_surface(np.random.default_rng(0))], size=480)
    for seed in range(6):
        shown = alone.make_alone(seed, "7C")
        (card,) = shown.cards
        flat = rectify(shown.image, order_quad(card.quad), *size)
        assert likeness(flat, art) > likeness(flat, art[:, ::-1]) + 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_every_labelled_card_is_visible_inside_its_own_quad(seed: int) -> None:
    found = scene(seed)
    for number, card in enumerate(found.cards, start=1):
        mask = np.zeros(found.owner.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(card.quad).astype(np.int32), (1,))
        seen = found.owner == number
        assert seen.any()
        assert (mask[seen] == 1).mean() > 0.99
        share = seen.sum() / polygon_area(card.quad)
        assert share == pytest.approx(card.visible, abs=0.12)


def test_owners_are_cards_or_no_card_or_unsure() -> None:
    for seed in SEEDS:
        values = set(np.unique(scene(seed).owner).tolist()) - {UNSURE}
        assert values <= set(range(len(scene(seed).cards) + 1))


def test_scenes_have_cards_face_up_and_down_in_varying_number() -> None:
    cards = [card for seed in SEEDS for card in scene(seed).cards]
    assert {card.face_up for card in cards} == {True, False}
    assert len({len(scene(seed).cards) for seed in SEEDS}) > 4


def test_a_camera_straight_above_shows_the_plan() -> None:
    camera = Camera.above(400, 400.0, tilt=0.0, azimuth=np.pi / 2, roll=0.0, fov=1.0)
    seen = camera.project(np.array([[0, 0], [100, 0], [0, 50]], float))
    assert seen == pytest.approx(np.array([[200, 200], [300, 200], [200, 250]]), abs=1e-3)


def test_a_higher_card_looks_larger() -> None:
    camera = Camera.above(400, 400.0, tilt=0.3, azimuth=1.0, roll=0.2, fov=1.0)
    outline = card_outline(Placement(20, -30, 0.4, True))
    low, high = camera.project(outline, 0.0), camera.project(outline, 15.0)
    assert polygon_area(high) > polygon_area(low)


def test_layouts_are_within_the_view() -> None:
    rng = np.random.default_rng(1)
    for view in (150.0, 400.0, 900.0):
        places = [place for _ in range(20) for place in random_layout(rng, view)]
        assert places
        near = [abs(place.x) < view and abs(place.y) < view for place in places]
        assert np.mean(near) > 0.9


def test_a_stored_scene_is_read_back(tmp_path: Path) -> None:
    original = scene(5)
    path = tmp_path / "000005.jpg"
    write_scene(path, original, quality=95)
    stored = read_scene(path)
    assert np.array_equal(stored.owner, original.owner)
    assert stored.quads == pytest.approx(np.array([card.quad for card in original.cards]).reshape(-1, 4, 2))
    assert stored.face_up.tolist() == [card.face_up for card in original.cards]
    assert np.abs(stored.image.astype(int) - original.image).mean() < 6


def test_a_damaged_stored_scene_is_named(tmp_path: Path) -> None:
    path = tmp_path / "000001.jpg"
    write_scene(path, scene(1))
    path.write_bytes(b"no picture")
    with pytest.raises(ValueError, match="000001"):
        read_scene(path)
