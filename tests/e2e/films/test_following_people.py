"""Hands and cards of whole people, from the timeline of a film; needs the bodies, as `test_body` says."""

from __future__ import annotations

import importlib.util
import math

import pytest

from datasets.films.production import Scene, Shot, prepare
from datasets.measuring.films.timeline_hands import TimelineHands
from datasets.measuring.films.timeline_reader import TimelineReader
from tests.e2e.films.test_films import UP
from tests.e2e.films.test_following import STORY
from tests.unit.datasets.people.test_body import fetched, link_bodies

WIDTH, HEIGHT, FPS = 384, 216, 3
WHOLE = (WIDTH / 2, HEIGHT / 2, float(2 * WIDTH))
"""The tile that is the whole picture, and more."""
SHOT = Shot(seed=3, width=WIDTH, height=HEIGHT, fps=FPS, deck="drawn", surface="drawn", light="day")
pytestmark = [
    fetched,
    pytest.mark.skipif(importlib.util.find_spec("moderngl") is None, reason="moderngl is not installed"),
]


@pytest.fixture(scope="module")
def scene() -> Scene:
    link_bodies()
    shot = Shot(
        seed=3, width=WIDTH, height=HEIGHT, fps=FPS, deck="drawn", surface="drawn", light="day", people=1
    )
    return prepare(STORY, shot)


def test_hands_are_found_where_they_are_seen_and_hide_cards(scene: Scene) -> None:
    hands, reader = TimelineHands(scene), TimelineReader(scene)
    play = scene.camera.project(scene.layout.play.corners()).mean(axis=0)
    most, nearest, lost = 0, math.inf, 0
    for t, frame in scene.renderer.frames(FPS):
        hands.t = reader.t = t
        found = hands.find(frame, WHOLE)
        most = max(most, len(found))
        nearest = min([nearest, *(math.dist(hand.middle, play) for hand in found)])
        assert all(hand.points.shape == (21, 2) for hand in found)
        assert not hands.find(frame, WHOLE, hands.redetect(frame, found)) or found
        assert hands.find(frame, (-500.0, -500.0, 10.0)) == []
        named = {reading.card for reading in reader.read(frame)}
        lost = max(lost, len({*UP["Ann"], *UP["Bob"]} - named))
    assert 2 <= most <= 4, "two players have at most four hands in sight"
    assert nearest < 0.15 * WIDTH, "a hand came to the play pile"
    assert lost >= 1, "a hand hid an up-card"
    assert named >= {*UP["Ann"], *UP["Bob"]}
    assert named & {"4H", "4S", "4D"}, "the uppermost of the set"


def test_a_scene_without_people_has_no_hands() -> None:
    with pytest.raises(ValueError, match="no whole people"):
        TimelineHands(prepare(STORY, SHOT))
