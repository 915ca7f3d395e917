"""Films: camera, moves and drawing, and the same seed gives the same film."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.game.scoring import truth_path
from datasets.films.choreography.choreograph import choreograph
from datasets.films.choreography.layout import SEAT_PLANS, Layout, make_layout
from datasets.films.choreography.stage import random_manner
from datasets.films.choreography.tabletop import random_habits
from datasets.films.geometry import ArmPose, Pose, look_at_table
from datasets.films.production import TABLE_MM, Shot, make_film, pick_deck, prepare
from datasets.films.rendering.arms import ArmArtist, random_look
from datasets.films.rendering.light import Light
from datasets.films.rendering.video import FilmWriter
from datasets.films.story import Step, Story
from datasets.films.timeline import Timeline, eased
from datasets.films.truth import resting_cards
from engine.errors import BadInputError

UP: dict[str, tuple[str, ...]] = {"Ann": ("9S", "2C", "QD"), "Bob": ("3H", "AH", "5S")}
TWO_PLAYERS = Story(
    rules="winnersh",
    options=(),
    players=("Ann", "Bob"),
    dealer="Bob",
    up=UP,
    down_count=3,
    hand_count=3,
    draw_count=6,
    steps=(
        Step(event="exchange", player="Ann", hand_out=("KC",), up_out=("2C",)),
        Step(event="play", player="Ann", cards=("4H", "4S"), source="hand"),
        Step(event="draw", player="Ann", count=2),
        Step(event="play", player="Bob", cards=("10H",), source="hand", legal=False, rules=("play.it",)),
        Step(event="burn", player="Bob", cards=("4H", "4S", "10H")),
        Step(event="play", player="Bob", cards=("6D",), source="hand"),
        Step(
            event="show",
            player="Ann",
            cards=("3C",),
            to="Bob",
            answers=(("Bob", "Ann"),),
            answer_cards=("3H",),
            answered_from="up",
        ),
        Step(event="pick_up", player="Ann", cards=("6D",)),
        Step(event="pick_up", player="Bob", cards=()),
        Step(event="take_up", player="Bob", cards=("AH",)),
        Step(event="play", player="Bob", cards=("5S",), source="up"),
        Step(event="take_down", player="Ann", count=1),
        Step(event="flip", player="Bob", cards=("7C",)),
        Step(event="out", player="Bob"),
        Step(event="game_over", loser="Ann"),
    ),
)
TINY: dict[str, Any] = {"width": 320, "height": 180, "fps": 5.0, "deck": "drawn", "surface": "drawn"}


def timeline(seed: int, story: Story = TWO_PLAYERS, **manner: Any) -> tuple[Timeline, Layout]:
    rng = random.Random(seed)
    camera = look_at_table(1920, 1080, table=TABLE_MM)
    layout = make_layout(story.players, 3, TABLE_MM, camera, rng)
    manners = {player: replace(random_manner(rng, rng.random()), **manner) for player in story.players}
    return choreograph(story, layout, manners, random_habits(rng, 2), rng), layout


@pytest.mark.parametrize(("second", "trips"), [("4S", 2), ("9S", 1)])
def test_a_set_may_be_laid_card_by_card_but_cards_of_different_ranks_at_once(second: str, trips: int) -> None:
    """After a card that gives another turn, the next card would look like that turn."""
    play = Step(event="play", player="Ann", cards=("4H", second), source="hand")
    story = replace(TWO_PLAYERS, steps=(play, *TWO_PLAYERS.steps[2:3]))
    film, _ = timeline(3, story, sets="singly")
    played = next(action for action in film.actions if action.line["event"] == "play")
    home = [m for m in film.arm_moves if m.end.grip == "away" and played.start_s < m.end_s < played.end_s]
    assert len(home) == trips - 1


@given(tilt=st.floats(0, 50), azimuth=st.floats(-180, 180), roll=st.floats(-5, 5), fill=st.floats(0.7, 0.96))
def test_the_camera_sees_the_whole_table_in_the_right_direction(
    tilt: float, azimuth: float, roll: float, fill: float
) -> None:
    camera = look_at_table(1920, 1080, table=TABLE_MM, tilt=tilt, azimuth=azimuth, roll=roll, fill=fill)
    pixels = camera.project(Pose(0, 0).corners(*TABLE_MM))
    assert (pixels >= 0).all()
    assert (pixels <= [1920, 1080]).all()
    offsets = np.abs(pixels / [1920, 1080] - 0.5).max() * 2
    assert offsets == pytest.approx(fill, abs=0.01)
    left, right = camera.project(np.array([[-300.0, 0.0], [300.0, 0.0]]))
    top, bottom = camera.project(np.array([[0.0, -200.0], [0.0, 200.0]]))
    assert left[0] < right[0]
    assert top[1] < bottom[1]


def test_a_higher_card_is_nearer_to_the_camera() -> None:
    camera = look_at_table(1920, 1080, table=TABLE_MM, tilt=0.0)
    width = [np.ptp(camera.project(Pose(0, 0).corners(), z)[:, 0]) for z in (0.0, 50.0)]
    assert width[1] > width[0] * 1.02


def test_a_camera_from_above_shows_a_card_in_the_right_size() -> None:
    camera = look_at_table(1920, 1080, table=TABLE_MM, tilt=0.0, fill=0.88)
    card = camera.project(Pose(100, 50, 90).corners())
    assert 105 <= np.linalg.norm(card[1] - card[2]) <= 150
    assert card[0][0] > card[3][0]  # turned a quarter to the right, its top is on the right


@given(a=st.floats(-360, 720), b=st.floats(-360, 720))
def test_a_turn_takes_the_shorter_way(a: float, b: float) -> None:
    half = Pose(0, 0, a).blended(Pose(0, 0, b), 0.5)
    assert abs(half.angle - a) <= 90.0 + 1e-6


def test_a_movement_begins_and_ends_at_rest() -> None:
    assert [eased(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert eased(0.01) < 0.001
    assert 1.0 - eased(0.99) < 0.001


@given(seed=st.integers(0, 10_000), players=st.sampled_from(sorted(SEAT_PLANS)))
@settings(max_examples=40, deadline=None)
def test_places_are_apart_and_seats_go_clockwise(seed: int, players: int) -> None:
    rng = random.Random(seed)
    camera = look_at_table(1920, 1080, table=TABLE_MM, tilt=rng.uniform(0, 20))
    names = tuple(f"P{number}" for number in range(players))
    layout = make_layout(names, 3, TABLE_MM, camera, rng)
    assert max(layout.seats, key=lambda seat: seat.edge.y).player == "P0"
    bearings = [np.degrees(np.arctan2(-seat.edge.x, seat.edge.y)) % 360 for seat in layout.seats]
    bearings[0] = (bearings[0] + 180) % 360 - 180
    assert bearings == sorted(bearings)
    rows = [pose for seat in layout.seats for pose in seat.row]
    for one, other in itertools.combinations([*rows, layout.draw, layout.play, layout.burn], 2):
        assert np.hypot(one.x - other.x, one.y - other.y) > 62.0
    distance = np.hypot(layout.draw.x - layout.play.x, layout.draw.y - layout.play.y)
    assert 80 <= distance <= 200
    for seat in layout.seats:
        assert not camera.sees(seat.home.x, seat.home.y)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_jumps_and_nothing_is_in_two_places(seed: int) -> None:
    film, _ = timeline(seed)
    for piece in {move.piece for move in film.card_moves}:
        moves = [move for move in film.card_moves if move.piece == piece]
        for before, after in itertools.pairwise(moves):
            assert before.end_s <= after.start_s + 1e-9
            assert not before.leaves
            assert before.end == after.start
            assert before.face_end == after.face_start
    for arm in {move.arm for move in film.arm_moves}:
        moves_of = [move for move in film.arm_moves if move.arm == arm]
        for earlier, later in itertools.pairwise(moves_of):
            assert earlier.end_s <= later.start_s + 1e-9
            assert earlier.end == later.start
        assert moves_of[-1].end.grip == "away"
    faces = [move.card for move in film.card_moves if move.card and move.face_end and move.leaves is False]
    assert set(faces) >= {"4H", "4S", "10H", "6D", "3C", "3H", "5S", "7C", "KC"}


@pytest.mark.parametrize("seed", range(12))
def test_the_truth_follows_the_story(seed: int) -> None:
    film, layout = timeline(seed)
    assert [action.line["event"] for action in film.actions] == [
        "deal", *(step.event for step in TWO_PLAYERS.steps)
    ]  # fmt: skip
    for before, after in itertools.pairwise(film.actions):
        assert before.start_s <= before.end_s <= after.start_s + 1e-9
    lines = {str(action.line["event"]): action for action in film.actions}
    assert lines["deal"].line["up"] == {player: list(cards) for player, cards in UP.items()}
    assert lines["exchange"].line["up"] == {"Ann": ["9S", "KC", "QD"]}
    assert lines["show"].line["answers"] == [["Bob", "Ann"]]
    illegal = [action.line for action in film.actions if action.line.get("legal") is False]
    assert [line["rule"] for line in illegal] == ["play.it"]
    burned = lines["burn"]
    where = [move.end for move in film.card_moves if move.end_s == pytest.approx(burned.end_s, abs=0.2)]
    assert len(where) == 3
    assert all(np.hypot(pose.x - layout.burn.x, pose.y - layout.burn.y) < 60 for pose in where)


def test_pauses_between_turns_are_like_those_of_people() -> None:
    pauses = []
    for seed in range(12):
        film, _ = timeline(seed)
        turns = [
            action for action in film.actions if action.line["event"] in ("play", "pick_up", "show", "flip")
        ]
        everything = list(film.actions)
        for turn in turns:
            before = everything[everything.index(turn) - 1]
            pauses.append(turn.start_s - before.end_s)
    assert min(pauses) >= 0.8
    assert max(pauses) < 8.0  # a fidget may come in between


@pytest.mark.parametrize("tilt", [0.0, 25.0, 50.0])
@pytest.mark.parametrize("azimuth", [0.0, 90.0])
def test_arms_are_drawn_from_the_edge_to_the_grip(tilt: float, azimuth: float) -> None:
    """This holds even if the shoulder is behind the camera."""
    camera = look_at_table(480, 270, table=TABLE_MM, tilt=tilt, azimuth=azimuth)
    gain = np.full((270, 480, 3), 128, np.uint8)
    artist = ArmArtist(random_look(random.Random(1), True), camera, Light(gain, (0.1, 0.1), 0.4, 0.3))
    for heading, start in ((-90.0, (0.0, 300.0)), (0.0, (-450.0, 0.0)), (90.0, (0.0, -300.0))):
        layer = artist.layer(ArmPose(0.0, 0.0, 20.0, heading, "hold"))
        assert layer is not None
        covered = np.zeros((270, 480), bool)
        x0, y0, x1, y1 = layer.rect
        covered[y0:y1, x0:x1] = layer.keep[:, :, 0] < 128
        back = np.array(start) / np.hypot(*start)
        for distance in (30.0, 120.0, 240.0):
            x, y = camera.project(np.array([back * distance]), 20.0)[0].astype(int)
            assert covered[y, x], f"no arm {distance} mm from the grip"
        x, y = camera.project(np.array([back * -60.0]), 20.0)[0].astype(int)
        assert not covered[y, x]
        assert covered.mean() < 0.25


def film_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_seed_gives_the_same_film_and_another_seed_another_film(tmp_path: Path) -> None:
    story = replace(TWO_PLAYERS, steps=TWO_PLAYERS.steps[:3])
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        make_film(story, Shot(seed=seed, **TINY), tmp_path / f"{name}.mp4", cards=tmp_path / f"{name}.jsonl")
    one, same, other = (film_hash(tmp_path / f"{name}.mp4") for name in "abc")
    assert one == same != other
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    truth = [json.loads(line) for line in truth_path(tmp_path / "a.mp4").read_text().splitlines()]
    assert truth[0]["film"] == "a.mp4"
    assert truth[0]["players"] == ["Ann", "Bob"]
    assert [line["event"] for line in truth[1:]] == ["deal", "exchange", "play", "draw"]
    capture = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(truth[0]["seconds"] * 5, abs=1.5)
    assert not list(tmp_path.glob(".*"))  # no half-written file is left


def test_cards_at_rest_are_where_their_file_says(tmp_path: Path) -> None:
    shot = Shot(seed=3, width=960, height=540, fps=5, deck="drawn", surface="drawn", light="day", noise=0.0)
    story = replace(TWO_PLAYERS, steps=())
    scene = prepare(story, shot)
    *_, (t, frame) = scene.renderer.frames(shot.fps)
    assert scene.timeline.is_still(t)
    cards = resting_cards(scene.renderer.resting(), scene.camera)
    up = {card["card"]: card for card in cards if card["face"] == "up"}
    assert set(up) == {*UP["Ann"], *UP["Bob"]}
    assert sum(card["face"] == "down" for card in cards) == 6 + 6
    for card in up.values():
        assert card["visible"] > 0.9
        x, y = np.mean(card["quad"], axis=0).astype(int)
        left, right = (np.mean([card["quad"][a], card["quad"][b]], axis=0) for a, b in ((0, 3), (1, 2)))
        rim = (left * 0.96 + right * 0.04).astype(int)
        assert frame[rim[1], rim[0]].min() > 120, "a card's rim is white"
        assert 0 <= x < 960
        assert 0 <= y < 540


def test_a_player_who_answers_an_answer_first_takes_back_a_card() -> None:
    shows = next(step for step in TWO_PLAYERS.steps if step.event == "show")
    step = replace(shows, answers=(("Bob", "Ann"), ("Ann", "Bob")), answer_cards=("3S", "3D"))
    film, _ = timeline(3, replace(TWO_PLAYERS, steps=(replace(step, answered_from="hand"),)))
    moves = [move for move in film.card_moves if move.card in ("3C", "3D")]
    away = next(move for move in moves if move.leaves)
    second = next(move for move in moves if move.card == "3D")
    assert (away.card, away.arm) == ("3C", ("Ann", "main"))
    assert away.end_s <= second.start_s
    lie = {move.card: move.end.z < 1 for move in moves}
    assert lie == {"3C": True, "3D": True}, "both are put on the burn pile"


def test_a_hand_over_another_arm_holds_its_card_over_that_arm() -> None:
    shows = next(step for step in TWO_PLAYERS.steps if step.event == "show")
    pictures = []
    for card in ("3H", "3S"):
        step = replace(shows, answer_cards=(card,), answered_from="hand")
        scene = prepare(replace(TWO_PLAYERS, steps=(step,)), Shot(seed=3, **(TINY | {"noise": 0.0})))
        answer = [move for move in scene.timeline.card_moves if move.card == card][-2]
        assert answer.end.z > 30, "it is held out"
        pictures.append(next(frame for t, frame in scene.renderer.frames(5.0) if t >= answer.end_s - 0.2))
    assert np.count_nonzero(cv2.absdiff(*pictures).max(axis=2) > 30) > 20, "the answer's face is seen"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"light": "moon"}, "light 'moon'"),
        ({"surface": "Lava_001"}, "surface 'Lava_001'"),
        ({"deck": "no"}, "deck no"),
    ],
)
def test_a_missing_deck_surface_or_light_is_named(tmp_path: Path, change: dict[str, str], says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        make_film(TWO_PLAYERS, Shot(seed=1, **(TINY | change)), tmp_path / "x.mp4")
    assert not list(tmp_path.iterdir())


def test_a_deck_without_jokers_cannot_show_a_joker() -> None:
    assert pick_deck("any", {"JOKER"}).name == "drawn"
    with pytest.raises(BadInputError, match="JOKER-BLUE"):
        pick_deck("drawn", {"JOKER-BLUE"})


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
def test_h264_is_written_and_its_failure_is_reported(tmp_path: Path) -> None:
    out = tmp_path / "a.mp4"
    with FilmWriter(out, 5, (64, 48), "h264") as writer:
        for _ in range(4):
            writer.write(np.zeros((48, 64, 3), np.uint8))
        assert not out.exists()
    assert cv2.VideoCapture(str(out)).get(cv2.CAP_PROP_FRAME_COUNT) == 4
    with (
        pytest.raises(BadInputError, match="ffmpeg"),
        FilmWriter(tmp_path / "b.mp4", 5, (63, 47), "h264") as writer,
    ):
        writer.write(np.zeros((47, 63, 3), np.uint8))
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_h264_without_ffmpeg_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInputError, match="not installed"):
        FilmWriter(tmp_path / "a.mp4", 5, (64, 48), "h264")


def test_an_unknown_codec_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="codec h265: write one of mp4v, h264"):
        FilmWriter(tmp_path / "a.mp4", 5, (64, 48), "h265")
    assert not list(tmp_path.iterdir())


def test_an_interrupted_film_leaves_nothing(tmp_path: Path) -> None:
    def break_off() -> None:
        with FilmWriter(tmp_path / "a.mp4", 5, (64, 48)) as writer:
            writer.write(np.zeros((48, 64, 3), np.uint8))
            raise RuntimeError("the lamp fell over")

    with pytest.raises(RuntimeError, match="lamp"):
        break_off()
    assert not list(tmp_path.iterdir())


def test_a_film_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="there is no folder"):
        make_film(TWO_PLAYERS, Shot(seed=1, **TINY), tmp_path / "none" / "x.mp4")
    with pytest.raises(BadInputError, match="there is no folder"):
        make_film(TWO_PLAYERS, Shot(seed=1, **TINY), tmp_path / "x.mp4", cards=tmp_path / "none" / "c.jsonl")
