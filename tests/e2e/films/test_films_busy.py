"""The film of a table without a game: acts of people, and looks of objects."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.films.busy_table import PEOPLE, BusyTable, make_busy_film
from datasets.films.choreography.layout import make_layout
from datasets.films.choreography.stage import Stage, random_manner
from datasets.films.geometry import Pose, look_at_table
from datasets.films.production import TABLE_MM, Shot
from datasets.films.rendering.light import Light
from datasets.films.rendering.objects import KINDS, ObjectArtist, TableObject, random_object
from datasets.films.timeline import CardMove, Timeline

CAMERA = look_at_table(640, 360, table=TABLE_MM, tilt=12.0)
SEEDS = range(6)


def busy(seed: int, seconds: float = 180.0) -> tuple[Timeline, dict[str, TableObject]]:
    rng = random.Random(seed)
    layout = make_layout(PEOPLE, 3, TABLE_MM, CAMERA, rng)
    stage = Stage(layout, {player: random_manner(rng, rng.random()) for player in PEOPLE}, rng)
    table = BusyTable(stage, rng)
    table.act_for(seconds)
    return stage.timeline(), table.objects


def lying_at(moves: tuple[CardMove, ...], t: float) -> list[CardMove]:
    """Return the moves that put the pieces on the table at a moment."""
    last = {move.piece: move for move in moves if move.start_s <= t}
    return [move for move in last.values() if move.end_s <= t and not move.leaves]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pack_is_shuffled_twice_and_never_dealt_or_shown(seed: int) -> None:
    timeline, objects = busy(seed)
    cards = [move for move in timeline.card_moves if move.card is None]
    assert len({move.piece for move in cards}) == 2 * 52
    assert not any(move.face_start or move.face_end for move in cards)
    assert {move.card for move in timeline.card_moves} <= {None, *objects}
    assert not [move for move in lying_at(timeline.card_moves, timeline.duration_s) if move.card is None]
    for t in np.arange(0.0, timeline.duration_s, 0.5):
        lying = [move.end for move in lying_at(timeline.card_moves, float(t)) if move.card is None]
        assert all(math.hypot(a.x - b.x, a.y - b.y) < 120.0 for a, b in itertools.combinations(lying, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_objects_lie_on_the_table_and_clear_of_each_other(seed: int) -> None:
    timeline, objects = busy(seed)
    most = 0
    for t in np.arange(0.0, timeline.duration_s, 0.5):
        lying = [move for move in lying_at(timeline.card_moves, float(t)) if move.card in objects]
        most = max(most, len(lying))
        for move in lying:
            assert abs(move.end.x) < TABLE_MM[0] / 2.0
            assert abs(move.end.y) < TABLE_MM[1] / 2.0
        for one, other in itertools.combinations(lying, 2):
            apart = math.hypot(one.end.x - other.end.x, one.end.y - other.end.y)
            assert apart > objects[str(one.card)].radius * 0.7 + objects[str(other.card)].radius * 0.7 - 8.0
    assert most >= 5


def test_the_table_is_busy() -> None:
    timeline, _ = busy(1)
    still = [timeline.is_still(float(t)) for t in np.arange(0.0, timeline.duration_s, 0.5)]
    assert 0.03 < sum(still) / len(still) < 0.6


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_object_is_drawn_only_where_it_lies(kind: str) -> None:
    gain = np.full((CAMERA.height, CAMERA.width, 3), 128, np.uint8)
    light = Light(gain=gain, shadow=(0.2, 0.1), darkness=0.4, softness=0.3)
    item, pose = random_object(kind, random.Random(3)), Pose(60.0, -40.0, 30.0)
    back = np.full((40, 28, 4), 255, np.uint8)
    artist = ObjectArtist({}, back, CAMERA, light, 0.4, objects={"it": item})
    table = np.full((CAMERA.height, CAMERA.width, 3), (60, 90, 60), np.uint8)
    picture = table.copy()
    layer = artist.layer("it", True, pose)
    assert layer is not None
    layer.lay_on(picture)
    changed = np.abs(picture.astype(int) - table.astype(int)).max(axis=2) > 6
    top = CAMERA.project(item.outline(pose, 0.5 if kind != "pen" else 0.3), item.height)
    inside = np.zeros(changed.shape, np.uint8)
    cv2.fillConvexPoly(inside, np.round(top).astype(np.int32), 1)
    assert changed[inside > 0].mean() > 0.8
    ys, xs = np.nonzero(changed)
    middle = CAMERA.project(np.array([[pose.x, pose.y]]))[0]
    reach = (item.radius + item.height + 15.0) * CAMERA.scale()
    assert np.hypot(xs - middle[0], ys - middle[1]).max() < reach * 1.2
    assert artist.layer("it", True, Pose(5000.0, 0.0)) is None


def test_the_same_shot_gives_the_same_film(tmp_path: Path) -> None:
    shot = Shot(seed=2, width=320, height=180, fps=2.0, deck="drawn", surface="drawn")
    hashes = []
    for name in ("a.mp4", "b.mp4"):
        timeline = make_busy_film(shot, 6.0, tmp_path / name)
        assert timeline.duration_s >= 6.0
        hashes.append(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert hashes[0] == hashes[1]
