"""Refinement: onto an edge that is seen, and nowhere without one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.recognition.outline_refinement import edge_support, refine_quad, refine_quads

QUAD = np.array([[210.3, 120.6], [330.8, 141.2], [301.5, 315.4], [180.2, 290.1]], np.float32)


def picture(quad: np.ndarray = QUAD, card: int = 235, table: int = 70, noise: float = 4.0) -> np.ndarray:
    """A card drawn at sixteen-fold size and reduced, so that its edge is right to a fraction of a pixel."""
    big = np.full((400 * 4, 500 * 4), table, np.uint8)
    points = np.round(((quad + 0.5) * 4 - 0.5) * 16).astype(np.int32)
    cv2.fillPoly(big, [points], (card,), cv2.LINE_AA, 4)
    small = cv2.resize(big, (500, 400), interpolation=cv2.INTER_AREA).astype(np.float32)
    rng = np.random.default_rng(3)
    noisy = cv2.GaussianBlur(small, (0, 0), 0.8) + rng.normal(0, noise, small.shape)
    return np.repeat(np.clip(noisy, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def worst(quad: np.ndarray, truth: np.ndarray = QUAD) -> float:
    return float(np.linalg.norm(quad - truth, axis=1).max())


@pytest.mark.parametrize("seed", range(8))
def test_a_rough_quad_moves_onto_the_card(seed: int) -> None:
    rough = QUAD + np.random.default_rng(seed).normal(0, 3.0, (4, 2)).astype(np.float32)
    refined = refine_quad(picture(), rough)
    assert worst(refined) < 0.8
    assert worst(refined) < worst(rough)


def test_many_quads_move_as_each_would_alone() -> None:
    # Of several sizes, one of them outside the picture, and more of one size than are looked at together.
    middle, image = QUAD.mean(axis=0), picture()
    rough = [(QUAD - middle) * np.float32(size) + middle for size in (0.3, 0.97, 1.03, 2.0)]
    rough += [
        QUAD + np.array([3000, 0], np.float32),
        *[QUAD + np.array([0.01 * k, 0], np.float32) for k in range(210)],
    ]
    together = refine_quads(image, rough)
    assert len(together) == len(rough)
    for quad, refined in zip(rough, together, strict=True):
        assert np.abs(refine_quad(image, quad) - refined).max() < 1e-3
    assert refine_quads(image, []) == []


def test_a_dark_card_on_a_light_table_is_found_too() -> None:
    rough = QUAD + np.array([[3, -2], [-2, 2], [2, 3], [-3, 1]], np.float32)
    assert worst(refine_quad(picture(card=40, table=200), rough)) < 0.8


def test_without_any_edge_the_quad_stays() -> None:
    blank = picture(card=120, table=120, noise=6.0)
    assert worst(refine_quad(blank, QUAD)) < 2.5


def test_a_hidden_side_stays_while_the_others_move() -> None:
    image = picture()
    image[:, 250:] = 90  # something lies over the right half
    rough = QUAD + np.array([4, 0], np.float32)
    refined = refine_quad(image, rough)
    left_side = np.linalg.norm(refined[[0, 3]] - QUAD[[0, 3]], axis=1).max()
    assert left_side < 2.0
    assert np.linalg.norm(refined[[1, 2]] - rough[[1, 2]], axis=1).max() < 9


@pytest.mark.parametrize("shift", [(-400, 0), (0, 600), (-150, -100), (3000, 3000)])
def test_quads_partly_or_wholly_outside_do_no_harm(shift: tuple[int, int]) -> None:
    quad = QUAD + np.array(shift, np.float32)
    refined = refine_quad(picture(), quad)
    assert np.isfinite(refined).all()
    assert refined.shape == (4, 2)


@pytest.mark.parametrize("size", [0.02, 0.1, 30.0])
def test_tiny_and_huge_quads_do_no_harm(size: float) -> None:
    centre = QUAD.mean(axis=0)
    quad = ((QUAD - centre) * size + centre).astype(np.float32)
    assert np.isfinite(refine_quad(picture(), quad)).all()


def test_edges_support_a_cards_own_outline_more_than_one_beside_it() -> None:
    inside = ((QUAD - QUAD.mean(axis=0)) * 0.8 + QUAD.mean(axis=0)).astype(np.float32)
    own, shifted, within = edge_support(picture(), [QUAD, QUAD + np.array([9, -7], np.float32), inside])
    assert own > 0.9
    assert shifted < 0.5
    assert within < 0.2


def test_a_quad_beyond_the_picture_has_no_support() -> None:
    assert edge_support(picture(), [QUAD + np.float32(3000)])[0] == pytest.approx(0)
