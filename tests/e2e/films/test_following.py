"""Following of films with readings from their timelines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from datasets.films.production import Scene, Shot, prepare
from datasets.films.story import Step
from datasets.measuring.films.following import follow_plan
from datasets.measuring.films.plan import FilmPlan
from datasets.measuring.films.timeline_reader import TimelineReader
from tests.e2e.films.test_films import TWO_PLAYERS, UP
from vision.geometry import quad_size

STORY = replace(
    TWO_PLAYERS, steps=(Step(event="play", player="Ann", cards=("4H", "4S", "4D"), source="hand"),)
)


@pytest.fixture(scope="module")
def scene() -> Scene:
    shot = Shot(
        seed=3, width=480, height=270, fps=5, deck="drawn", surface="drawn", light="day", noise=0.0, tilt=5.0
    )
    return prepare(STORY, shot)


def test_visible_cards_are_read_and_arms_hide_cards(scene: Scene) -> None:
    """The readings of a covered set show only its visible parts, and played cards are read at the end."""
    reader, hidden, names = TimelineReader(scene), False, set[str | None]()
    for t, frame in scene.renderer.frames(5):
        reader.t = t
        readings = reader.read(frame)
        names = {reading.card for reading in readings}
        if any(arm is not None for _, arm in scene.renderer.in_the_air(t)):
            hidden |= not {*UP["Ann"]} <= names
        if t > 5 and scene.timeline.is_still(t):
            at_rest = readings
    assert hidden, "an arm was over them"
    assert {*UP["Ann"], *UP["Bob"], "4H", "4S", "4D"} <= {reading.card for reading in at_rest}
    down = [reading for reading in at_rest if reading.face == "down"]
    assert len(down) >= 1, "the draw pile"
    for reading in at_rest:
        width, height = quad_size(reading.quad)
        assert height > width, "its short edge comes first"
        assert np.isfinite(reading.quad).all()


def test_a_film_is_followed_while_it_is_drawn() -> None:
    plan = FilmPlan(
        rules="winnersh",
        players=2,
        seed=5,
        tilt=5.0,
        light="day",
        deck="drawn",
        surface="drawn",
        plays=4,
        width=480,
        height=270,
    )
    followed = follow_plan(plan)
    assert followed.name == "winnersh-2-5-480x270-4"
    assert (followed.corrections, followed.false_alarms, followed.wrong) == (0, 0, ())
