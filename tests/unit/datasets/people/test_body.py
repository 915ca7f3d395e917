"""Whole bodies take poses: hands touch what they should, and limbs stay out of the table.

These tests need the bodies, which are fetched when the first film of people is made.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from datasets.films.people import art
from datasets.films.people.body import BodyPose, HandPose, Person
from datasets.films.people.figures import Figure, make_figure, random_looks, shares_of
from datasets.films.people.hands import GRIPS

EDGE = 300.0
LEGS_MM = -200.0
"""Lower parts belong to legs, which are under the table."""
PLACE = art.package_place()  # of the user, before the tests have folders of their own
fetched = pytest.mark.skipif(
    not PLACE.is_dir(), reason="the bodies are not fetched (film --people fetches them)"
)


@pytest.fixture(scope="module")
def figure() -> Figure:
    link_bodies()
    return make_figure(random_looks(random.Random(4)))


def link_bodies() -> None:
    """Let the tests' own cache hold the bodies that the user has fetched."""
    place = art.package_place()
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(PLACE)


def pose(right: HandPose, lean: float = 6.0) -> BodyPose:
    return BodyPose(0.0, EDGE, HandPose((-170.0, 280.0, 62.0), -80.0, GRIPS["fan"]), right, lean)


def test_the_shares_of_a_body_add_up_for_each_age() -> None:
    for seed in range(30):
        looks = random_looks(random.Random(seed))
        shares = shares_of(looks)
        assert sum(s for n, s in shares.items() if "universal" in n) == pytest.approx(1.0)
        assert sum(s for n, s in shares.items() if looks.origin in n) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_looks() -> None:
    assert random_looks(random.Random(3)) == random_looks(random.Random(3))


def test_faces_of_a_model_are_split_into_triangles() -> None:
    quad, triangle = [11, 0, 1, 2, 3, 7, 4, 5, 6, 7], [10, 2, 1, 0, 8, 9, 9, 9]
    vertices, textures, materials = art.corners_of([*quad, *triangle])
    assert vertices.tolist() == [[0, 1, 2], [0, 2, 3], [2, 1, 0]]
    assert textures.tolist() == [[4, 5, 6], [4, 6, 7], [9, 9, 9]]
    assert materials.tolist() == [7, 7, 8]


@fetched
@pytest.mark.parametrize("grip", ["hold", "flat", "point", "rest", "show"])
def test_a_hand_over_the_table_stays_out_of_it(figure: Figure, grip: str) -> None:
    bent = Person(figure.skeleton).take(pose(HandPose((40.0, 60.0, 5.0), -95.0, GRIPS[grip])))
    for part in figure.parts:
        points, _ = part.skin.follow(bent)
        over = points[(points[:, 1] < EDGE - 30.0) & part.hands]
        assert np.quantile(over[:, 2], 0.03) > -16.0 if len(over) else True


@fetched
def test_forearms_stay_over_the_table(figure: Figure) -> None:
    person = Person(figure.skeleton)
    for x in (-150.0, 0.0, 150.0):
        for y in (-100.0, 50.0, 200.0):
            bent = person.take(pose(HandPose((x, y, 5.0), -90.0, GRIPS["hold"])))
            for part in figure.parts:
                points, _ = part.skin.follow(bent)
                over = points[(points[:, 1] < EDGE - 60.0) & ~part.hands & (points[:, 2] > LEGS_MM)]
                if len(over):
                    assert np.quantile(over[:, 2], 0.02) > -25.0


@fetched
def test_who_reaches_far_leans_forward(figure: Figure) -> None:
    person = Person(figure.skeleton)

    def head(y: float) -> float:
        bent = person.take(pose(HandPose((0.0, y, 5.0), -90.0, GRIPS["hold"])))
        return float(bent.heads[figure.skeleton.number("head")][1])

    assert head(-150.0) < head(250.0) - 100.0


@fetched
def test_the_head_of_somebody_upright_is_behind_the_edge_and_above_the_table(figure: Figure) -> None:
    bent = Person(figure.skeleton).take(pose(HandPose((150.0, 260.0, 4.0), -90.0, GRIPS["rest"])))
    head = bent.heads[figure.skeleton.number("head")]
    assert head[1] > EDGE + 60.0
    assert 280.0 < head[2] < 560.0
