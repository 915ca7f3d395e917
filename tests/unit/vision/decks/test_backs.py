"""Packs are told apart by their backs, and an enrolled deck's back is known again."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.art.drawn import draw_back
from tests.support.shown import lay, quad_at, table
from vision.decks.backs import back_features, back_stack, deck_of_back, packs_of

BLUE, RED = draw_back((150, 60, 30)), draw_back((40, 30, 160), 1)

Picture = NDArray[np.uint8]


def seen(back: Picture, seed: int, light: float = 1.0, height: float = 90.0) -> NDArray[np.float32]:
    """Return the features of a back lying somewhere on a table, in some light."""
    rng = np.random.default_rng(seed)
    quad = quad_at(rng, height)
    picture = lay(table(), back, quad) * light + rng.normal(0, 4, (480, 640, 3))
    wrong = quad + rng.normal(0, 0.01 * height, (4, 2)).astype(np.float32)
    return back_features(np.clip(picture, 0, 255).astype(np.uint8), wrong)


def test_two_packs_on_one_table_are_told_apart_in_shade_and_light() -> None:
    backs = [seen(BLUE, 1), seen(RED, 2), seen(BLUE, 3, 0.5), seen(RED, 4, 0.5), seen(BLUE, 5, 0.7)]
    assert packs_of(backs) == [0, 1, 0, 1, 0]


def test_one_pack_is_one_pack_whatever_its_size_in_the_picture() -> None:
    assert packs_of([seen(RED, k, 0.6 + 0.08 * k, 50 + 20 * k) for k in range(6)]) == [0] * 6
    assert packs_of([]) == []


def test_half_a_turn_changes_nothing() -> None:
    quad = quad_at(np.random.default_rng(1))
    picture = lay(table(), BLUE, quad)
    turned = back_features(picture, np.roll(quad, 2, axis=0))
    assert np.allclose(back_features(picture, quad), turned, atol=0.02)


def test_an_enrolled_deck_is_known_by_its_back_and_a_strange_one_is_not() -> None:
    known = {
        "pub": back_stack([seen(BLUE, 11, 0.9)]),
        "home": back_stack([seen(RED, 12, 0.8), seen(RED, 13)]),
        "unshown": back_stack([]),
    }
    assert deck_of_back(seen(RED, 14, 0.6), known) == "home"
    assert deck_of_back(seen(BLUE, 15, 0.6), known) == "pub"
    assert deck_of_back(seen(draw_back((40, 130, 40)), 16), {"home": known["home"]}) is None
    assert deck_of_back(seen(RED, 17), {}) is None


def test_decks_with_the_same_back_are_not_named_at_random() -> None:
    same = {"one": back_stack([seen(BLUE, 21)]), "two": back_stack([seen(BLUE, 22)])}
    assert deck_of_back(seen(BLUE, 23), same) is None


@pytest.mark.parametrize("features", [np.zeros(3, np.float32), np.zeros(99, np.float32)])
def test_backs_of_another_version_are_passed_over(features: NDArray[np.float32]) -> None:
    assert deck_of_back(seen(BLUE, 31), {"old": features[None]}) is None
