"""Films of lively companies: acts besides the game are filmed, and are no events."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from companion.game.scoring import truth_path
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import Layout, make_layout
from datasets.films.choreography.liveliness import Liveliness, lively_manner, random_liveliness
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import Camera, look_at_table
from datasets.films.production import TABLE_MM, Shot, make_film
from datasets.films.story import Story, find_story
from datasets.films.timeline import CardMove, Timeline
from vision.geometry import CARD_HEIGHT_MM, CARD_WIDTH_MM

SEEDS = range(4)
PLAYERS = ("Ann", "Bob", "Cat")


def evening(seed: int, lively: bool = True) -> tuple[Story, Timeline, Layout, Liveliness, Camera]:
    """Return one story and its timeline, played by a very lively company."""
    story = find_story("winnersh", PLAYERS, seed, acts=11)
    rng = random.Random(seed)
    camera = look_at_table(1920, 1080, table=TABLE_MM, tilt=30.0)
    layout = make_layout(PLAYERS, 3, TABLE_MM, camera, rng)
    manners = {player: random_manner(rng, 0.5) for player in PLAYERS}
    habits = random_habits(rng, len(PLAYERS))
    company = random_liveliness(layout, camera, rng)
    company = Liveliness(0.4, 0.4, 0.4, 0.3, ("Bob",), company.standing)
    if lively:
        manners = {player: lively_manner(manner, rng) for player, manner in manners.items()}
    return (
        story,
        choreograph(story, layout, manners, habits, rng, company if lively else None),
        layout,
        company,
        camera,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_truth_is_that_of_the_story(seed: int) -> None:
    _, lively, _, _, _ = evening(seed)
    _, quiet, _, _, _ = evening(seed, lively=False)
    events = [
        [(a.line["event"], a.line.get("player"), a.line.get("cards")) for a in t.actions]
        for t in (lively, quiet)
    ]
    assert events[0] == events[1]
    assert lively.duration_s > quiet.duration_s


def test_cards_are_put_on_the_pile_and_taken_back() -> None:
    """Every card that lies on the play pile without an event was taken back."""
    taken_back = []
    for seed in SEEDS:
        _, film, layout, _, _ = evening(seed)
        for move in film.card_moves:
            back = [m for m in film.card_moves if m.piece == move.piece and m.start_s >= move.end_s]
            if _on_pile(move, layout) and back and back[0].leaves:
                inside = [
                    a
                    for a in film.actions
                    if a.start_s <= move.end_s <= a.end_s and a.line["event"] == "play"
                ]
                taken_back += [] if inside else [move.card]
    assert taken_back


def _on_pile(move: CardMove, layout: Layout) -> bool:
    return move.face_end and np.hypot(move.end.x - layout.play.x, move.end.y - layout.play.y) < 60.0


@pytest.mark.parametrize("seed", SEEDS)
def test_objects_hide_no_place_of_a_card(seed: int) -> None:
    _, film, layout, company, camera = evening(seed)
    half = np.hypot(CARD_WIDTH_MM, CARD_HEIGHT_MM) / 2.0
    places = [*(place for seat in layout.seats for place in seat.row), layout.draw, layout.play, layout.burn]
    at = camera.project(np.array([(place.x, place.y) for place in places]))
    assert company.standing
    for item, pose in company.standing.values():
        seen = np.r_[camera.project(item.outline(pose), item.height), camera.project(item.outline(pose))]
        away = np.linalg.norm(seen[:, None] - at[None], axis=2).min()
        assert away > half * camera.scale() * 0.85  # farther off it is smaller
    names = {move.card for move in film.card_moves}
    assert set(company.objects) <= names


def test_the_file_of_cards_at_rest_contains_no_objects(tmp_path: Path) -> None:
    out, cards = tmp_path / "film.mp4", tmp_path / "cards.jsonl"
    story = find_story("winnersh", PLAYERS, 1, acts=2)
    shot = Shot(seed=3, width=320, height=180, fps=3.0, deck="drawn", surface="drawn", lively=True)
    scene = make_film(story, shot, out, cards=cards)
    assert scene.objects
    header = json.loads(truth_path(out).read_text().splitlines()[0])
    assert header["condition"]["lively"] is True
    told = {card["card"] for line in cards.read_text().splitlines() for card in json.loads(line)["cards"]}
    assert told
    assert not told & scene.objects
